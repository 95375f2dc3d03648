/** What samples of a step come to: which actions and patches, which rejections, how far they agree, what they cost. */

import type { ModelReport, SampleReport, SamplingReport } from '../../../schemas/messages/samplingMessages';
import { canonicalJson } from './jsonEquality';
import type { Model } from './model';
import type { Sample, SampledPlace, Samples } from './sampling';
import { spendingOf } from './spending';
import { formatChange, stateChanges } from './stateChanges';

/** How many lines of changes a sample shows. */
const mostChanges = 100;

export interface ReportedSamples extends Samples {
  readonly model: string;
  /** Undefined where the model's own applies. */
  readonly temperature: number | undefined;
  readonly asked: number;
}

/** The temperature that requests to a model have: none where the model was found to take none. */
export function sentTemperature(
  { without }: Pick<Model, 'without'>,
  temperature: number,
): number | undefined {
  return without?.includes('temperature') ? undefined : temperature;
}

export interface ReportPlace extends SampledPlace {
  readonly skill: string;
  readonly branch: number;
}

/**
 * Puts the samples of some models together.
 *
 * @param longestReply in UTF-16 units; longer replies are cut
 */
export function samplingReport(
  place: ReportPlace,
  models: readonly ReportedSamples[],
  { cancelled, longestReply = Number.POSITIVE_INFINITY }: { cancelled: boolean; longestReply?: number },
): SamplingReport {
  const { skill, step, branch, attempt, observation, correction } = place;
  return {
    skill,
    step,
    branch,
    attempt,
    observation,
    correction,
    cancelled,
    tried: undefined,
    models: models.map((one) => modelReport(place, one, longestReply)),
  };
}

function modelReport(place: ReportPlace, reported: ReportedSamples, longestReply: number): ModelReport {
  const { model, temperature, asked, samples, stopped } = reported;
  const answers = samples.filter(({ attempt }) => attempt !== undefined);
  const accepted = answers.filter(({ rejection }) => rejection === undefined);
  const decisions = shares(answers, decisionOf);
  const [most] = shares(accepted, decisionOf);
  const [first, second] = decisions.map(({ samples: [number = 0] }) => number).sort((a, b) => a - b);
  const spending = spendingOf(
    answers.flatMap(({ attempt }) => attempt ?? []),
    samples.flatMap(({ failures = [] }) => failures),
  );
  return {
    model,
    temperature,
    asked,
    samples: samples.map((sample) => sampleReport(place, sample, longestReply)),
    stopped,
    actions: shares(accepted, ({ parsed }) => parsed?.action),
    patches: shares(accepted, ({ parsed }) => parsed && canonicalJson(parsed.patch)),
    rejections: shares(answers, ({ rejection }) => rejection?.class),
    agreement: answers.length === 0 ? undefined : (most?.samples.length ?? 0) / answers.length,
    differing: first === undefined || second === undefined ? undefined : { first, second },
    spending,
  };
}

/** What an answer decides: equal texts for equal decisions. Those that a run would reject for one reason are alike. */
function decisionOf({ parsed, rejection }: Sample): string | undefined {
  if (rejection !== undefined) return `rejected ${rejection.class}`;
  return parsed && `${parsed.action}\n${canonicalJson(parsed.patch)}`;
}

/** The samples by what they have in common, most frequent first; among equals as they came. */
function shares(samples: readonly Sample[], keyOf: (sample: Sample) => string | undefined) {
  const byValue = new Map<string, number[]>();
  for (const sample of samples) {
    const value = keyOf(sample);
    if (value === undefined) continue;
    const numbers = byValue.get(value);
    if (numbers === undefined) byValue.set(value, [sample.number]);
    else numbers.push(sample.number);
  }
  return [...byValue]
    .map(([value, numbers]) => ({ value, samples: numbers }))
    .sort((a, b) => b.samples.length - a.samples.length);
}

function sampleReport({ state }: ReportPlace, sample: Sample, longestReply: number): SampleReport {
  const { number, attempt, parsed, merged, rejection, failure } = sample;
  const changes = merged && stateChanges(state, merged).map(formatChange);
  const reply = attempt?.reply;
  const { prompt, completion, cached, thinking, source, estimatedBy } = attempt?.tokens ?? {};
  return {
    number,
    outcome: failure !== undefined ? 'failed' : rejection !== undefined ? 'rejected' : 'accepted',
    action: parsed?.action,
    patch: parsed?.patch,
    changes: changes?.slice(0, mostChanges),
    changesLeftOut: Math.max(0, (changes?.length ?? 0) - mostChanges),
    rejection: rejection && {
      class: rejection.class,
      message: rejection.message,
      pointer: rejection.pointer,
    },
    failure: failure && { class: failure.class, message: failure.message },
    reply: reply?.slice(0, longestReply),
    replyLeftOut: Math.max(0, (reply?.length ?? 0) - longestReply),
    finish: attempt?.finish,
    tokens:
      prompt === undefined || completion === undefined || source === undefined
        ? undefined
        : { prompt, completion, cached, thinking, source, estimatedBy },
    cost: attempt?.cost,
    costAtMost: attempt?.costAtMost,
    requests: undefined,
  };
}

/** What is worth knowing before somebody reads much into equal samples; undefined where there is nothing. */
export function equalityNote({ temperature, samples }: ModelReport): string | undefined {
  if (temperature === undefined || temperature > 0 || samples.length < 2) return undefined;
  return 'The temperature is 0: samples may all be equal. A higher one tells more of what the model might do.';
}
