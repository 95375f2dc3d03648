/** What holds a model to the reply format while it writes: a schema or a grammar, derived from the state schema, Σ_t and the actions. */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { ExpectedReply, ModelRequest } from '../../runtime/model';
import type { Encoding } from '../modelSettings';
import { actionSchema } from './actionSchema';
import { actionTexts, type NamedTexts, namedTexts } from './actionTexts';
import { AutomatonTooLarge } from './automaton';
import { jsonEscapes } from './automatonExpression';
import { choice, type Expression, ExpressionTooLong, text } from './grammarExpression';
import { maxRepetition } from './llamaLimits';
import { Notes } from './notes';
import { operationsSchema } from './operationsSchema';
import { replyGrammar } from './replyGrammar';
import { SchemaTooLarge } from './schemaCases';
import { withDefinitions } from './schemaDefinitions';
import { maxTextLength, ShapeGrammar } from './shapeGrammar';
import { anyState, ShapeReader } from './shapeReader';
import { ShapeSchema } from './shapeSchema';
import { type ObjectShape, objectOfAny } from './shapes';

/** What a server understands of JSON Schema. */
export type Dialect = 'openai' | 'gemini' | 'llama.cpp' | 'json-schema';

/** Something of the state schema that a constraint doesn't hold the model to. The runtime checks every reply against it anyway. */
export interface DroppedKeyword {
  /** JSON Pointer into the state schema. */
  readonly pointer: string;
  readonly keyword: string;
  /** Why, the rest of a sentence that begins with the keyword. */
  readonly reason: string;
}

export type ReplyConstraint =
  | {
      readonly kind: 'json';
      readonly encoding: 'json-schema' | 'operations';
      readonly schema: JsonObject;
      readonly dropped: readonly DroppedKeyword[];
    }
  | {
      readonly kind: 'grammar';
      readonly encoding: 'grammar';
      /** GBNF, as llama.cpp's `grammar` field takes it. */
      readonly grammar: string;
      readonly dropped: readonly DroppedKeyword[];
    };

/** What else is known of a request. */
export type ConstraintContext = Partial<Pick<ModelRequest, 'maxTokens'>>;

/** The longest reasoning in bytes, also where `maxTokens` doesn't bound it: a small model may go on without end. */
export const maxReasoning = 50_000;
/** The longest argument of an action in a grammar, in characters. */
export const maxWordLength = 200;
/** The shortest reasoning in bytes that a small `maxTokens` leaves. */
const leastReasoning = 250;
/** Of the tokens of a reply, what is kept for what follows the reasoning; a JSON object may have white space in it. */
const blockRoom = 200;
const objectRoom = 350;

/** The longest grammar that tells all apart that can be told apart, in characters. */
const usualGrammarLength = 40_000;
const coarseDepth = 2;

/** The longest schema that is sent, as JSON text; OpenAI's limit is 120,000 for all names and values. */
const maxSchemaLength = 100_000;

/** What is kept of one state schema from step to step. */
interface KeptShapes {
  /** Undefined for a schema that is too large to be looked at. */
  readonly reader: ShapeReader | undefined;
  readonly named: NamedTexts;
  readonly grammar: ShapeGrammar;
  /** What the grammar leaves out. */
  readonly notes: Notes;
  /** True once a grammar was longer than is usual. */
  isLarge: boolean;
}

const kept = new WeakMap<StateSchema, KeptShapes>();

function shapesOf(schema: StateSchema): KeptShapes {
  let shapes = kept.get(schema);
  if (shapes === undefined) {
    const reader = withinBounds(() => new ShapeReader(schema));
    const named = withinBounds(() => reader && namedTexts(reader.patch(anyState)));
    const notes = new Notes();
    const grammar = new ShapeGrammar(notes.add);
    shapes = { reader, named: named ?? new Map(), grammar, notes, isLarge: false };
    kept.set(schema, shapes);
  }
  return shapes;
}

/** Undefined where something is too large to be written out. */
function withinBounds<Result>(derive: () => Result): Result | undefined {
  try {
    return derive();
  } catch (error) {
    const isTooLarge =
      error instanceof SchemaTooLarge ||
      error instanceof AutomatonTooLarge ||
      error instanceof ExpressionTooLong ||
      // What nests too deep for the stack.
      error instanceof RangeError;
    if (!isTooLarge) throw error;
    return undefined;
  }
}

/**
 * What a server is to be sent so that it holds a model to replies that fit. A state schema that is too large to be written
 * out holds it to the form of a reply alone, and `dropped` says so.
 *
 * @param context bounds the reasoning so that a reply ends before its tokens do
 */
export function replyConstraint(
  expected: ExpectedReply,
  encoding: Exclude<Encoding, 'free'>,
  dialect: Dialect,
  context: ConstraintContext = {},
): ReplyConstraint {
  const { reader } = shapesOf(expected.stateSchema);
  const derived =
    reader &&
    withinBounds(() =>
      encoding === 'grammar'
        ? grammarConstraint(expected, reader, context)
        : schemaConstraint(expected, reader, encoding, dialect, context),
    );
  return derived ?? plainConstraint(expected, encoding, dialect, context);
}

function grammarConstraint(
  expected: ExpectedReply,
  reader: ShapeReader,
  context: ConstraintContext,
): ReplyConstraint {
  const kept = shapesOf(expected.stateSchema);
  const { grammar, notes, named } = kept;
  const shapes = reader.patch(expected.state);
  const written = (depth: number): ReplyConstraint => {
    const options = shapes.flatMap<Expression>((shape) => grammar.patch(shape, depth) ?? []);
    const patch = options.length === 0 ? text('{}') : choice(options);
    const dropped = [...reader.cases.notes, ...notes.all];
    return grammarFor(expected, named, patch, context, dropped);
  };
  if (!kept.isLarge) {
    const fine = withinBounds(() => written(0));
    if (fine?.kind === 'grammar' && fine.grammar.length <= usualGrammarLength) return fine;
    kept.isLarge = true;
  }
  // As if everything were nested deeper, where less is told apart.
  return written(coarseDepth);
}

