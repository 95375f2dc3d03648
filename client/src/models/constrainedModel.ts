/** A model behind a server that may hold replies to a format: which one is chosen once, and what comes is decoded. */
import {
  type ExpectedReply,
  type Model,
  type ModelEvent,
  type ModelRequest,
  ModelSettingFailure,
} from '../runtime/model';
import { orAborted } from '../runtime/orAborted';
import { quoted } from '../runtime/quotation';
import { type ChosenDecoding, chooseDecoding, type Prober } from './decoding/probe';
import { decodingRemarks } from './decoding/probeWords';
import { replyConstraint } from './decoding/replyConstraint';
import { createReplyDecoder } from './decoding/replyDecoder';
import type { ModelClient, PlacedConstraint } from './modelClient';
import type { ModelResources } from './modelResources';

export interface ConstrainedModelOptions {
  /** What the user typed. */
  readonly name: string;
  readonly client: ModelClient;
  readonly resources: Pick<ModelResources, 'settings' | 'probes' | 'waiting'>;
  /** Looks at the server, where that is needed to know how it is asked. @throws ModelFailure; the signal's reason */
  prober(signal: AbortSignal): Promise<Prober>;
  /** What was found out beside the decoding. */
  found?(): Model['found'];
  /** Parameters that requests do without by now. */
  without?(): readonly string[];
  /**
   * What the user should know, by default what is known of the decoding.
   *
   * @param held what is known of that
   */
  remarks?(held: readonly string[], options: Pick<ModelRequest, 'temperature'>): readonly string[];
}

/** Makes the model; key and probe come with `prepare`, or else with the first request. */
export function createConstrainedModel(options: ConstrainedModelOptions): Model {
  const { name, client } = options;
  const decoding = new DecodingChoice(options);
  return {
    name,
    get found() {
      if (decoding.chosen === undefined) return undefined;
      const { encoding, placement } = decoding.chosen;
      return { encoding, ...(placement !== undefined && { placement }), ...options.found?.() };
    },
    get without() {
      return options.without?.();
    },
    remarks(expected, asked) {
      const { chosen } = decoding;
      if (chosen === undefined) return [];
      const { dropped = [] } = constraintOf(client, chosen, expected)?.constraint ?? {};
      const held = decodingRemarks(chosen, dropped);
      return options.remarks?.(held, asked) ?? held;
    },
    async prepare(signal) {
      await client.authenticate(signal);
      await decoding.choose(signal);
    },
    async *generate({ expected, ...request }, signal): AsyncGenerator<ModelEvent> {
      const chosen = await decoding.choose(signal);
      const constraint = constraintOf(client, chosen, expected, request);
      let decoder = createReplyDecoder(chosen.encoding, expected);
      let isOver = false;
      for await (const event of client.ask({ request, constraint }, signal)) {
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
class DecodingChoice {
  readonly #options: ConstrainedModelOptions;
  #chosen: ChosenDecoding | undefined;
  #choosing: Promise<ChosenDecoding> | undefined;

  constructor(options: ConstrainedModelOptions) {
    this.#options = options;
  }

  get chosen(): ChosenDecoding | undefined {
    return this.#chosen;
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
    const { settings = {}, probes, waiting } = this.#options.resources;
    const { encoding, placement } = settings;
    // As a recorded run found it: nothing is asked again.
    if (encoding !== undefined && (encoding === 'free' || placement !== undefined))
      return { encoding, placement, explanation: 'The run was recorded so.' };
    const prober = await this.#options.prober(signal);
    const now = waiting?.now() ?? Date.now();
    return chooseDecoding({ settings, prober, store: probes, now, signal });
  }
}

function constraintOf(
  client: ModelClient,
  { encoding, placement }: ChosenDecoding,
  expected: ExpectedReply,
  request?: Omit<ModelRequest, 'expected'>,
): PlacedConstraint | undefined {
  if (encoding === 'free') return undefined;
  const dialect = placement && client.dialectOf(placement, encoding);
  if (placement !== undefined && dialect) {
    return { placement, constraint: replyConstraint(expected, encoding, dialect, request) };
  }
  const where = placement === undefined ? '' : ` by ${quoted(placement)}`;
  const message = `The ${encoding} decoding can't be asked for${where} at ${client.title}: choose another decoding, such as auto.`;
  throw new ModelSettingFailure(message);
}
