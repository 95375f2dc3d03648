/** What the editor of an answer says above and in its text. Free of VS Code. */
import type { QuestionBody, ReplyCheck, ReplyProblem } from '../../../../schemas/messages/questionMessages';
import { LineIndex, type Range } from '../../../../schemas/text/position';
import { printableLine } from '../../../../schemas/text/printable';
import { changingPartOf } from '../../runtime/prompt';

/** A line shows so much of an action. */
const actionLength = 60;

/** Something that is wrong with a reply, or may be. */
export interface ShownProblem {
  readonly range: Range;
  readonly message: string;
  /** The class of rejection or warning. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
}

/** Where the problems of a text stand in it; lines may end with LF or CRLF, since both count as the same lines. */
export function problemsIn(text: string, { rejections, warnings }: ReplyCheck): readonly ShownProblem[] {
  const lines = new LineIndex(text);
  const shown = (severity: ShownProblem['severity']) => (problem: ReplyProblem) => ({
    range: lines.rangeOf(problem.start, problem.end),
    message: `${severity === 'error' ? `Rejected as ${problem.class}: ` : ''}${problem.message}`,
    code: problem.class,
    severity,
  });
  return [...rejections.map(shown('error')), ...warnings.map(shown('warning'))];
}

/**
 * The line of a prompt, from 0, that is shown first: of a retry the correction at its end, else where Σ begins, since what stands
 * before it is the same at each step.
 */
export function firstLineShown(prompt: string, attempt: number): number {
  const offset = attempt > 1 ? prompt.length : (changingPartOf(prompt) ?? 0);
  return new LineIndex(prompt).rangeOf(offset, offset).start.line;
}

/** How a reply stands, for a lens above it. */
export function verdictText({ accepted, rejections, warnings, action, changes = 0 }: ReplyCheck): string {
  if (!accepted) {
    const [first] = rejections;
    const more = rejections.length > 1 ? ` and ${rejections.length - 1} more` : '';
    return `$(error) Rejected as ${first?.class ?? 'unknown'}${more}`;
  }
  const shown = withoutIcons(action ?? '');
  const cut = shown.length > actionLength ? `${shown.slice(0, actionLength - 1)}…` : shown;
  const changed =
    changes === 0 ? 'changes nothing' : `changes ${changes} ${changes === 1 ? 'value' : 'values'}`;
  const warned =
    warnings.length === 0 ? '' : `, ${warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}`;
  return `$(pass) Fits: ${cut} · ${changed}${warned}`;
}

/** What the editor says of its question; `undefined` where none waits. */
export function questionText(question: QuestionBody | undefined, isSent: boolean): string {
  if (question !== undefined) return withoutIcons(question.title);
  return isSent ? 'Sent' : 'Nobody waits for an answer now; this text is kept for the next question';
}

/** What an answer may say besides itself; undefined where there is nothing to know. */
export function rulesText({ kind, refusable, step }: QuestionBody): string | undefined {
  if (kind === 'reply') return undefined;
  const refusal = refusable === true ? ['"Error: …" refuses the action'] : [];
  const end = refusable === true || step > 0 ? [':end ends the episode'] : [];
  const rules = [...refusal, ...end].join(', ');
  return rules === '' ? undefined : rules;
}

/** What somebody else wrote, for a lens: on one line, and without the beginnings of icons. */
function withoutIcons(text: string): string {
  return printableLine(text).replaceAll('$(', '$ (');
}
