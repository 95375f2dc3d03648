/** A grammar of replies as the prompt asks for them: prose, a blank line, and the fenced block as compact JSON. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { type Expression, optional, repeat, ruleOf, sequence, text, writeGrammar } from './grammarExpression';
import { otherCharacters } from './stringTexts';

/** The longest grammar that is sent, in characters: it goes with every request. */
export const maxGrammarLength = 120_000;

export interface ReplyParts {
  /** What `state_patch` may be, with its braces. */
  readonly patch: Expression;
  /** What `action` may be, as it stands between the quotes. */
  readonly action: Expression;
}

/** How long the prose may be, in characters. */
export interface ProseLimit {
  readonly characters: number;
  readonly isWide: boolean;
}

/** In how many stretches the prose is at most: lines, and paragraphs with a blank line between them. */
const maxLines = 8;

/** @throws ExpressionTooLong */
export function replyGrammar({ patch, action }: ReplyParts, limit: ProseLimit): string {
  const reply = sequence(
    prose(limit),
    text('```json\n{"state_patch":'),
    patch,
    text(',"action":"'),
    action,
    text('"}\n```'),
  );
  return writeGrammar(reply, maxGrammarLength);
}

/** Without backticks and braces, so that no block begins in it; it ends with a blank line. */
function prose({ characters, isWide }: ProseLimit): Expression {
  const plain: CodeRange[] = [
    [0x20, 0x5f],
    [0x61, 0x7a],
    [0x7c, 0x7c],
    [0x7e, 0x7e],
  ];
  const character: Expression = {
    kind: 'characters',
    ranges: isWide ? [...plain, ...otherCharacters] : plain,
  };
  const lines = Math.max(1, Math.min(maxLines, Math.floor(characters / 200)));
  const line = ruleOf(repeat(character, 1, Math.max(1, Math.floor(characters / lines))));
  // A line that follows may come after a blank one, or directly.
  const more = sequence(text('\n'), optional(text('\n')), line);
  return sequence(line, lines === 1 ? sequence() : repeat(ruleOf(more), 0, lines - 1), text('\n\n'));
}
