/** How servers are found out that keep to a constraint, ignore it, refuse it, or say nothing. */
import { expect, test } from 'vitest';
import {
  chooseDecoding,
  isConclusive,
  type ProbeAnswer,
  type ProbePlacement,
  type ProbeResult,
  type Prober,
  type ProbeStore,
  probeDecoding,
} from '../../../../client/src/models/decoding/probe';
import type { ReplyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import type { ModelSettings } from '../../../../client/src/models/modelSettings';
import { ModelFailure, type ModelFailureClass } from '../../../../client/src/runtime/model';
import { isJsonObject, type JsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import { grammarSample } from '../../../support/grammarSample';

const { signal } = new AbortController();

const grammar: ProbePlacement = { encoding: 'grammar', placement: 'grammar', dialect: 'llama.cpp' };
const schema: ProbePlacement = { encoding: 'json-schema', placement: 'format', dialect: 'json-schema' };
const other: ProbePlacement = { encoding: 'json-schema', placement: 'other', dialect: 'llama.cpp' };
const operations: ProbePlacement = { encoding: 'operations', placement: 'strict', dialect: 'openai' };
const everyWay = [grammar, schema, other, operations];

type Behaviour = 'keeps' | 'ignores' | 'all-keys' | 'no-null' | 'other-action' | 'cut' | ModelFailureClass;

/** Answers as a server would that behaves so for each placement; counts what it is asked. */
function proberOf(behaviours: Readonly<Record<string, Behaviour>>, placements = everyWay) {
  const asked: string[] = [];
  const prompts: string[] = [];
  const prober: Prober = {
    server: 'http://127.0.0.1:1',
    model: 'test',
    placements,
    async ask({ placement, encoding }, prompt, constraint) {
      asked.push(placement);
      prompts.push(prompt);
      return answerOf(behaviours[placement] ?? 'ignores', encoding, constraint);
    },
  };
  return { prober, asked, prompts };
}

function answerOf(behaviour: Behaviour, encoding: string, constraint: ReplyConstraint): ProbeAnswer {
  switch (behaviour) {
    case 'ignores':
      return { ok: true, text: 'plum' };
    case 'keeps':
      return { ok: true, text: keptAnswer(constraint) };
    case 'other-action':
      return { ok: true, text: '{"reasoning":"","state_patch":{"gone":null},"action":"Wait"}' };
    case 'no-null':
      return { ok: true, text: objectAnswer(constraint, { note: 'x' }) };
    case 'all-keys': {
      const places = { place_1: 'thing_2' };
      const all = { gone: null, colour: 'red', count: 1, note: '', places, shape: [] };
      return { ok: true, text: objectAnswer(constraint, all) };
    }
    case 'cut':
      return { ok: true, text: encoding === 'grammar' ? 'So' : '{"reasoning":"So' };
    default:
      return {
        ok: false,
        failure: new ModelFailure(`It is ${behaviour}.`, { class: behaviour, retryable: false }),
      };
  }
}

/** The action that the constraint asks for: it is nowhere in the prompt. */
function wordOf(constraint: ReplyConstraint): string {
  const text = constraint.kind === 'grammar' ? constraint.grammar : JSON.stringify(constraint.schema);
  return /Confirm_\w+/.exec(text)?.[0] ?? '';
}

function objectAnswer(constraint: ReplyConstraint, patch: JsonObject | readonly JsonObject[]): string {
  return JSON.stringify({ reasoning: '', state_patch: patch, action: `${wordOf(constraint)} place_1` });
}

function keptAnswer(constraint: ReplyConstraint): string {
  if (constraint.kind === 'grammar') return grammarSample(constraint.grammar, () => 0.5);
  const list = [{ op: 'delete', path: '/gone' }];
  return objectAnswer(constraint, constraint.encoding === 'operations' ? list : { gone: null });
}

function storeOf(known?: ProbeResult): ProbeStore & { readonly kept: ProbeResult[] } {
  const kept: ProbeResult[] = [];
  return {
    kept,
    get: async () => known,
    set: async (_server, _model, result) => {
      kept.push(result);
    },
  };
}

function outcomes({ tries }: ProbeResult): readonly string[] {
  return tries.map(({ placement, outcome }) => `${placement} ${outcome}`);
}

test('the first way that is kept to is chosen, and no other is tried', async () => {
  const { prober, asked } = proberOf({ grammar: 'keeps' });
  const result = await probeDecoding(prober, 12_345, signal);
  expect(result).toMatchObject({ encoding: 'grammar', placement: 'grammar', at: 12_345 });
  expect(result.explanation).toBe('http://127.0.0.1:1 keeps replies to a grammar.');
  expect(asked).toEqual(['grammar']);
});

test('what is refused, ignored or half kept to is passed over, and said', async () => {
  const behaviours = {
    grammar: 'bad-request',
    format: 'ignores',
    other: 'all-keys',
    strict: 'keeps',
  } as const;
  const { prober } = proberOf(behaviours);
  const result = await probeDecoding(prober, 0, signal);
  expect(outcomes(result)).toEqual(['grammar refused', 'format ignored', 'other ignored', 'strict enforced']);
  expect(result.explanation).toBe(
    'http://127.0.0.1:1 keeps replies to a JSON Schema of operations (strict). A grammar is refused, a JSON Schema (format) is taken and not kept to and a JSON Schema (other) is taken and not kept to.',
  );
  expect(result.tries.map(({ detail }) => detail)).toEqual([
    'It is bad-request.',
    'It answered "plum".',
    'It gives every key that may be left out.',
    '',
  ]);
});

test('a key that has to be null shows whether null can be written', async () => {
  const { prober } = proberOf({
    grammar: 'ignores',
    format: 'no-null',
    other: 'other-action',
    strict: 'cut',
  });
  const result = await probeDecoding(prober, 0, signal);
  expect(outcomes(result)).toEqual([
    'grammar ignored',
    'format ignored',
    'other ignored',
    'strict unanswered',
  ]);
  expect(result).toMatchObject({ encoding: 'free', placement: undefined });
  expect(result.explanation).toMatch(
    /keeps replies to no format, so they are free\..*It is tried again next time\.$/,
  );
  expect(isConclusive(result)).toBe(false);
});

test('the prompt asks for something that no constraint allows, and its word is another each time', async () => {
  const words = new Set<string>();
  for (const now of [0, 1, 1_796_068_794_047]) {
    const { prober, prompts } = proberOf({}, [schema]);
    const ask = prober.ask;
    await probeDecoding(
      {
        ...prober,
        ask(way, prompt, constraint, given) {
          words.add(wordOf(constraint));
          return ask(way, prompt, constraint, given);
        },
      },
      now,
      signal,
    );
    expect(prompts.every((prompt) => !prompt.includes('Confirm') && !prompt.includes('{'))).toBe(true);
  }
  expect(words.size).toBe(3);
});

test('a failure that says nothing about constraints is no choice, and isn’t kept', async () => {
  for (const failure of [
    'rate-limit',
    'timeout',
    'server-error',
    'malformed-stream',
    'unavailable',
  ] as const) {
    const { prober, asked } = proberOf({ grammar: failure, format: 'keeps' });
    const store = storeOf();
    const chosen = await chooseDecoding({ settings: {}, prober, store, now: 0, signal });
    const isLasting = failure === 'rate-limit' || failure === 'timeout';
    expect(chosen.encoding).toBe(isLasting ? 'free' : 'json-schema');
    expect(asked).toEqual(isLasting ? ['grammar'] : ['grammar', 'format']);
    expect(store.kept).toEqual([]);
  }
});

test('a model that can’t be asked at all is said at once', async () => {
  for (const failure of ['authentication', 'permission', 'no-such-model', 'quota', 'connection'] as const) {
    const { prober, asked } = proberOf({ grammar: failure });
    await expect(probeDecoding(prober, 0, signal)).rejects.toMatchObject({ class: failure });
    expect(asked).toEqual(['grammar']);
  }
});

test('a probe is given up with its signal', async () => {
  const { prober, asked } = proberOf({});
  const reason = new Error('given up');
  await expect(probeDecoding(prober, 0, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(asked).toEqual([]);
});

test('settings come first, then what is kept, then a probe, which is kept', async () => {
  const result: ProbeResult = {
    encoding: 'json-schema',
    placement: 'other',
    explanation: 'Known.',
    tries: [
      { encoding: 'json-schema', placement: 'format', outcome: 'refused', detail: '' },
      { encoding: 'json-schema', placement: 'other', outcome: 'enforced', detail: '' },
      { encoding: 'operations', placement: 'strict', outcome: 'ignored', detail: '' },
    ],
    at: 1_000,
  };
  const chosen = async (settings: ModelSettings, known?: ProbeResult, now = 2_000) => {
    const { prober, asked } = proberOf({ strict: 'keeps' });
    const store = storeOf(known);
    const { encoding, placement, dialect, explanation } = await chooseDecoding({
      settings,
      prober,
      store,
      now,
      signal,
    });
    const words = explanation.split('.')[0];
    return [encoding, placement, dialect, words, `asked ${asked.length}`, `kept ${store.kept.length}`].join(
      ' | ',
    );
  };
  expect([
    await chosen({ encoding: 'json-schema', placement: 'format', decoding: 'free' }, result),
    await chosen({ encoding: 'free' }, result),
    await chosen({ decoding: 'free' }, result),
    await chosen({ decoding: 'json-schema' }, result),
    await chosen({ decoding: 'json-schema' }),
    await chosen({ decoding: 'operations' }, result),
    await chosen({ decoding: 'auto' }, result),
    await chosen({}, result),
    await chosen({}, { ...result, placement: 'gone' }),
    await chosen({}, result, 2_000_000_000),
    await chosen({}, { ...result, encoding: 'free', placement: undefined }),
    await chosen({}),
  ]).toMatchInlineSnapshot(`
    [
      "json-schema | format | json-schema | The run was recorded so | asked 0 | kept 0",
      "free |  |  | The run was recorded so | asked 0 | kept 0",
      "free |  |  | It is set so | asked 0 | kept 0",
      "json-schema | other | llama.cpp | It is set so | asked 0 | kept 0",
      "json-schema | format | json-schema | It is set so | asked 0 | kept 0",
      "operations | strict | openai | It is set so, though a JSON Schema of operations (strict) is taken and not kept to | asked 0 | kept 0",
      "json-schema | other | llama.cpp | Known | asked 0 | kept 0",
      "json-schema | other | llama.cpp | Known | asked 0 | kept 0",
      "operations | strict | openai | http://127 | asked 4 | kept 1",
      "operations | strict | openai | http://127 | asked 4 | kept 1",
      "free |  |  | Known | asked 0 | kept 0",
      "operations | strict | openai | http://127 | asked 4 | kept 1",
    ]
  `);
  const { prober } = proberOf({}, [schema]);
  await expect(
    chooseDecoding({ settings: { decoding: 'grammar' }, prober, now: 0, signal }),
  ).rejects.toMatchObject({
    class: 'bad-request',
    message: "http://127.0.0.1:1 can't be held to grammar: choose another decoding, such as auto.",
  });
});

test('what is asked has the features of real constraints', async () => {
  const constraints: ReplyConstraint[] = [];
  const { prober } = proberOf({});
  await probeDecoding(
    {
      ...prober,
      async ask(_way, _prompt, constraint) {
        constraints.push(constraint);
        return { ok: true, text: '' };
      },
    },
    0,
    signal,
  );
  const patches = constraints.flatMap((constraint) => {
    const properties = constraint.kind === 'json' ? ownProperty(constraint.schema, 'properties') : undefined;
    return isJsonObject(properties) ? [ownProperty(properties, 'state_patch')] : [];
  });
  expect(patches[0]).toMatchObject({
    required: ['gone'],
    properties: { gone: { type: 'null' }, places: expect.anything(), colour: { enum: ['red', 'blue'] } },
  });
});
