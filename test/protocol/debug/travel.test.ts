/** Going back in a live run, and on from there. */
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../client/src/runtime/environment';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { HeldModel, type MemoryHostOptions, memoryFolder, memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const skillPath = `${memoryFolder}/SKILL.md`;
const schemaPath = `${memoryFolder}/state.schema.yaml`;

async function session(
  attributes: object = {},
  options: MemoryHostOptions & {
    readonly breakpoints?: Readonly<Record<string, readonly number[]>>;
    readonly filters?: readonly string[];
  } = {},
) {
  const { breakpoints, filters, ...hostOptions } = options;
  const host = memoryHost(hostOptions);
  const connected = connectInMemory(host);
  await connected.client.launch(
    { skill: 'warehouse', horizon: 6, ...attributes },
    { ...(breakpoints && { breakpoints }), ...(filters && { filters }) },
  );
  await connected.client.event('stopped');
  return { host, ...connected };
}

/** `step phase` of where the run stands. */
async function place(client: DebugClient): Promise<string> {
  return `${await client.evaluate('step')} ${await client.evaluate('phase')}`.replaceAll('"', '');
}

/** Everything that a client sees at a stop. */
async function view(client: DebugClient): Promise<unknown> {
  const frames = await client.stack();
  const roots = ['state', 'before', 'observation', 'tokens', 'attempts', 'score'];
  const values = [];
  for (const root of roots)
    values.push(await client.ask('evaluate', { expression: root, context: 'clipboard' }));
  return [
    frames.map(({ name, line }) => [name, line]),
    values.map(({ body }) => (body as { result?: string }).result),
  ];
}

/** A world that counts what it was asked for and can't be taken back. */
function oneWay(): Environment {
  let count = 0;
  return {
    name: 'one way',
    deterministic: false,
    reset: async () => ({ observation: 'begin', done: false }),
    execute: async () => ({ observation: `${++count} done`, accepted: true, done: false }),
    skip: async () => ({ observation: 'skipped', accepted: false, done: false }),
  };
}

const plain = { 'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n' };

async function oneWaySession(attributes: object = {}) {
  return session(attributes, {
    skill: await skillOf(plain),
    environment: oneWay,
    model: () => replyingModel(Array.from({ length: 40 }, (_, n) => replyOf({ note: n }, `go ${n}`))),
  });
}

describe('stepBack', () => {
  it('undoes one next, goes to the start of a step from its midst, and stays at the start of the run', async () => {
    const { client } = await session({ horizon: 3 });
    await client.go('stepBack');
    await client.go('next');
    await client.go('next');
    await client.stack();
    await client.go('stepBack');
    await client.stack();
    await client.go('stepBack');
    await client.stack();
    await client.go('next');
    await client.go('stepIn');
    await client.go('stepIn');
    await client.go('stepIn');
    await client.stack();
    await client.go('stepBack');
    await client.stack();
    await client.go('stepBack');
    await client.stack();
    expectGolden('debug/stepBack.txt', client.transcript());
  });

  it('and forward again shows the same at every stop, without asking or acting again', async () => {
    const { client, host } = await session({ faults: 0.4, faultSeed: 3, horizon: 8 });
    const forward: unknown[] = [await view(client)];
    for (let stop = 0; stop < 6; stop++) {
      await client.go('next');
      forward.push(await view(client));
    }
    const written = host.runs[0]?.length;
    for (let stop = 5; stop >= 0; stop--) {
      await client.go('stepBack');
      expect(await view(client)).toEqual(forward[stop]);
    }
    for (let stop = 1; stop <= 6; stop++) {
      await client.go('next');
      expect(await view(client)).toEqual(forward[stop]);
    }
    expect(host.runs[0]).toHaveLength(written ?? 0);
    await client.go('next');
    expect(host.runs[0]?.length).toBeGreaterThan(written ?? 0);
  });

  it('says once what will not be undone', async () => {
    const { client } = await oneWaySession();
    for (const way of ['next', 'next', 'next', 'stepBack', 'stepBack'] as const) await client.go(way);
    const text = client.transcript();
    expect(text.split("can't be taken back").length - 1).toBe(1);
    expect(text).toContain("console| The environment one way can't be taken back");
  });
});