function grammarFor(
  { actions }: ExpectedReply,
  named: NamedTexts,
  patch: Expression,
  context: ConstraintContext,
  dropped: readonly DroppedKeyword[],
): ReplyConstraint {
  const writing = { escapes: jsonEscapes, maxWord: maxWordLength, maxRest: maxTextLength, named: new Map() };
  const action = actionTexts(actions, named, writing);
  const grammar = replyGrammar({ patch, action }, reasoningLimit(context.maxTokens, blockRoom));
  return { kind: 'grammar', encoding: 'grammar', grammar, dropped };
}

function schemaConstraint(
  expected: ExpectedReply,
  reader: ShapeReader,
  encoding: 'json-schema' | 'operations',
  dialect: Dialect,
  context: ConstraintContext,
): ReplyConstraint {
  const notes = new Notes();
  const { named } = shapesOf(expected.stateSchema);
  // OpenAI prepares every schema once, which takes a while, and keeps it: there it has to stay the same.
  const isStrict = dialect === 'openai' && encoding === 'operations';
  const shapes = reader.patch(isStrict ? anyState : expected.state);
  if (dialect === 'openai' && !isStrict)
    notes.add(
      '',
      'required',
      'would have to name all keys in strict mode: the schema can only be sent without it',
    );
  const understood = dialect === 'openai' && !isStrict ? 'json-schema' : dialect;
  const writer = new ShapeSchema(understood, notes.add, encoding === 'operations');
  const patch = encoding === 'operations' ? operationsSchema(shapes, writer) : patchSchema(shapes, writer);
  const schema = replySchema(patch, expected, named, dialect, context, notes);
  if (JSON.stringify(schema).length > maxSchemaLength) throw new ExpressionTooLong();
  return { kind: 'json', encoding, schema, dropped: [...reader.cases.notes, ...notes.all] };
}

function patchSchema(shapes: readonly ObjectShape[], writer: ShapeSchema): JsonObject {
  const options = shapes.flatMap<JsonObject>((shape) => writer.object(shape) ?? []);
  const [only] = options;
  if (only === undefined) return { type: 'object', properties: {}, additionalProperties: false };
  return options.length === 1 ? only : { anyOf: options };
}

function replySchema(
  patch: JsonObject,
  { actions }: ExpectedReply,
  named: NamedTexts,
  dialect: Dialect,
  context: ConstraintContext,
  notes: Notes,
): JsonObject {
  const reasoning = {
    type: 'string',
    description: 'Step-by-step reasoning; discarded after execution.',
    ...reasoningBound(dialect, context.maxTokens, notes),
  };
  const properties = {
    reasoning,
    state_patch: patch,
    action: actionSchema(actions, named, dialect, notes.add),
  };
  const names = Object.keys(properties);
  const schema = { type: 'object', properties, required: names, additionalProperties: false };
  // Gemini orders keys by their names otherwise.
  return withDefinitions(dialect === 'gemini' ? { ...schema, propertyOrdering: names } : schema);
}

/** Holds a model to the form of a reply, and to nothing of the state schema. */
function plainConstraint(
  expected: ExpectedReply,
  encoding: Exclude<Encoding, 'free'>,
  dialect: Dialect,
  context: ConstraintContext,
): ReplyConstraint {
  const dropped = [
    {
      pointer: '',
      keyword: 'properties',
      reason: 'and all else is too large to be written out for a server',
    },
  ];
  const notes = new Notes();
  const { named } = shapesOf(expected.stateSchema);
  if (encoding === 'grammar') {
    const any = new ShapeGrammar(notes.add).patch(anyObject, 0);
    const patch = any ?? text('{}');
    const held = withinBounds(() => grammarFor(expected, named, patch, context, dropped));
    if (held !== undefined) return held;
    const count = expected.actions.length;
    notes.add('', 'action', `can be any text: ${count} signatures are too many to be written out`);
    const left = [...dropped, ...notes.all];
    return grammarFor({ ...expected, actions: [] }, named, patch, context, left);
  }
  const writer = new ShapeSchema(dialect, notes.add, encoding === 'operations');
  const patch = encoding === 'operations' ? operationsSchema([anyObject], writer) : { type: 'object' };
  const schema = replySchema(patch, expected, named, dialect, context, notes);
  const left = notes.all.filter(({ keyword }) => keyword === 'action' || keyword === 'reasoning');
  return { kind: 'json', encoding, schema, dropped: [...dropped, ...left] };
}

const anyObject = objectOfAny(
  '',
  [
    { kind: 'any', pointer: '', withNull: false },
    { kind: 'null', pointer: '' },
  ],
  true,
);

/** OpenAI's and Gemini's models end by themselves. */
function reasoningBound(dialect: Dialect, maxTokens: number | undefined, notes: Notes): JsonObject {
  const maxLength = reasoningLimit(maxTokens, objectRoom);
  if (dialect === 'json-schema') return maxTokens === undefined ? {} : { maxLength };
  if (dialect !== 'llama.cpp') return {};
  if (maxLength <= maxRepetition) return { maxLength };
  notes.add('', 'reasoning', `can have no more than ${maxRepetition} characters`);
  return { maxLength: maxRepetition };
}

/** A token may be a single byte. @param room in tokens */
function reasoningLimit(maxTokens: number | undefined, room: number): number {
  if (maxTokens === undefined) return maxReasoning;
  return Math.min(maxReasoning, Math.max(leastReasoning, maxTokens - room));
}
