/** Wires a run on this machine: skill from disk, environment and model by name, trace to a file. For command line and debugger. */
import { blocksRun, type FileProblem, loadSkill, type Skill } from '../../../../schemas/skill/skill';
import type { TraceRecord } from '../../../../schemas/trace/trace';
import { createEnvironment } from '../../environments/registry';
import { loadTokenizer } from '../../models/o200kTokenizer';
import { createModel } from '../../models/registry';
import { type Asker, createAskerByKind, createQueueAsker, parseAnswers } from '../../runtime/asker';
import {
  createExecution,
  type Execution,
  type ExecutionOptions,
  InitialStateFailure,
  RunFailure,
} from '../../runtime/execution';
import { initialStateProblemsOf } from '../../runtime/initialStateProblems';
import { defaultRunOptions, type RunOptions, type Settings } from '../../runtime/options';
import { planResume, type ResumePlan } from '../../runtime/resume';
import type { RunState } from '../../runtime/runState';
import { sha256 } from './sha256';
import { createSkillFiles, findSkillFolder, readTextFile } from './skillFolder';
import {
  continueTraceFile,
  createNumberedTraceFile,
  createTraceFile,
  defaultTracePath,
  readTraceFile,
  type TraceFile,
  type TraceFileOptions,
} from './traceFile';

/** Who is told about a run, and who answers for its manual parts. */
export interface RunCallbacks {
  /** The person at the terminal or the debug console. */
  readonly asker: Asker;
  onText?(text: string): void;
  onPhase?(run: RunState): void;
}

/** Files in a person's place: one JSON string a line. */
export interface AnswerFiles {
  readonly replies?: string | undefined;
  readonly observations?: string | undefined;
}

export interface RunRequest extends AnswerFiles, TraceFileOptions {
  /** Path of the skill's folder or of its SKILL.md. */
  readonly skill: string;
  /** By default what the skill's metadata names, else `manual`. */
  readonly environment?: string | undefined;
  /** By default `scripted` where the environment has a policy, else `manual`. */
  readonly model?: string | undefined;
  readonly faults?: number | undefined;
  readonly faultSeed?: number | undefined;
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
  /** Syncs and closes the trace. */
  close(): void;
}

/** A skill that can't be run; `problems` are those in its files. */
export class SkillFailure extends Error {
  override readonly name: string = 'SkillFailure';
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[], options?: { readonly cause?: unknown }) {
    const first = problems[0];
    const what = first ? `${placeOf(first)}: ${first.problem.message}` : '';
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(`The skill can't be run: ${what}${others}`, options);
    this.problems = problems;
  }
}

/** `SKILL.md:3:7`, as terminals and editors make links of. */
function placeOf({ path, problem }: FileProblem): string {
  const { line, character } = problem.range.start;
  return `${path}:${line + 1}:${character + 1}`;
}

/**
 * Opens a new run. Nothing is executed before `execution.start`.
 *
 * @throws FileFailure, SkillFailure, UnknownNameFailure, RunFailure, each with a message for the user.
 */
export async function openRun(request: RunRequest): Promise<OpenedRun> {
  const folder = await findSkillFolder(request.skill);
  const skill = await loadRunnableSkill(folder);
  const environmentName = request.environment ?? skill.environment ?? 'manual';
  const modelName = request.model ?? (environmentName === 'manual' ? 'manual' : 'scripted');
  const asker = await askerFor(request, request.callbacks.asker, { replies: 0, observations: 0 });
  const environment = createEnvironment(environmentName, { asker, horizon: request.options?.horizon });
  const model = createModel(modelName, {
    asker,
    environment: environmentName,
    faults: request.faults,
    faultSeed: request.faultSeed,
    sha256,
  });
  const options: RunOptions = { ...defaultRunOptions, ...request.options };
  const modelSettings: Settings = {
    ...(request.faults !== undefined && { faults: request.faults }),
    ...(request.faultSeed !== undefined && { faultSeed: request.faultSeed }),
  };
  const tokenizer = await loadTokenizer();
  let trace: TraceFile | undefined;
  const execution = executionOf({
    skill,
    environment,
    model,
    tokenizer,
    options,
    settings: { environment: {}, model: modelSettings },
    host: hostOf(request.callbacks, (record) => trace?.record(record)),
  });
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
    close: closing(trace),
  };
}

