/** What holds a model to the reply format while it writes: a schema or a grammar, derived from the state schema, Σ_t and the actions. */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { ExpectedReply } from '../../runtime/model';
import type { Encoding } from '../modelSettings';

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

export function replyConstraint(
  _expected: ExpectedReply,
  encoding: Exclude<Encoding, 'free'>,
  _dialect: Dialect,
): ReplyConstraint {
  if (encoding === 'grammar')
    return { kind: 'grammar', encoding, grammar: 'root ::= [^\\x00]*', dropped: [] };
  const text = { type: 'string' };
  const properties = { reasoning: text, state_patch: { type: 'object' }, action: text };
  const schema = {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
  return { kind: 'json', encoding, schema, dropped: [] };
}
