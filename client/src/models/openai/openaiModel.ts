/** A model behind OpenAI's Chat Completions: OpenAI's own service, or any server that speaks its protocol. */
import { nearestName } from '../../../../schemas/text/nearestName';
import { type Model, type ModelEvent, ModelFailure, type ModelRequest } from '../../runtime/model';
import { orAborted } from '../../runtime/orAborted';
import { listed, quoted } from '../../runtime/quotation';
import { type ChosenDecoding, chooseDecoding } from '../decoding/probe';
import { decodingRemarks } from '../decoding/probeWords';
import { replyConstraint } from '../decoding/replyConstraint';
import { createReplyDecoder } from '../decoding/replyDecoder';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { dialectOf, fitsPlacement, type PlacedConstraint } from './chatRequest';
import { entriesOf, listTimeout, type ServerKind, serverKind } from './modelList';
import { clientOf, type OpenAiClient } from './openaiClient';
import { noSuchModel } from './openaiFailure';
import { proberOf } from './openaiProber';

/**
 * Makes the model; the library, key and probe come with `prepare`, or else with the first request.
 *
 * @param fullName what the user typed
 * @throws ModelFailure for a base URL that can't be one
 */
export function createOpenAiModel(name: ModelName, fullName: string, resources: ModelResources): Model {
  const client = clientOf(name, resources);
  const decoding = new Decoding(client, resources);
  return {
    name: fullName,
    get found() {
      const { names } = client.unsupported;
      return decoding.found && { ...decoding.found, ...(names.length > 0 && { without: names.join(', ') }) };
    },
    remarks: (expected) => {
      const { chosen } = decoding;
      if (chosen === undefined) return [];
      const { dropped = [] } = constraintOf(chosen, { expected }, client)?.constraint ?? {};
      const left = client.unsupported.sentences.map(
        (sentence) => `${quoted(client.model)} at ${client.server.title} ${sentence}`,
      );
      return [...decoding.doubts, ...decodingRemarks(chosen, dropped), ...left];
    },
    async prepare(signal) {
      await client.authenticate(signal);
      await decoding.choose(signal);
    },
    async *generate(request, signal): AsyncGenerator<ModelEvent> {
      const { expected, ...asked } = request;
      const chosen = await decoding.choose(signal);
      const constraint = constraintOf(chosen, request, client);
      let decoder = createReplyDecoder(chosen.encoding, expected);
      let isOver = false;
      for await (const event of client.ask({ request: asked, constraint }, signal)) {
        if (event.type === 'text') {
          const text = decoder.write(event.text);
          if (text !== '') yield { type: 'text', text };
          continue;
        }
        if (event.type === 'retry') {
          // What the reply had so far is void.
          decoder = createReplyDecoder(chosen.encoding, expected);
          isOver = false;
        } else if (event.type === 'usage' || event.type === 'finish' || event.type === 'response') {
          // Text comes before all that is told at the end.
          const rest = isOver ? '' : decoder.end();
          isOver = true;
          if (rest !== '') yield { type: 'text', text: rest };
        }
        yield event;
      }
    },
  };
}

/** What replies are held to: chosen once, by the first that asks. */
class Decoding {
  readonly #client: OpenAiClient;
  readonly #resources: ModelResources;
  #chosen: ChosenDecoding | undefined;
  #choosing: Promise<ChosenDecoding> | undefined;
  /** The models that the server lists. */
  #listed: readonly string[] = [];

  constructor(client: OpenAiClient, resources: ModelResources) {
    this.#client = client;
    this.#resources = resources;
  }

  get chosen(): ChosenDecoding | undefined {
    return this.#chosen;
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

  get found(): Readonly<Record<string, string>> | undefined {
    if (this.#chosen === undefined) return undefined;
    const { encoding, placement } = this.#chosen;
    return { encoding, ...(placement !== undefined && { placement }) };
  }

  /** @throws ModelFailure where the server can't be asked; the signal's reason */
  async choose(signal: AbortSignal): Promise<ChosenDecoding> {
    while (this.#chosen === undefined) {
      signal.throwIfAborted();
      const isOwn = this.#choosing === undefined;
      this.#choosing ??= this.#choose(signal).finally(() => {
        this.#choosing = undefined;
      });
      try {
        this.#chosen = await orAborted(this.#choosing, signal);
      } catch (error) {
        // Somebody else's choice may have been given up; then this one begins its own.
        if (isOwn) throw error;
      }
    }
    return this.#chosen;
  }

  async #choose(signal: AbortSignal): Promise<ChosenDecoding> {
    const { settings = {}, probes, waiting, onProbe } = this.#resources;
    const { encoding, placement } = settings;
    // As a recorded run found it: nothing is asked again.
    if (encoding !== undefined && (encoding === 'free' || placement !== undefined)) {
      return {
        encoding,
        placement,
        dialect: placement === undefined ? undefined : dialectOf(placement),
        explanation: 'As recorded.',
      };
    }
    const kind = await this.#look(signal);
    const prober = proberOf(this.#client, kind, onProbe);
    const now = waiting?.now() ?? Date.now();
    return chooseDecoding({ settings, prober, store: probes, now, signal });
  }

  /** Whether the server is there, what kind it is, and whether it has the model where its list is complete. */
  async #look(signal: AbortSignal): Promise<ServerKind> {
    const { server, model, timeout } = this.#client;
    if (server.isHosted) return 'openai';
    const patience = Math.min(timeout, listTimeout);
    const answer = await this.#client.models(patience, signal);
    const kind = serverKind(server, answer);
    // Its list of models needs no key, when all else does.
    if (kind === 'llama.cpp') await this.#client.look('/props', patience, signal);
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

function constraintOf(
  { encoding, placement, dialect }: ChosenDecoding,
  request: Pick<ModelRequest, 'expected'> & Partial<ModelRequest>,
  { server }: OpenAiClient,
): PlacedConstraint | undefined {
  if (encoding === 'free') return undefined;
  if (placement !== undefined && dialect !== undefined) {
    const placed = { placement, constraint: replyConstraint(request.expected, encoding, dialect, request) };
    if (fitsPlacement(placed)) return placed;
  }
  const where = placement === undefined ? '' : ` by ${quoted(placement)}`;
  const message = `The ${encoding} decoding can't be asked for${where} at ${server.title}: choose another decoding, such as auto.`;
  throw new ModelFailure(message, { class: 'bad-request', retryable: false });
}
