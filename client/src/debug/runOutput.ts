/** What the debug console says about a run: a line a step, rejections, warnings, and a summary. Pure. */

import { parsePointer } from '../../../schemas/json/jsonPointer';
import { type Skill, severityForRun } from '../../../schemas/skill/skill';
import { oneLine } from '../../../schemas/text/oneLine';
import { cutRepliesText } from '../runtime/cutReply';
import type { PhaseReport } from '../runtime/execution';
import { failuresText } from '../runtime/failureWords';
import type { Rejection } from '../runtime/rejection';
import type { RunEnd, RunState } from '../runtime/runState';
import { costPart, spendingDetail, spendingOf, spendingOfTotals } from '../runtime/spending';
import type { Warning } from '../runtime/warnings';
import type { OpenedRun } from './debugHost';
import { type Place, propertyPlace, rejectionPlace } from './stackFrames';
import { isExhausted } from './stopPolicy';

/** A line of the debug console, without its line end. */
export interface OutputLine {
  readonly text: string;
  /** In VS Code `stdout` is plain, `console` stands out, `stderr` is red, and `important` pops up as well. */
  readonly category: 'stdout' | 'console' | 'stderr' | 'important';
  /** What it is about, where there is such a place. */
  readonly place: Place | undefined;
}

/** The first lines of a run: what runs in what, and what is worth knowing about the skill. */
export function openingOf({
  execution: { skill },
  environment,
  model,
  isReplay,
  notes,
}: Pick<OpenedRun, 'environment' | 'model' | 'isReplay' | 'notes'> & {
  readonly execution: { readonly skill: Skill };
}): readonly OutputLine[] {
  const recorded = isReplay ? ', as recorded,' : '';
  const opening: OutputLine = {
    text: `${skill.name}${recorded} in the environment ${environment}, answered by the model ${model}`,
    category: 'stdout',
    place: undefined,
  };
  const problems = skill.problems.map((found): OutputLine => {
    const { path, problem } = found;
    const place: Place = { kind: 'file', path, range: problem.range };
    const severity = severityForRun(found);
    const isWarning = severity === 'error' || severity === 'warning';
    const text = `${severity}: ${oneLine(problem.message)}`;
    return { text, category: isWarning ? 'console' : 'stdout', place };
  });
  const told = notes.map(
    (text): OutputLine => ({ text: oneLine(text), category: 'console', place: undefined }),
  );
  return [opening, ...told, ...problems];
}

/**
 * The lines that a phase adds.
 *
 * @param isFree whether nobody charges for the model
 */
export function outputOf(report: PhaseReport, skill: Skill, isFree: boolean): readonly OutputLine[] {
  const lines: OutputLine[] = [];
  const { before, rejection, phase } = report;
  if (rejection !== undefined) {
    const text = `t=${before.step} attempt ${before.attempt} rejected (${rejection.class})${placeText(rejection)}: ${oneLine(rejection.message)}`;
    lines.push({ text, category: 'stderr', place: rejectionPlace(rejection, before, skill) });
    if (isExhausted(report)) lines.push(exhaustedLine(report));
  }
  if (phase === 'act') lines.push(stepLine(report, isFree));
  for (const warning of newWarnings(report)) {
    const text = `t=${before.step} warning (${warning.class}): ${oneLine(warning.message)}`;
    const path = warning.pointer === undefined ? undefined : parsePointer(warning.pointer);
    lines.push({ text, category: 'console', place: path && propertyPlace(path, skill) });
  }
  return lines;
}

/**
 * The last lines of a run.
 *
 * @param isFree whether nobody charges for the model
 */
export function summaryOf(
  run: RunState | undefined,
  end: RunEnd,
  tracePath: string | undefined,
  isFree: boolean,
): readonly OutputLine[] {
  const line = (text: string, category: OutputLine['category'] = 'stdout'): OutputLine => ({
    text,
    category,
    place: undefined,
  });
  const lines = [
    line(
      `${capitalised(end.outcome)}: ${oneLine(end.reason)}`,
      end.outcome === 'stopped' ? 'important' : 'stdout',
    ),
  ];
  if (run !== undefined) {
    const { totals, score } = run;
    const figures = [countOf(totals.steps, 'step')];
    if (score) figures.push(`score ${scoreText(score.successful, score.actionable)}`);
    const rejected = Object.entries(totals.rejected).map(([name, count]) => `${count} ${name}`);
    if (rejected.length > 0)
      figures.push(`rejected replies: ${rejected.join(', ')}${cutRepliesText(totals.cutReplies)}`);
    if (totals.failedSteps > 0) figures.push(countOf(totals.failedSteps, 'failed step'));
    if (totals.tokenSource !== undefined) {
      const detail = spendingDetail(spendingOfTotals(totals));
      figures.push(`${totals.promptTokens} + ${totals.completionTokens} tokens (${detail})`);
    }
    lines.push(line(`${figures.join(' · ')}${costPart(spendingOfTotals(totals), isFree)}`));
  }
  if (tracePath !== undefined) lines.push(line(`Trace: ${tracePath}`));
  return lines;
}

/** Where in the patch, for a sentence that doesn't begin with it. */
function placeText({ pointer, message }: Rejection): string {
  if (pointer === undefined || (pointer !== '' && message.startsWith(`${pointer} `))) return '';
  return ` at ${pointer === '' ? 'the patch' : pointer}`;
}

function exhaustedLine({ before, after }: PhaseReport): OutputLine {
  const attempts = countOf(before.attempt, 'attempt');
  const then = after.end
    ? 'the run ends'
    : after.skipReason !== undefined
      ? 'the world moves on'
      : 'the same observation comes again';
  return {
    text: `t=${before.step} retries exhausted after ${attempts}: Σ stays, no action is taken, ${then}.`,
    category: 'stderr',
    place: undefined,
  };
}

function stepLine(report: PhaseReport, isFree: boolean): OutputLine {
  const { before, after, records } = report;
  const outcome = records.find((record) => record.kind === 'outcome');
  const action = before.skipReason === undefined ? (before.parsed?.action ?? '') : '(no action)';
  const refused =
    outcome?.kind === 'outcome' && !outcome.accepted && before.skipReason === undefined ? ' refused' : '';
  const result = after.observation.split('\n', 1)[0] || '(nothing)';
  const signature = before.matched?.signature;
  return {
    text: `t=${before.step} ${action} →${refused} ${result} · ${attemptTokens(before, isFree)}`,
    category: 'stdout',
    place: signature && { kind: 'file', path: signature.file, range: signature.range },
  };
}

function attemptTokens({ attempts }: RunState, isFree: boolean): string {
  const spending = spendingOf(attempts);
  const retries = attempts.length > 1 ? ` in ${attempts.length} attempts` : '';
  const failed = attempts.flatMap(({ failures }) => failures);
  const failures = failed.length === 0 ? '' : ` · ${failuresText(failed)}`;
  const detail = spendingDetail(spending);
  return `${spending.prompt} + ${spending.completion} tokens${retries} (${detail || 'none'})${costPart(spending, isFree)}${failures}`;
}

function newWarnings({ records }: PhaseReport): readonly Pick<Warning, 'class' | 'message' | 'pointer'>[] {
  return records.filter((record) => record.kind === 'warning');
}

function scoreText(successful: number, actionable: number): string {
  return actionable === 0
    ? 'n/a'
    : `${successful}/${actionable} (${((100 * successful) / actionable).toFixed(1)} %)`;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
