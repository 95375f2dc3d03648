/** A grammar of replies as the prompt asks for them: prose, and the fenced block as compact JSON. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { choice, type Expression, repeat, ruleOf, sequence, text, writeGrammar } from './grammarExpression';
import { otherCharacters } from './stringTexts';

/** The longest grammar that is sent, in characters: it goes with every request. */
export const maxGrammarLength = 120_000;

export interface ReplyParts {
  /** What `state_patch` may be, with its braces. */
  readonly patch: Expression;
  /** What `action` may be, as it stands between the quotes. */
  readonly action: Expression;
}

/**
 * Thoughts are counted in units, since a token may be a single byte: four characters of ASCII, or fewer with one of
 * another script or a line break, which takes several bytes; that is hardly ever more than five bytes a unit.
 */
const unitLength = 4;
const unitBytes = 5;
/** How much of the room for thoughts is sure to be there for text in ASCII. */
export const asciiShare = unitLength / unitBytes;
/** How many line breaks follow each other at most, and how deep lines are indented. */
const maxBreaks = 3;
const maxIndent = 40;

/**
 * @param maxThoughts how long the thoughts may be, in bytes; {@link asciiShare} of it is sure to fit in ASCII, a fifth as many characters in others
 * @throws ExpressionTooLong
 */
export function replyGrammar({ patch, action }: ReplyParts, maxThoughts: number): string {
  const reply = sequence(
    prose(Math.ceil(maxThoughts / unitBytes)),
    repeat(text('\n'), 1, maxBreaks),
    text('```json\n{"state_patch":'),
    patch,
    text(',"action":"'),
    action,
    text('"}\n```'),
  );
  return writeGrammar(reply, maxGrammarLength);
}

/**
 * Any text without lines that begin with a fence, or have one or two backticks and nothing else. It doesn't begin with a
 * brace either: that would be the block without its fence, and no thought.
 */
function prose(units: number): Expression {
  const ascii = characters([0x09, 0x09], [0x20, 0x7e]);
  const indentation = characters([0x09, 0x09], [0x20, 0x20]);
  const indent = repeat(indentation, 0, maxIndent);
  // Without white space, backticks and opening braces.
  const plain = characters([0x21, 0x5f], [0x61, 0x7a], [0x7c, 0x7e], ...otherCharacters);
  const brace = text('{');
  const marked = ruleOf(sequence(repeat(text('`'), 1, 2), choice([indentation, brace, plain])));
  const start = ruleOf(choice([plain, brace, marked]));
  const lineBreaks = repeat(ruleOf(sequence(text('\n'), indent)), 1, maxBreaks);
  const other = ruleOf(choice([characters(...otherCharacters), sequence(lineBreaks, start)]));
  let unit: Expression = choice([ascii, other]);
  for (let length = 1; length < unitLength; length++) unit = choice([sequence(ascii, unit), other]);
  const first = choice([plain, marked]);
  return sequence(indent, first, repeat(ruleOf(unit), 0, units), repeat(ascii, 0, unitLength - 1));
}

function characters(...ranges: readonly CodeRange[]): Expression {
  return { kind: 'characters', ranges };
}
