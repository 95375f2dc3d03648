/** `skill-state trace show`: the steps of a recorded run, or everything about one. */
import { loadSkill } from '../../../schemas/skill/skill';
import { printable } from '../../../schemas/text/printable';
import type { TraceContent, TraceProblem } from '../../../schemas/trace/trace';
import { readTraceFile } from '../hosts/node/traceFile';
import { planResume } from '../runtime/resume';
import { createTraceHistory, type RecordedStep, type TraceHistory } from '../runtime/traceHistory';
import { formatChange, stateChanges } from './stateChanges';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

export interface TraceShowFlags {
  readonly step?: number;
  readonly json?: boolean;
}

/**
 * Prints a trace. What is wrong in it is said on stderr, and what can be read is shown all the same.
 *
 * @returns 0; 1 where nothing could be read.
 */
export async function traceShow(path: string, flags: TraceShowFlags, terminal: Terminal): Promise<ExitCode> {
  const content = readTraceFile(path);
  const complain = (line: string) => terminal.stderr.write(printable(`${line}\n`));
  for (const line of problemLines(path, content)) complain(line);
  const header = content.records[0];
  if (header?.kind !== 'run') return 1;
  const { stateSchema } = await loadSkill(planResume({ ...content, records: [header], problems: [] }).files);
  const history = createTraceHistory(content.records, stateSchema);
  const print = (text: string) => terminal.stdout.write(printable(`${text}\n`));
  if (flags.step === undefined) {
    if (flags.json)
      print(JSON.stringify({ run: runOf(history), steps: history.steps.map((step) => summaryOf(step)) }));
    else for (const line of overview(history)) print(line);
    return 0;
  }
  const step = history.steps[flags.step];
  if (!step) {
    const range =
      history.steps.length === 0 ? 'it has none' : `it has steps 0 to ${history.steps.length - 1}`;
    throw new UsageFailure(`${path} has no step ${flags.step}: ${range}.`);
  }
  if (flags.json) print(JSON.stringify(detailsOf(history, step)));
  else for (const line of detailLines(history, step)) print(line);
  return 0;
}

/** How many problems of a trace are told one by one. */
const maxProblems = 10;

/** What is wrong with a trace; of a file that is none at all, that alone. */
function problemLines(path: string, { records, problems }: TraceContent): readonly string[] {
  const lineOf = (problem: TraceProblem) => `${path}:${problem.line}: ${problem.message}`;
  if (records.length === 0) {
    const other = problems.find(
      ({ code, line }) => line === 1 && (code === 'trace.foreign-format' || code === 'trace.newer-version'),
    );
    return [other ? lineOf(other) : `${path} is no trace: its first line is not a run record.`];
  }
  const more = problems.length - maxProblems;
  return [
    ...problems.slice(0, maxProblems).map(lineOf),
    ...(more > 0
      ? [`${path}: ${more} more ${more === 1 ? 'line' : 'lines'} can't be read as they are.`]
      : []),
  ];
}

function runOf({ header, end }: TraceHistory) {
  return {
    skill: header.skill.name,
    runtime: header.runtime,
    environment: header.environment.name,
    model: header.model.name,
    options: header.options,
    outcome: end?.outcome ?? null,
    reason: end?.reason ?? null,
    score: end?.score ?? null,
  };
}

function summaryOf(step: RecordedStep) {
  return {
    step: step.step,
    action: step.intent?.action ?? null,
    accepted: step.outcome?.accepted ?? null,
    attempts: step.attempts.length,
    rejections: step.attempts.flatMap(({ rejection }) => (rejection ? [rejection.class] : [])),
    warnings: step.warnings.map((warning) => warning.class),
    tokens: tokensOf(step),
  };
}

function tokensOf(step: RecordedStep) {
  const prompt = step.attempts.reduce((sum, { record }) => sum + record.tokens.prompt, 0);
  const completion = step.attempts.reduce((sum, { record }) => sum + record.tokens.completion, 0);
  return { prompt, completion, total: prompt + completion };
}