export interface ResumeRequest extends AnswerFiles, TraceFileOptions {
  readonly trace: string;
  /** Path of the skill, where the caller names it: it has to be the recorded one, unchanged. */
  readonly skill?: string | undefined;
  readonly callbacks: RunCallbacks;
}

/**
 * Opens an interrupted run to go on with it: cuts off a torn last record and repeats the rest.
 *
 * @throws FileFailure, SkillFailure, UnknownNameFailure, RunFailure, each with a message for the user.
 */
export async function resumeRun(request: ResumeRequest): Promise<OpenedRun & { readonly plan: ResumePlan }> {
  const content = readTraceFile(request.trace);
  const plan = planResume(content);
  const { header, options } = plan;
  const skill = await loadSkill(plan.files);
  refuseBlocked(skill);
  if (request.skill !== undefined) await refuseChangedSkill(await findSkillFolder(request.skill), skill);
  const asker = await askerFor(request, request.callbacks.asker, plan.consumed);
  const environment = createEnvironment(header.environment.name, {
    asker,
    startAt: plan.consumed.observations,
    horizon: options.horizon,
  });
  const model = createModel(header.model.name, {
    asker,
    environment: header.environment.name,
    faults: numberOf(header.model.settings.faults),
    faultSeed: numberOf(header.model.settings.faultSeed),
    sha256,
  });
  const tokenizer = await loadTokenizer();
  if (tokenizer.name !== header.tokenizer) {
    throw new RunFailure(`The trace counts tokens by ${header.tokenizer}, which this version doesn't have.`);
  }
  const trace = continueTraceFile(request.trace, content.completeBytes, request);
  const execution = executionOf({
    skill,
    environment,
    model,
    tokenizer,
    options,
    settings: { environment: header.environment.settings, model: header.model.settings },
    host: hostOf(request.callbacks, (record) => trace.record(record)),
    recorded: plan.recorded,
  });
  return {
    execution,
    skill,
    folder: undefined,
    trace,
    environment: header.environment.name,
    model: header.model.name,
    options,
    plan,
    close: closing(trace),
  };
}

/**
 * Loads a skill and refuses one with problems that block running.
 *
 * @throws SkillFailure, FileFailure
 */
export async function loadRunnableSkill(folder: string): Promise<Skill> {
  const skill = await loadSkill(createSkillFiles(folder));
  refuseBlocked(skill);
  return skill;
}

function refuseBlocked(skill: Skill): void {
  const blocking = skill.problems.filter(blocksRun);
  if (blocking.length > 0) throw new SkillFailure(blocking);
}

/** A run goes on with the skill it began with: another one would tell another story in the same trace. */
async function refuseChangedSkill(folder: string, recorded: Skill): Promise<void> {
  const files = createSkillFiles(folder);
  for (const { path, text } of recorded.files) {
    if ((await files.read(path)) !== text) {
      throw new RunFailure(
        `${path} in ${folder} is not what the trace was made with: put it back, or start a new run.`,
      );
    }
  }
}

/** Makes an execution; a Σ_0 that doesn't fit is a problem in the skill's files. */
function executionOf(options: ExecutionOptions): Execution {
  try {
    return createExecution(options);
  } catch (error) {
    if (!(error instanceof InitialStateFailure)) throw error;
    throw new SkillFailure(initialStateProblemsOf(options.skill, error.violations), { cause: error });
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

async function askerFor(files: AnswerFiles, person: Asker, consumed: ResumePlan['consumed']): Promise<Asker> {
  const queued = async (path: string | undefined, startAt: number): Promise<Asker> => {
    if (path === undefined) return person;
    const parsed = parseAnswers(await readTextFile(path), path);
    if (!parsed.ok) throw new RunFailure(parsed.message);
    return createQueueAsker(parsed.answers, { startAt });
  };
  return createAskerByKind({
    reply: await queued(files.replies, consumed.replies),
    observation: await queued(files.observations, consumed.observations),
  });
}

function hostOf(callbacks: RunCallbacks, record: (record: TraceRecord) => void) {
  return {
    sha256,
    now: () => Date.now(),
    record,
    onText: (text: string) => callbacks.onText?.(text),
    onPhase: (run: RunState) => callbacks.onPhase?.(run),
  };
}

function closing(trace: TraceFile) {
  return () => trace.close();
}

function numberOf(setting: Settings[string] | undefined): number | undefined {
  return typeof setting === 'number' ? setting : undefined;
}
