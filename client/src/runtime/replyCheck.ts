/** What a run would make of a text as its next reply, without taking it: the very phases that it would go through. */
import { parsePointer } from '../../../schemas/json/jsonPointer';
import type { ReplyCheck, ReplyProblem } from '../../../schemas/messages/questionMessages';
import { tokenAt } from './jsonTokens';
import { redactedReply } from './redactedReply';
import type { Redaction } from './redaction';
import type { Rejection } from './rejection';
import { createReplyLocator, type ParsedReply } from './replyParser';
import type { RunState } from './runState';
import { transition } from './transition';
import type { RunContext } from './transitionTypes';
import type { Warning } from './warnings';

/**
 * Takes a text through `parse`, `validate` and `merge`, in the step in which a run stands.
 *
 * @param run at `generate`; it stays as it is
 * @param redaction of what a run would take of it; places are those of `text`
 */
export function checkReply(
  context: RunContext,
  run: RunState,
  text: string,
  redaction?: Redaction,
): ReplyCheck {
  const taken = redaction === undefined ? text : redactedReply(text, redaction);
  const check = checkTaken(context, run, taken);
  if (taken === text) return check;
  const place = placesBefore(text, taken);
  const placed = (problems: readonly ReplyProblem[]) =>
    problems.map((problem) => ({ ...problem, ...place(problem) }));
  return { ...check, rejections: placed(check.rejections), warnings: placed(check.warnings) };
}

/** Where places of a redacted text are in the text before: what changed is one place. */
function placesBefore(text: string, taken: string): (place: Place) => Place {
  const shorter = Math.min(text.length, taken.length);
  let start = 0;
  while (start < shorter && text[start] === taken[start]) start++;
  let behind = 0;
  while (behind < shorter - start && text.at(-1 - behind) === taken.at(-1 - behind)) behind++;
  const moved = text.length - taken.length;
  const last = taken.length - behind;
  return (place) => ({
    start: place.start <= start ? place.start : place.start >= last ? place.start + moved : start,
    end: place.end <= start ? place.end : place.end >= last ? place.end + moved : text.length - behind,
  });
}

type Place = Pick<ReplyProblem, 'start' | 'end'>;

function checkTaken(context: RunContext, run: RunState, text: string): ReplyCheck {
  let at: RunState = { ...run, phase: 'parse', reply: text, warnings: [] };
  while (at.phase !== 'act') {
    const next = transition(context, at, { type: 'none' });
    if (next.rejection !== undefined) {
      const rejections = rejectionsOf(text, next.rejection, at.parsed);
      return { accepted: false, rejections, warnings: [], action: undefined, changes: undefined };
    }
    at = next.run;
  }
  const { parsed, merged } = at;
  return {
    accepted: true,
    rejections: [],
    warnings: parsed === undefined ? [] : warningsOf(text, at.warnings, parsed),
    action: parsed?.action,
    changes: merged?.writes.filter(({ changed }) => changed).length,
  };
}

function warningsOf(
  text: string,
  warnings: readonly Warning[],
  parsed: ParsedReply,
): readonly ReplyProblem[] {
  const locate = createReplyLocator(text, parsed);
  return warnings.map(({ class: name, message, pointer = '' }) => {
    const path = name === 'unknown-argument' ? ['action'] : ['state_patch', ...(parsePointer(pointer) ?? [])];
    return { class: name, message, schemaLocation: undefined, ...locate(path).nearest };
  });
}

/** @param parsed the reply, where its block could be read */
function rejectionsOf(
  text: string,
  rejection: Rejection,
  parsed: ParsedReply | undefined,
): readonly ReplyProblem[] {
  const { class: name, offset, violations } = rejection;
  const problem = (
    { message, schemaLocation }: Pick<Rejection, 'message' | 'schemaLocation'>,
    place: Pick<ReplyProblem, 'start' | 'end'>,
  ): ReplyProblem => ({ class: name, message, schemaLocation, ...place });
  if (parsed === undefined)
    return [problem(rejection, offset === undefined ? lastLine(text) : tokenPlace(text, offset))];
  const locate = createReplyLocator(text, parsed);
  if (name === 'action') return [problem(rejection, locate(['action']).nearest)];
  return (violations ?? [rejection]).map((violation) => {
    const path = parsePointer(violation.pointer ?? '') ?? [];
    return problem(violation, locate(['state_patch', ...path]).nearest);
  });
}

/** What stands at an offset: a token of JSON, or the rest of its line. */
function tokenPlace(text: string, offset: number): { start: number; end: number } {
  const token = tokenAt(text, offset);
  if (token.type !== 'fault' && token.type !== 'end' && token.start === offset)
    return { start: offset, end: token.end };
  const lineEnd = text.indexOf('\n', offset);
  const end = Math.max(offset, lineEnd < 0 ? text.length : lineEnd);
  // At the end of the text there is nothing to point to but what came before.
  return end > offset ? { start: offset, end } : { start: Math.max(0, offset - 1), end: offset };
}

function lastLine(text: string): { start: number; end: number } {
  const end = text.trimEnd().length;
  return { start: text.lastIndexOf('\n', end - 1) + 1, end };
}
