/** Wires a run on this machine: skill from disk, environment and model by name, trace to a file. For command line and debugger. */
import { loadSkill, type Skill } from '../../../../schemas/skill/skill';
import type { RunRecord, TraceRecord } from '../../../../schemas/trace/trace';
import { type ModelSettings, recordedSettings } from '../../models/modelSettings';
import { loadTokenizer } from '../../models/o200kTokenizer';
import type { Acting } from '../../runtime/acting';
import type { Asker } from '../../runtime/asker';
import {
  createExecution,
  type Execution,
  type ExecutionOptions,
  InitialStateFailure,
  RunFailure,
  type RunHost,
} from '../../runtime/execution';
import { initialStateProblemsOf } from '../../runtime/initialStateProblems';
import type { Participants } from '../../runtime/journey';
import type { Model } from '../../runtime/model';
import { defaultRunOptions, type RunOptions, type RunSettings } from '../../runtime/options';
import { recordedRun } from '../../runtime/recordedSteps';
import type { Redaction } from '../../runtime/redaction';
import { planResume, type ResumePlan } from '../../runtime/resume';
import { createJourney } from '../../runtime/runJourney';
import { StateSchemaFailure } from '../../runtime/validation';
import {
  type AnswerFiles,
  askerFor,
  createParticipants,
  isChangedBy,
  madeOf,
  type RunResources,
  refuseIdleSettings,
  refuseRedactedNeeds,
  settingsGoingOn,
  settingsOf,
} from './participants';
import { placesBeside } from './recordings';
import {
  environmentOf,
  loadRunnableSkill,
  refuseBlocked,
  refuseChangedSkill,
  SkillFailure,
} from './runnableSkill';
import { sha256 } from './sha256';
import { findSkillFolder } from './skillFolder';
import { openTraceReader } from './traceBytes';
import {
  continueTraceFile,
  createNumberedTraceFile,
  createTraceFile,
  defaultTracePath,
  readTraceFile,
  type TraceFile,
  type TraceFileOptions,
} from './traceFile';
import { lockForWriting, type WriterLock } from './writerLock';

/** Who is told about a run, and who answers for its manual parts. */
export interface RunCallbacks {
  /** The person at the terminal or the debug console. */
  readonly asker: Asker;
  readonly onText?: RunHost['onText'];
  readonly onPhase?: RunHost['onPhase'];
  readonly onNotice?: RunHost['onNotice'];
  /** Aborted when nobody wants the run any more, also while it is made ready. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunRequest extends AnswerFiles, TraceFileOptions, RunResources {
  /** Path of the skill's folder or of its SKILL.md. */
  readonly skill: string;
  /** By default what the skill's metadata names, else `manual`. */
  readonly environment?: string | undefined;
  /** By default `scripted` where the environment has a policy, else `manual`. */
  readonly model?: string | undefined;
  readonly modelSettings?: ModelSettings | undefined;
  readonly options?: Partial<RunOptions>;
  /** Where the trace goes: a new file; the same, numbered where it exists; or a folder in which a name is chosen. */
  readonly trace: { readonly file: string } | { readonly numbered: string } | { readonly under: string };
  readonly callbacks: RunCallbacks;
}

export interface OpenedRun {
  readonly execution: Execution;
  readonly skill: Skill;
  /** The skill's folder; undefined for a run that was resumed from its trace alone. */
  readonly folder: string | undefined;
  readonly trace: TraceFile;
  /** Names as recorded. */
  readonly environment: string;
  readonly model: string;
  readonly options: RunOptions;
  /** As recorded, or as somebody who goes on with a run has changed them. */
  readonly settings: RunSettings;
  /** What a user should know before it begins, a sentence each. */
  readonly remarks: readonly string[];
  /** Syncs and closes the trace. */
  close(): void;
}

/**
 * Opens a new run. Nothing is executed before `execution.start`; the model is made ready, so that a missing key is said now.
 *
 * @throws FileFailure, SkillFailure, SettingFailure, UnknownNameFailure, RunFailure, ModelFailure, each with a message for the
 *   user; the signal's reason.
 */
export function openRun(request: RunRequest): Promise<OpenedRun> {
  return openNewRun(request, createExecution);
}

/** What makes a run of its parts: an execution, or what more it is. */
export type RunMaker<Run extends Execution> = (
  options: Omit<ExecutionOptions, 'recorded'> & { readonly participants: Participants },
) => Run;

