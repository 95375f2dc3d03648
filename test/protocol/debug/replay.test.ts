/** Debugging a recorded run: looking at it needs nothing but the trace; going on from it adds to the trace's end. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { formatRecord, readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { expectGolden } from '../../support/golden';
import { memoryRun, repository, traceText } from '../../support/memoryRun';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skill-state-replay-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tracePath = () => join(folder, 'run.skilltrace.jsonl');

/** Records a run, perhaps changed, as the file that is replayed. */
async function recorded(
  change: (records: readonly TraceRecord[]) => readonly TraceRecord[] = (records) => records,
  horizon = 5,
): Promise<string> {
  const run = await memoryRun({ faults: 0.4, faultSeed: 5, options: { horizon, seed: 42 } });
  await run.finish();
  const text = traceText(change(run.records));
  await writeFile(tracePath(), text);
  return text;
}

const withHeader =
  (more: object) =>
  (records: readonly TraceRecord[]): readonly TraceRecord[] =>
    records.map((record) => (record.kind === 'run' ? { ...record, ...more } : record));

const editedByHand = (pointer: string, value: string): TraceRecord => ({
  kind: 'edit',
  ...{ id: 1, parent: 0, branch: 0, step: 0, time: 0 },
  ...{ phase: 'observe', target: 'state', pointer, value },
});

const endedByHand = (id: number): TraceRecord => ({
  kind: 'end',
  ...{ id, parent: id - 1, branch: 0, time: 0 },
  ...{ outcome: 'cancelled', reason: 'The debug session ended the run.', resumable: true },
  ...{ steps: 0, state: { inventory: {} } },
});

const unknownModel = withHeader({ model: { name: 'oracle', settings: {} } });

/** A connected client; nothing is launched. */
function connected() {
  return connectInMemory(createDebugHost({ folder }), { masks: [[folder, '<folder>']] });
}

async function session(attributes: object = {}): Promise<DebugClient> {
  const { client } = connected();
  await client.launch({ replay: 'run.skilltrace.jsonl', ...attributes });
  await client.event('stopped');
  return client;
}

async function ended(client: DebugClient): Promise<void> {
  await client.request('disconnect');
  await client.event('terminated');
}

