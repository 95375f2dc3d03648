/** `skill-state run`: runs a skill step by step in the terminal, or resumes a run from its trace. */
import { relative } from 'node:path';
import { severityForRun } from '../../../schemas/skill/skill';
import { printable, printableLine } from '../../../schemas/text/printable';
import { posixLiteral, windowsLiteral } from '../../../schemas/text/shellLiteral';
import { type OpenedRun, openRun, type RunCallbacks, resumeRun } from '../hosts/node/openRun';
import { redactionOf } from '../hosts/node/participants';
import type { Decoding, ModelSettings } from '../models/modelSettings';
import type { Asker } from '../runtime/asker';
import type { Execution, PhaseReport } from '../runtime/execution';
import { failureWords, takenText } from '../runtime/failureWords';
import { isFree } from '../runtime/freeModels';
import type { FailedRequest } from '../runtime/model';
import type { Budget, CommitOrder, OnExhausted, RunOptions, Settings } from '../runtime/options';
import { listed } from '../runtime/quotation';
import type { RunState } from '../runtime/runState';
import { baseUrlOf, commandModels, type ModelFlags } from './commandModels';
import { createPaint, showsColors } from './paint';
import { runReport, summaryLines } from './runReport';
import { endsStep, StepLines, stepTokens } from './stepLines';
import { type ExitCode, OutputClosed, type Terminal, UsageFailure } from './terminal';
import { createTerminalAsker } from './terminalAsker';
import type { StepTokens } from './tokenGraph';

/** The flags of `run`, as the command line gives them; undefined where one isn't given. */
export interface RunFlags extends ModelFlags {
  readonly environment?: string;
  readonly model?: string;
  readonly decoding?: Decoding;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly retryTemperature?: number;
  readonly reasoningEffort?: string;
  readonly thinkingBudget?: number;
  readonly timeout?: number;
  readonly requestRetries?: number;
  readonly vertexProject?: string;
  readonly vertexLocation?: string;
  readonly redact?: readonly string[];
  readonly faults?: number;
  readonly faultSeed?: number;
  readonly horizon?: number;
  readonly seed?: number;
  readonly commit?: CommitOrder;
  readonly maxRetries?: number;
  readonly onExhausted?: OnExhausted;
  readonly budgetSteps?: number;
  readonly budgetTokens?: number;
  readonly budgetCost?: number;
  readonly budgetSeconds?: number;
  readonly replies?: string;
  readonly observations?: string;
  readonly trace?: string;
  readonly syncEveryRecord?: boolean;
  readonly resume?: string;
  readonly json?: boolean;
}

/**
 * Runs, printing each step as it happens; with `json`, stdout gets one object at the end and nothing else.
 *
 * @returns 0 where the run completed, whatever its score; 1 where it could not.
 */
export async function run(skill: string | undefined, flags: RunFlags, terminal: Terminal): Promise<ExitCode> {
  const asker = createTerminalAsker(terminal);
  try {
    const opened = await open(skill, flags, asker, terminal);
    try {
      return await carryOut(opened, flags, terminal);
    } finally {
      opened.close();
    }
  } finally {
    asker.close();
  }
}

async function open(
  skill: string | undefined,
  flags: RunFlags,
  asker: Asker,
  terminal: Terminal,
): Promise<OpenedRun> {
  const paint = createPaint(showsColors(terminal.stdout, process.env));
  const callbacks: RunCallbacks = {
    asker,
    signal: terminal.signal,
    onNotice(notice) {
      if (notice.type !== 'retry' || flags.json === true) return;
      terminal.stdout.write(`${paint.yellow(`   ${retryText(notice.failure)}`)}\n`);
    },
  };
  const shared = {
    callbacks,
    models: await commandModels(flags, terminal),
    redaction: redactionOf(flags.redact ?? []),
    replies: flags.replies,
    observations: flags.observations,
    syncEveryRecord: flags.syncEveryRecord ?? false,
  };
  if (flags.resume !== undefined) {
    const conflicting = conflictingFlags(flags);
    if (conflicting.length > 0) {
      throw new UsageFailure(
        `--resume takes its settings from the trace, so ${conflicting.join(', ')} can't be given with it.`,
      );
    }
    const { baseUrl, timeout, requestRetries } = flags;
    return resumeRun({
      ...shared,
      trace: flags.resume,
      skill,
      modelSettings: { baseUrl, timeout, requestRetries },
    });
  }
  if (skill === undefined) throw new UsageFailure('Name the skill to run: a folder with a SKILL.md in it.');
  return openRun({
    ...shared,
    skill,
    environment: flags.environment,
    model: flags.model,
    modelSettings: modelSettingsOf(flags),
    options: optionsOf(flags),
    trace: flags.trace === undefined ? { under: process.cwd() } : { file: flags.trace },
  });
}

