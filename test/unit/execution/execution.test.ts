/** The step loop: phases in order, rollback and retry, both commit orders, the three ways when retries run out, caps, cancelling. */
import { describe, expect, it } from 'vitest';
import type { Environment, Outcome } from '../../../client/src/runtime/environment';
import { EnvironmentFailure } from '../../../client/src/runtime/environment';
import { RunFailure } from '../../../client/src/runtime/execution';
import { ModelFailure } from '../../../client/src/runtime/model';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { memoryRun, replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const skillText = (actions = '') =>
  `---\nname: skill\ndescription: A skill for tests.\n---\nDo it.\n${actions}`;

const schema = JSON.stringify({
  type: 'object',
  properties: {
    count: { type: 'integer', default: 0 },
    list: {
      type: 'array',
      items: { type: 'integer' },
      maxItems: 3,
      'x-merge': 'append',
      'x-evict': 'oldest',
    },
    seen: { type: 'string', 'x-writer': 'environment' },
    parent: { type: 'object' },
  },
  additionalProperties: false,
  'x-invariants': [
    { expression: '!has(state.count) || state.count < 100', message: 'count stays below 100' },
  ],
});

const counterSkill = (actions = '') =>
  skillOf({ 'SKILL.md': skillText(actions), 'state.schema.json': schema });

/** Accepts every action but `refuse`, is done after `steps` of them, and remembers what it was asked. */
function recordingEnvironment(
  steps: number,
  outcome: Partial<Outcome> = {},
): Environment & { readonly log: string[] } {
  const log: string[] = [];
  const next = (text: string, accepted: boolean): Outcome => ({
    observation: `${text}\nnext`,
    accepted,
    done: log.length >= steps,
    ...outcome,
  });
  return {
    name: 'recording',
    deterministic: true,
    log,
    async reset() {
      return { observation: 'first', done: false };
    },
    async execute(action) {
      log.push(action);
      return next(`did ${action}`, action !== 'refuse');
    },
    async skip(reason) {
      log.push(`skip: ${reason}`);
      return next(`Rejected: ${reason}`, false);
    },
  };
}

describe('a step', () => {
  it('passes through the phases in order, and one advance is one phase', async () => {
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(1),
      model: replyingModel([replyOf({ count: 1 }, 'go')]),
    });
    await run.finish();
    expect(run.phases.map(({ phase }) => phase)).toEqual([
      'observe',
      'prompt',
      'generate',
      'parse',
      'validate',
      'merge',
      'act',
      'observe',
    ]);
    expect(run.records.map(({ kind }) => kind)).toEqual([
      'run',
      'step',
      'attempt',
      'commit',
      'intent',
      'outcome',
      'end',
    ]);
    expect(run.execution.run).toMatchObject({
      state: { count: 1 },
      end: { outcome: 'completed' },
      totals: { steps: 1, attempts: 1 },
    });
  });

  it('asks with P, Σ_t and O_t alone', async () => {
    const model = replyingModel([replyOf({ count: 1 }, 'go'), replyOf({ count: 2 }, 'go')]);
    const run = await memoryRun({ skill: await counterSkill(), environment: recordingEnvironment(2), model });
    await run.finish();
    const promptOf = (count: number, observation: string) =>
      composePrompt({ instructions: 'Do it.', state: { count }, observation }).text;
    expect(model.prompts).toEqual([promptOf(0, 'first'), promptOf(1, 'did go\nnext')]);
  });
});

