/** Trying a step in a session: samples of models at the place where the run is stopped, which stays where it is. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  defaultSamples,
  isSampleStepArguments,
  mostSampledModels,
  mostSamples,
  type SamplingReport,
  type WantedModel,
} from '../../../schemas/messages/samplingMessages';
import type { RunState } from '../runtime/runState';
import { redactedPlace, type Sample, type SampledPlace, sampleStep } from '../runtime/sampling';
import { type ReportedSamples, samplingReport, sentTemperature } from '../runtime/samplingReport';
import { type Clock, LaunchFailure, type OpenedRun, type SamplingHost } from './debugHost';
import { failures } from './errors';
import type { Position } from './position';
import { Progress } from './progress';
import type { SampleExchanges } from './sampleExchanges';

/** How much of a reply a client gets, in UTF-16 units. */
const longestReply = 20_000;

export interface RunSamplingOptions {
  readonly opened: OpenedRun;
  readonly clock: Clock;
  /** Keeps the requests of samples. */
  readonly exchanges: SampleExchanges;
  /** Takes events of progress. */
  readonly send: (event: DebugProtocol.Event) => void;
  /** Where the run is stopped. @throws RequestFailure where it isn't */
  readonly stopped: () => Position;
}

export class RunSampling {
  readonly #options: RunSamplingOptions;
  readonly #progress: Progress;
  /** Of the samples that are under way. */
  #cancelling: AbortController | undefined;
  #done = 0;
  #wanted = 0;

  constructor(options: RunSamplingOptions) {
    this.#options = options;
    const { clock, send } = options;
    this.#progress = new Progress({
      clock,
      send,
      name: 'sampling',
      title: 'Trying the step',
      state: () => ({
        message: `${this.#done} of ${this.#wanted} samples`,
        percentage: this.#wanted === 0 ? 0 : Math.floor((100 * this.#done) / this.#wanted),
      }),
    });
  }

  /**
   * Draws samples of the session's model, or of those that are named, one model after the other.
   *
   * @throws RequestFailure where the run isn't stopped at a prompt, or a model can't be asked at all
   */
  async sample(given: unknown): Promise<SamplingReport> {
    const { opened, stopped } = this.#options;
    const request = readRequest(given);
    const position = stopped();
    if (this.#cancelling !== undefined) throw failures.samplingRefused('Samples are being drawn already.');
    const { sampling } = opened;
    if (sampling === undefined) throw failures.samplingRefused('No model can be asked in this session.');
    const cancelling = new AbortController();
    this.#cancelling = cancelling;
    try {
      return await this.#draw(sampling, request, position, cancelling.signal);
    } catch (error) {
      if (error instanceof LaunchFailure) throw failures.samplingRefused(error.message);
      throw error;
    } finally {
      this.#progress.end();
      this.#cancelling = undefined;
    }
  }

  async #draw(
    sampling: SamplingHost,
    request: SamplingRequest,
    position: Position,
    signal: AbortSignal,
  ): Promise<SamplingReport> {
    const { opened, exchanges } = this.#options;
    const { skill } = opened.execution;
    const { branch, ...place } = redactedPlace(await this.#place(request, position), sampling.redaction);
    const { samples, temperature: given } = request;
    const fixed = given === undefined ? {} : { temperature: given, retryTemperature: given };
    const options = { ...opened.options, ...fixed };
    const { temperature, retryTemperature = temperature } = options;
    // All of them at first: a misspelt name is no reason to pay for the others.
    const wanted = request.models.length > 0 ? request.models : [undefined];
    const models = await Promise.all(wanted.map((one) => sampling.model(one)));
    const tokenizer = await sampling.tokenizer();
    this.#done = 0;
    this.#wanted = samples * models.length;
    const names = models.map(({ model }) => model.name);
    const tried = exchanges.begin({ branch, step: place.step, models: names });
    const onNotice = exchanges.take.bind(exchanges);
    this.#progress.begin();
    const drawn: ReportedSamples[] = [];
    for (const [index, { model, concurrency }] of models.entries()) {
      const onSample = (sample: Sample) => {
        exchanges.settle({ tried, model: index }, sample);
        this.#done++;
      };
      const asked = { model, concurrency, redaction: sampling.redaction };
      const some = { ...asked, skill, place, samples, options, tokenizer, signal, onNotice, onSample };
      drawn.push({
        ...(await sampleStep(some)),
        model: model.name,
        temperature: sentTemperature(model, place.attempt > 1 ? retryTemperature : temperature),
        asked: samples,
      });
    }
    const about = { ...place, skill: skill.name, branch };
    const report = samplingReport(about, drawn, { cancelled: signal.aborted, longestReply });
    return withRequests(report, exchanges, tried);
  }

  /** The place that is asked for. */
  async #place(
    { step, branch }: Pick<SamplingRequest, 'step' | 'branch'>,
    position: Position,
  ): Promise<SampledPlace & { readonly branch: number }> {
    const journey = this.#options.opened.execution;
    const here = journey.position;
    const line = branch ?? here.branch;
    if (step === undefined || (step === here.step && line === here.branch))
      return { ...sampledPlace(position), branch: here.branch };
    if (journey.branches.some(({ skillChanged }) => skillChanged))
      throw failures.samplingRefused('The run has branches with another skill: go to the step first.');
    try {
      const { state, observation } = await journey.startOf(line, step);
      return { step, attempt: 1, state, observation, branch: line };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw failures.noSuchPlace(`There is no step ${step} on branch ${line}`);
    }
  }

  /** Draws no more where an id is that of its progress; false where it is another's. */
  cancel(progressId: string): boolean {
    const isOwn = this.#progress.has(progressId);
    if (isOwn) this.#cancelling?.abort(new Error('Cancelled.'));
    return isOwn;
  }

  /** The session is over. */
  close(): void {
    this.#cancelling?.abort(new Error('The debug session ended.'));
    this.#progress.end();
  }
}

