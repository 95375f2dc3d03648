/** Steps and stretches of a trace as the page shows them. */
import type { GraphBin, PartTokens, StepRow } from '../../../../schemas/messages/runPanelMessages';
import { printableLine } from '../../../../schemas/text/printable';
import { type Cost, type CountSource, costText, isUnknown } from '../../../../schemas/text/spending';
import { isFreeStep } from '../../runtime/freeModels';
import type { Bin, StepSummary, StepTokenSums, TraceReader } from '../../runtime/traceReader';

/** How many branches a row names. */
const namedForks = 100;

/** A step as one line. */
export function stepRow(
  reader: Pick<TraceReader, 'header' | 'branches' | 'summary' | 'totals'>,
  branch: number,
  step: number,
): StepRow {
  const summary: StepSummary = reader.summary(branch, step);
  const { promptTokens, completionTokens, estimatedTokens } = reader.totals(branch, step);
  const { tokens, attempts } = summary;
  return {
    step,
    status: summary.status,
    action: summary.action === undefined ? undefined : printableLine(summary.action),
    chosen:
      summary.action !== undefined || summary.chosen === undefined
        ? undefined
        : printableLine(summary.chosen),
    changed: summary.changedKeys.map(printableLine),
    changedCount: summary.changedCount,
    attempts,
    rejections: summary.rejectionClasses,
    warnings: summary.warningClasses,
    tokens: partTokens(tokens),
    prompt: tokens.prompt,
    cached: tokens.cached,
    thinking: tokens.thinking,
    before: promptTokens + completionTokens,
    beforeEstimated: estimatedTokens,
    cost:
      attempts + tokens.failed === 0
        ? undefined
        : shownCost(summary, tokens.source, isFreeStep(reader, branch, step)),
    edited: summary.edited,
    forks: summary.forks.slice(0, namedForks),
  };
}

/** A cost in words; undefined where nobody charges for the model that answered. */
export function shownCost(spent: Cost, source: CountSource, isFree: boolean): string | undefined {
  return isFree && isUnknown(spent) ? undefined : costText(spent, source);
}

/**
 * The steps from `from` up to `to` in bars of `size` steps, and what was spent before them.
 *
 * @param from a multiple of `size`, so that bars stay the same when the run goes on
 */
export function graphBins(
  reader: Pick<TraceReader, 'bins' | 'totals'>,
  query: { readonly branch: number; readonly from: number; readonly to: number; readonly size: number },
): { readonly before: number; readonly bins: readonly GraphBin[] } {
  const { branch, from, to, size } = query;
  const { promptTokens, completionTokens } = reader.totals(branch, from);
  const whole = Math.floor(Math.max(to - from, 0) / size);
  const rest = from + whole * size;
  const bins = [
    ...(whole > 0 ? reader.bins(branch, from, rest, whole) : []),
    ...(rest < to ? reader.bins(branch, rest, to, 1) : []),
  ];
  return { before: promptTokens + completionTokens, bins: bins.map(graphBin) };
}

function graphBin({ from, to, tokens, peak, rejections, warnings, refused, failed, forks }: Bin): GraphBin {
  return {
    from,
    to,
    tokens: partTokens(tokens),
    peak,
    rejections,
    warnings,
    refused: refused + failed,
    forks,
  };
}

function partTokens(tokens: StepTokenSums): PartTokens {
  const { instructions, scaffold, state, observation, completion, retried, prompt } = tokens;
  const { estimated, byExtension } = tokens;
  return {
    instructions,
    scaffold,
    state,
    observation,
    output: completion,
    retried,
    spent: prompt + completion,
    estimated,
    byExtension,
  };
}
