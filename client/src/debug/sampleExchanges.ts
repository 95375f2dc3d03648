/** What models were sent for the samples of tried steps, and what they answered: kept in memory as long as there is room. */
import type { ExchangeBody, TriedModel } from '../../../schemas/messages/exchangeMessages';
import type { ModelNotice } from '../runtime/model';
import type { Sample } from '../runtime/sampling';
import { failures } from './errors';
import { type ExchangeLimits, ExchangeLog, exchangeBody } from './exchangeLog';

const sampleLimits: ExchangeLimits = { bytes: 32_000_000, exchanges: 2_000 };

interface TriedStep {
  readonly branch: number;
  readonly step: number;
  readonly models: readonly string[];
}

export class SampleExchanges {
  /** A try stands in it for a branch, one of its models for a step, a sample for an attempt. */
  readonly #log: ExchangeLog;
  /** By their numbers less 1. */
  readonly #tries: TriedStep[] = [];
  /** What was told of samples that haven't come yet: several may be under way at once. */
  readonly #told = new Map<number, ModelNotice[]>();

  constructor(limits = sampleLimits) {
    this.#log = new ExchangeLog(limits);
  }

  /** A step is about to be tried. @returns the number of the try */
  begin(step: TriedStep): number {
    this.#told.clear();
    return this.#tries.push(step);
  }

  /** Something was told of a sample's request. */
  take(notice: ModelNotice, number: number): void {
    if (notice.type === 'thinking') return;
    const told = this.#told.get(number);
    if (told === undefined) this.#told.set(number, [notice]);
    else told.push(notice);
  }

  /** A sample has come, or its model has failed. */
  settle({ tried, model }: TriedModel, { number, failure }: Pick<Sample, 'number' | 'failure'>): void {
    const place = { branch: tried, step: model, attempt: number };
    for (const notice of this.#told.get(number) ?? []) this.#log.take(notice, place);
    this.#log.settle(failure ?? 'answered');
    this.#told.delete(number);
  }

  /** How many requests of each sample of a model are kept, by its number. */
  counts({ tried, model }: TriedModel): ReadonlyMap<number, number> {
    const found = this.#log.find([tried], model);
    const counts = new Map<number, number>();
    for (const { attempt } of typeof found === 'string' ? [] : found.exchanges)
      counts.set(attempt, (counts.get(attempt) ?? 0) + 1);
    return counts;
  }

  /**
   * A request for a sample and its answer.
   *
   * @param which `attempt` is the sample's number
   * @throws RequestFailure that says why there is none
   */
  exchange({
    tried,
    model,
    ...which
  }: TriedModel & {
    readonly attempt?: number | undefined;
    readonly request?: number | undefined;
  }): ExchangeBody {
    const step = this.#tries[tried - 1];
    const name = step?.models[model];
    const found = this.#log.find([tried], model);
    const body =
      step === undefined || name === undefined || typeof found === 'string'
        ? undefined
        : exchangeBody(found, this.#log.letGo, which);
    if (step !== undefined && body !== undefined)
      return { ...body, branch: step.branch, step: step.step, sampledModel: name };
    throw failures.noExchange(
      found === 'let-go'
        ? 'The requests of this sample are not kept any more: a session keeps those of its latest tries'
        : 'No request of this sample is kept: the models scripted and replay make none',
    );
  }
}