describe('reverseContinue', () => {
  it('runs back to where breakpoints and exceptions stop it, else to the start', async () => {
    const { client } = await session(
      { faults: 0.5, faultSeed: 4, horizon: 8 },
      { breakpoints: { [skillPath]: [51], [schemaPath]: [9] }, filters: ['rejected'] },
    );
    const forward: string[] = [];
    for (let stop = 0; stop < 9; stop++) {
      const { reason } = await client.go('continue');
      forward.push(`${await place(client)} ${reason}`);
    }
    const backward: string[] = [];
    for (let stop = 0; stop < 8; stop++) {
      const { reason } = await client.go('reverseContinue');
      backward.unshift(`${await place(client)} ${reason}`);
    }
    expect(backward).toEqual(forward.slice(0, -1));
    await client.stack();
    await client.go('reverseContinue');
    await client.stack();
    await client.go('reverseContinue');
    const again: string[] = [];
    for (let stop = 0; stop < 9; stop++) {
      const { reason } = await client.go('continue');
      again.push(`${await place(client)} ${reason}`);
    }
    expect(again).toEqual(forward);
    expect(new Set(forward.map((stop) => stop.split(' ').at(-1)))).toEqual(
      new Set(['breakpoint', 'exception']),
    );
    expectGolden('debug/reverseContinue.txt', client.transcript());
  });

  it('can be paused on the way', async () => {
    const { client } = await session({ horizon: 200 });
    await client.request('continue', { threadId: 1 });
    await client.go('pause');
    const from = Number(await client.evaluate('step'));
    await client.request('reverseContinue', { threadId: 1 });
    const { reason } = await client.go('pause');
    // The way back may have come to the start before the pause did.
    if (reason === 'pause') expect(Number(await client.evaluate('step'))).toBeLessThanOrEqual(from);
    else expect(reason).toBe('start');
  });
});

describe('restartFrame', () => {
  it('generates the step again on a branch; the original stays', async () => {
    const { client, host } = await session({ horizon: 3 });
    await client.go('next');
    await client.go('next');
    const [top] = await client.stack();
    const written = JSON.stringify(host.runs[0]);
    await client.request('restartFrame', { frameId: top?.id });
    await client.event('stopped');
    await client.stack();
    await client.go('next');
    await client.stack();
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expect(JSON.stringify(host.runs[0]).startsWith(written.slice(0, -1))).toBe(true);
    expect(host.runs[0]?.at(-1)).toMatchObject({ kind: 'end', branch: 1, outcome: 'completed' });
    expectGolden('debug/restartFrame.txt', client.transcript());
  });

  it('is refused where what was done stays done, unless the configuration says otherwise', async () => {
    const { client } = await oneWaySession();
    for (const way of ['next', 'next', 'next', 'stepBack'] as const) await client.go(way);
    const [top] = await client.stack();
    await client.ask('restartFrame', { frameId: top?.id });
    await client.ask('restartFrame', { frameId: 4 });
    await client.ask('restartFrame', { frameId: 'top' });
    await client.stack();
    await client.go('next');
    expect(await client.evaluate('step')).toBe('2');
    expectGolden('debug/restartFrameRefused.txt', client.transcript());
    const other = (await oneWaySession({ forkWithoutRewind: true })).client;
    for (const way of ['next', 'next', 'next', 'stepBack'] as const) await other.go(way);
    const [frame] = await other.stack();
    await other.request('restartFrame', { frameId: frame?.id });
    await other.event('stopped');
    expect(await place(other)).toBe('1 observe');
  });

  it('shows the step of a rejected reply, and generates that one again', async () => {
    const wrong = replyOf({ inventory: { shelf_0: 7 } }, 'Wait');
    const right = replyOf({}, 'Wait');
    const { client } = await session(
      { maxRetries: 0, onExhausted: 'reobserve' },
      { model: () => replyingModel([wrong, right]), filters: ['rejected'] },
    );
    await client.go('continue');
    const [top] = await client.stack();
    expect(await client.evaluate('step')).toBe('0');
    await client.request('restartFrame', { frameId: top?.id });
    await client.event('stopped');
    expect(await place(client)).toBe('0 observe');
    await client.go('next');
    expect(await place(client)).toBe('0 act');
  });
});

