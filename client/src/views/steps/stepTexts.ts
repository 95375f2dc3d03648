/** How a step reads in the Steps tree: label, description, tooltip, and what a screen reader says. Free of VS Code. */
import { assertNever } from '../../../../schemas/text/assertNever';
import { printableLine } from '../../../../schemas/text/printable';
import {
  cachedText,
  costText,
  wholeNumber as count,
  isUnknown,
  sourceText,
  tokenCount,
} from '../../../../schemas/text/spending';
import type { StepStatus, StepSummary } from '../../runtime/traceReader';

export interface StepTexts {
  readonly label: string;
  readonly description: string;
  /** Plain text over several lines. */
  readonly tooltip: string;
  readonly spoken: string;
  readonly icon: StatusIcon;
}

/** A codicon and the theme's colour for it. */
export interface StatusIcon {
  readonly codicon: string;
  readonly color: string;
}

/** Of an action that a reply has chosen. */
const notExecuted = 'not executed yet';
/** How much of an action a line shows. */
const actionLength = 80;

/**
 * @param isHere whether the session stands in this step
 * @param isFree whether nobody charges for the model that answered
 * @param model that answered, where others answered other steps
 */
export function describeStep(
  summary: StepSummary,
  {
    isHere,
    isFree,
    model,
  }: { readonly isHere: boolean; readonly isFree: boolean; readonly model?: string | undefined },
): StepTexts {
  const { step, status, forks, edited } = summary;
  const action = summary.action === undefined ? undefined : cut(printableLine(summary.action));
  const chosen = summary.chosen === undefined ? undefined : cut(printableLine(summary.chosen));
  const written = writtenText(summary);
  const tokens = tokenText(summary);
  const attempts = attemptsText(summary);
  const warnings = summary.warningClasses.join(', ');
  const failed = failedText(summary);
  const noted = [
    ...(isHere ? ['the session stands here'] : []),
    ...(edited ? ['edited by hand'] : []),
    ...(forks.length > 0 ? [forks.length === 1 ? 'a branch begins' : `${forks.length} branches begin`] : []),
  ];
  return {
    label: `${step}  ${action ?? chosen ?? noAction(status)}`,
    // What needs a look goes first: a narrow view cuts the end off.
    description: [
      attempts === '' ? '' : `✗ ${attempts}`,
      warnings === '' ? '' : `⚠ ${warnings}`,
      edited ? 'edited' : '',
      action === undefined && chosen !== undefined ? notExecuted : '',
      written,
      tokens,
    ]
      .filter((part) => part !== '')
      .join(' · '),
    tooltip: [
      `Step ${step}: ${statusText(status)}`,
      `Action: ${action ?? (chosen === undefined ? noAction(status) : `${chosen} (${notExecuted})`)}`,
      `Wrote: ${written || 'nothing'}`,
      `Tokens: ${tokenDetail(summary, isFree)}`,
      ...(model === undefined || summary.attempts === 0 ? [] : [`Answered by: ${printableLine(model)}`]),
      `Attempts: ${summary.attempts}${summary.rejections > 0 ? `, rejected: ${summary.rejectionClasses.join(', ')}` : ''}`,
      ...(failed === '' ? [] : [`Requests to the model: ${failed}, and made again`]),
      ...(warnings === '' ? [] : [`Warnings: ${warnings}`]),
      ...noted.map((note) => `${note[0]?.toUpperCase() ?? ''}${note.slice(1)}.`),
    ].join('\n'),
    spoken: [
      `Step ${step}`,
      statusText(status),
      action !== undefined
        ? `action ${action}`
        : chosen === undefined
          ? noAction(status)
          : `action ${chosen} ${notExecuted}`,
      `wrote ${written || 'nothing'}`,
      tokens,
      ...(model === undefined || summary.attempts === 0 ? [] : [`answered by ${printableLine(model)}`]),
      attempts,
      failed === '' ? '' : `${failed} and were made again`,
      ...(warnings === '' ? [] : [`warnings ${warnings}`]),
      ...noted,
    ]
      .filter((part) => part !== '')
      .join(', '),
    icon: isHere
      ? { codicon: 'debug-stackframe', color: 'debugIcon.breakpointCurrentStackframeForeground' }
      : statusIcon(status),
  };
}

function statusIcon(status: StepStatus): StatusIcon {
  switch (status) {
    case 'accepted':
      return { codicon: 'pass', color: 'testing.iconPassed' };
    case 'refused':
      return { codicon: 'circle-slash', color: 'testing.iconFailed' };
    case 'failed':
      return { codicon: 'error', color: 'testing.iconErrored' };
    case 'skipped':
      return { codicon: 'debug-step-over', color: 'testing.iconSkipped' };
    case 'running':
      return { codicon: 'circle-large-outline', color: 'testing.iconUnset' };
    case 'unreadable':
      return { codicon: 'question', color: 'testing.iconUnset' };
    default:
      return assertNever(status);
  }
}

function statusText(status: StepStatus): string {
  switch (status) {
    case 'accepted':
      return 'accepted';
    case 'refused':
      return 'refused by the environment';
    case 'failed':
      return 'all attempts rejected';
    case 'skipped':
      return 'all attempts rejected, the world moved on';
    case 'running':
      return 'not finished';
    case 'unreadable':
      return 'lost from the trace';
    default:
      return assertNever(status);
  }
}

function noAction(status: StepStatus): string {
  return status === 'running' ? 'no action yet' : 'no action';
}

/** What a step wrote, which may be what stood there before: its records don't tell. */
function writtenText({ changedKeys, changedCount }: StepSummary): string {
  const shown = changedKeys.slice(0, 3).map((key) => cut(printableLine(key)));
  const more = changedCount - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function attemptsText({ attempts, rejectionClasses, rejections }: StepSummary): string {
  if (rejections === 0) return attempts > 1 ? `${attempts} attempts` : '';
  return `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, rejected: ${rejectionClasses.join(', ')}`;
}

/** Another thing than a rejected reply: there was none. */
function failedText({ failedRequests }: StepSummary): string {
  if (failedRequests === 0) return '';
  return `${count(failedRequests)} ${failedRequests === 1 ? 'request' : 'requests'} failed`;
}

/** Prompts and replies of all attempts. */
function tokenText({ tokens }: StepSummary): string {
  const total = tokens.prompt + tokens.completion;
  if (total === 0) return '';
  return `${tokenCount(total, tokens.source)} tokens`;
}

function tokenDetail(summary: StepSummary, isFree: boolean): string {
  const { attempts, tokens } = summary;
  const parts = [
    `${count(tokens.prompt)} prompt (instructions ${count(tokens.instructions)}, state ${count(tokens.state)}, observation ${count(tokens.observation)}, scaffold ${count(tokens.scaffold)})`,
    `${count(tokens.completion)} output`,
    ...(tokens.cached > 0 ? [cachedText(tokens.cached, tokens.prompt)] : []),
    ...(tokens.thinking > 0 ? [`${count(tokens.thinking)} thinking`] : []),
    ...(tokens.failed > 0 ? [`${count(tokens.failed)} in failed requests`] : []),
    ...(tokens.retried > 0 ? [`${count(tokens.retried)} in rejected attempts`] : []),
    ...(attempts + tokens.failed === 0 || (isUnknown(summary) && isFree)
      ? []
      : [`cost ${costText(summary, tokens.source)}`]),
    sourceText(tokens.source, tokens.estimated, tokens.byExtension),
  ];
  return parts.join(', ');
}

function cut(text: string): string {
  return text.length > actionLength ? `${text.slice(0, actionLength - 1)}…` : text;
}
