/** `skill-state trace show`: the steps of a recorded run, or everything about one. */
import { printable } from '../../../schemas/text/printable';
import { type Cost, costText, share, sourceText } from '../../../schemas/text/spending';
import { type ModelStretch, modelStretches, stretchesText } from '../runtime/acting';
import { chargedCost, isFreeStep } from '../runtime/freeModels';
import type { Totals } from '../runtime/runState';
import { costPart } from '../runtime/spending';
import type { SumSource } from '../runtime/tokens';
import type { StepSummary, TraceBranch, TraceReader } from '../runtime/traceReader';
import { branchNamed, readTraceFor } from './openTrace';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';
import { readStep, stepDetails, stepLines } from './traceStep';

export interface TraceShowFlags {
  readonly step?: number;
  readonly branch?: number;
  readonly json?: boolean;
}

/**
 * Prints a trace. What is wrong in it is said on stderr, and what can be read is shown all the same.
 *
 * @returns 0; 1 where nothing could be read.
 */
export async function traceShow(path: string, flags: TraceShowFlags, terminal: Terminal): Promise<ExitCode> {
  const reader = await readTraceFor(path, terminal);
  if (!reader) return 1;
  const print = (text: string) => terminal.stdout.write(printable(`${text}\n`));
  const branch = branchNamed(path, reader, flags.branch ?? 0);
  if (flags.step === undefined) {
    const lines = flags.json ? overviewJson(reader, branch) : overview(reader, branch);
    for await (const line of lines) {
      terminal.signal.throwIfAborted();
      print(line);
    }
    return 0;
  }
  if (flags.step >= branch.steps)
    throw new UsageFailure(`${path} has no step ${flags.step}: ${range(branch)}.`);
  const step = await readStep(reader, branch.id, flags.step);
  for (const line of step.doubts) terminal.stderr.write(printable(`${path}: ${line}\n`));
  if (flags.json) print(JSON.stringify(stepDetails(step)));
  else for (const line of stepLines(step)) print(line);
  return 0;
}

function range({ id, steps }: TraceBranch): string {
  const where = id === 0 ? 'it' : `branch ${id}`;
  return steps === 0 ? `${where} has none` : `${where} has steps 0 to ${steps - 1}`;
}

/** Which models answered along the branch's line. */
function stretchesOf({ header }: TraceReader, { acting = [] }: TraceBranch): readonly ModelStretch[] {
  return header === undefined ? [] : modelStretches(header, acting);
}

function runOf(reader: TraceReader, branch: TraceBranch) {
  const { header } = reader;
  const { end } = branch;
  return {
    skill: header?.skill.name ?? null,
    runtime: header?.runtime ?? null,
    environment: header?.environment.name ?? null,
    model: header?.model.name ?? null,
    models: stretchesOf(reader, branch).map(({ from, model: { name, settings } }) => ({
      from,
      name,
      settings,
    })),
    options: header?.options ?? null,
    outcome: end?.outcome ?? null,
    reason: end?.reason ?? null,
    score: end?.score ?? null,
  };
}

/** The same as one JSON object, in pieces that are printed a line each. */
async function* overviewJson(reader: TraceReader, branch: TraceBranch): AsyncGenerator<string> {
  const branches = reader.branches.map(({ id, parent, ownFrom, steps, end }) => ({
    id,
    parent: parent ?? null,
    from: ownFrom,
    steps,
    outcome: end?.outcome ?? null,
  }));
  const run = JSON.stringify(runOf(reader, branch));
  yield `{"run":${run},"branch":${branch.id},"branches":${JSON.stringify(branches)},"steps":[`;
  for (let step = 0; step < branch.steps; step++)
    yield JSON.stringify(await summaryOf(reader, branch.id, step)) + (step < branch.steps - 1 ? ',' : '');
  yield ']}';
}

async function summaryOf(reader: TraceReader, branch: number, step: number) {
  const summary = reader.summary(branch, step);
  const { status, attempts, cutReplies, failedRequests, tokens, accepted, edited, forks } = summary;
  const { cost, knownCost, costAtMost } = summary;
  const { prompt, completion, cached, thinking, failed, source, estimated, byExtension } = tokens;
  return {
    step,
    status,
    ...(await classesOf(reader, summary)),
    accepted: status === 'accepted' || status === 'refused' || status === 'skipped' ? accepted : null,
    attempts,
    cutReplies,
    failedRequests,
    edited,
    forks,
    tokens: {
      prompt,
      completion,
      total: prompt + completion,
      source: attempts + failed === 0 ? null : source,
      estimated,
      byExtension,
      cached,
      thinking,
      failed,
    },
    cost: cost ?? null,
    knownCost,
    costAtMost: costAtMost ?? null,
  };
}