describe('a rejected reply', () => {
  const cases: readonly [string, string, object][] = [
    ['no-block', 'I would rather not.', {}],
    ['syntax', '```json\n{"state_patch":{,"action":"go"}\n```', {}],
    ['extra-key', '```json\n{"state_patch":{},"action":"go","more":1}\n```', {}],
    ['missing-key', '```json\n{"action":"go"}\n```', {}],
    ['not-an-object', replyOf([], 'go'), {}],
    [
      'schema',
      replyOf({ count: 'one' }, 'go'),
      { pointer: '/count', schemaLocation: '/properties/count/type' },
    ],
    ['invariant', replyOf({ count: 100 }, 'go'), { schemaLocation: '/x-invariants/0' }],
    ['action', replyOf({}, 7), {}],
    ['action', replyOf({}, 'Fly away'), {}],
    ['writer', replyOf({ seen: 'me' }, 'go'), { pointer: '/seen' }],
    ['limit', '```json\n{"state_patch":{"count":1e999},"action":"go"}\n```', {}],
  ];
  const actions = '\n## Actions\n\n- `go`: Goes.\n';

  it.each(cases)(
    'is classed as %s, leaves Σ alone, and the same prompt comes again with a correction: %s',
    async (rejectionClass, reply, where) => {
      const model = replyingModel([reply, replyOf({ count: 1 }, 'go')]);
      const run = await memoryRun({
        skill: await counterSkill(actions),
        environment: recordingEnvironment(1),
        model,
      });
      const last = await run.finish();
      expect(run.records.filter(({ kind }) => kind === 'rejection')).toMatchObject([
        { class: rejectionClass, step: 0, attempt: 1, ...where },
      ]);
      expect(model.prompts).toHaveLength(2);
      expect(model.prompts[1]?.startsWith(`${model.prompts[0]}\n\n`)).toBe(true);
      expect(last).toMatchObject({
        state: { count: 1 },
        totals: { retries: 1, rejected: { [rejectionClass]: 1 } },
      });
    },
  );

  it('is cut where the model goes on past the limit', async () => {
    const endless = replyingModel(['x'.repeat(500)]);
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(1),
      model: endless,
      options: {
        limits: { replyCharacters: 100, depth: 64, stateCharacters: 1000 },
        maxRetries: 0,
        onExhausted: 'stop',
      },
    });
    await run.finish();
    expect(run.records.find(({ kind }) => kind === 'attempt')).toMatchObject({ finish: 'cut' });
    expect(run.records.find(({ kind }) => kind === 'rejection')).toMatchObject({
      class: 'limit',
      exhausted: 'stop',
    });
  });
});

describe('when the retries run out', () => {
  const exhausted = (onExhausted: 'reobserve' | 'continue' | 'stop') =>
    ({ maxRetries: 1, onExhausted }) as const;

  it('reobserve shows the same observation after a Rejected line, and stops after three such steps in a row', async () => {
    const environment = recordingEnvironment(9);
    const model = replyingModel(['nothing']);
    const run = await memoryRun({
      skill: await counterSkill(),
      environment,
      model,
      options: exhausted('reobserve'),
    });
    const last = await run.finish();
    expect(last).toMatchObject({
      end: { outcome: 'stopped' },
      totals: { steps: 3, failedSteps: 3, attempts: 6 },
    });
    expect(environment.log).toEqual([]);
    const observations = run.records.flatMap((record) =>
      record.kind === 'step' ? [record.observation] : [],
    );
    expect(observations[0]).toBe('first');
    expect(observations[1]).toMatch(/^Rejected: .+\nfirst$/);
    expect(observations[2]).toBe(observations[1]);
  });

  it('reobserve begins to count anew once a step succeeded', async () => {
    const fail = ['no', 'no'];
    const model = replyingModel([...fail, ...fail, replyOf({}, 'go'), ...fail, ...fail, replyOf({}, 'go')]);
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(2),
      model,
      options: exhausted('reobserve'),
    });
    expect(await run.finish()).toMatchObject({
      end: { outcome: 'completed' },
      totals: { failedSteps: 4, steps: 6 },
    });
  });

  it('continue lets the environment move on without an action', async () => {
    const environment = recordingEnvironment(2);
    const run = await memoryRun({
      skill: await counterSkill(),
      environment,
      model: replyingModel(['nothing']),
      options: exhausted('continue'),
    });
    expect(await run.finish()).toMatchObject({
      end: { outcome: 'completed' },
      totals: { failedSteps: 2, steps: 2 },
    });
    expect(environment.log[0]).toMatch(/^skip: /);
    expect(run.records.filter(({ kind }) => kind === 'intent')).toEqual([]);
    expect(run.records.find(({ kind }) => kind === 'outcome')).toMatchObject({
      skipped: true,
      accepted: false,
    });
  });

  it('stop ends the run', async () => {
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(2),
      model: replyingModel(['nothing']),
      options: exhausted('stop'),
    });
    expect(await run.finish()).toMatchObject({
      end: { outcome: 'stopped', resumable: false },
      totals: { steps: 1, failedSteps: 1 },
    });
  });
});

