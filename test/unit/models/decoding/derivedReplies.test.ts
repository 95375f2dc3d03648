/** Whatever a derived constraint allows, the runtime takes: for schemas, states and replies by chance. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Dialect,
  type DroppedKeyword,
  type ReplyConstraint,
  replyConstraint,
} from '../../../../client/src/models/decoding/replyConstraint';
import { createReplyDecoder } from '../../../../client/src/models/decoding/replyDecoder';
import { compileStateSchema } from '../../../../client/src/runtime/compiledSchema';
import { applyPatch } from '../../../../client/src/runtime/merge';
import type { ExpectedReply } from '../../../../client/src/runtime/model';
import type { Rejection } from '../../../../client/src/runtime/rejection';
import { parseReply } from '../../../../client/src/runtime/replyParser';
import {
  createStateValidator,
  StateSchemaFailure,
  type StateValidator,
} from '../../../../client/src/runtime/validation';
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { matchAction, parseActions } from '../../../../schemas/skill/actionSignature';
import { sampleValueAt } from '../../../../schemas/state/sampleValue';
import { grammarSample, isOfGrammar } from '../../../support/grammarSample';
import { limits, schemaOf } from '../../runtime/schemaOf';
import { anyStateSchema } from './anySchema';

const { actions } = parseActions({
  text: '# Actions\n\n- `Store <item_id> <shelf>`\n- `Say(text, tone...)`\n- `Note <words...>`\n- `Wait`\n- `Stop()`\n',
  file: 'SKILL.md',
});

/** Numbers from 0 to below 1 that follow from a seed. */
function chance(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Start {
  readonly expected: ExpectedReply;
  readonly validator: StateValidator;
}

/** The least state of a schema; undefined for a schema that allows none, or is none. */
function startOf(schema: JsonObject): Start | undefined {
  const stateSchema = schemaOf(schema);
  const state = sampleValueAt(stateSchema, []);
  if (!isJsonObject(state) || stateSchema.problems.some(({ severity }) => severity === 'error'))
    return undefined;
  let validator: StateValidator;
  try {
    validator = createStateValidator(stateSchema, limits);
  } catch (error) {
    if (error instanceof StateSchemaFailure) return undefined;
    throw error;
  }
  return validator.checkInitial(state).length > 0
    ? undefined
    : { expected: { stateSchema, actions, state }, validator };
}

/** What becomes of a reply: the next state, or why it is rejected. */
function taken(reply: string, { expected, validator }: Start): JsonObject | Rejection {
  const parsed = parseReply(reply, limits);
  if (!parsed.ok) return parsed.rejection;
  const { patch, action } = parsed.reply;
  const match = matchAction(actions, action);
  if (!match.ok) return { class: 'action', message: match.message };
  const { state } = applyPatch(expected.state, patch, expected.stateSchema);
  return validator.checkPatch(patch, 'model') ?? validator.checkMerged(state, patch) ?? state;
}

function isRejection(result: JsonObject | Rejection): result is Rejection {
  return typeof result.class === 'string' && typeof result.message === 'string';
}

/** The patch of a reply is the derived schema's, as its own validator sees it. */
function isOfSchema(schema: JsonObject, reply: JsonObject): boolean {
  const violations = compileStateSchema(schemaOf(schema)).violations(reply);
  return violations !== 'exhausted' && violations.length === 0;
}

/** What of the state schema was left out. */
function droppedOf({ dropped }: ReplyConstraint): readonly DroppedKeyword[] {
  return dropped.filter(({ keyword }) => keyword !== 'action' && keyword !== 'reasoning');
}

/** What may be broken though the constraint allows it: what was said to be left out. */
function expectSaid(
  rejection: Rejection,
  constraint: ReplyConstraint,
  reply: string,
  state: JsonObject,
): void {
  const isOfSchema = rejection.class === 'schema' || rejection.class === 'writer';
  const what = [
    rejection.class,
    isOfSchema && constraint.dropped.length > 0,
    rejection.message,
    reply,
    state,
  ];
  expect(what).toEqual([rejection.class, true, rejection.message, reply, state]);
}

test('every reply of a derived grammar is taken, step after step', () => {
  let checked = 0;
  fc.assert(
    fc.property(anyStateSchema, fc.integer(), (schema, seed) => {
      const start = startOf(schema);
      fc.pre(start !== undefined);
      const random = chance(seed);
      let current = start;
      for (let step = 0; step < 6; step++) {
        const constraint = replyConstraint(current.expected, 'grammar', 'llama.cpp', { maxTokens: 100 });
        if (constraint.kind !== 'grammar') throw new Error('No grammar');
        const reply = grammarSample(constraint.grammar, random);
        expect(isOfGrammar(constraint.grammar, reply)).toBe(true);
        const result = taken(reply, current);
        if (!isRejection(result)) {
          if (constraint.dropped.length === 0) checked++;
          current = { ...current, expected: { ...current.expected, state: result } };
          continue;
        }
        // A schema that refers to itself without end can't be checked.
        if (result.class === 'limit') return;
        expectSaid(result, constraint, reply, current.expected.state);
      }
    }),
    { numRuns: 50 },
  );
  expect(checked).toBeGreaterThan(40);
});

/** How replies travel as JSON. */
interface JsonWay {
  readonly encoding: 'json-schema' | 'operations';
  /** By chance one of them, as often as it stands here. */
  readonly dialects: readonly Dialect[];
  /** A reply whose patch is a merge patch, as this encoding writes it. */
  write(reply: JsonObject, state: JsonObject): JsonObject;
  /** Whether a reply tells something that was taken under the constraint. */
  counts(constraint: ReplyConstraint): boolean;
}

const jsonWays: readonly JsonWay[] = [
  {
    encoding: 'json-schema',
    dialects: ['json-schema', 'json-schema', 'json-schema', 'llama.cpp', 'gemini'],
    write: (reply) => reply,
    counts: (constraint) => droppedOf(constraint).length === 0,
  },
  {
    encoding: 'operations',
    dialects: ['openai', 'llama.cpp', 'json-schema'],
    write: ({ state_patch, ...reply }, state) => ({
      ...reply,
      state_patch: isJsonObject(state_patch) ? operationsOf(state_patch, state) : [],
    }),
    counts: () => true,
  },
];

test.each(jsonWays)('every reply that a derived schema takes is taken: $encoding', (way) => {
  const found = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(anyStateSchema, fc.integer(), fc.constantFrom(...way.dialects), (schema, seed, dialect) => {
      const start = startOf(schema);
      fc.pre(start !== undefined);
      const random = chance(seed);
      let current = start;
      for (let step = 0; step < 4; step++) {
        const { expected } = current;
        const constraint = replyConstraint(expected, way.encoding, dialect);
        const grammar = replyConstraint(expected, 'grammar', 'llama.cpp');
        if (constraint.kind !== 'json' || grammar.kind !== 'grammar') throw new Error('No constraint');
        const drawn = changed(objectOf(grammarSample(grammar.grammar, random)), random);
        const written = way.write(drawn, expected.state);
        if (!isOfSchema(constraint.schema, written)) {
          found.refused++;
          continue;
        }
        const decoder = createReplyDecoder(way.encoding, expected);
        const reply = decoder.write(JSON.stringify(written)) + decoder.end();
        const result = taken(reply, current);
        if (isRejection(result)) {
          if (result.class === 'limit') return;
          expectSaid(result, constraint, reply, expected.state);
        } else {
          if (way.counts(constraint)) found.taken++;
          current = { ...current, expected: { ...expected, state: result } };
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(found.taken).toBeGreaterThan(8);
  expect(found.refused).toBeGreaterThan(8);
});

/** A reply in the prompt's format as the object of the other encodings. */
function objectOf(reply: string): JsonObject {
  const parsed = parseReply(reply, limits);
  if (!parsed.ok) throw new Error(parsed.rejection.message);
  const { reasoning, patch, action } = parsed.reply;
  return { reasoning, state_patch: patch, action };
}

/** A reply with something in its patch changed, now and then. */
function changed(object: JsonObject, random: () => number): JsonObject {
  const change = (value: JsonValue): JsonValue => {
    if (random() < 0.1) return [null, 'a', 7, {}, [], true, 'k_1', 1.5][Math.floor(random() * 8)] ?? null;
    if (Array.isArray(value)) return value.map((item: JsonValue) => change(item));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).filter(() => random() > 0.1);
    const more = random() < 0.1 ? [['k_2', 'a'] as const] : [];
    return Object.fromEntries([...entries.map(([key, one]) => [key, change(one)] as const), ...more]);
  };
  const patch = change(object.state_patch ?? {});
  return { ...object, state_patch: patch };
}

/** One operation for each value and each deletion. */
function operationsOf(
  patch: JsonObject,
  target: JsonValue | undefined,
  path: readonly string[] = [],
): JsonValue[] {
  return Object.entries(patch).flatMap(([key, value]): JsonValue[] => {
    const at = formatPointer([...path, key]);
    const current = isJsonObject(target) ? ownProperty(target, key) : undefined;
    if (value === null) return [{ op: 'delete', path: at }];
    if (isJsonObject(value) && isJsonObject(current)) return operationsOf(value, current, [...path, key]);
    return [{ op: 'set', path: at, value }];
  });
}