describe('goto', () => {
  it('offers the steps that chose an action or wrote a property, newest first, and goes there', async () => {
    const { client, host } = await session({ horizon: 9, seed: 3 });
    for (let step = 0; step < 7; step++) await client.go('next');
    const ask = (path: string, line: number) => client.ask('gotoTargets', { source: { path }, line });
    const { body } = await ask(skillPath, 50);
    await ask(skillPath, 53);
    await ask(skillPath, 48);
    await ask(schemaPath, 9);
    await ask('/elsewhere/SKILL.md', 50);
    const targets = (body as { targets: { id: number; label: string }[] }).targets;
    const steps = targets.map(({ label }) => Number(/^step (\d+):/.exec(label)?.[1]));
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
    await client.request('goto', { threadId: 1, targetId: targets.at(-1)?.id });
    expect((await client.event<{ reason: string }>('stopped')).reason).toBe('goto');
    await client.stack();
    expect(await place(client)).toBe(`${steps.at(-1)} act`);
    await client.ask('goto', { threadId: 1, targetId: 4711 });
    await client.ask('goto', { threadId: 2, targetId: targets[0]?.id });
    await client.ask('gotoTargets', { line: 3 });
    const written = host.runs[0]?.length;
    await client.go('next');
    expect(host.runs[0]).toHaveLength(written ?? 0);
    expectGolden('debug/goto.txt', client.transcript());
  });

  it('a step that the client names', async () => {
    const { client } = await session();
    for (let step = 0; step < 4; step++) await client.go('next');
    const go = (given: object) => client.ask('skill-state/goTo', given);
    await go({ branch: 0, step: 1 });
    await client.event('stopped');
    expect(await place(client)).toBe('1 observe');
    await go({ branch: 0, step: 2, phase: 'act' });
    await client.event('stopped');
    expect(await place(client)).toBe('2 act');
    await go({ branch: 0, step: 4 });
    await go({ branch: 1, step: 0 });
    await go({ branch: 0, step: -1 });
    await go({ branch: 0, step: 1, phase: 'sleep' });
    await go({ step: 1 });
    expect(await place(client)).toBe('2 act');
    expectGolden('debug/goToStep.txt', client.transcript());
  });
});

describe('requests to go to a step that come in quick succession', () => {
  const stopsOf = (client: DebugClient) =>
    client.exchanges.filter(({ message }) => 'event' in message && message.event === 'stopped').length;

  it('lead to the step that was asked for last, by one stop', async () => {
    const { client } = await session();
    for (let step = 0; step < 4; step++) await client.go('next');
    const before = stopsOf(client);
    const answers = [1, 3, 2].map((step) => client.ask('skill-state/goTo', { branch: 0, step }));
    expect((await Promise.all(answers)).map(({ success }) => success)).toEqual([true, true, true]);
    await client.event('stopped');
    expect(await place(client)).toBe('2 observe');
    await client.go('stepIn');
    expect(stopsOf(client)).toBe(before + 2);
  });

  it('leave a run alone that went on meanwhile', async () => {
    const { client } = await session();
    for (let step = 0; step < 4; step++) await client.go('next');
    const goTo = client.ask('skill-state/goTo', { branch: 0, step: 0 });
    const next = client.ask('next', { threadId: 1 });
    expect(await goTo).toMatchObject({ success: false, message: 'The skill is running: pause it first.' });
    expect(await next).toMatchObject({ success: true });
    await client.event('stopped');
    expect(await place(client)).toBe('4 act');
  });
});

