/** `skill-state try`: several answers of models to the prompt of one step, with how they differ. Nothing runs, nothing is recorded. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { defaultSamples } from '../../../schemas/messages/samplingMessages';
import type { Skill } from '../../../schemas/skill/skill';
import { printable, printableLine } from '../../../schemas/text/printable';
import { createEnvironment } from '../environments/registry';
import { type HostModels, redactionOf, SettingFailure, settingsOf } from '../hosts/node/participants';
import { loadRunnableSkill } from '../hosts/node/runnableSkill';
import { sampledModel } from '../hosts/node/sampledModels';
import { findSkillFolder } from '../hosts/node/skillFolder';
import type { Decoding, ModelSettings } from '../models/modelSettings';
import { loadTokenizer } from '../models/o200kTokenizer';
import { hasSetting, idleSetting, isSettingName } from '../models/settingOwners';
import { actingAfter } from '../runtime/acting';
import type { Asker } from '../runtime/asker';
import { defaultRunOptions, type RunOptions } from '../runtime/options';
import { recordedSkill } from '../runtime/recordedSkill';
import type { Redaction } from '../runtime/redaction';
import { redactedPlace, type SampledPlace, sampleStep } from '../runtime/sampling';
import { type ReportedSamples, samplingReport, sentTemperature } from '../runtime/samplingReport';
import { samplingText } from '../runtime/samplingText';
import type { TraceBranch, TraceReader } from '../runtime/traceReader';
import { baseUrlOf, commandModels, type ModelFlags } from './commandModels';
import { branchNamed, readTraceFor } from './openTrace';
import { readStateFile } from './stateFile';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

/** The flags of `try`; undefined where one isn't given. */
export interface TryStepFlags extends ModelFlags {
  readonly step?: number;
  readonly branch?: number;
  readonly attempt?: number;
  readonly state?: string;
  readonly observation?: string;
  readonly environment?: string;
  readonly model?: readonly string[];
  readonly samples?: number;
  readonly seed?: number;
  readonly decoding?: Decoding;
  readonly temperature?: number;
  readonly retryTemperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly reasoningEffort?: string;
  readonly thinkingBudget?: number;
  readonly timeout?: number;
  readonly requestRetries?: number;
  readonly vertexProject?: string;
  readonly vertexLocation?: string;
  readonly redact?: readonly string[];
  readonly faults?: number;
  readonly faultSeed?: number;
  readonly json?: boolean;
}

/** How much of each reply is printed, in characters; with `--json` it is the whole one. */
const longestReply = 4_000;

/** What is tried, and by whom where nobody is named. */
interface Subject {
  readonly skill: Skill;
  readonly place: SampledPlace;
  /** Where the observation comes from, where nobody named it. */
  readonly about?: string | undefined;
  readonly branch: number;
  readonly environment: string;
  readonly options: RunOptions;
  /** The recorded one, or the scripted one where it can answer. */
  readonly model: { readonly name: string; settings(given: ModelSettings): ModelSettings } | undefined;
}

/**
 * Prints the distribution of what models answer.
 *
 * @returns 0 where every model has given all the answers that it was asked for; else 1
 */