function detailsOf(history: TraceHistory, step: RecordedStep) {
  return {
    step: step.step,
    observation: step.observation,
    state: history.stateAt(step.step),
    attempts: step.attempts.map(({ record, rejection }) => ({
      attempt: record.attempt,
      prompt: history.promptOf(record).text,
      reply: record.reply,
      finish: record.finish ?? null,
      tokens: record.tokens,
      rejection: rejection
        ? {
            class: rejection.class,
            message: rejection.message,
            pointer: rejection.pointer ?? null,
            schemaLocation: rejection.schemaLocation ?? null,
            offset: rejection.offset ?? null,
            exhausted: rejection.exhausted ?? null,
          }
        : null,
    })),
    commits: step.commits.map(({ by, patch, evicted }) => ({ by, patch, evicted: evicted ?? [] })),
    action: step.intent?.action ?? null,
    outcome: step.outcome
      ? { accepted: step.outcome.accepted, done: step.outcome.done, observation: step.outcome.observation }
      : null,
    warnings: step.warnings.map(({ class: warningClass, message, pointer }) => ({
      class: warningClass,
      message,
      pointer: pointer ?? null,
    })),
    nextState: history.stateAt(step.step + 1),
  };
}

function overview(history: TraceHistory): readonly string[] {
  const { header, end, steps } = history;
  const lines = steps.map((step) => {
    const { total } = tokensOf(step);
    const action = step.intent?.action ?? (step.outcome?.skipped ? '(no action)' : '(none)');
    const marks = [
      step.outcome && !step.outcome.accepted && !step.outcome.skipped ? 'refused' : '',
      ...step.attempts.flatMap(({ rejection }) => (rejection ? [`rejected: ${rejection.class}`] : [])),
      ...step.warnings.map((warning) => `warning: ${warning.class}`),
    ].filter((mark) => mark !== '');
    return `t=${step.step}  ${action}  ${total} tokens${marks.length > 0 ? `  [${marks.join(', ')}]` : ''}`;
  });
  const ending = end ? `${end.outcome}: ${end.reason}` : 'no end: the run was killed, or is still going on.';
  return [
    `${header.skill.name} in ${header.environment.name}, model ${header.model.name}, seed ${header.options.seed}`,
    ...lines,
    ending,
  ];
}

function detailLines(history: TraceHistory, step: RecordedStep): readonly string[] {
  const state = history.stateAt(step.step);
  const next = history.stateAt(step.step + 1);
  const changes = stateChanges(state, next).map(formatChange);
  return [
    `t=${step.step}`,
    ...section('Observation', step.observation),
    ...section('State', JSON.stringify(state, undefined, 2)),
    ...step.attempts.flatMap(({ record, rejection }) => [
      ...section(`Prompt, attempt ${record.attempt}`, history.promptOf(record).text),
      ...section(
        `Reply, attempt ${record.attempt}: ${record.tokens.prompt} + ${record.tokens.completion} tokens (${record.tokens.source})`,
        record.reply,
      ),
      ...(rejection
        ? section(
            `Rejected, ${rejection.class}${rejection.pointer === undefined ? '' : ` at ${rejection.pointer || '(root)'}`}`,
            rejection.message,
          )
        : []),
    ]),
    ...section('State changes', changes.join('\n') || '(none)'),
    ...section('Action', step.intent?.action ?? '(none)'),
    ...section(
      'Outcome',
      step.outcome
        ? `${step.outcome.accepted ? 'accepted' : 'refused'}\n${step.outcome.observation}`
        : '(none)',
    ),
    ...step.warnings.flatMap((warning) => section(`Warning, ${warning.class}`, warning.message)),
  ];
}

function section(title: string, text: string): readonly string[] {
  return ['', `── ${title}`, ...text.split('\n')];
}
