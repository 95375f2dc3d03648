/** What holds a model to the reply format while it writes: a schema or a grammar, derived from the state schema, Σ_t and the actions. */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { ExpectedReply, ModelRequest } from '../../runtime/model';
import type { Encoding } from '../modelSettings';
import { actionTexts, type NamedTexts, namedTexts } from './actionTexts';
import { jsonEscapes } from './automatonExpression';
import { choice, type Expression, text } from './grammarExpression';
import { replyGrammar } from './replyGrammar';
import { ShapeGrammar } from './shapeGrammar';
import { anyState, ShapeReader } from './shapeReader';

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

/** The longest reasoning in characters, and the shortest that a small `maxTokens` leaves. */
const maxReasoning = 2_000;
const minReasoning = 400;
/** Of the tokens of a reply, what is kept for the block behind the reasoning. */
const blockTokens = 200;

/** What is kept of one state schema from step to step. */
interface KeptShapes {
  readonly reader: ShapeReader;
  readonly named: NamedTexts;
  readonly grammars: Map<
    boolean,
    { readonly grammar: ShapeGrammar; readonly notes: Map<string, DroppedKeyword> }
  >;
}

const kept = new WeakMap<StateSchema, KeptShapes>();

function shapesOf(schema: StateSchema): KeptShapes {
  let shapes = kept.get(schema);
  if (shapes === undefined) {
    const reader = new ShapeReader(schema);
    shapes = { reader, named: namedTexts(reader.patch(anyState)), grammars: new Map() };
    kept.set(schema, shapes);
  }
  return shapes;
}

/**
 * What a server is to be sent so that it holds a model to replies that fit.
 *
 * @param context bounds the reasoning so that a reply ends before its tokens do, and says which scripts it may be written in
 */
export function replyConstraint(
  expected: ExpectedReply,
  encoding: Exclude<Encoding, 'free'>,
  _dialect: Dialect,
  context: ConstraintContext = {},
): ReplyConstraint {
  if (encoding === 'grammar') return grammarConstraint(expected, context);
  const plain = { type: 'string' };
  const properties = { reasoning: plain, state_patch: { type: 'object' }, action: plain };
  const schema = {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
  return { kind: 'json', encoding, schema, dropped: [] };
}

function grammarConstraint(
  { stateSchema, state, actions }: ExpectedReply,
  context: ConstraintContext,
): ReplyConstraint {
  const { reader, named, grammars } = shapesOf(stateSchema);
  const isWide = isWritten(context.prompt ?? JSON.stringify(state));
  let written = grammars.get(isWide);
  if (written === undefined) {
    const notes = new Map<string, DroppedKeyword>();
    const note = (pointer: string, keyword: string, reason: string): void => {
      const key = `${pointer}\n${keyword}`;
      if (!notes.has(key)) notes.set(key, { pointer, keyword, reason });
    };
    written = { grammar: new ShapeGrammar(isWide, note), notes };
    grammars.set(isWide, written);
  }
  const { grammar, notes } = written;
  const options = reader.patch(state).flatMap<Expression>((shape) => grammar.object(shape, 0) ?? []);
  const patch = options.length === 0 ? text('{}') : choice(options);
  const action = actionTexts(actions, named, { escapes: jsonEscapes, isWide, named: new Map() });
  const characters = reasoningLimit(context.maxTokens);
  return {
    kind: 'grammar',
    encoding: 'grammar',
    grammar: replyGrammar({ patch, action }, { characters, isWide }),
    dropped: [...reader.cases.notes, ...notes.values()],
  };
}

/** A token may be a single byte. */
function reasoningLimit(maxTokens: number | undefined): number {
  if (maxTokens === undefined) return maxReasoning;
  return Math.min(maxReasoning, Math.max(minReasoning, maxTokens - blockTokens));
}

/** Dashes, quotation marks and such don't count. */
const typography = /[\u00a0\u00ab\u00ad\u00b7\u00bb\u2010-\u2027\u202f-\u205e]/g;

/** True for a text in another script than ASCII knows. */
function isWritten(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
  return /[^\x00-\x7f]/.test(value.replaceAll(typography, ''));
}
