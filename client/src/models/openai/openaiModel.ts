/** A model behind OpenAI's Chat Completions: OpenAI's own service, or any server that speaks its protocol. */
import { nearestName } from '../../../../schemas/text/nearestName';
import type { Model } from '../../runtime/model';
import { listed, quoted } from '../../runtime/quotation';
import { createConstrainedModel } from '../constrainedModel';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { entriesOf, type ServerKind, serverKind } from './modelList';
import { clientOf, listTimeout, type OpenAiClient } from './openaiClient';
import { noSuchModel } from './openaiFailure';
import { proberOf } from './openaiProber';
import { parametersToRecord } from './unsupportedParameters';

/**
 * Makes the model; the library, key and probe come with `prepare`, or else with the first request.
 *
 * @param fullName what the user typed
 * @throws ModelFailure for a base URL that can't be one
 */
export function createOpenAiModel(name: ModelName, fullName: string, resources: ModelResources): Model {
  const client = clientOf(name, resources);
  const look = new ServerLook(client);
  return createConstrainedModel({
    name: fullName,
    client,
    resources,
    prober: async (signal) => proberOf(client, await look.kind(signal), resources.onProbe),
    found() {
      const { names } = client.unsupported;
      return names.length > 0 ? { without: parametersToRecord(names) } : {};
    },
    without: () => client.unsupported.names,
    remarks(held) {
      const left = client.unsupported.sentences.map(
        (sentence) => `${quoted(client.model)} at ${client.title} ${sentence}`,
      );
      return [...look.doubts, ...held, ...left];
    },
  });
}

/** A look at what a server lists before its model is asked. */
class ServerLook {
  readonly #client: OpenAiClient;
  /** The models that the server lists. */
  #listed: readonly string[] = [];

  constructor(client: OpenAiClient) {
    this.#client = client;
  }

  /**
   * Whether the name isn't among those that the server lists: a sentence. Some servers have other names for what they list,
   * and some answer to any name by the model that they have.
   */
  get doubts(): readonly string[] {
    const { model, server } = this.#client;
    if (this.#listed.length === 0 || this.#listed.includes(model)) return [];
    const meant = nearestName(model, this.#listed);
    const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return [
      `The server at ${server.origin} lists no model ${quoted(model)}, but ${listed(this.#listed, 'and', 6)}; it may answer by another one.${question}`,
    ];
  }

  /**
   * What kind of server it is.
   *
   * @throws ModelFailure where it isn't there, or lacks the model where its list is complete; the signal's reason
   */
  async kind(signal: AbortSignal): Promise<ServerKind> {
    const { server, model, timeout } = this.#client;
    if (server.isHosted) return 'openai';
    const answer = await this.#client.list(signal);
    const kind = serverKind(server, answer);
    // Its list of models needs no key, when all else does.
    if (kind === 'llama.cpp') await this.#client.look('/props', Math.min(timeout, listTimeout), signal);
    this.#listed = answer === undefined ? [] : entriesOf(answer, server).map(({ id }) => id);
    if (kind === 'ollama' || kind === 'vllm') this.#require(model, this.#listed);
    return kind;
  }

  #require(model: string, names: readonly string[]): void {
    // Ollama takes a name without a tag for the latest.
    if (names.includes(`${model}:latest`)) this.#listed = [];
    else if (names.length > 0 && !names.includes(model)) throw noSuchModel(this.#client, undefined, names);
  }
}