describe('a recorded run', () => {
  it('is gone through in both directions without a model, to its end', async () => {
    const text = await recorded(unknownModel);
    const client = await session();
    await client.stack();
    await client.go('next');
    await client.stack();
    await client.evaluate('state');
    await client.go('continue');
    await client.stack();
    await client.go('stepBack');
    await client.stack();
    await client.go('reverseContinue');
    const [top] = await client.stack();
    await client.ask('restartFrame', { frameId: top?.id });
    await client.ask('skill-state/forkWithEditedSkill');
    await client.ask('skill-state/edited');
    await client.go('continue');
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
    expectGolden('debug/replay.txt', client.transcript());
  });

  it('that was interrupted stops where it ends, or goes on there', async () => {
    const cut = (records: readonly TraceRecord[]) => records.slice(0, 17);
    await recorded((records) => unknownModel(cut(records)));
    const client = await session();
    const stopped = await client.go('continue');
    expect(stopped).toMatchObject({ reason: 'end', text: expect.stringContaining('The record ends here') });
    await client.go('stepBack');
    await client.go('continue');
    await ended(client);
    const text = await recorded(cut);
    const live = await session({ stopOnEnd: true });
    await live.go('continue');
    expect(await live.evaluate('score.actionable')).toBe('5');
    await ended(live);
    const whole = await readFile(tracePath(), 'utf8');
    expect(whole.startsWith(text)).toBe(true);
    expect(readTrace(new TextEncoder().encode(whole)).problems).toEqual([]);
  });

  it.each([
    ['killed', undefined],
    ['ended', undefined],
    ['killed after a change by hand', ['/inventory/shelf_7', 'item_7']],
    ['ended after a change by hand', ['/inventory/shelf_7', 'item_7']],
  ] as const)('that was %s before its first step begins again', async (how, edit) => {
    const text = await recorded((records) => [
      ...records.slice(0, 1),
      ...(edit ? [editedByHand(...edit)] : []),
      ...(how.startsWith('ended') ? [endedByHand(edit ? 2 : 1)] : []),
    ]);
    const client = await session({ stopOnEnd: true });
    expect((await client.go('next')).reason).toBe('step');
    expect(await client.evaluate('observation')).toContain('Shipment arrived containing item_');
    if (edit) expect(await client.evaluate('state.inventory.shelf_7')).toBe('"item_7"');
    expect((await client.go('continue')).reason).toBe('end');
    expect((await client.go('reverseContinue')).reason).toBe('start');
    await ended(client);
    const whole = await readFile(tracePath(), 'utf8');
    expect(whole.startsWith(text)).toBe(true);
    expect(readTrace(new TextEncoder().encode(whole)).problems).toEqual([]);
    const { client: again } = connected();
    await again.launch({ replay: 'run.skilltrace.jsonl' });
    await again.event('stopped');
    expect(await again.evaluate('observation')).toContain('Shipment arrived containing item_');
    await ended(again);
  });

  const byHand = { name: 'manual', settings: {} };

  it('that was killed before its first step begins again with the first of the observations in a file', async () => {
    for (const edit of [false, true]) {
      await recorded((records) => [
        ...withHeader({ environment: byHand, model: byHand })(records.slice(0, 1)),
        ...(edit ? [editedByHand('/inventory/shelf_7', 'item_7')] : []),
      ]);
      await writeFile(join(folder, 'observations.jsonl'), '"Shipment arrived containing item_0."\n"Then."\n');
      const client = await session({ observations: 'observations.jsonl' });
      expect((await client.go('stepIn')).reason).toBe('step');
      expect(await client.evaluate('observation')).toBe('"Shipment arrived containing item_0."');
      await ended(client);
    }
  });

  it('is forked at the end of its own file, by those who were recorded', async () => {
    const text = await recorded();
    const client = await session();
    await client.go('next');
    await client.go('next');
    const [top] = await client.stack();
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
    await client.request('restartFrame', { frameId: top?.id });
    await client.event('stopped');
    await client.go('next');
    await client.stack();
    await client.go('continue');
    await ended(client);
    const whole = await readFile(tracePath(), 'utf8');
    expect(whole.startsWith(text)).toBe(true);
    expect(whole.length).toBeGreaterThan(text.length);
    const { records, problems } = readTrace(new TextEncoder().encode(whole));
    expect(problems).toEqual([]);
    expect(records.at(-1)).toMatchObject({ kind: 'end', branch: 1 });
    expectGolden('debug/replayFork.txt', client.transcript());

    // Opened again, it is the new branch that is gone through.
    const again = await session();
    await again.go('continue');
    await again.request('skill-state/goTo', { branch: 0, step: 1 });
    await again.event('stopped');
    await again.request('skill-state/goTo', { branch: 1, step: 3, phase: 'act' });
    await again.event('stopped');
    expect(await again.evaluate('step')).toBe('3');
    await ended(again);
  });

  it('is forked into a copy where the configuration names one', async () => {
    const text = await recorded();
    const client = await session({ trace: 'copy.skilltrace.jsonl' });
    await client.go('next');
    const [top] = await client.stack();
    await client.request('restartFrame', { frameId: top?.id });
    await client.event('stopped');
    await ended(client);
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
    const copy = await readFile(join(folder, 'copy.skilltrace.jsonl'), 'utf8');
    expect(copy.startsWith(text)).toBe(true);
    expect(client.transcript()).toContain('"tracePath":"<folder>/copy.skilltrace.jsonl"');
  });

  it('goes on by others where the configuration names them', async () => {
    await recorded(unknownModel);
    const client = await session({ model: 'scripted' });
    await client.go('next');
    const [top] = await client.stack();
    await client.request('restartFrame', { frameId: top?.id });
    expect((await client.event<{ reason: string }>('stopped')).reason).toBe('restart');
    await ended(client);
  });

  it('shows places in the files of its skill where they are as recorded, else the recorded texts', async () => {
    await recorded();
    await cp(join(repository, 'samples', 'warehouse'), join(folder, 'warehouse'), { recursive: true });
    const client = await session({ skill: 'warehouse' });
    await client.go('next');
    expect((await client.stack())[0]?.source?.path).toBe(join(folder, 'warehouse', 'SKILL.md'));
    const path = join(folder, 'warehouse', 'SKILL.md');
    await writeFile(path, (await readFile(path, 'utf8')).replace('## Actions', 'Be quick.\n\n## Actions'));
    const { body } = await client.ask('skill-state/edited');
    expect(body).toEqual({ files: ['SKILL.md'] });
    const source = (await client.stack())[0]?.source;
    expect(source).toMatchObject({ name: 'SKILL.md (as the run began)' });
    const { content } = await client.request<{ content: string }>('source', {
      sourceReference: source?.sourceReference,
    });
    expect(content).not.toContain('Be quick.');
    const reference = { sourceReference: source?.sourceReference };
    const targets = await client.request<{ targets: unknown[] }>('gotoTargets', {
      source: reference,
      line: 50,
    });
    expect(targets.targets.length).toBeGreaterThan(0);
    await client.request('skill-state/forkWithEditedSkill');
    await client.event('stopped');
    await client.go('next');
    expect((await client.stack())[0]?.source?.path).toBe(path);
    await ended(client);
    const { records } = readTrace(await readFile(tracePath()));
    expect(records.find(({ kind }) => kind === 'fork')).toMatchObject({
      instructions: { text: expect.stringContaining('Be quick.') },
    });
    // The record of the branch holds the skill that it ran with.
    await rm(join(folder, 'warehouse'), { recursive: true });
    const again = await session();
    await again.go('next');
    await again.request('skill-state/goTo', { branch: 1, step: 0 });
    await again.event('stopped');
    await again.go('stepIn');
    await again.go('stepIn');
    const prompt = (await again.stack())[0]?.source?.sourceReference;
    const shown = await again.request<{ content: string }>('source', { sourceReference: prompt });
    expect(shown.content).toContain('Be quick.');
    await ended(again);
  });

  it('runs through without a stop where nothing is debugged', async () => {
    await recorded(unknownModel);
    const { client } = connected();
    await client.launch({ replay: tracePath(), noDebug: true });
    await client.event('terminated');
    expect(client.transcript()).not.toContain('* stopped');
  });
});