describe('a skill that is edited meanwhile', () => {
  it('goes on from the start of the step, with breakpoints where the lines are now', async () => {
    const { client, host } = await session({}, { breakpoints: { [skillPath]: [50] } });
    await client.go('next');
    await client.go('next');
    await client.request('skill-state/edited');
    await client.ask('skill-state/forkWithEditedSkill');
    const { readFile } = await import('node:fs/promises');
    const text = await readFile(new URL('../../../samples/warehouse/SKILL.md', import.meta.url), 'utf8');
    host.changedFiles.set('SKILL.md', text.replace('## Actions', 'Be quick.\n\n## Actions'));
    await client.request('skill-state/edited');
    await client.stack();
    await client.request('skill-state/forkWithEditedSkill');
    await client.event('stopped');
    await client.stack();
    expect(await client.evaluate('phase')).toBe('"observe"');
    await client.go('stepIn');
    await client.go('stepIn');
    const [top] = await client.stack();
    const { content } = await client.request<{ content: string }>('source', {
      sourceReference: top?.source?.sourceReference,
    });
    expect(content).toContain('Be quick.');
    await client.go('next');
    await client.stack();
    expect(host.runs[0]?.find(({ kind }) => kind === 'fork')).toMatchObject({ step: 1, branch: 1 });
    // The prompt is long and stands in other goldens.
    expectGolden(
      'debug/editedSkill.txt',
      client.transcript().replace(/(< text\/x-markdown)\n( {4}\|.*\n)+/, '$1\n'),
    );
  });

  it('may get a state schema that it did not have', async () => {
    const { client, host } = await oneWaySession();
    await client.go('next');
    await client.go('next');
    expect(await client.request('skill-state/edited')).toEqual({ files: [] });
    host.changedFiles.set('state.schema.yaml', 'type: [object\n');
    expect(await client.request('skill-state/edited')).toEqual({ files: [] });
    const refused = await client.ask('skill-state/forkWithEditedSkill');
    expect(refused.message).toContain('state.schema.yaml');
    host.changedFiles.set('state.schema.yaml', 'properties: { note: { type: integer } }\n');
    expect(await client.request('skill-state/edited')).toEqual({ files: ['state.schema.yaml'] });
    await client.request('skill-state/forkWithEditedSkill');
    await client.event('stopped');
    expect(await client.request('skill-state/edited')).toEqual({ files: [] });
    const refusedEdit = await client.ask('setExpression', { expression: 'state.note', value: 'true' });
    expect(refusedEdit.message).toContain('The rule: state.schema.yaml');
  });

  it('is refused where it can not run, or the state does not fit it', async () => {
    const { client, host } = await session();
    await client.go('next');
    await client.go('next');
    host.changedFiles.set('state.schema.yaml', 'type: [object\n');
    await client.ask('skill-state/forkWithEditedSkill');
    const { readFile } = await import('node:fs/promises');
    const text = await readFile(
      new URL('../../../samples/warehouse/state.schema.yaml', import.meta.url),
      'utf8',
    );
    host.changedFiles.set('state.schema.yaml', text.replace('^item_', '^box_'));
    await client.ask('skill-state/forkWithEditedSkill');
    expect(await place(client)).toBe('1 act');
    expect(host.runs[0]?.some(({ kind }) => kind === 'fork')).toBe(false);
    expectGolden('debug/editedSkillRefused.txt', client.transcript());
  });
});

describe('the end of a run', () => {
  it('is stopped at once where that was asked for, so that one can go back from there', async () => {
    const { client } = await session({ horizon: 2, stopOnEnd: true });
    await client.go('continue');
    await client.stack();
    await client.go('next');
    await client.go('stepBack');
    await client.stack();
    await client.go('continue');
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expectGolden('debug/stopOnEnd.txt', client.transcript());
  });

  it('ends the session where it was not', async () => {
    const { client } = await session({ horizon: 2 });
    await client.request('continue', { threadId: 1 });
    expect(await client.event('skill-state/ended')).toMatchObject({ outcome: 'completed' });
  });

  it('of a session that leaves from there is the end that the run came to', async () => {
    const { client } = await session({ horizon: 2, stopOnEnd: true });
    await client.go('continue');
    await client.request('disconnect');
    expect(await client.event('skill-state/ended')).toMatchObject({ outcome: 'completed' });
  });

  it('for want of a model is stopped at, and tried again', async () => {
    const answer = replyOf({}, 'Wait');
    let calls = 0;
    const { client } = await session(
      { stopOnEnd: true, horizon: 2 },
      {
        model: ({ asker: _ }) => ({
          name: 'shaky',
          async *generate() {
            const { ModelFailure } = await import('../../../client/src/runtime/model');
            if (++calls === 2)
              throw new ModelFailure('The model is not there.', { class: 'connection', retryable: true });
            yield { type: 'text', text: answer };
          },
        }),
      },
    );
    await client.go('continue');
    await client.stack();
    await client.ask('exceptionInfo', { threadId: 1 });
    await client.go('continue');
    expectGolden('debug/tryAgain.txt', client.transcript());
  });
});

