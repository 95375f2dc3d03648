/** What samples of a step come to, as a text in Markdown that reads well as it is. Nothing of a model's becomes markup in it. */
import type { ModelReport, SampleReport, SamplingReport } from '../../../schemas/messages/samplingMessages';
import { markdownTable } from '../../../schemas/text/markdownTable';
import { printable, printableLine } from '../../../schemas/text/printable';
import {
  costText,
  isUnknown,
  share,
  sourceText,
  tokenCount,
  wholeNumber,
} from '../../../schemas/text/spending';
import { isFree } from './freeModels';
import { equalityNote } from './samplingReport';

/** How much of an action, an observation or a message one line shows. */
const lineLength = 120;
/** How much of an observation of several lines is shown, in characters. */
const shownObservation = 2_000;
/** How many rows a table has at most. */
const mostRows = 20;
/** How many samples are shown whole. */
const shownSamples = 10;

/** The number of a sample of which there are requests to look at, in front of what the text says of it. */
export interface SampleLink {
  /** From 0, as the columns, which are UTF-16 units. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Which of the report's models, from 0. */
  readonly model: number;
  /** The sample's number. */
  readonly sample: number;
}

type LinkInLine = Omit<SampleLink, 'line' | 'model'>;

/** A line of the text. */
type Line = string | { readonly text: string; readonly links: readonly LinkInLine[] };

/**
 * The text; lines end with LF.
 *
 * @param about where the observation comes from, a sentence
 */
export function samplingText(report: SamplingReport, about?: string): string {
  return samplingDocument(report, about).text;
}

/** The text, and where in it samples stand. */
export function samplingDocument(
  report: SamplingReport,
  about?: string,
): { readonly text: string; readonly links: readonly SampleLink[] } {
  const lines: string[] = [...headLines(report, about)];
  const links: SampleLink[] = [];
  for (const [model, one] of report.models.entries()) {
    for (const line of ['', ...modelSection(one)]) {
      if (typeof line !== 'string')
        links.push(...line.links.map((link) => ({ ...link, line: lines.length, model })));
      lines.push(typeof line === 'string' ? line : line.text);
    }
  }
  return { text: [...lines, ''].join('\n'), links };
}

/** What stands before the models. */
function headLines(report: SamplingReport, about: string | undefined): readonly string[] {
  const { skill, step, branch, attempt, observation, correction, models } = report;
  return [
    `# Trying step ${step} of ${code(skill)}`,
    '',
    ...(branch === 0 ? [] : [`Branch ${branch}.`, '']),
    ...observationLines(observation),
    ...(about === undefined ? [] : ['', about]),
    ...(correction === undefined ? [] : ['', `Correction, for attempt ${attempt}: ${code(correction)}`]),
    '',
    'Nothing of this is recorded, and the run stays where it is.',
    ...(models.length > 1 ? ['', ...comparison(models)] : []),
  ];
}

/** Several lines stand as lines. */
function observationLines(observation: string): readonly string[] {
  const text = observation.trimEnd();
  if (!text.includes('\n')) return [`Observation: ${code(text)}`];
  const isLong = text.length > shownObservation;
  return ['Observation:', '', ...fenced(isLong ? `${text.slice(0, shownObservation)}…` : text, 'text')];
}

/** The models beside each other. */
function comparison(models: readonly ModelReport[]): readonly string[] {
  return markdownTable(
    ['model', 'answers', 'accepted', 'agreement', 'most frequent action', 'tokens', 'cost'],
    models.map((one) => [
      code(one.model),
      String(answersOf(one).length),
      share(acceptedOf(one).length, answersOf(one).length),
      agreementText(one),
      one.actions[0] === undefined ? '—' : code(one.actions[0].value),
      tokensText(one),
      priceText(one),
    ]),
  );
}