describe('the order of commit and act', () => {
  const refused = [replyOf({ count: 1 }, 'refuse')];

  it('on-propose merges first: after a refusal Σ is ahead, and its path stays proposed', async () => {
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(1),
      model: replyingModel(refused),
    });
    const last = await run.finish();
    expect(last.state).toEqual({ count: 1 });
    expect([...last.proposals.keys()]).toEqual(['/count']);
    expect(run.records.map(({ kind }) => kind)).toEqual([
      'run',
      'step',
      'attempt',
      'commit',
      'intent',
      'outcome',
      'end',
    ]);
  });

  it('on-accept merges only what was accepted, and says so in the trace', async () => {
    const model = replyingModel([...refused, replyOf({ count: 2 }, 'go')]);
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(2),
      model,
      options: { commit: 'on-accept' },
    });
    const last = await run.finish();
    expect(last.state).toEqual({ count: 2 });
    expect(last.proposals.size).toBe(0);
    expect(run.records[0]).toMatchObject({ options: { commit: 'on-accept' } });
    const kinds = run.records.map(({ kind }) => kind);
    expect(kinds).toEqual([
      'run',
      'step',
      'attempt',
      'intent',
      'outcome',
      'step',
      'attempt',
      'intent',
      'outcome',
      'commit',
      'end',
    ]);
  });

  it('an accepted action confirms what was proposed with it', async () => {
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(1),
      model: replyingModel([replyOf({ count: 1 }, 'go')]),
    });
    expect((await run.finish()).proposals.size).toBe(0);
  });
});

describe('what the environment writes', () => {
  it('is merged as its own record after the act', async () => {
    const environment = recordingEnvironment(1, { facts: { seen: 'door' } });
    const run = await memoryRun({
      skill: await counterSkill(),
      environment,
      model: replyingModel([replyOf({}, 'go')]),
    });
    expect((await run.finish()).state).toEqual({ count: 0, seen: 'door' });
    expect(run.records.filter(({ kind }) => kind === 'commit')).toMatchObject([
      { by: 'model' },
      { by: 'environment', patch: { seen: 'door' } },
    ]);
  });

  it('stops the run where it does not fit the schema', async () => {
    const environment = recordingEnvironment(2, { facts: { seen: 7 } });
    const run = await memoryRun({
      skill: await counterSkill(),
      environment,
      model: replyingModel([replyOf({}, 'go')]),
    });
    expect(await run.finish()).toMatchObject({ state: { count: 0 }, end: { outcome: 'stopped' } });
  });
});

/** A skill whose action `finish` ends the run. */
const endingSkill = (body: string) =>
  skillOf({
    'SKILL.md': `---\nname: skill\ndescription: Ends.\nmetadata:\n  terminal-actions: finish\n---\n${body}\n`,
  });

describe('a run ends', () => {
  it('with its terminal action', async () => {
    const skill = await endingSkill('## Actions\n\n- `finish <text...>`: Ends.\n- `go`: Goes.');
    const run = await memoryRun({
      skill,
      environment: recordingEnvironment(9),
      model: replyingModel([replyOf({}, 'go'), replyOf({}, 'finish all is well')]),
    });
    expect(await run.finish()).toMatchObject({ end: { outcome: 'completed' }, totals: { steps: 2 } });
  });

  it.each([
    ['finish', true, 'The terminal action finish was accepted.'],
    ['finish', false, 'The environment is done.'],
    ['go', true, 'The environment is done.'],
  ])(
    'with the reason %s, accepted: %j, where the environment is done too',
    async (action, accepted, reason) => {
      const skill = await endingSkill('Do it.');
      const run = await memoryRun({
        skill,
        environment: recordingEnvironment(1, { accepted }),
        model: replyingModel([replyOf({}, action)]),
      });
      expect(await run.finish()).toMatchObject({
        end: { outcome: 'completed', reason },
        totals: { steps: 1 },
      });
    },
  );

  it('with its terminal action where any text is an action', async () => {
    const skill = await endingSkill('Do it.');
    const run = await memoryRun({
      skill,
      environment: recordingEnvironment(9),
      model: replyingModel([replyOf({}, 'finish it'), replyOf({}, ' finish ')]),
    });
    expect(await run.finish()).toMatchObject({ end: { outcome: 'completed' }, totals: { steps: 2 } });
  });

  it.each([
    [{ steps: 2 }, 2],
    [{ tokens: 1 }, 1],
    [{ cost: 0.000001 }, 1],
  ])('capped by %o', async (budget, steps) => {
    const model = { ...replyingModel([replyOf({}, 'go')]), price: { prompt: 10, completion: 10 } };
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(9),
      model,
      options: { budget },
    });
    expect(await run.finish()).toMatchObject({ end: { outcome: 'capped' }, totals: { steps } });
  });

  it('capped by seconds spent in phases', async () => {
    let now = 0;
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(9),
      model: replyingModel([replyOf({}, 'go')]),
      options: { budget: { seconds: 1 } },
      now: () => (now += 100),
    });
    expect(await run.finish()).toMatchObject({ end: { outcome: 'capped' } });
  });

  it('refuses a budget in dollars where no price is known', async () => {
    const attempt = memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(1),
      model: replyingModel(['']),
      options: { budget: { cost: 1 } },
    });
    await expect(attempt).rejects.toThrow(RunFailure);
  });

  it('in order where the model or the environment fails, resumable and with the reason', async () => {
    const failing = {
      name: 'failing',
      async *generate() {
        yield { type: 'text', text: 'half' } as const;
        throw new ModelFailure('The server at port 9 does not answer.', {
          class: 'connection',
          retryable: true,
        });
      },
    };
    const run = await memoryRun({
      skill: await counterSkill(),
      environment: recordingEnvironment(1),
      model: failing,
    });
    await expect(run.finish()).rejects.toThrow('does not answer');
    expect(run.execution.run?.end).toEqual({
      outcome: 'stopped',
      reason: 'The server at port 9 does not answer.',
      resumable: true,
      failures: [{ class: 'connection', message: 'The server at port 9 does not answer.' }],
    });
    expect(run.records.at(-1)).toMatchObject({ kind: 'end', resumable: true });

    const environment = recordingEnvironment(1);
    environment.execute = async () => {
      throw new EnvironmentFailure('The warehouse is on fire.');
    };
    const second = await memoryRun({
      skill: await counterSkill(),
      environment,
      model: replyingModel([replyOf({}, 'go')]),
    });
    await expect(second.finish()).rejects.toThrow('on fire');
    expect(second.records.map(({ kind }) => kind)).toEqual([
      'run',
      'step',
      'attempt',
      'commit',
      'intent',
      'end',
    ]);
  });
});