describe('while something is under way', () => {
  it('going back aborts the request', async () => {
    const model = new HeldModel();
    const { client, host } = await session({}, { model: () => model });
    const requested = model.requested();
    await client.request('continue', { threadId: 1 });
    await requested;
    model.say('The shelf');
    await client.go('pause');
    await client.go('stepBack');
    expect(await place(client)).toBe('0 observe');
    expect(model).toMatchObject({ requests: 1, aborted: 1 });
    const again = model.requested();
    const stopped = client.event('stopped');
    await client.request('next', { threadId: 1 });
    await again;
    model.say(replyOf({ inventory: { shelf_0: 'item_0' } }, 'Store item_0 shelf_0'));
    model.finish();
    await stopped;
    expect(await place(client)).toBe('0 act');
    expect(host.runs[0]?.filter(({ kind }) => kind === 'attempt')).toHaveLength(1);
  });

  it('a change by hand aborts the request, and is in the next one', async () => {
    const model = new HeldModel();
    const prompts: string[] = [];
    const { client } = await session(
      {},
      {
        model: () => ({
          name: 'held',
          generate: (request, signal) => {
            prompts.push(request.prompt);
            return model.generate(request, signal);
          },
        }),
      },
    );
    const requested = model.requested();
    await client.request('continue', { threadId: 1 });
    await requested;
    await client.go('pause');
    const edit = { expression: 'state.inventory.shelf_9', value: 'item_9' };
    const refused = await client.ask('setExpression', { ...edit, value: 'bread' });
    expect(refused.success).toBe(false);
    expect(model).toMatchObject({ requests: 1, aborted: 0 });
    await client.request('setExpression', edit);
    expect(model).toMatchObject({ requests: 1, aborted: 1 });
    const again = model.requested();
    await client.request('next', { threadId: 1 });
    await again;
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain('"shelf_9":"item_9"');
    await client.request('disconnect');
  });

  it('going back waits for the outcome of an action, unless it is paused', async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { client, host } = await session(
      {},
      {
        skill: await skillOf(plain),
        environment: () => ({
          ...oneWay(),
          execute: async () => {
            begin();
            await held;
            return { observation: 'done', accepted: true, done: false };
          },
        }),
        model: () => replyingModel([replyOf({}, 'go')]),
      },
    );
    await client.go('next');
    await client.request('stepIn', { threadId: 1 });
    await begun;
    await client.go('pause');
    await client.request('stepBack', { threadId: 1 });
    expect((await client.go('pause')).reason).toBe('pause');
    const [top] = await client.stack();
    const refused = client.ask('restartFrame', { frameId: top?.id });
    await client.request('pause', { threadId: 1 });
    expect((await refused).message).toContain('wait for its outcome');
    const stopped = client.event('stopped');
    await client.request('stepBack', { threadId: 1 });
    finish();
    await stopped;
    expect(await place(client)).toBe('0 act');
    expect(host.runs[0]?.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
    await client.go('next');
    expect(await place(client)).toBe('1 act');
  });

  it('a run that runs can not go anywhere', async () => {
    const model = new HeldModel();
    const { client } = await session({}, { model: () => model });
    const requested = model.requested();
    await client.request('continue', { threadId: 1 });
    await requested;
    await client.ask('stepBack', { threadId: 1 });
    await client.ask('reverseContinue', { threadId: 1 });
    await client.ask('restartFrame', { frameId: 10 });
    await client.ask('gotoTargets', { source: { path: skillPath }, line: 50 });
    await client.ask('goto', { threadId: 1, targetId: 1 });
    await client.ask('skill-state/goTo', { branch: 0, step: 0 });
    await client.ask('skill-state/forkWithEditedSkill');
    await client.request('terminate');
    await client.event('terminated');
    await client.ask('stepBack', { threadId: 1 });
    expectGolden('debug/travelRefused.txt', client.transcript());
  });
});
