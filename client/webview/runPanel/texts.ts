/** How steps and tokens are put into words. */
import type { RunOverview, StepRow, StepStatus, TokenPart } from '../../../schemas/messages/runPanelMessages';

export const partNames: Readonly<Record<TokenPart, string>> = {
  instructions: 'P instructions',
  scaffold: 'scaffold',
  state: 'Σ state',
  observation: 'O observation',
  output: 'output',
};

export const retriedName = 'in rejected attempts';

export const statusNames: Readonly<Record<StepStatus, string>> = {
  accepted: 'accepted',
  refused: 'refused',
  skipped: 'skipped',
  failed: 'failed',
  running: 'not finished',
  unreadable: 'unreadable',
};

/** A whole number with its thousands apart: `12,345`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `1 step`, `2 steps`. */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : plural}`;
}

/** US dollars in cents; smaller sums with the digits that they need: `$12.30`, `$0.00042`. */
export function money(dollars: number): string {
  const isSmall = dollars !== 0 && Math.abs(dollars) < 0.1;
  const digits = isSmall
    ? { maximumSignificantDigits: 3 }
    : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `$${dollars.toLocaleString('en-US', digits)}`;
}

/** What became of an action that a reply has chosen. */
export function notExecuted({ status }: Pick<StepRow, 'status'>): string {
  return status === 'running' ? 'not executed yet' : 'not executed';
}

/** A step in a sentence, for who hears it. */
export function spokenStep(row: StepRow): string {
  const parts = [
    `Step ${row.step}`,
    statusNames[row.status],
    ...(row.action === undefined ? [] : [row.action]),
    ...(row.chosen === undefined ? [] : [`${row.chosen} ${notExecuted(row)}`]),
    `${counted(row.tokens.spent, 'token')}${row.estimated ? ' estimated' : ''}`,
    ...(row.rejections.length > 0 ? [`rejected: ${row.rejections.join(', ')}`] : []),
    ...(row.warnings.length > 0 ? [`warnings: ${row.warnings.join(', ')}`] : []),
    ...(row.edited ? ['edited by hand'] : []),
    ...(row.forks.length > 0 ? [`${counted(row.forks.length, 'branch', 'branches')} from here`] : []),
  ];
  return parts.join(', ');
}

/** Why no step is shown. */
export function withoutSteps({ complete, session, problems }: RunOverview): string {
  if (!complete) return 'Reading…';
  if (problems.length > 0) return 'No step of this trace can be read.';
  return session === undefined ? 'This trace has no step.' : 'No step is recorded yet.';
}
