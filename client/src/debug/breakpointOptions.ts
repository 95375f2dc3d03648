/** What any kind of breakpoint may be given beside its place: a condition, a hit condition, a log message. */
import {
  compileHitCondition,
  compileMomentExpression,
  type HitTest,
  type MomentExpression,
} from './conditions';
import { compileLogMessage, type LogMessage } from './logMessages';

/** As the client wrote them. */
export interface BreakpointTexts {
  readonly condition?: string | undefined;
  readonly hitCondition?: string | undefined;
  readonly logMessage?: string | undefined;
}

/** The same, ready to be asked. Its identity is the breakpoint's: hits are counted by it. */
export interface BreakpointOptions {
  readonly texts: BreakpointTexts;
  /** How the breakpoint is named where something is said about it: `the breakpoint at SKILL.md:51`. */
  readonly label: string;
  readonly condition: MomentExpression | undefined;
  readonly hits: HitTest | undefined;
  readonly log: LogMessage | undefined;
  /** Why one of the texts can't be read; such a breakpoint neither stops nor writes. */
  readonly problem: string | undefined;
}

/**
 * Compiles a breakpoint's texts; blank ones count as none.
 *
 * @param earlier what the same breakpoint had before, which is kept where nothing changed
 * @param extra what its expressions can name beside the roots of the console
 */
export function breakpointOptions(
  label: string,
  given: BreakpointTexts,
  {
    earlier,
    extra = [],
  }: { readonly earlier?: BreakpointOptions | undefined; readonly extra?: readonly string[] } = {},
): BreakpointOptions {
  const texts: BreakpointTexts = {
    condition: written(given.condition),
    hitCondition: written(given.hitCondition),
    logMessage: written(given.logMessage),
  };
  if (earlier !== undefined && isSame(earlier.texts, texts)) return earlier;
  const condition =
    texts.condition === undefined ? undefined : compileMomentExpression(texts.condition, extra);
  const hits = texts.hitCondition === undefined ? undefined : compileHitCondition(texts.hitCondition);
  const log = texts.logMessage === undefined ? undefined : compileLogMessage(texts.logMessage, extra);
  const problems = [
    condition?.ok === false ? `The condition can't be read: ${condition.message}` : undefined,
    hits?.ok === false ? hits.message : undefined,
    log?.ok === false ? log.message : undefined,
  ].filter((problem) => problem !== undefined);
  return {
    texts,
    label,
    condition: condition?.ok ? condition.value : undefined,
    hits: hits?.ok ? hits.value : undefined,
    log: log?.ok ? log.value : undefined,
    problem: problems.length > 0 ? problems.join(' ') : undefined,
  };
}

function written(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function isSame(one: BreakpointTexts, other: BreakpointTexts): boolean {
  return (
    one.condition === other.condition &&
    one.hitCondition === other.hitCondition &&
    one.logMessage === other.logMessage
  );
}

/** Gives breakpoints of all kinds their numbers. */
export class BreakpointIds {
  #next = 1;

  next(): number {
    return this.#next++;
  }
}