export async function tryStep(path: string, flags: TryStepFlags, terminal: Terminal): Promise<ExitCode> {
  const redaction = redactionOf(flags.redact ?? []);
  const subject = (await isTrace(path))
    ? await subjectOfTrace(path, flags, terminal)
    : await subjectOfSkill(path, flags, redaction, terminal.signal);
  if (subject === undefined) return 1;
  const { skill, branch } = subject;
  const place = redactedPlace(subject.place, redaction);
  const host = await commandModels(flags, terminal);
  const models = modelsOf(subject, flags, host);
  const samples = flags.samples ?? defaultSamples;
  const { temperature: first, retryTemperature = first } = subject.options;
  const temperature = place.attempt > 1 ? retryTemperature : first;
  const progress = createProgress(terminal, flags, samples * models.length);
  const drawn: ReportedSamples[] = [];
  for (const { model, concurrency } of models) {
    const asked = { model, concurrency, skill, place, samples, redaction, options: subject.options };
    const some = await sampleStep({
      ...asked,
      tokenizer: await loadTokenizer(),
      signal: terminal.signal,
      onSample: progress.add,
    });
    drawn.push({
      ...some,
      model: model.name,
      temperature: sentTemperature(model, temperature),
      asked: samples,
    });
  }
  progress.end();
  const about = { ...place, skill: skill.name, branch };
  const report = samplingReport(about, drawn, {
    cancelled: terminal.signal.aborted,
    ...(flags.json !== true && { longestReply }),
  });
  terminal.stdout.write(
    flags.json ? `${printable(JSON.stringify(report))}\n` : samplingText(report, subject.about),
  );
  for (const { model, stopped } of report.models)
    if (stopped !== undefined)
      terminal.stderr.write(`skill-state: ${printableLine(`${model}: ${stopped}`)}\n`);
  const isWhole = report.models.every(
    ({ asked, samples: given }) =>
      given.length === asked && given.some(({ outcome }) => outcome !== 'failed'),
  );
  return isWhole ? 0 : 1;
}

/** A trace is a file that is no SKILL.md; what isn't there is looked for as a skill, which says so. */
async function isTrace(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile() && basename(path) !== 'SKILL.md';
  } catch {
    return false;
  }
}

async function subjectOfSkill(
  path: string,
  flags: TryStepFlags,
  redaction: Redaction | undefined,
  signal: AbortSignal,
): Promise<Subject> {
  for (const name of ['step', 'branch', 'attempt'] as const)
    if (flags[name] !== undefined) throw new UsageFailure(`--${name} is for traces; ${path} is a skill.`);
  const skill = await loadRunnableSkill(await findSkillFolder(path), redaction);
  const environment = flags.environment ?? skill.environment ?? 'manual';
  const state = flags.state === undefined ? skill.initialState : await readStateFile(flags.state);
  const options = optionsOf(flags, defaultRunOptions);
  const { observation, about } =
    flags.observation === undefined
      ? await firstObservation(environment, options, signal)
      : { observation: flags.observation, about: undefined };
  return {
    skill,
    place: { step: 0, attempt: 1, state, observation },
    about,
    branch: 0,
    environment,
    options,
    model: environment === 'manual' ? undefined : { name: 'scripted', settings: (given) => given },
  };
}

/**
 * The observation that a run would begin with, and how to have another one, a sentence; an empty one where only a person
 * could make one.
 */
async function firstObservation(
  name: string,
  { seed, horizon, commit }: RunOptions,
  signal: AbortSignal,
): Promise<{ readonly observation: string; readonly about: string }> {
  if (name === 'manual')
    return { observation: '', about: 'No observation is given, so it is empty: --observation gives one.' };
  const asker: Asker = {
    ask: () => Promise.reject(new Error('Nobody is asked where a step is tried')),
  };
  const environment = createEnvironment(name, { asker, startAt: 0, horizon });
  const { observation } = await environment.reset(
    { seed, horizon: horizon ?? environment.defaultHorizon, repeatUnserved: commit === 'on-accept' },
    signal,
  );
  const about = `This is what the environment ${name} begins with at seed ${seed}: --observation gives another one.`;
  return { observation, about };
}

/** Undefined where nothing of a trace can be read, which was said. */
async function subjectOfTrace(
  path: string,
  flags: TryStepFlags,
  terminal: Terminal,
): Promise<Subject | undefined> {
  const reader = await readTraceFor(path, terminal);
  const { header } = reader ?? {};
  if (reader === undefined || header === undefined) return undefined;
  const branch = branchNamed(path, reader, flags.branch ?? 0);
  const step = flags.step ?? branch.steps - 1;
  if (step < 0 || step >= branch.steps) {
    const steps = branch.steps === 0 ? 'it has none' : `it has steps 0 to ${branch.steps - 1}`;
    throw new UsageFailure(`${path} has no step ${Math.max(0, step)}: ${steps}.`);
  }
  const recorded = await reader.step(branch.id, step);
  const attempt = flags.attempt ?? 1;
  const record = recorded.attempts.find((one) => one.record.attempt === attempt)?.record;
  if (record === undefined && attempt > 1)
    throw new UsageFailure(`Step ${step} of ${path} has no attempt ${attempt}.`);
  const { horizon, ...options } = header.options;
  const acting = actingAfter(
    header,
    (branch.acting ?? []).filter(({ from }) => from <= step),
  );
  return {
    skill: await recordedSkill(header.skill.name, skillFilesAt(reader, branch, step) ?? header.skill.files),
    place: {
      step,
      attempt,
      state:
        flags.state === undefined ? await reader.stateAt(branch.id, step) : await readStateFile(flags.state),
      observation: flags.observation ?? recorded.observation,
      correction: record?.prompt.correction,
    },
    branch: branch.id,
    environment: flags.environment ?? acting.environment.name,
    options: optionsOf(flags, { ...options, horizon }),
    model: { name: acting.model.name, settings: (given) => settingsOf(acting.model, given) },
  };
}

