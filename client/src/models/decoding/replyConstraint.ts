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
import { Notes } from './notes';
import { operationsSchema } from './operationsSchema';
import { replyGrammar } from './replyGrammar';
import { SchemaTooLarge } from './schemaCases';
import { withDefinitions } from './schemaDefinitions';
import { ShapeGrammar } from './shapeGrammar';
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
export type ConstraintContext = Partial<Pick<ModelRequest, 'maxTokens' | 'prompt'>>;

/** The longest reasoning in characters. */
const maxReasoning = 2_000;
/**
 * Of the tokens of a reply, what is kept for what follows the reasoning, and the shortest reasoning in characters that a
 * small `maxTokens` leaves; a JSON object may have white space in it.
 */
const blockRoom = { others: 200, least: 400 };
const objectRoom = { others: 350, least: 200 };

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
  readonly grammars: Map<boolean, { readonly grammar: ShapeGrammar; readonly notes: Notes }>;
  /** True once a grammar was longer than is usual. */
  isLarge: boolean;
}

const kept = new WeakMap<StateSchema, KeptShapes>();

function shapesOf(schema: StateSchema): KeptShapes {
  let shapes = kept.get(schema);
  if (shapes === undefined) {
    const reader = withinBounds(() => new ShapeReader(schema));
    const named = withinBounds(() => reader && namedTexts(reader.patch(anyState)));
    shapes = { reader, named: named ?? new Map(), grammars: new Map(), isLarge: false };
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
 * @param context bounds the reasoning so that a reply ends before its tokens do, and says which scripts it may be written in
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
  const { grammars, named } = kept;
  const isWide = isWritten(context.prompt ?? JSON.stringify(expected.state));
  const { grammar, notes } = grammars.get(isWide) ?? grammarOf(isWide);
  grammars.set(isWide, { grammar, notes });
  const shapes = reader.patch(expected.state);
  const written = (depth: number): ReplyConstraint => {
    const options = shapes.flatMap<Expression>((shape) => grammar.patch(shape, depth) ?? []);
    const patch = options.length === 0 ? text('{}') : choice(options);
    const dropped = [...reader.cases.notes, ...notes.all];
    return grammarFor(expected, named, patch, isWide, context, dropped);
  };
  if (!kept.isLarge) {
    const fine = withinBounds(() => written(0));
    if (fine?.kind === 'grammar' && fine.grammar.length <= usualGrammarLength) return fine;
    kept.isLarge = true;
  }
  // As if everything were nested deeper, where less is told apart.
  return written(coarseDepth);
}

function grammarOf(isWide: boolean): { grammar: ShapeGrammar; notes: Notes } {
  const notes = new Notes();
  return { grammar: new ShapeGrammar(isWide, notes.add), notes };
}

function grammarFor(
  { actions }: ExpectedReply,
  named: NamedTexts,
  patch: Expression,
  isWide: boolean,
  context: ConstraintContext,
  dropped: readonly DroppedKeyword[],
): ReplyConstraint {
  const action = actionTexts(actions, named, { escapes: jsonEscapes, isWide, named: new Map() });
  const limit = { characters: reasoningLimit(context.maxTokens, blockRoom), isWide };
  const grammar = replyGrammar({ patch, action }, limit);
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
  const isLimited = dialect === 'llama.cpp' || dialect === 'json-schema';
  const reasoning = {
    type: 'string',
    description: 'Step-by-step reasoning; discarded after execution.',
    ...(isLimited && { maxLength: reasoningLimit(context.maxTokens, objectRoom) }),
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
  const isWide = isWritten(context.prompt ?? '');
  if (encoding === 'grammar') {
    const any = grammarOf(isWide).grammar.patch(anyObject, 0);
    const patch = any ?? text('{}');
    const held = withinBounds(() => grammarFor(expected, named, patch, isWide, context, dropped));
    if (held !== undefined) return held;
    const count = expected.actions.length;
    notes.add('', 'action', `can be any text: ${count} signatures are too many to be written out`);
    const left = [...dropped, ...notes.all];
    return grammarFor({ ...expected, actions: [] }, named, patch, isWide, context, left);
  }
  const writer = new ShapeSchema(dialect, notes.add, encoding === 'operations');
  const patch = encoding === 'operations' ? operationsSchema([anyObject], writer) : { type: 'object' };
  const schema = replySchema(patch, expected, named, dialect, context, notes);
  const left = notes.all.filter(({ keyword }) => keyword === 'action');
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

/** A token may be a single byte. */
function reasoningLimit(
  maxTokens: number | undefined,
  { others, least }: { readonly others: number; readonly least: number },
): number {
  if (maxTokens === undefined) return maxReasoning;
  return Math.min(maxReasoning, Math.max(least, maxTokens - others));
}

/** Dashes, quotation marks and such don't count. */
const typography = /[\u00a0\u00ab\u00ad\u00b7\u00bb\u2010-\u2027\u202f-\u205e]/g;

/** True for a text in another script than ASCII knows. */
function isWritten(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
  return /[^\x00-\x7f]/.test(value.replaceAll(typography, ''));
}
