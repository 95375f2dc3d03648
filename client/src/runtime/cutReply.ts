/** Replies that ended at a limit of tokens instead of at their end, and are rejected for what is missing since. */
import { wholeNumber } from '../../../schemas/text/spending';
import type { RunOptions } from './options';
import type { Rejection, RejectionClass } from './rejection';
import type { Attempt } from './runState';

/** The words of providers: OpenAI's, Gemini's, Anthropic's. */
const lengthFinishes: ReadonlySet<string> = new Set(['length', 'MAX_TOKENS', 'max_tokens']);

/** What a reply is rejected as that is not whole. */
const classesOfParts: ReadonlySet<RejectionClass> = new Set(['no-block', 'syntax']);

/** Whether a reply with such an end, rejected so, was cut at a limit of tokens. */
export function isCutReply(finish: string | undefined, rejectionClass: RejectionClass): boolean {
  return finish !== undefined && lengthFinishes.has(finish) && classesOfParts.has(rejectionClass);
}

/** How many of the rejected replies were cut, for a summary: ` (3 of them cut at a limit of tokens)`; empty for none. */
export function cutRepliesText(cut: number): string {
  return cut === 0 ? '' : ` (${cut} of them cut at a limit of tokens)`;
}

/**
 * A rejection that says first that the reply was cut, where it was, and what to do; the model is told to be shorter. Its
 * class stays.
 */
export function toldAsCut(
  rejection: Rejection,
  { finish, reply, tokens }: Pick<Attempt, 'finish' | 'reply' | 'tokens'>,
  { maxTokens }: Pick<RunOptions, 'maxTokens'>,
): Rejection {
  if (!isCutReply(finish, rejection.class)) return rejection;
  const about = tokens.source === 'reported' ? '' : 'about ';
  const count = `${about}${wholeNumber(tokens.completion)} token${tokens.completion === 1 ? '' : 's'}`;
  const isOwnLimit = maxTokens !== undefined && (about !== '' || tokens.completion >= maxTokens);
  const most =
    maxTokens === undefined
      ? ''
      : `, before the ${wholeNumber(maxTokens)} that --max-tokens (maxTokens) allows`;
  const where = isOwnLimit
    ? 'as many as --max-tokens (maxTokens) allows'
    : `where the server's context or limit ended${most}`;
  const lacks =
    reply.trim() === ''
      ? 'it is empty'
      : rejection.class === 'no-block'
        ? 'it has no JSON block'
        : 'its JSON block is not whole';
  const advice = isOwnLimit
    ? 'raise it, or have the model write less'
    : maxTokens === undefined
      ? 'give the model a longer context, name a limit by --max-tokens (maxTokens), or have it write less'
      : 'give the model a longer context, or have it write less';
  return {
    ...rejection,
    message: `The reply was cut off after ${count}, ${where}, so ${lacks}: ${advice}.`,
    correction: `It was cut off after ${count}, so ${lacks}: it has to be shorter.`,
  };
}
