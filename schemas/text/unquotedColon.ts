/** The most frequent mistake in front matter: `description: Use when: …`, a value with a colon that nobody quoted. */
import type { SourceProblem } from './sourceTree';

/** A text in which such values are blanked, so that the rest of it can be read where it stands. */
export interface MaskedText {
  readonly text: string;
  /** What was meant, by the offset where the value begins. */
  readonly values: ReadonlyMap<number, string>;
  readonly problems: readonly SourceProblem[];
}

const maxRecoveries = 16;

/** Each recovery reads the text once more; so many UTF-16 units are read in all. */
const maxRecoveredLength = 100_000;

/**
 * Blanks values with an unquoted colon, one at a time. `nextError` gives the offset of the value that a parser
 * stumbles over, or undefined when it stumbles over none.
 */
export function maskUnquotedColons(
  text: string,
  nextError: (text: string) => number | undefined,
): MaskedText {
  const values = new Map<number, string>();
  const problems: SourceProblem[] = [];
  let masked = text;
  const rounds = Math.min(maxRecoveries, Math.floor(maxRecoveredLength / Math.max(1, text.length)));
  for (let round = 0; round < rounds; round++) {
    const start = nextError(masked);
    if (start === undefined) break;
    const value = valueOnKeyLine(masked, start);
    if (value === undefined) break;
    values.set(start, value.lines.map((line) => line.trim()).join(' '));
    const colon = start + Math.max(0, text.slice(start, value.end).search(/:(?=\s)/));
    problems.push({
      kind: 'unquoted-colon',
      message: `The value of ${value.key} contains a colon and a space, which YAML reads as a mapping; put the value in quotes.`,
      start: colon,
      end: colon + 1,
    });
    masked =
      masked.slice(0, start) +
      masked.slice(start, value.end).replace(/[^\s]/g, 'x') +
      masked.slice(value.end);
  }
  return { text: masked, values, problems };
}

/** The value that begins at an offset after `key: `, with the deeper lines that continue it. */
function valueOnKeyLine(text: string, start: number) {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const head = /^( *)([\w.-]+): +$/.exec(text.slice(lineStart, start));
  if (head === null) return undefined;
  const indent = (head[1] ?? '').length;
  const lines: string[] = [];
  let end = start;
  let next = start;
  while (next < text.length) {
    const lineFeed = text.indexOf('\n', next);
    const lineEnd = lineFeed === -1 ? text.length : lineFeed;
    const line = text.slice(next, lineEnd);
    if (lines.length > 0 && (line.trim() === '' || line.length - line.trimStart().length <= indent)) break;
    lines.push(line);
    end = next + line.trimEnd().length;
    next = lineEnd + 1;
  }
  return { key: head[2] ?? '', lines, end };
}
