/** What a finished run comes to: the object that `run --json` prints, and the summary for a person. */

import { costText, isUnknown, share, sourceText } from '../../../schemas/text/spending';
import { estimateFor, estimateText } from '../models/tokenizers';
import { cutRepliesText } from '../runtime/cutReply';
import { isFree } from '../runtime/freeModels';
import type { RunState } from '../runtime/runState';
import { scoreValue } from '../runtime/score';
import type { SumSource } from '../runtime/tokens';
import { type StepTokens, tokenGraph } from './tokenGraph';

/** The object that `run --json` prints. Class maps hold no zeros; null stands for what isn't known. */
export interface RunReport {
  readonly skill: string;
  readonly runtime: 'skill-state';
  readonly environment: string;
  readonly model: string;
  readonly seed: number;
  readonly horizon: number | null;
  readonly steps: number;
  /** Successful / actionable; null where nothing was actionable, and where the environment keeps no score. */
  readonly score: number | null;
  readonly actionable: number | null;
  readonly successful: number | null;
  readonly rejectedReplies: Readonly<Record<string, number>>;
  /** How many of them were cut at a limit of tokens: max_tokens, or the server's context. */
  readonly cutReplies: number;
  readonly retries: number;
  readonly failedSteps: number;
  readonly warnings: Readonly<Record<string, number>>;
  readonly tokens: {
    readonly prompt: number;
    readonly completion: number;
    readonly total: number;
    /** Who counted them; null without attempts. */
    readonly source: SumSource | null;
    /** How many of `total` are estimated. */
    readonly estimated: number;
    /** How many of those the extension counted that has the model, and no tokenizer. */
    readonly byExtension: number;
    /** The part of `prompt` that providers read from their caches. */
    readonly cached: number;
    /** The part of `completion` that reasoning models thought with. */
    readonly thinking: number;
    /** What of `total` requests took that failed, as far as providers reported it. */
    readonly failed: number;
  };
  /** US dollars; null where what one request cost is unknown. */
  readonly cost: number | null;
  /** US dollars of those attempts of which it is known. */
  readonly knownCost: number;
  /** US dollars: it cost no more than so much; null where nobody knows that of one request. */
  readonly costAtMost: number | null;
  readonly prompt: {
    readonly averageTokens: number;
    readonly averageChars: number;
    readonly minChars: number;
    readonly maxChars: number;
  };
  readonly trace: string;
  readonly outcome: string;
}

export interface RunNames {
  readonly skill: string;
  readonly environment: string;
  readonly model: string;
  readonly seed: number;
  readonly horizon: number | undefined;
  readonly trace: string;
}

/** Averages are rounded to a tenth; characters are UTF-16 code units; prompts of all attempts count. */
export function runReport(run: RunState, names: RunNames): RunReport {
  const { totals, score } = run;
  const perAttempt = (sum: number) =>
    totals.attempts === 0 ? 0 : Math.round((sum / totals.attempts) * 10) / 10;
  return {
    skill: names.skill,
    runtime: 'skill-state',
    environment: names.environment,
    model: names.model,
    seed: names.seed,
    horizon: names.horizon ?? null,
    steps: totals.steps,
    score: scoreValue(score),
    actionable: score?.actionable ?? null,
    successful: score?.successful ?? null,
    rejectedReplies: totals.rejected,
    cutReplies: totals.cutReplies,
    retries: totals.retries,
    failedSteps: totals.failedSteps,
    warnings: totals.warnings,
    tokens: {
      prompt: totals.promptTokens,
      completion: totals.completionTokens,
      total: totals.promptTokens + totals.completionTokens,
      source: totals.tokenSource ?? null,
      estimated: totals.estimatedTokens,
      byExtension: totals.extensionTokens,
      cached: totals.cachedTokens,
      thinking: totals.thinkingTokens,
      failed: totals.failedTokens.prompt + totals.failedTokens.completion,
    },
    cost: totals.cost ?? null,
    knownCost: totals.knownCost,
    costAtMost: totals.costAtMost ?? null,
    prompt: {
      averageTokens: perAttempt(totals.promptTokens - totals.failedTokens.prompt),
      averageChars: perAttempt(totals.promptCharacters.sum),
      minChars: totals.promptCharacters.min,
      maxChars: totals.promptCharacters.max,
    },
    trace: names.trace,
    outcome: run.end?.outcome ?? 'stopped',
  };
}

/** The summary after a run's end, a line an entry. `columns` is how wide the terminal is. */
export function summaryLines(
  report: RunReport,
  steps: readonly StepTokens[],
  columns: number,
): readonly string[] {
  const classes = (counts: Readonly<Record<string, number>>) => {
    const entries = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
    return entries.length === 0 ? 'none' : entries.join(', ');
  };
  const { tokens, prompt } = report;
  return [
    ...(report.actionable === null ? [] : [`score      ${scoreText(report)}`]),
    `steps      ${report.steps}, ${report.retries} retries, ${report.failedSteps} failed`,
    `rejected   ${classes(report.rejectedReplies)}${cutRepliesText(report.cutReplies)}`,
    `warnings   ${classes(report.warnings)}`,
    `tokens     ${tokens.total} (${tokens.source === null ? 'none' : sourceText(tokens.source, tokens.estimated, tokens.byExtension)}): ${tokens.prompt} prompt + ${tokens.completion} completion`,
    ...(tokens.cached > 0
      ? [`cached     ${tokens.cached} of the prompts' tokens (${share(tokens.cached, tokens.prompt)})`]
      : []),
    ...(tokens.thinking > 0
      ? [
          `thinking   ${tokens.thinking} of the completions' tokens (${share(tokens.thinking, tokens.completion)})`,
        ]
      : []),
    ...(tokens.failed > 0 ? [`failed     ${tokens.failed} of the tokens, in requests that failed`] : []),
    ...estimateLines(report),
    ...costLines(report),
    `prompts    ${prompt.averageTokens} tokens, ${prompt.averageChars} characters on average; ${prompt.minChars} to ${prompt.maxChars} characters`,
    ...(steps.length === 0
      ? []
      : ['', 'Tokens per step', ...tokenGraph(steps, { width: Math.max(10, Math.min(60, columns - 24)) })]),
    '',
    `trace      ${report.trace}`,
  ];
}

/** By what tokens were estimated, where it isn't plain. */
function estimateLines({ model, tokens }: RunReport): readonly string[] {
  if (tokens.estimated === tokens.byExtension || isFree(model)) return [];
  return [`estimates  by ${estimateText(estimateFor(model))}`];
}

/** What the run cost. Models that cost nothing by their nature have no line; for the others an unknown price is said. */
function costLines({ model, cost, knownCost, costAtMost, tokens }: RunReport): readonly string[] {
  if (tokens.source === null) return [];
  const spent = { cost: cost ?? undefined, knownCost, costAtMost: costAtMost ?? undefined };
  if (isUnknown(spent)) {
    return isFree(model) ? [] : [`cost       unknown: no price is known for ${model}; --prices can name one`];
  }
  return [`cost       ${costText(spent, tokens.source)}`];
}

/** A share of nothing is none. */
function scoreText({ score, successful, actionable }: RunReport): string {
  if (score === null) return 'n/a  (no event was to be served)';
  return `${Math.round(score * 1000) / 1000}  (${successful} of ${actionable} events served)`;
}