describe('a trace that is broken', () => {
  const breakLine = (text: string, line: number) =>
    text
      .split('\n')
      .map((one, index) => (index === line ? `${one.slice(0, 20)}#` : one))
      .join('\n');

  it('can be looked at, and is not added to', async () => {
    const text = breakLine(await recorded(), 24);
    await writeFile(tracePath(), text);
    const client = await session();
    await client.go('next');
    const [top] = await client.stack();
    const refused = await client.ask('restartFrame', { frameId: top?.id });
    expect(refused.message).toContain('The trace is broken at line 25, so nothing is added to it');
    await client.go('continue');
    await ended(client);
    expect(client.transcript()).toContain('console| warning: the trace, line 25: ');
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
  });

  it('or newer than this program shows what can be read, and says so', async () => {
    const text = (await recorded()).replace('"version":1', '"version":9');
    await writeFile(tracePath(), text);
    const client = await session();
    await client.go('next');
    expect(client.transcript()).toContain('The trace has version 9, and this program reads up to 1');
    const [top] = await client.stack();
    const refused = await client.ask('restartFrame', { frameId: top?.id });
    expect(refused.message).toContain('nothing is added to it');
    await ended(client);
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
  });

  it('in its last line alone goes on after that was cut off', async () => {
    const text = await recorded((records) => records.slice(0, 17));
    await writeFile(tracePath(), `${text}{"kind":"outc`);
    const client = await session({ stopOnEnd: true });
    await client.go('continue');
    await ended(client);
    const whole = await readFile(tracePath(), 'utf8');
    expect(whole.startsWith(text)).toBe(true);
    expect(readTrace(new TextEncoder().encode(whole)).problems).toEqual([]);
  });

  it('or none at all is refused at the launch', async () => {
    const { client } = connected();
    await client.request('initialize', { adapterID: 'skill-state', pathFormat: 'path' });
    await client.ask('launch', { replay: 'nowhere.skilltrace.jsonl' });
    await writeFile(tracePath(), '');
    await client.ask('launch', { replay: 'run.skilltrace.jsonl' });
    await writeFile(tracePath(), 'Dear diary,\n');
    await client.ask('launch', { replay: 'run.skilltrace.jsonl' });
    await recorded();
    await client.ask('launch', { replay: 'run.skilltrace.jsonl', model: 'oracle' });
    await client.ask('launch', { replay: 'run.skilltrace.jsonl', skill: 'nowhere' });
    expectGolden('debug/replayRefused.txt', client.transcript());
  });
});

it('a session that ends before its run has begun leaves no empty trace behind', async () => {
  const { client } = connected();
  const skill = join(repository, 'samples', 'warehouse');
  await client.request('initialize', { adapterID: 'skill-state', pathFormat: 'path' });
  await client.request('launch', { skill, trace: 'new/run.skilltrace.jsonl' });
  await ended(client);
  expect(await readdir(join(folder, 'new'))).toEqual([]);
});

it('a trace that is being written is not forked', async () => {
  await recorded();
  await writeFile(`${tracePath()}.lock`, String(process.ppid));
  const client = await session();
  await client.go('next');
  const [top] = await client.stack();
  const refused = await client.ask('restartFrame', { frameId: top?.id });
  expect(refused.message).toContain('is being written by process');
  await ended(client);
});

it('a trace that has grown since it was opened is not forked', async () => {
  const text = await recorded();
  const client = await session();
  await client.go('next');
  await writeFile(tracePath(), text + formatRecord({ kind: 'resumed', after: 3, time: 0 }));
  const [top] = await client.stack();
  const refused = await client.ask('restartFrame', { frameId: top?.id });
  expect(refused.message).toContain('has changed since it was opened');
  await ended(client);
});