describe('cancelling', () => {
  it('before any phase leaves the run before that phase', async () => {
    const total = (await memoryRun({ options: { horizon: 2 } })).phases.length + 14;
    for (let phases = 0; phases < total; phases++) {
      const run = await memoryRun({ options: { horizon: 2 } });
      const cancelled = new AbortController();
      let state = await run.execution.start(cancelled.signal);
      for (let done = 0; done < phases && !state.end; done++)
        state = (await run.execution.advance(cancelled.signal)).after;
      if (state.end) break;
      cancelled.abort(new Error('enough'));
      await expect(run.execution.advance(cancelled.signal)).rejects.toThrow('enough');
      expect(run.execution.run).toBe(state);
    }
  });

  it('during a model call stops it, keeps the run before generate, and can end it as cancelled', async () => {
    const cancelled = new AbortController();
    const model = {
      name: 'slow',
      async *generate(_request: unknown, signal: AbortSignal) {
        yield { type: 'text', text: 'half an ans' } as const;
        cancelled.abort(new Error('enough'));
        signal.throwIfAborted();
      },
    };
    const run = await memoryRun({ skill: await counterSkill(), environment: recordingEnvironment(1), model });
    let state = await run.execution.start(cancelled.signal);
    while (state.phase !== 'generate') state = (await run.execution.advance(cancelled.signal)).after;
    await expect(run.execution.advance(cancelled.signal)).rejects.toThrow('enough');
    expect(run.execution.run?.phase).toBe('generate');
    run.execution.end({ outcome: 'cancelled', reason: 'Enough.', resumable: true });
    expect(run.records.map(({ kind }) => kind)).toEqual(['run', 'step', 'end']);
    expect(run.records.at(-1)).toMatchObject({ outcome: 'cancelled', resumable: true });
  });
});

describe('warnings', () => {
  it('tell of losses that the schema allows', async () => {
    const skill = await skillOf({
      'SKILL.md': skillText(),
      'state.schema.json': JSON.stringify({
        type: 'object',
        properties: { list: { type: 'array' }, map: { type: 'object' } },
      }),
    });
    const model = replyingModel([
      replyOf({ list: [1, 2, 3], map: { a: 1, b: 2 } }, 'go'),
      replyOf({ list: [1] }, 'go'),
      replyOf({ map: null }, 'go'),
      replyOf({ map: null }, 'go'),
    ]);
    const run = await memoryRun({ skill, environment: recordingEnvironment(4), model });
    await run.finish();
    const warnings = run.records.flatMap((record) =>
      record.kind === 'warning' ? [`${record.step} ${record.class}`] : [],
    );
    expect(warnings).toEqual(['1 array-shrunk', '2 keys-erased', '3 repeated-patch']);
  });
});