function modelSection(report: ModelReport): readonly Line[] {
  const { model, temperature, asked, samples, stopped, actions, rejections, differing } = report;
  const answers = answersOf(report);
  const note = equalityNote(report);
  return [
    `## ${code(model)}`,
    '',
    `${counted(answers.length, 'answer')} of ${asked} asked for, at ${temperature === undefined ? "the model's own temperature" : `temperature ${temperature}`}; ${acceptedOf(report).length} accepted.`,
    ...(stopped === undefined || stopped === '' ? [] : ['', `No more were asked for: ${code(stopped)}`]),
    ...(note === undefined ? [] : ['', note]),
    ...(answers.length === 0
      ? []
      : [
          '',
          `Agreement: ${agreementText(report)} of the answers decide as the most frequent one does.`,
          `Tokens: ${tokensText(report)}${detailText(report)}. Cost: ${priceText(report)}.`,
        ]),
    ...distribution('Actions', actions, answers.length),
    ...patchDistribution(report, answers.length),
    ...distribution('Rejections', rejections, answers.length),
    ...(differing === undefined ? [] : ['', ...difference(samples, differing)]),
    ...sampleList(report),
  ];
}

function distribution(title: string, values: ModelReport['actions'], answers: number): readonly string[] {
  if (values.length === 0) return [];
  const rows = values
    .slice(0, mostRows)
    .map(({ value, samples }) => [
      code(value),
      String(samples.length),
      share(samples.length, answers),
      numbersText(samples),
    ]);
  return [
    '',
    `### ${title}`,
    '',
    ...markdownTable([title.toLowerCase().replace(/s$/, ''), 'answers', 'share', 'samples'], rows),
    ...more(values),
  ];
}

/** Each patch as what it makes of Σ. */
function patchDistribution({ patches, samples }: ModelReport, answers: number): readonly string[] {
  if (patches.length === 0) return [];
  return [
    '',
    '### Patches',
    ...patches.slice(0, mostRows).flatMap(({ samples: numbers }) => {
      const sample = samples.find(({ number }) => number === numbers[0]);
      const heading = `${counted(numbers.length, 'answer')} (${share(numbers.length, answers)}): ${numbersText(numbers)}`;
      return ['', heading, '', ...diff(sample)];
    }),
    ...more(patches),
  ];
}

/** The first two answers that decide otherwise, whole. */
function difference(
  samples: readonly SampleReport[],
  { first, second }: { readonly first: number; readonly second: number },
): readonly Line[] {
  const shown = samples.filter(({ number }) => number === first || number === second);
  return [
    '### First Difference',
    '',
    `Samples ${first} and ${second} are the first that decide otherwise.`,
    ...shown.flatMap((sample) => ['', ...sampleText(sample)]),
  ];
}

/** The others, equal ones together, as far as they fit; those of the first difference stand above. */
function sampleList({ samples, differing }: ModelReport): readonly Line[] {
  const others = samples.filter(({ number }) => number !== differing?.first && number !== differing?.second);
  if (others.length === 0) return [];
  const alike = new Map<string, SampleReport[]>();
  for (const sample of others) {
    const { outcome, reply, replyLeftOut, finish, failure } = sample;
    const key = JSON.stringify([outcome, reply, replyLeftOut, finish, failure]);
    alike.set(key, [...(alike.get(key) ?? []), sample]);
  }
  const groups = [...alike.values()];
  const left = groups.slice(shownSamples).flat().length;
  return [
    '',
    differing === undefined ? '### Samples' : '### Other Samples',
    ...groups.slice(0, shownSamples).flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : ['', ...sampleText(first, group)];
    }),
    ...(left > 0 ? ['', `${counted(left, 'more sample')} left out.`] : []),
  ];
}

/** @param alike those that are like it, itself among them */
function sampleText(sample: SampleReport, alike: readonly SampleReport[] = [sample]): readonly Line[] {
  const { outcome, action, rejection, failure, reply, replyLeftOut, finish, tokens } = sample;
  const cost = { cost: sample.cost, knownCost: sample.cost ?? 0, costAtMost: sample.costAtMost };
  const facts = [
    outcome,
    ...(action === undefined ? [] : [`action ${code(action)}`]),
    ...(tokens === undefined
      ? []
      : [
          `${tokenCount(tokens.prompt, tokens.source)} + ${tokenCount(tokens.completion, tokens.source)} tokens`,
        ]),
    ...(isUnknown(cost) ? [] : [costText(cost, tokens?.source)]),
    ...(finish === undefined || finish === 'stop' ? [] : [`finish ${code(finish)}`]),
  ];
  const where = rejection?.pointer === undefined ? '' : ` at ${code(rejection.pointer || '(root)')}`;
  return [
    sampleHeading(alike, facts.join(', ')),
    ...(rejection === undefined
      ? []
      : ['', `Rejected, ${code(rejection.class)}${where}: ${code(rejection.message)}`]),
    ...(failure === undefined ? [] : ['', `Failed, ${code(failure.class)}: ${code(failure.message)}`]),
    ...(reply === undefined ? [] : ['', ...fenced(reply, 'text')]),
    ...(replyLeftOut > 0 ? ['', `${counted(replyLeftOut, 'more character')} of the reply left out.`] : []),
  ];
}

