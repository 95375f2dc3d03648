/** The numbers of all steps as CSV (RFC 4180), a stretch at a time. */
import { sourceOfTokens } from '../../../../schemas/messages/runPanelMessages';
import type { TraceReader } from '../../runtime/traceReader';
import { stepRow } from './stepRows';

const columns = [
  'branch',
  'step',
  'status',
  'action',
  'written_keys',
  'attempts',
  'rejections',
  'warnings',
  'instructions_tokens',
  'scaffold_tokens',
  'state_tokens',
  'observation_tokens',
  'output_tokens',
  'retried_tokens',
  'cached_tokens',
  'total_tokens',
  'cumulative_tokens',
  'tokens_source',
  'cost_usd',
  'prompt_tokens',
  'thinking_tokens',
  'estimated_tokens',
  'known_cost_usd',
  'failed_tokens',
  'extension_tokens',
  'cost_at_most_usd',
  'written_key_count',
] as const;

/** Steps of a stretch, between which others have their turn. */
const stepsAtOnce = 2_000;

/** The file's text, the head first, then stretches of steps. */
export function* numbersCsv(
  reader: Pick<TraceReader, 'header' | 'branches' | 'summary' | 'totals'>,
  branch: number,
): Generator<string, void, undefined> {
  const steps = reader.branches.find(({ id }) => id === branch)?.steps ?? 0;
  yield csvLine(columns);
  for (let from = 0; from < steps; from += stepsAtOnce) {
    let text = '';
    for (let step = from; step < Math.min(from + stepsAtOnce, steps); step++) {
      text += csvLine(valuesOf(reader, branch, step));
    }
    yield text;
  }
}

function valuesOf(
  reader: Pick<TraceReader, 'header' | 'branches' | 'summary' | 'totals'>,
  branch: number,
  step: number,
): readonly (string | number)[] {
  const row = stepRow(reader, branch, step);
  const { tokens } = row;
  const { cost, knownCost, costAtMost, tokens: sums } = reader.summary(branch, step);
  return [
    branch,
    step,
    row.status,
    row.action ?? '',
    row.changed.join(' '),
    row.attempts,
    row.rejections.join(' '),
    row.warnings.join(' '),
    tokens.instructions,
    tokens.scaffold,
    tokens.state,
    tokens.observation,
    tokens.output,
    tokens.retried,
    row.cached,
    tokens.spent,
    row.before + tokens.spent,
    row.attempts + sums.failed === 0 ? '' : sourceOfTokens(tokens),
    cost ?? '',
    row.prompt,
    row.thinking,
    tokens.estimated,
    row.attempts + sums.failed === 0 ? '' : knownCost,
    sums.failed,
    sums.byExtension,
    row.attempts + sums.failed === 0 ? '' : (costAtMost ?? ''),
    row.changedCount,
  ];
}

/** One record, ended by CR LF. */
export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map((value) => (typeof value === 'number' ? String(value) : csvText(value))).join(',')}\r\n`;
}

/**
 * A text as a field. One that a spreadsheet might take for a formula gets an apostrophe before it: whoever wrote it must
 * not compute on the reader's machine.
 */
function csvText(text: string): string {
  const safe = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