/** The same as {@link openRun}, with what `create` makes. */
export async function openNewRun<Run extends Execution>(
  request: RunRequest,
  create: RunMaker<Run>,
): Promise<OpenedRun & { readonly execution: Run }> {
  const { callbacks, redaction, models, recordingFolders: folders = ['.'] } = request;
  const folder = await findSkillFolder(request.skill);
  const skill = await loadRunnableSkill(folder, redaction);
  const environmentName = request.environment ?? environmentOf(skill) ?? 'manual';
  const modelName = request.model ?? (environmentName === 'manual' ? 'manual' : 'scripted');
  refuseIdleSettings(request, { environment: environmentName, model: modelName });
  const modelSettings = ownSettings(request, modelName);
  const needed = (found: Model['found'] = {}) => ({
    environment: environmentName,
    model: { name: modelName, settings: { ...recordedSettings(modelSettings), ...found } },
  });
  refuseRedactedNeeds(redaction, needed());
  const asker = await askerFor(request, callbacks.asker, { replies: 0, observations: 0 });
  const { horizon } = request.options ?? {};
  const participants = madeOf(() =>
    createParticipants({
      environment: { name: environmentName },
      model: { name: modelName, settings: modelSettings },
      asker,
      startAt: 0,
      horizon,
      models,
      redaction,
      recordings: { folders },
    }),
  );
  const { model, environment } = participants;
  const options: RunOptions = {
    ...defaultRunOptions,
    ...given(request.options ?? {}),
    horizon: horizon ?? environment.defaultHorizon,
  };
  const settings: RunSettings = {
    environment: {},
    // What the model found out is known once it is ready.
    get model() {
      return { ...recordedSettings(modelSettings), ...model.found };
    },
  };
  let trace: TraceFile | undefined;
  const execution = executionOf(
    {
      skill,
      ...participants,
      participants,
      tokenizer: await loadTokenizer(),
      options,
      settings,
      host: hostOf(callbacks, (record) => trace?.record(record), redaction),
    },
    create,
  );
  await model.prepare?.(callbacks.signal ?? new AbortController().signal);
  refuseRedactedNeeds(redaction, needed(model.found));
  const remarks = model.remarks?.({ ...skill, state: skill.initialState }, options) ?? [];
  // Last, so that nothing that fails before it leaves an empty file behind.
  trace = openTrace(request, skill.name);
  return {
    execution,
    skill,
    folder,
    trace,
    environment: environmentName,
    model: modelName,
    options,
    settings,
    remarks,
    close: closing(trace),
  };
}

/** Without faults for models that make none, which a launch configuration has all the same. */
function ownSettings({ modelSettings = {} }: RunRequest, model: string): ModelSettings {
  const { faults, faultSeed, ...others } = modelSettings;
  return model === 'scripted' ? { faults, faultSeed } : others;
}

/** Without what is undefined, which would take the place of defaults. */
function given<Options extends object>(options: Options): Partial<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Options>;
}

export interface ResumeRequest extends AnswerFiles, TraceFileOptions, RunResources {
  readonly trace: string;
  /** Path of the skill, where the caller names it: it has to be the recorded one, unchanged. */
  readonly skill?: string | undefined;
  /** What has changed since, such as where the model's server is; the rest is as recorded. */
  readonly modelSettings?: ModelSettings | undefined;
  readonly callbacks: RunCallbacks;
}

/**
 * Opens an interrupted run to go on with it: cuts off a torn last record and repeats the rest.
 *
 * @throws FileFailure, SkillFailure, UnknownNameFailure, RunFailure, each with a message for the user.
 */
