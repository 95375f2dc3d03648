/** How a server that speaks OpenAI's protocol is asked to hold a reply to a format, for a probe of whether it does. */
import { assertNever } from '../../../../schemas/text/assertNever';
import { ModelFailure, type ModelFailureClass } from '../../runtime/model';
import type { ProbeAnswer, ProbePlacement, Prober } from '../decoding/probe';
import { announced, type ProbeTold } from '../http/announcedProbe';
import { askedTwice } from '../http/lostProbe';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { type PlacedConstraint, probePlacement } from './chatRequest';
import { listTimeout, type ServerKind, serverKind } from './modelList';
import { clientOf, type OpenAiClient } from './openaiClient';
import { ServerRefusal } from './serverRefusal';

/** The most tokens of an answer to a probe; reasoning models of OpenAI's think first. */
const hostedTokens = 4_096;
const localTokens = 1_024;

/** An answer that is longer, in characters, keeps to no format that a probe asks for. */
const longestAnswer = 4_000;

/**
 * Makes the prober of a model, which takes one look at the server's list of models to know what server it is.
 *
 * @throws ModelFailure where the server isn't there, or has not the key that it needs; the signal's reason
 */
export async function openAiProber(
  name: ModelName,
  resources: Partial<ModelResources>,
  signal: AbortSignal,
): Promise<Prober> {
  const client = clientOf(name, resources);
  await client.authenticate(signal);
  const answer = client.server.isHosted
    ? undefined
    : await client.models(Math.min(client.timeout, listTimeout), signal);
  return proberOf(client, serverKind(client.server, answer), resources.onProbe);
}

/** Failures that have nothing to do with how a reply is held to a format. */
const general: ReadonlySet<ModelFailureClass> = new Set([
  'authentication',
  'no-such-model',
  'quota',
  'connection',
  'cancelled',
]);

/**
 * The prober of a model on a server of a known kind. Its `ask` throws failures that any request would meet.
 *
 * @param onProbe told before the first question
 */
export function proberOf(client: OpenAiClient, kind: ServerKind, onProbe?: ProbeTold): Prober {
  const { server, model } = client;
  return announced(onProbe, {
    server: server.baseUrl,
    model,
    placements: placementsOf(kind),
    ask: ({ placement }, prompt, constraint, signal) =>
      askedTwice(
        () => askOnce(client, prompt, { placement, constraint }, signal),
        () => client.models(Math.min(client.timeout, listTimeout), signal),
        signal,
      ),
  });
}

async function askOnce(
  client: OpenAiClient,
  prompt: string,
  constraint: PlacedConstraint,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const maxTokens = client.server.isHosted ? hostedTokens : localTokens;
  const request = { prompt, step: 0, attempt: 1, seed: 0, temperature: 0, topP: 1, maxTokens };
  let text = '';
  let finish: string | undefined;
  try {
    for await (const event of client.ask({ request, constraint }, signal)) {
      if (event.type === 'text') text += event.text;
      else if (event.type === 'retry') text = '';
      else if (event.type === 'finish') finish = event.reason;
      if (text.length > longestAnswer) break;
    }
  } catch (error) {
    // What any request would meet says nothing of constraints, and ends a probe.
    if (!(error instanceof ModelFailure) || general.has(error.class)) throw error;
    // Some gateways have no place for a constraint, and some base URLs none for a chat.
    if (isNotThere(error)) await requireChat(client, prompt, signal);
    return { ok: false, failure: error };
  }
  if (text === '' && finish === 'length') {
    const message = `${client.model} thinks longer than the ${maxTokens} tokens that a probe allows.`;
    return { ok: false, failure: new ModelFailure(message, { class: 'unavailable', retryable: false }) };
  }
  return { ok: true, text };
}

function isNotThere({ cause }: ModelFailure): boolean {
  return cause instanceof ServerRefusal && (cause.status === 404 || cause.status === 405);
}

/** Asks for a few tokens without a constraint. @throws ModelFailure where there is no chat either; the signal's reason */
async function requireChat(client: OpenAiClient, prompt: string, signal: AbortSignal): Promise<void> {
  const request = { prompt, step: 0, attempt: 1, seed: 0, temperature: 0, topP: 1, maxTokens: 16 };
  try {
    // The first piece of an answer tells enough.
    for await (const { type } of client.ask({ request, constraint: undefined }, signal))
      if (type === 'text' || type === 'thinking') return;
  } catch (error) {
    if (!(error instanceof ModelFailure) || isNotThere(error)) throw error;
  }
}

/**
 * In order of preference: where prose and the fenced block can be held to a grammar, a model writes as the prompt asks; a
 * JSON Schema comes next; OpenAI's strict mode has no sparse patch.
 */
function placementsOf(kind: ServerKind): readonly ProbePlacement[] {
  switch (kind) {
    case 'openai':
      return [
        probePlacement('operations', 'response_format.strict'),
        probePlacement('json-schema', 'response_format'),
      ];
    case 'llama.cpp':
      return [
        probePlacement('grammar', 'grammar'),
        probePlacement('json-schema', 'response_format'),
        probePlacement('json-schema', 'json_schema'),
        probePlacement('operations', 'response_format'),
      ];
    case 'ollama':
    case 'lm-studio':
      return [
        probePlacement('json-schema', 'response_format'),
        probePlacement('operations', 'response_format'),
      ];
    case 'vllm':
      return [
        probePlacement('json-schema', 'structured_outputs'),
        probePlacement('json-schema', 'response_format'),
        probePlacement('json-schema', 'guided_json'),
        probePlacement('grammar', 'structured_outputs.grammar'),
        probePlacement('operations', 'structured_outputs'),
      ];
    case 'unknown':
      return [
        probePlacement('json-schema', 'response_format'),
        probePlacement('operations', 'response_format.strict'),
        probePlacement('grammar', 'grammar'),
        probePlacement('json-schema', 'structured_outputs'),
        probePlacement('json-schema', 'guided_json'),
        probePlacement('json-schema', 'json_schema'),
      ];
    default:
      return assertNever(kind);
  }
}