/** Says of which samples there are requests to look at. */
function withRequests(report: SamplingReport, exchanges: SampleExchanges, tried: number): SamplingReport {
  const models = report.models.map((one, model) => {
    const counts = exchanges.counts({ tried, model });
    const samples = one.samples.map((sample) => ({ ...sample, requests: counts.get(sample.number) }));
    return { ...one, samples };
  });
  return { ...report, tried, models };
}

interface SamplingRequest {
  readonly samples: number;
  /** Empty for the session's own. */
  readonly models: readonly WantedModel[];
  readonly temperature: number | undefined;
  readonly step: number | undefined;
  readonly branch: number | undefined;
}

/** @throws RequestFailure */
function readRequest(given: unknown): SamplingRequest {
  const wrong = (detail: string) => failures.badArguments('skill-state/sampleStep', detail);
  if (!isSampleStepArguments(given)) {
    throw wrong(
      `samples is a number, models a list of up to ${mostSampledModels} with a name each, temperature, step and branch numbers.`,
    );
  }
  const { samples = defaultSamples, models = [], temperature, step, branch } = given;
  if (samples < 1 || samples > mostSamples) throw wrong(`samples has to be from 1 to ${mostSamples}.`);
  if (temperature !== undefined && temperature < 0) throw wrong('temperature has to be at least 0.');
  return { samples, models, temperature, step, branch };
}

/**
 * What the prompt of a place is made of: that which comes next, or, once a reply is there, the one that was answered.
 *
 * @throws RequestFailure where there is none
 */
function sampledPlace({ run, underWay }: Pick<Position, 'run' | 'underWay'>): SampledPlace {
  if (run.end !== undefined && !run.end.resumable)
    throw failures.samplingRefused('The run is over here: step back to a step first.');
  if (underWay) {
    const what = run.phase === 'act' ? 'The outcome of the action' : 'The reply';
    throw failures.samplingRefused(`${what} is still awaited: wait for it, or step back, and try again.`);
  }
  const { step, attempt, observation } = run;
  if (isBeforeReply(run)) {
    return { step, attempt, state: run.state, observation, correction: run.correction };
  }
  const last = run.attempts.at(-1);
  const { before } = run;
  return {
    step,
    attempt: last?.attempt ?? attempt,
    state: before,
    observation,
    correction: last?.correction,
  };
}

function isBeforeReply({ phase }: RunState): boolean {
  return phase === 'observe' || phase === 'prompt' || phase === 'generate';
}
