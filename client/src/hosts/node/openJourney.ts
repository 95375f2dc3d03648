/** Wires what the debugger goes through: new runs, and recorded ones with whoever can go on with them. */
import { basename, dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Skill } from '../../../../schemas/skill/skill';
import { parseSkill, skillFileName } from '../../../../schemas/skill/skillDocument';
import type { RunRecord, TraceProblem } from '../../../../schemas/trace/trace';
import type { RecordInProgress } from '../../debug/debugHost';
import { type ModelSettings, recordedSettings } from '../../models/modelSettings';
import { createLateTokenizer } from '../../models/o200kTokenizer';
import { type Acting, actingAfter, changedActing } from '../../runtime/acting';
import type { Journey, Participants } from '../../runtime/journey';
import type { MemorySteps } from '../../runtime/memorySteps';
import { type Model, ModelFailure } from '../../runtime/model';
import type { RunOptions, RunSettings } from '../../runtime/options';
import { recordedSkill } from '../../runtime/recordedSkill';
import { recordedRun } from '../../runtime/recordedSteps';
import { RunFailure } from '../../runtime/runFailure';
import { createJourney } from '../../runtime/runJourney';
import type { TraceBranch, TraceBytes, TraceReader } from '../../runtime/traceReader';
import { lastBranch, TraceReading } from '../../runtime/traceReading';
import { UnknownNameFailure } from '../../runtime/unknownName';
import { StateSchemaFailure } from '../../runtime/validation';
import { hostOf, type OpenedRun, openNewRun, type RunCallbacks, type RunRequest } from './openRun';
import {
  type AnswerFiles,
  askerFor,
  createParticipants,
  isChangedBy,
  madeOf,
  type RunResources,
  refuseIdleSettings,
  refuseRedactedNeeds,
  SettingFailure,
  settingsGoingOn,
  settingsOf,
} from './participants';
import { placesBeside } from './recordings';
import { ReplayWriter } from './replayWriter';
import { FileFailure, findSkillFolder, readTextFile } from './skillFolder';
import { openTraceBytes, openTraceReader } from './traceBytes';

export interface OpenedJourney extends Omit<OpenedRun, 'execution' | 'trace' | 'remarks'> {
  readonly execution: Journey;
  /** Where the trace is, which may become another file with the first branch. */
  readonly tracePath: string;
  /** What a user should know about a record, and of the model once it goes on with one, a sentence each. */
  readonly notes: readonly string[];
  /** Where a record is read on while it is gone through already. */
  readonly reading?: RecordInProgress;
  /** Syncs what was recorded. */
  sync(): void;
}

/** Opens a new run to be gone through. @throws as openRun does */
export async function openJourney(
  request: RunRequest & { readonly forkWithoutRewind?: boolean },
): Promise<OpenedJourney> {
  const { forkWithoutRewind = false } = request;
  const { trace, remarks, ...opened } = await openNewRun(request, (options) =>
    createJourney({ ...options, forkWithoutRewind }),
  );
  return { ...opened, tracePath: trace.path, notes: remarks, sync: () => trace.sync() };
}