export async function resumeRun(request: ResumeRequest): Promise<OpenedRun & { readonly plan: ResumePlan }> {
  // Before it is read: what another run still writes can't be gone on with.
  const lock = lockForWriting(request.trace);
  try {
    return await resumeLocked(request, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function resumeLocked(
  request: ResumeRequest,
  lock: WriterLock,
): Promise<OpenedRun & { readonly plan: ResumePlan }> {
  const { completeBytes, ...content } = readTraceFile(request.trace);
  const plan = planResume({ ...content, completeBytes });
  const { header, options, acting } = plan;
  const { environment, model } = acting;
  const { modelSettings, models, redaction } = request;
  const skill = await loadSkill(plan.files);
  refuseBlocked(skill);
  if (request.skill !== undefined)
    await refuseChangedSkill(await findSkillFolder(request.skill), skill, redaction);
  if (modelSettings !== undefined) refuseIdleSettings({ modelSettings }, namesOf(acting));
  const asker = await askerFor(request, request.callbacks.asker, plan.consumed);
  const settings = settingsOf(model, modelSettings);
  const isChanged = isChangedBy(model, settings);
  const needed = (found: Model['found'] = {}) => ({
    environment: environment.name,
    model: { name: model.name, settings: { ...recordedSettings(settings), ...found } },
  });
  if (isChanged) refuseRedactedNeeds(redaction, needed());
  const participants = madeOf(
    () =>
      createParticipants({
        environment,
        model: { name: model.name, settings },
        asker,
        startAt: plan.consumed.observations,
        horizon: options.horizon,
        models,
        redaction,
        recordings: placesBeside(request.trace, request.recordingFolders),
      }),
    modelSettings?.baseUrl === undefined ? request.trace : undefined,
  );
  const tokenizer = await loadTokenizer();
  if (tokenizer.name !== header.tokenizer) {
    throw new RunFailure(`The trace counts tokens by ${header.tokenizer}, which this version doesn't have.`);
  }
  // Before the trace is added to: what isn't there is no reason to end the run once more, and what is found is recorded.
  const isFound = !isChanged && settings.encoding !== undefined;
  if ((model.name.startsWith('replay:') || !isFound) && !plan.finished) {
    await participants.model.prepare?.(request.callbacks.signal ?? new AbortController().signal);
    if (isChanged) refuseRedactedNeeds(redaction, needed(participants.model.found));
  }
  const goingOn: RunSettings = {
    environment: environment.settings,
    get model() {
      return settingsGoingOn(model, { settings, model: participants.model });
    },
  };
  // Else they were told when it began.
  const remarks =
    isChanged && !plan.finished
      ? (participants.model.remarks?.({ ...skill, state: skill.initialState }, options) ?? [])
      : [];
  const recorded = plan.travelled ? await readRecordedRun(request.trace, header) : undefined;
  let trace: TraceFile | undefined;
  const execution = executionOf(
    {
      skill,
      ...participants,
      participants,
      tokenizer,
      options,
      settings: goingOn,
      host: hostOf(request.callbacks, (record) => trace?.record(record), redaction),
    },
    recorded === undefined
      ? (parts) => createExecution({ ...parts, recorded: plan.recorded, interrupted: acting })
      : (parts) => createJourney({ ...parts, recorded }),
  );
  // Last, so that nothing that fails before it changes the file or leaves it open.
  trace = continueTraceFile(request.trace, { completeBytes, lock }, request);
  return {
    execution,
    skill,
    folder: undefined,
    trace,
    environment: environment.name,
    model: model.name,
    options,
    settings: { environment: environment.settings, model: recordedSettings(settings) },
    remarks,
    plan,
    close: closing(trace),
  };
}

/** The branches of a trace, of which the last one goes on. */
async function readRecordedRun(path: string, header: RunRecord) {
  const reader = openTraceReader(path);
  await reader.read();
  return recordedRun(reader, header);
}

/** Makes a run; what doesn't fit in the skill's files is said for their author. */
function executionOf<Run extends Execution>(
  options: Parameters<RunMaker<Run>>[0],
  create: RunMaker<Run>,
): Run {
  try {
    return create(options);
  } catch (error) {
    if (error instanceof InitialStateFailure) {
      throw new SkillFailure(initialStateProblemsOf(options.skill, error.violations), { cause: error });
    }
    if (error instanceof StateSchemaFailure) throw new RunFailure(error.message, { cause: error });
    throw error;
  }
}

function openTrace(request: RunRequest, skillName: string): TraceFile {
  const { trace } = request;
  if ('file' in trace) return createTraceFile(trace.file, request);
  return createNumberedTraceFile(
    'numbered' in trace ? trace.numbered : defaultTracePath(trace.under, skillName),
    request,
  );
}

/** The longest delay of a timer, in milliseconds: no reply takes as long. */
const longestDelay = 2 ** 31 - 1;

/** What a run has of this machine: its time and hashes, and where records go. */
export function hostOf(
  callbacks: RunCallbacks,
  record: (record: TraceRecord) => void,
  redaction?: Redaction,
): RunHost {
  return {
    sha256,
    now: () => Date.now(),
    alarm(milliseconds, ring) {
      const timer = setTimeout(ring, Math.min(milliseconds, longestDelay));
      return () => clearTimeout(timer);
    },
    record,
    onText: () => callbacks.onText?.(),
    onPhase: (run) => callbacks.onPhase?.(run),
    onNotice: (notice, run) => callbacks.onNotice?.(notice, run),
    redaction,
  };
}

function namesOf({ environment, model }: Acting) {
  return { environment: environment.name, model: model.name };
}

function closing(trace: TraceFile) {
  return () => trace.close();
}
