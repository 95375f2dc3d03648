/** The body of a request for a chat completion, with what holds the reply to its format. */
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { ProbePlacement } from '../decoding/probe';
import type { Dialect, ReplyConstraint } from '../decoding/replyConstraint';
import type { Question } from '../modelClient';
import type { Encoding, Placement } from '../modelSettings';
import { sampleSeed } from '../sampleSeed';
import type { UnsupportedParameters } from './unsupportedParameters';

/** What a body is made of. */
export interface ChatQuestion extends Question {
  readonly model: string;
  readonly reasoningEffort: string | undefined;
}

/** How a constraint is put into a body, and what its server understands of JSON Schema. */
interface PlacementForm {
  readonly dialect: Dialect;
  readonly kind: ReplyConstraint['kind'];
  /** Undefined for a constraint of another kind. */
  fields(constraint: ReplyConstraint): JsonObject | undefined;
}

/** A placement that takes JSON Schemas. */
const bySchema = (dialect: Dialect, fields: (schema: JsonObject) => JsonObject): PlacementForm => ({
  dialect,
  kind: 'json',
  fields: (constraint) => (constraint.kind === 'json' ? fields(constraint.schema) : undefined),
});

/** A placement that takes grammars. */
const byGrammar = (fields: (grammar: string) => JsonObject): PlacementForm => ({
  dialect: 'llama.cpp',
  kind: 'grammar',
  fields: (constraint) => (constraint.kind === 'grammar' ? fields(constraint.grammar) : undefined),
});

const responseFormat = (json_schema: JsonObject) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'reply', ...json_schema } },
});

/** Names that are recorded in traces: they keep their meaning. */
const placements: ReadonlyMap<Placement, PlacementForm> = new Map([
  // OpenAI, "Structured model outputs".
  ['response_format.strict', bySchema('openai', (schema) => responseFormat({ strict: true, schema }))],
  // Ollama, LM Studio and llama.cpp make a grammar of it; what that lacks is left out for the others, too.
  ['response_format', bySchema('llama.cpp', (schema) => responseFormat({ schema }))],
  // vLLM, "Structured Outputs"; `guided_json` until 0.11.
  ['structured_outputs', bySchema('json-schema', (json) => ({ structured_outputs: { json } }))],
  ['guided_json', bySchema('json-schema', (schema) => ({ guided_json: schema }))],
  ['structured_outputs.grammar', byGrammar((grammar) => ({ structured_outputs: { grammar } }))],
  // llama.cpp, tools/server/README.md.
  ['grammar', byGrammar((grammar) => ({ grammar }))],
  ['json_schema', bySchema('llama.cpp', (schema) => ({ json_schema: schema }))],
]);

/** What a placement's server understands of JSON Schema; undefined where it isn't one of ours, or can't hold this encoding. */
export function dialectOf(placement: Placement, encoding: Encoding): Dialect | undefined {
  const form = placements.get(placement);
  return form?.kind === (encoding === 'grammar' ? 'grammar' : 'json') ? form.dialect : undefined;
}

/** An entry for a probe. */
export function probePlacement(encoding: Exclude<Encoding, 'free'>, placement: Placement): ProbePlacement {
  return { encoding, placement, dialect: dialectOf(placement, encoding) ?? 'json-schema' };
}

/** The body, written as the server and the model are known to take it. */
export function chatBody(
  question: ChatQuestion,
  unsupported: UnsupportedParameters,
): ChatCompletionCreateParams {
  const { model, request, reasoningEffort, constraint } = question;
  const { prompt, temperature, topP, maxTokens } = request;
  const isStreamed = !unsupported.has('stream');
  const parameters: Readonly<Record<string, JsonObject | number>> = {
    temperature,
    top_p: topP,
    seed: sampleSeed(request),
    ...(isStreamed && { stream_options: { include_usage: true } }),
  };
  const extensions: JsonObject = {
    ...Object.fromEntries(Object.entries(parameters).filter(([name]) => !unsupported.has(name))),
    ...(maxTokens !== undefined && { [unsupported.tokenLimit]: maxTokens }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...(constraint && placements.get(constraint.placement)?.fields(constraint.constraint)),
  };
  const messages = [{ role: 'user' as const, content: prompt }];
  // Which of them a server knows, and with what values, differs from those that the library has types for.
  return isStreamed
    ? { model, messages, stream: true, ...extensions }
    : { model, messages, stream: false, ...extensions };
}