/** The action whole and every rejection and warning in order, for which some steps have to be read. */
async function classesOf(reader: TraceReader, summary: StepSummary) {
  const { branch, step, action, rejections, rejectionClasses, warnings, warningClasses } = summary;
  const isWhole =
    !action?.endsWith('…') && rejections === rejectionClasses.length && warnings === warningClasses.length;
  if (isWhole && rejections <= 1 && warnings <= 1)
    return { action: action ?? null, rejections: rejectionClasses, warnings: warningClasses };
  const recorded = await reader.step(branch, step);
  return {
    action: recorded.intent?.action ?? null,
    rejections: recorded.attempts.flatMap(({ rejection }) => (rejection ? [rejection.class] : [])),
    warnings: recorded.warnings.map((warning) => warning.class),
  };
}

async function* overview(reader: TraceReader, branch: TraceBranch): AsyncGenerator<string> {
  const { header } = reader;
  if (header)
    yield `${header.skill.name} in ${header.environment.name}, model ${header.model.name}, seed ${header.options.seed}`;
  const answered = header && stretchesText(header, branch.acting ?? []);
  if (answered !== undefined) yield `answered by ${answered}`;
  for (let step = 0; step < branch.steps; step++) {
    const summary = reader.summary(branch.id, step);
    const { action, rejections, warnings } = await classesOf(reader, summary);
    const free = isFreeStep(reader, branch.id, step);
    yield overviewLine(summary, { action, rejections, warnings }, free);
  }
  yield endLine(reader, branch);
  const totals = reader.totals(branch.id, branch.steps);
  if (totals.tokenSource !== undefined)
    yield totalsLine(totals, totals.tokenSource, chargedCost(reader, branch.id, branch.steps));
  const others = reader.branches.filter(({ id }) => id !== branch.id);
  for (const other of others) yield branchLine(other);
}

function endLine({ branches }: TraceReader, { id, end }: TraceBranch): string {
  if (end !== undefined) return `${end.outcome}: ${end.reason}`;
  const next = branches.filter(({ parent }) => parent?.branch === id).at(-1);
  if (next?.parent === undefined) return 'no end: the run was killed, or is still going on.';
  return `no end: branch ${next.id} goes on from step ${next.parent.step}, or the run was killed, or is still going on.`;
}

/**
 * What the branch's line has used.
 *
 * @param cost undefined where nobody charges
 */
function totalsLine(totals: Totals, source: SumSource, cost: Cost | undefined): string {
  const { promptTokens, completionTokens, cachedTokens, thinkingTokens } = totals;
  const failed = totals.failedTokens.prompt + totals.failedTokens.completion;
  return [
    `${promptTokens} + ${completionTokens} tokens (${sourceText(source, totals.estimatedTokens, totals.extensionTokens)})`,
    ...(cachedTokens > 0 ? [`${share(cachedTokens, promptTokens)} of the prompts cached`] : []),
    ...(thinkingTokens > 0 ? [`${thinkingTokens} thinking`] : []),
    ...(failed > 0 ? [`${failed} in failed requests`] : []),
    ...(cost === undefined ? [] : [`cost ${costText(cost, source)}`]),
  ].join(', ');
}

function overviewLine(
  summary: StepSummary,
  told: {
    readonly action: string | null;
    readonly rejections: readonly string[];
    readonly warnings: readonly string[];
  },
  isFree: boolean,
): string {
  const { step, status, tokens, edited, forks, failedRequests } = summary;
  if (status === 'unreadable') return `t=${step}  (its records can't be read)`;
  const action = told.action ?? (status === 'skipped' ? '(no action)' : '(none)');
  const marks = [
    ...(status === 'refused' ? ['refused'] : []),
    ...(failedRequests === 0
      ? []
      : [`${failedRequests} ${failedRequests === 1 ? 'request' : 'requests'} failed`]),
    ...told.rejections.map((rejection) => `rejected: ${rejection}`),
    ...(summary.cutReplies === 0
      ? []
      : [`${summary.cutReplies} ${summary.cutReplies === 1 ? 'reply' : 'replies'} cut at a limit of tokens`]),
    ...told.warnings.map((warning) => `warning: ${warning}`),
    ...(edited ? ['edited by hand'] : []),
    ...forks.map((fork) => `branch ${fork} begins`),
  ];
  const markText = marks.length > 0 ? `  [${marks.join(', ')}]` : '';
  const { prompt, completion, source } = tokens;
  const isAsked = summary.attempts + tokens.failed > 0;
  const count = `${source === 'reported' || !isAsked ? '' : '≈'}${prompt + completion}`;
  const cached = tokens.cached > 0 ? `, ${share(tokens.cached, prompt)} of the prompt cached` : '';
  const spent = !isAsked ? '' : costPart({ ...summary, source: tokens.source }, isFree);
  return `t=${step}  ${action}  ${count} tokens${cached}${spent}${markText}`;
}

function branchLine({ id, parent, ownFrom, steps, end }: TraceBranch): string {
  const from = parent ? `leaves branch ${parent.branch} at step ${parent.step}` : `begins at step ${ownFrom}`;
  const ending = end ? `${end.outcome}: ${end.reason}` : 'no end';
  const way = id === 0 ? 'the original run' : from;
  return `branch ${id}: ${way}, ${steps} ${steps === 1 ? 'step' : 'steps'} along its line, ${ending}`;
}