export interface ReplayRequest extends AnswerFiles, RunResources {
  /** The trace. */
  readonly replay: string;
  /** The skill's folder or its SKILL.md, where the caller names it: places are then shown in its files. */
  readonly skill?: string | undefined;
  /** Who goes on, in place of the recorded ones. */
  readonly environment?: string | undefined;
  readonly model?: string | undefined;
  /** Of the model that is named, or what has changed of the recorded one, such as where its server is. */
  readonly modelSettings?: ModelSettings | undefined;
  /** Refused: they are those of the record. */
  readonly options?: Partial<RunOptions> | undefined;
  /** Where a copy goes that branches are added to; by default they are added to the trace itself. */
  readonly trace?: string | undefined;
  readonly forkWithoutRewind?: boolean;
  readonly callbacks: RunCallbacks;
  /** Reads no further when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly reading?: ReplayReading | undefined;
}

/** How a trace is read that is replayed. */
export interface ReplayReading {
  /** By default the file's. */
  readonly bytes?: (path: string) => TraceBytes;
  /** How many bytes are read before the run can be gone through; the rest is read meanwhile. */
  readonly beforehand?: number;
}

/** So much of a trace is read in a moment, and most traces are no longer. */
const readBeforehand = 1 << 21;

/**
 * Opens a recorded run to be gone through, and to go on from wherever that is possible: as soon as its beginning is read.
 * The file is not touched before something is added to it.
 *
 * @throws FileFailure, SettingFailure, UnknownNameFailure, RunFailure, each with a message for the user.
 */
export async function openReplay(request: ReplayRequest): Promise<OpenedJourney> {
  const bytes = (request.reading?.bytes ?? openTraceBytes)(request.replay);
  const branch = await lastBranch(bytes);
  const reader = openTraceReader(request.replay, bytes);
  const reading = new TraceReading(reader);
  const stop = () => reading.stop();
  if (request.signal?.aborted) stop();
  request.signal?.addEventListener('abort', stop, { once: true });
  try {
    await reading.until(() => isBegun(reader, request.reading?.beforehand ?? readBeforehand));
    return await openBegun(request, { reader, reading, branch });
  } catch (error) {
    reading.stop();
    throw error;
  }
}

/** Whether enough of a trace was read to go through it, or to know that it can't be. */
function isBegun({ header, branches, progress }: TraceReader, beforehand: number): boolean {
  // A run record that comes after others is none that counts.
  if (header === undefined) return branches.length > 0;
  // The second step tells that the first one is complete.
  return progress.bytesRead >= beforehand && (branches[0]?.steps ?? 0) > 1;
}

/** A trace of which the beginning was read. */
interface BegunTrace {
  readonly reader: TraceReader;
  readonly reading: TraceReading;
  /** The branch that somebody went on with last. */
  readonly branch: number | undefined;
}

async function openBegun(request: ReplayRequest, trace: BegunTrace): Promise<OpenedJourney> {
  const { reader, reading, branch } = trace;
  const { header } = reader;
  if (header === undefined) {
    if (reading.failure !== undefined) throw reading.failure;
    throw new RunFailure(headerlessMessage(request.replay, reader.problems));
  }
  const skill = await recordedSkill(header.skill.name, header.skill.files);
  const folder =
    request.skill === undefined
      ? await folderAround(request.replay, skill)
      : await findSkillFolder(request.skill);
  const { horizon, ...others } = header.options;
  const options: RunOptions = { ...others, horizon };
  const writer = new ReplayWriter(request, reader);
  const acting = actingIn(trace, header);
  const names = {
    environment: request.environment ?? acting.environment.name,
    model: request.model ?? acting.model.name,
  };
  const modelSettings = changedSettings(request, acting);
  const isOther = names.model !== acting.model.name || isChangedBy(acting.model, modelSettings);
  const needed = (found: Model['found'] = {}) => ({
    environment: names.environment,
    model: { name: names.model, settings: { ...recordedSettings(modelSettings), ...found } },
  });
  if (isOther) refuseRedactedNeeds(request.redaction, needed());
  const recorded = recordedRun(reader, header, {
    reading: {
      get isOver() {
        return reading.isOver;
      },
      get missing() {
        return obstacleIn(request, trace);
      },
      until: (isThere, signal) => reading.until(isThere, signal),
    },
    branch,
  });
  const participants = await participantsOf(request, trace, {
    header,
    names,
    settings: modelSettings,
    steps: recorded.steps,
  });
  const settings: RunSettings = {
    environment: names.environment === acting.environment.name ? acting.environment.settings : {},
    get model() {
      const model = 'missing' in participants ? { name: names.model } : participants.model;
      return settingsGoingOn(acting.model, { settings: modelSettings, model });
    },
  };
  // What was recorded is counted already; the table takes longer to load than a run to open.
  const tokenizer = createLateTokenizer();
  let remarks: readonly string[] = [];
  const host = {
    ...hostOf(request.callbacks, (record) => writer.record(record), request.redaction),
    pause: () => setImmediate(),
    async beginRecording() {
      refuseOthers(request, { before: acting, now: actingIn(trace, header) });
      await tokenizer.load();
      if (isOther && !('missing' in participants)) {
        // What it finds out is recorded with it.
        await prepared(participants.model, request.callbacks.signal);
        refuseRedactedNeeds(request.redaction, needed(participants.model.found));
        remarks = participants.model.remarks?.({ ...skill, state: skill.initialState }, options) ?? [];
      }
      await writer.begin();
    },
  };
  let execution: Journey;
  try {
    execution = createJourney({
      skill,
      participants,
      tokenizer,
      options,
      settings,
      host,
      forkWithoutRewind: request.forkWithoutRewind === true,
      recorded,
    });
  } catch (error) {
    if (error instanceof StateSchemaFailure) throw new RunFailure(error.message, { cause: error });
    throw error;
  }
  return {
    execution,
    skill,
    folder,
    get tracePath() {
      return writer.path;
    },
    environment: names.environment,
    model: names.model,
    options,
    settings: { environment: settings.environment, model: recordedSettings(modelSettings) },
    get notes() {
      return [...notesOn(trace), ...remarks];
    },
    reading,
    sync: () => writer.sync(),
    close: () => {
      reading.stop();
      writer.close();
    },
  };
}

/** What keeps everybody from going on with a recorded run, as far as it was read. */
function obstacleIn(request: ReplayRequest, { reader, reading }: BegunTrace): string | undefined {
  if (reading.shortfall !== undefined) return reading.shortfall;
  const broken = reader.problems.find(({ code }) => code !== 'trace.torn-record');
  if (broken === undefined || request.trace !== undefined) return undefined;
  return `The trace is broken at line ${broken.line}, so nothing is added to it: name another file by "trace" in the launch configuration, and branches go into a copy.`;
}

/** The branch on whose line the run is gone through first. */
function mainBranch({ branches }: TraceReader, wanted: number | undefined): TraceBranch | undefined {
  return branches.find(({ id }) => id === wanted) ?? branches.at(-1);
}

/** Who acted last on the line on which the run is gone through, as far as it was read. */
function actingIn({ reader, branch }: BegunTrace, header: RunRecord): Acting {
  return actingAfter(header, mainBranch(reader, branch)?.acting ?? []);
}

/**
 * A long trace is gone through before all of it was read: who acted at its end may turn out to be somebody else.
 *
 * @throws RunFailure where others would go on than those whom the trace names last
 */
function refuseOthers(
  request: ReplayRequest,
  { before, now }: { readonly before: Acting; readonly now: Acting },
) {
  const { model, environment } = changedActing(before, now);
  const other = request.model === undefined ? model : undefined;
  const otherWorld = request.environment === undefined ? environment : undefined;
  const [attribute, participant] = other !== undefined ? ['model', other] : ['environment', otherWorld];
  if (participant === undefined) return;
  throw new RunFailure(
    `The last steps of the trace have another ${attribute} than the first ones: go on with it by "${attribute}": ${JSON.stringify(participant.name)} in the launch configuration, or name another one there.`,
  );
}

/** Makes a model ready. @throws RunFailure where it can't be */
async function prepared(model: Model, signal = new AbortController().signal): Promise<void> {
  try {
    await model.prepare?.(signal);
  } catch (error) {
    if (error instanceof ModelFailure) throw new RunFailure(error.message, { cause: error });
    throw error;
  }
}

/** Who goes on with a recorded run, or why nobody can. */
async function participantsOf(
  request: ReplayRequest,
  { reader, branch }: BegunTrace,
  {
    header,
    names,
    settings,
    steps,
  }: {
    readonly header: RunRecord;
    readonly names: { readonly environment: string; readonly model: string };
    readonly settings: ModelSettings;
    readonly steps: MemorySteps;
  },
): Promise<Participants | { readonly missing: string }> {
  const isNamed = request.model !== undefined;
  // What was observed first but not recorded is observed again.
  const stepsSoFar = () => (steps.lacksFirst ? 0 : (mainBranch(reader, branch)?.steps ?? 0));
  const repliesSoFar = () => {
    const main = mainBranch(reader, branch);
    return main === undefined ? 0 : reader.totals(main.id, main.steps).attempts;
  };
  // Nobody is asked before everything was read.
  const consumed = { replies: repliesSoFar, observations: stepsSoFar };
  const asker = await askerFor(request, request.callbacks.asker, consumed);
  const make = () =>
    createParticipants({
      environment: { name: names.environment },
      model: { name: names.model, settings },
      asker,
      // A journey takes its environment to where it stands before anything is done in it.
      startAt: 0,
      horizon: header.options.horizon,
      models: request.models,
      redaction: request.redaction,
      recordings: isNamed
        ? { folders: request.recordingFolders ?? ['.'] }
        : placesBeside(request.replay, request.recordingFolders),
    });
  try {
    return isNamed || request.modelSettings?.baseUrl !== undefined ? madeOf(make) : make();
  } catch (error) {
    const isMissing = error instanceof UnknownNameFailure || error instanceof ModelFailure;
    if (!isMissing || isNamed || request.environment !== undefined) throw error;
    return {
      missing: `Nobody can go on with this trace: ${error.message} Name others by "environment" and "model" in the launch configuration.`,
    };
  }
}

/** @throws SettingFailure for settings that whoever goes on doesn't have */
function changedSettings(
  { model, modelSettings = {}, options = {} }: ReplayRequest,
  acting: Acting,
): ModelSettings {
  const [option] = Object.keys(options);
  if (option !== undefined)
    throw new SettingFailure(`${option} is as the trace that is replayed has it: leave it out.`);
  const names = { environment: acting.environment.name, model: model ?? acting.model.name };
  if (model !== undefined) {
    refuseIdleSettings({ modelSettings }, names);
    return modelSettings;
  }
  // A launch configuration always has them.
  const { faults: _faults, faultSeed: _seed, ...changed } = modelSettings;
  refuseIdleSettings({ modelSettings: changed }, names);
  return settingsOf(acting.model, changed);
}

/** So many problems of a trace are told. */
const toldProblems = 5;

function notesOn({ reader, reading }: BegunTrace): readonly string[] {
  const { problems, problemsLeftOut } = reader;
  const notes = problems
    .slice(0, toldProblems)
    .map(({ line, message }) => `warning: the trace, line ${line}: ${message}`);
  const left = problems.length - notes.length + problemsLeftOut;
  return [
    ...notes,
    ...(left > 0 ? [`… and ${left} more in the trace`] : []),
    ...(reading.shortfall === undefined ? [] : [reading.shortfall]),
  ];
}

function headerlessMessage(path: string, [problem]: readonly TraceProblem[]): string {
  const reason = problem === undefined ? 'it is empty.' : `line ${problem.line}: ${problem.message}`;
  return `The trace ${path} can't be shown: ${reason}`;
}

/** The folder of the recorded skill, where the trace lies in it: as runs put it, in `.skill-state`, or beside SKILL.md. */
async function folderAround(trace: string, { name }: Skill): Promise<string | undefined> {
  for (const folder of [dirname(resolve(trace)), dirname(dirname(resolve(trace)))]) {
    try {
      const document = parseSkill(await readTextFile(resolve(folder, skillFileName)));
      if ((document.name ?? basename(folder)) === name) return folder;
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error;
    }
  }
  return undefined;
}