/** `rate limited, again in 2 s: The server is busy.` */
function retryText(failure: FailedRequest): string {
  const { class: failureClass, message, wait = 0 } = failure;
  const when = wait < 1 ? 'at once' : `in ${(wait / 1000).toFixed(wait < 9_950 ? 1 : 0)} s`;
  return printableLine(
    `… ${failureWords(failureClass)}, asked again ${when}${takenText([failure])}: ${message}`,
  );
}

/** Flags that a trace decides; the others, which are about this machine, may be given again. */
function conflictingFlags(flags: RunFlags): readonly string[] {
  const {
    resume: _resume,
    json: _json,
    replies: _replies,
    observations: _observations,
    syncEveryRecord: _sync,
    redact: _redact,
    prices: _prices,
    baseUrl: _baseUrl,
    timeout: _timeout,
    requestRetries: _requestRetries,
    ...decided
  } = flags;
  return Object.entries(decided)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
}

function optionsOf(flags: RunFlags): Partial<RunOptions> {
  const budget: Budget = {
    ...(flags.budgetSteps !== undefined && { steps: flags.budgetSteps }),
    ...(flags.budgetTokens !== undefined && { tokens: flags.budgetTokens }),
    ...(flags.budgetCost !== undefined && { cost: flags.budgetCost }),
    ...(flags.budgetSeconds !== undefined && { seconds: flags.budgetSeconds }),
  };
  return {
    budget,
    ...(flags.horizon !== undefined && { horizon: flags.horizon }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(flags.commit !== undefined && { commit: flags.commit }),
    ...(flags.maxRetries !== undefined && { maxRetries: flags.maxRetries }),
    ...(flags.onExhausted !== undefined && { onExhausted: flags.onExhausted }),
    ...(flags.temperature !== undefined && { temperature: flags.temperature }),
    ...(flags.topP !== undefined && { topP: flags.topP }),
    ...(flags.maxTokens !== undefined && { maxTokens: flags.maxTokens }),
    ...(flags.retryTemperature !== undefined && { retryTemperature: flags.retryTemperature }),
  };
}

function modelSettingsOf(flags: RunFlags): ModelSettings {
  const { faults, faultSeed, decoding, reasoningEffort, thinkingBudget } = flags;
  const { timeout, requestRetries, vertexProject, vertexLocation } = flags;
  return {
    ...{ faults, faultSeed, decoding, reasoningEffort, thinkingBudget },
    ...{ timeout, requestRetries, vertexProject, vertexLocation },
    baseUrl: baseUrlOf(flags, flags.model),
  };
}

async function carryOut(opened: OpenedRun, flags: RunFlags, terminal: Terminal): Promise<ExitCode> {
  const { execution, options, skill } = opened;
  const quiet = flags.json === true;
  const paint = createPaint(!quiet && showsColors(terminal.stdout, process.env));
  const steps: StepTokens[] = [];
  const lines = new StepLines({ paint, horizon: options.horizon, isFree: isFree(opened.model) });
  const print = (text: string) => terminal.stdout.write(`${text}\n`);
  if (!quiet) {
    if (flags.resume !== undefined)
      print(
        paint.dim(
          `Resuming ${printableLine(flags.resume)}: what it holds is repeated without the model, then the run goes on.`,
        ),
      );
    const name = paint.bold(printableLine(skill.name));
    const model = printableLine(`${opened.model}${detailsOf(opened.settings.model)}`);
    print(`${name} in ${opened.environment}, model ${model}, seed ${options.seed}`);
    for (const found of skill.problems) {
      const { path, problem } = found;
      const line = `${path}:${problem.range.start.line + 1}: ${severityForRun(found)}: ${problem.message}`;
      print(paint.dim(printableLine(line)));
    }
    for (const remark of opened.remarks) print(paint.dim(printableLine(remark)));
  }
  await runPhases(execution, terminal.signal, (report) => {
    if (quiet) return;
    if (endsStep(report)) steps.push(stepTokens(report.before));
    const added = lines.add(report);
    if (!report.repeated) for (const line of added) print(line);
  });
  const last = execution.run;
  if (!last) throw new Error('The run ended before it began');
  const report = runReport(last, {
    skill: skill.name,
    environment: opened.environment,
    model: opened.model,
    seed: options.seed,
    horizon: options.horizon,
    trace: shortest(opened.trace.path),
  });
  const ending = `${report.outcome}: ${last.end?.reason ?? ''}`;
  const failed = report.outcome !== 'completed';
  if (quiet) print(printable(JSON.stringify(report)));
  else {
    const summary = [
      ...summaryLines(report, steps, terminal.stdout.columns ?? 80),
      ...(isWorthResuming(last) ? [`resume     ${resumeText(report.trace, flags)}`] : []),
    ];
    // Why a run failed is said once, below.
    for (const line of ['', failed ? report.outcome : ending, ...summary]) print(printableLine(line));
  }
  if (failed && !(terminal.signal.reason instanceof OutputClosed))
    terminal.stderr.write(`skill-state: ${printableLine(ending)}\n`);
  return report.outcome === 'completed' ? 0 : 1;
}

/** Whether a run that is gone on with may come further: a recording that has ended has no more replies later. */
function isWorthResuming({ end }: RunState): boolean {
  return end?.resumable === true && end.failures?.at(-1)?.class !== 'no-reply';
}

/** What is told again by whoever goes on with a run, since no trace holds it. */
const toldAgain = ['replies', 'observations', 'redact', 'prices'] as const;

/** The command that goes on with a run: `skill-state run --resume 'a run.skilltrace.jsonl'`. */
function resumeText(trace: string, flags: RunFlags): string {
  // A file's name that begins like a flag is no flag behind this.
  const path = trace.startsWith('-') ? `./${trace}` : trace;
  const word = process.platform === 'win32' ? windowsLiteral(path) : posixLiteral(path);
  const again = toldAgain.filter((name) => flags[name] !== undefined && flags[name].length > 0);
  const others =
    again.length === 0
      ? ''
      : `, with the same ${listed(
          again.map((name) => `--${name}`),
          'and',
        )}`;
  return `skill-state run --resume ${word}${others}`;
}

/** Runs to the end; a run that is cancelled, or whose model or environment fails, ends in order and is recorded as such. */
async function runPhases(
  execution: Execution,
  signal: AbortSignal,
  onReport: (report: PhaseReport) => void,
): Promise<void> {
  try {
    const run = await execution.start(signal);
    // A branch that was left where it began still stands at the end of that session, and goes on from there.
    let isOver = run.end?.resumable === false;
    for (let phases = 1; !isOver; phases++) {
      const report = await execution.advance(signal);
      onReport(report);
      isOver = report.after.end !== undefined;
      // Models and environments that answer at once would otherwise keep Ctrl-C from being heard.
      if (phases % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (signal.aborted && execution.run) {
      execution.end({
        outcome: 'cancelled',
        reason: 'The run was cancelled. It can be resumed from its trace.',
        resumable: true,
      });
    } else if (!execution.run?.end) throw error;
  }
}

/** ` at http://127.0.0.1:8080/v1, held to json-schema`: what isn't plain from the model's name. */
function detailsOf({ baseUrl, encoding }: Settings): string {
  const server = baseUrl === undefined ? '' : ` at ${baseUrl}`;
  return encoding === undefined || encoding === 'free' ? server : `${server}, held to ${encoding}`;
}

function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere !== '' && !fromHere.startsWith('..') && fromHere.length < path.length ? fromHere : path;
}
