/** How a probe of constrained decoding asks the model of any provider. */
import { isCutReply } from '../runtime/cutReply';
import { ModelFailure, type ModelFailureClass } from '../runtime/model';
import type { ProbeAnswer, Prober } from './decoding/probe';
import { announced, type ProbeTold } from './http/announcedProbe';
import { askedTwice } from './http/lostProbe';
import type { ModelClient, Question } from './modelClient';

/** An answer that is longer, in characters, keeps to no format that a probe asks for. */
const longestAnswer = 4_000;

/** Failures that have nothing to do with how a reply is held to a format. */
const general: ReadonlySet<ModelFailureClass> = new Set([
  'authentication',
  'no-such-model',
  'quota',
  'connection',
  'cancelled',
]);

export interface DecodingProberOptions extends Pick<Prober, 'server' | 'placements'> {
  readonly client: ModelClient;
  /** The most tokens of an answer, thoughts included. */
  readonly maxTokens: number;
  /** Told before the first question. */
  readonly onProbe: ProbeTold;
  /** Looks further into a refusal. @throws what any request would meet */
  refused?(failure: ModelFailure, question: Question, signal: AbortSignal): Promise<void>;
}

/** Its `ask` throws failures that any request would meet, which end a probe. */
export function createDecodingProber(options: DecodingProberOptions): Prober {
  const { client, server, placements, maxTokens, onProbe } = options;
  return announced(onProbe, {
    server,
    model: client.model,
    placements,
    ask({ placement }, prompt, constraint, signal) {
      const request = { prompt, step: 0, attempt: 1, seed: 0, temperature: 0, topP: 1, maxTokens };
      const question = { request, constraint: { placement, constraint } };
      return askedTwice(
        () => askOnce(options, question, signal),
        () => client.list(signal),
        signal,
      );
    },
  });
}

async function askOnce(
  { client, maxTokens, refused }: DecodingProberOptions,
  question: Question,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  let text = '';
  let finish: string | undefined;
  try {
    for await (const event of client.ask(question, signal)) {
      if (event.type === 'text') text += event.text;
      else if (event.type === 'retry') text = '';
      else if (event.type === 'finish') finish = event.reason;
      if (text.length > longestAnswer) break;
    }
  } catch (failure) {
    if (!(failure instanceof ModelFailure) || general.has(failure.class)) throw failure;
    await refused?.(failure, question, signal);
    return { ok: false, failure };
  }
  if (text === '' && isCutReply(finish, 'no-block')) {
    const message = `${client.model} thinks longer than the ${maxTokens} tokens that a probe allows.`;
    return { ok: false, failure: new ModelFailure(message, { class: 'unavailable', retryable: false }) };
  }
  return { ok: true, text };
}
