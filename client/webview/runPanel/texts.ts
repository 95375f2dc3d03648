/** How steps and tokens are put into words. */
import {
  type RunOverview,
  type StepFilter,
  type StepRow,
  type StepStatus,
  sourceOfTokens,
  type TokenPart,
} from '../../../schemas/messages/runPanelMessages';
import { sourceText } from '../../../schemas/text/spending';

export const partNames: Readonly<Record<TokenPart, string>> = {
  instructions: 'P instructions',
  scaffold: 'scaffold',
  state: 'Σ state',
  observation: 'O observation',
  output: 'output',
};

export const retriedName = 'in rejected attempts';

/** Where bars are of several steps. */
export const peakName = 'largest step';

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

/** A number of tokens, `≈` before it where not all were reported. */
export function marked(tokens: number, estimated: number): string {
  return `${estimated > 0 ? '≈' : ''}${count(tokens)}`;
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
    `${counted(row.tokens.spent, 'token')}${spokenSource(row)}`,
    ...(row.rejections.length > 0 ? [`rejected: ${row.rejections.join(', ')}`] : []),
    ...(row.warnings.length > 0 ? [`warnings: ${row.warnings.join(', ')}`] : []),
    ...(row.edited ? ['edited by hand'] : []),
    ...(row.forks.length > 0 ? [`${counted(row.forks.length, 'branch', 'branches')} from here`] : []),
  ];
  return parts.join(', ');
}

function spokenSource({ tokens }: StepRow): string {
  const source = sourceOfTokens(tokens);
  return source === 'reported' ? '' : ` ${sourceText(source, tokens.estimated, tokens.byExtension)}`;
}

/** That no step passes a filter. */
export const noneFound: Readonly<Record<Exclude<StepFilter, 'all'>, string>> = {
  rejections: 'No step has a rejected reply.',
  warnings: 'No step has a warning.',
  either: 'No step has a rejected reply or a warning.',
};

/** Why no step is shown. */
export function withoutSteps({ complete, session, problems }: RunOverview): string {
  if (!complete) return 'Reading…';
  if (problems.length > 0) return 'No step of this trace can be read.';
  return session === undefined ? 'This trace has no step.' : 'No step is recorded yet.';
}