/** `Sample 3: …`, `Samples 1, 4: …`, with a link for each that has requests. */
function sampleHeading(samples: readonly SampleReport[], facts: string): Line {
  const links: LinkInLine[] = [];
  let at = samples.length === 1 ? 'Sample '.length : 'Samples '.length;
  for (const { number, requests = 0 } of samples.slice(0, mostRows)) {
    const end = at + String(number).length;
    if (requests > 0) links.push({ start: at, end, sample: number });
    at = end + ', '.length;
  }
  const numbers = numbersText(samples.map(({ number }) => number));
  return { text: `${samples.length === 1 ? 'Sample' : 'Samples'} ${numbers}: ${facts}`, links };
}

function diff(sample: SampleReport | undefined): readonly string[] {
  const { changes = [], changesLeftOut = 0 } = sample ?? {};
  if (changes.length === 0) return ['Σ stays as it is.'];
  return [
    ...fenced(changes.join('\n'), 'diff'),
    ...(changesLeftOut > 0 ? ['', `${counted(changesLeftOut, 'more change')} left out.`] : []),
  ];
}

function answersOf({ samples }: ModelReport): readonly SampleReport[] {
  return samples.filter(({ outcome }) => outcome !== 'failed');
}

function acceptedOf({ samples }: ModelReport): readonly SampleReport[] {
  return samples.filter(({ outcome }) => outcome === 'accepted');
}

function agreementText({ agreement }: ModelReport): string {
  return agreement === undefined ? '—' : share(agreement, 1);
}

function tokensText({ spending: { prompt, completion, source } }: ModelReport): string {
  return source === undefined ? '0' : tokenCount(prompt + completion, source);
}

function detailText({ spending }: ModelReport): string {
  const { prompt, completion, cached, thinking, source, estimated, byExtension } = spending;
  const parts = [
    `${wholeNumber(prompt)} of prompts`,
    `${wholeNumber(completion)} of replies`,
    ...(cached > 0 ? [`${share(cached, prompt)} of the prompts cached`] : []),
    ...(thinking > 0 ? [`${wholeNumber(thinking)} thinking`] : []),
    ...(source === undefined ? [] : [sourceText(source, estimated, byExtension)]),
  ];
  return ` (${parts.join(', ')})`;
}

function priceText({ model, spending }: ModelReport): string {
  const { source } = spending;
  const isNone = source === undefined || (isFree(model) && isUnknown(spending));
  return isNone ? '—' : costText(spending, source);
}

function more(values: readonly unknown[]): readonly string[] {
  const left = values.length - mostRows;
  return left > 0 ? ['', `${wholeNumber(left)} more left out.`] : [];
}

function numbersText(numbers: readonly number[]): string {
  const shown = numbers.slice(0, mostRows).join(', ');
  return numbers.length > mostRows ? `${shown}, …` : shown;
}

function counted(count: number, noun: string): string {
  return `${wholeNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** What somebody else says, as code on one line: in no Markdown view does it become markup. */
function code(text: string): string {
  const plain = printableLine(text).replaceAll('`', 'ˋ').replaceAll('|', '¦');
  const shown = plain.length > lineLength ? `${plain.slice(0, lineLength - 1)}…` : plain;
  return `\`${shown.trim() === '' ? '(empty)' : shown}\``;
}

/** A text in a fence that nothing in it can close. */
function fenced(text: string, language: string): readonly string[] {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...printable(text).split('\n'), fence];
}
