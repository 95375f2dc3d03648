/** How a server that speaks OpenAI's protocol is asked to hold a reply to a format, for a probe of whether it does. */
import { assertNever } from '../../../../schemas/text/assertNever';
import { ModelFailure } from '../../runtime/model';
import type { ProbePlacement, Prober } from '../decoding/probe';
import { createDecodingProber } from '../decodingProber';
import type { ProbeTold } from '../http/announcedProbe';
import type { Question } from '../modelClient';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { probePlacement } from './chatRequest';
import { type ServerKind, serverKind } from './modelList';
import { clientOf, type OpenAiClient } from './openaiClient';
import { ServerRefusal } from './serverRefusal';

/** The most tokens of an answer to a probe; reasoning models of OpenAI's think first. */
const hostedTokens = 4_096;
const localTokens = 1_024;

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
  const answer = client.server.isHosted ? undefined : await client.list(signal);
  return proberOf(client, serverKind(client.server, answer), resources.onProbe);
}

/**
 * The prober of a model on a server of a known kind.
 *
 * @param onProbe told before the first question
 */
export function proberOf(client: OpenAiClient, kind: ServerKind, onProbe?: ProbeTold): Prober {
  const { baseUrl, isHosted } = client.server;
  return createDecodingProber({
    client,
    server: baseUrl,
    placements: placementsOf(kind),
    maxTokens: isHosted ? hostedTokens : localTokens,
    onProbe,
    async refused(failure, { request }, signal) {
      // Some gateways have no place for a constraint, and some base URLs none for a chat.
      if (isNotThere(failure)) await requireChat(client, request, signal);
    },
  });
}

function isNotThere({ cause }: ModelFailure): boolean {
  return cause instanceof ServerRefusal && (cause.status === 404 || cause.status === 405);
}

/** Asks for a few tokens without a constraint. @throws ModelFailure where there is no chat either; the signal's reason */
async function requireChat(
  client: OpenAiClient,
  asked: Question['request'],
  signal: AbortSignal,
): Promise<void> {
  const request = { ...asked, maxTokens: 16 };
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
