/** What a model does with one request, for tests that ask one themselves. */
import type { ModelResources } from '../../client/src/models/modelResources';
import {
  type FailedRequest,
  type Model,
  ModelFailure,
  type ModelRequest,
  type ReceivedResponse,
  type ReportedUsage,
  type SentRequest,
} from '../../client/src/runtime/model';
import { modelRequest } from './modelRequest';

export interface AskedModel {
  /** What came since the last retry. */
  readonly text: string;
  readonly thinking: string;
  readonly usage: readonly ReportedUsage[];
  readonly finish: readonly string[];
  readonly requests: readonly SentRequest[];
  readonly responses: readonly ReceivedResponse[];
  readonly retries: readonly FailedRequest[];
  readonly failure: ModelFailure | undefined;
  /** The types of all events, in order, each run of texts as one. */
  readonly order: readonly string[];
}

export interface AskingOptions extends Partial<ModelRequest> {
  readonly signal?: AbortSignal;
  /** Called with all text so far, before the next event is asked for. */
  readonly onText?: (text: string) => void;
}

/** Asks until the model has ended or failed. @throws what isn't a ModelFailure, such as the signal's reason */
export async function askModel(model: Model, options: AskingOptions = {}): Promise<AskedModel> {
  const { signal = new AbortController().signal, onText, ...given } = options;
  let text = '';
  let thinking = '';
  const usage: ReportedUsage[] = [];
  const finish: string[] = [];
  const requests: SentRequest[] = [];
  const responses: ReceivedResponse[] = [];
  const retries: FailedRequest[] = [];
  const order: string[] = [];
  let failure: ModelFailure | undefined;
  try {
    for await (const event of model.generate(modelRequest({ prompt: 'What now?', ...given }), signal)) {
      if (order.at(-1) !== event.type) order.push(event.type);
      if (event.type === 'text') {
        text += event.text;
        onText?.(text);
      } else if (event.type === 'thinking') thinking += event.text;
      else if (event.type === 'usage') usage.push(event.usage);
      else if (event.type === 'finish') finish.push(event.reason);
      else if (event.type === 'request') requests.push(event.request);
      else if (event.type === 'response') responses.push(event.response);
      else {
        retries.push(event.failure);
        text = '';
        thinking = '';
      }
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    failure = error;
  }
  return { text, thinking, usage, finish, requests, responses, retries, failure, order };
}

/** Resources of a model that needs nobody, as far as they aren't given. */
export function modelResources(given: Partial<ModelResources> = {}): ModelResources {
  return {
    asker: { ask: () => Promise.reject(new Error('Nobody is there to be asked')) },
    environment: 'manual',
    sha256: () => '0'.repeat(64),
    ...given,
  };
}