/** The skill's files at a step of a branch, which may go on with another skill than the run began with. */
function skillFilesAt(reader: TraceReader, branch: TraceBranch, step: number): TraceBranch['skill'] {
  let line: TraceBranch | undefined = branch;
  while (line !== undefined) {
    if (line.skill !== undefined && step >= line.ownFrom) return line.skill;
    const { parent }: TraceBranch = line;
    line = parent && reader.branches.find(({ id }) => id === parent.branch);
  }
  return undefined;
}

function optionsOf(flags: TryStepFlags, options: RunOptions): RunOptions {
  const { seed, temperature, retryTemperature = temperature, topP, maxTokens } = flags;
  return {
    ...options,
    ...(seed !== undefined && { seed }),
    ...(temperature !== undefined && { temperature }),
    ...(retryTemperature !== undefined && { retryTemperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

/**
 * The models that are asked, each with those settings that it has.
 *
 * @throws UsageFailure where nobody is named who could be; SettingFailure for a setting that none of them has
 */
function modelsOf(subject: Subject, flags: TryStepFlags, models: HostModels) {
  const { environment, model } = subject;
  const names = [...new Set(flags.model ?? (model === undefined ? [] : [model.name]))];
  if (names.length === 0)
    throw new UsageFailure('Name a model to try the step with: --model, which may be given several times.');
  const given = givenSettings(flags);
  const { temperature, retryTemperature, topP, maxTokens } = flags;
  const isGiven = { ...given, temperature, retryTemperature, topP, maxTokens };
  for (const [setting, value] of Object.entries(isGiven)) {
    const idle = names.map((name) => idleSetting(name, { [setting]: value }));
    const [first] = idle;
    if (first !== undefined && idle.every((one) => one !== undefined)) throw new SettingFailure(first);
  }
  return names.map((name) => {
    const own: ModelSettings = Object.fromEntries(
      Object.entries(given).filter(
        ([setting, value]) => value !== undefined && isSettingName(setting) && hasSetting(name, setting),
      ),
    );
    const isRecorded = name === model?.name;
    const baseUrl = own.baseUrl ?? (isRecorded ? undefined : baseUrlOf({}, name));
    const settings = isRecorded ? model.settings(own) : { ...own, baseUrl };
    return sampledModel({ name, settings, environment, models });
  });
}

function givenSettings(flags: TryStepFlags): ModelSettings {
  const { baseUrl, decoding, reasoningEffort, thinkingBudget, timeout, requestRetries } = flags;
  const { vertexProject, vertexLocation, faults, faultSeed } = flags;
  return {
    ...{ baseUrl, decoding, reasoningEffort, thinkingBudget, timeout, requestRetries },
    ...{ vertexProject, vertexLocation, faults, faultSeed },
  };
}

/** How many answers have come, for who looks at a terminal. */
function createProgress({ stderr }: Terminal, { json }: TryStepFlags, total: number) {
  const isShown = stderr.isTTY === true && json !== true;
  let done = 0;
  const show = () => {
    if (isShown) stderr.write(`\r${done} of ${total} answers`);
  };
  show();
  return {
    add: () => {
      done++;
      show();
    },
    end: () => {
      if (isShown) stderr.write('\r\u001b[K');
    },
  };
}
