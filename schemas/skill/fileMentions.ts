/** Files that a skill's body mentions, by a link or a code span: candidates for `metadata.include`. */
import { LineIndex, type Range } from '../text/position';
import { normalizeRelativePath } from '../text/relativePath';
import { type TextBlock, textBlocks } from './markdownBlocks';

export { normalizeRelativePath } from '../text/relativePath';

/** A file that the body mentions by a link or a code span, relative to the skill's folder. */
export interface FileMention {
  readonly path: string;
  /** A Markdown link's target, or a code span that has the form of a path. */
  readonly kind: 'link' | 'code';
  readonly range: Range;
}

const maxMentions = 1_000;

/** A run of backticks, or a link's target behind its text: in angle brackets, or without spaces (CommonMark 0.31, "Links"). */
const mark =
  /(`+)|\]\(\s*(?:<([^<>\r\n]*)>|((?:[^\s()<>]|\([^\s()<>]*\))+))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/g;

/** The target of a link reference definition: `[label]: target "title"`. */
const definition = /^[^[]*\[[^\]]+\]:\s*(?:<([^<>\r\n]*)>|([^\s<>]+))/;

/** A code span that has the form of a path with a folder and an extension. */
const pathSpan = /^(?:\.\/)?[\w.@-]+(?:\/[\w.@-]+)+\.\w{1,10}$/;

/**
 * Reads the mentions in a part of a file, in the order of the text; code blocks hold none.
 *
 * @param blocks the text blocks of the part, where they are known
 */
export function findMentions(
  text: string,
  start: number,
  end: number,
  blocks: readonly TextBlock[] = textBlocks(text.slice(start, end)),
): FileMention[] {
  const lines = new LineIndex(text);
  const firstLine = lines.positionAt(start).line;
  const found: FileMention[] = [];
  let readTo = 0;
  for (const block of blocks) {
    // All cells of a row have the row's lines.
    if (block.startLine < readTo) continue;
    readTo = block.endLine;
    const blockStart = lines.offsetAt({ line: firstLine + block.startLine, character: 0 });
    const blockEnd = lines.offsetAt({ line: firstLine + block.endLine, character: 0 });
    const source = text.slice(blockStart, blockEnd);
    for (const mention of block.kind === 'definition' ? definedIn(source) : mentionsIn(source)) {
      const { written, at, kind } = mention;
      const path = relativePath(written);
      if (path === undefined) continue;
      if (found.length >= maxMentions) return found;
      found.push({ path, kind, range: lines.rangeOf(blockStart + at, blockStart + at + written.length) });
    }
  }
  return found;
}

/** Of the mentions of each file the first. */
export function firstOfEachPath(mentions: readonly FileMention[]): FileMention[] {
  const first = new Map<string, FileMention>();
  for (const mention of mentions) if (!first.has(mention.path)) first.set(mention.path, mention);
  return [...first.values()];
}

/** A mention as it is written; `at` is its offset in the block. */
interface WrittenMention {
  readonly written: string;
  readonly at: number;
  readonly kind: FileMention['kind'];
}

/** The target that a definition's line gives. */
function definedIn(line: string): readonly WrittenMention[] {
  const found = definition.exec(line);
  const target = found?.[1] ?? found?.[2];
  if (found === null || target === undefined) return [];
  const at = found[0].lastIndexOf(target);
  return [{ written: target, at, kind: 'link' }];
}

/** Link targets outside of code spans, and code spans that are paths. */
function* mentionsIn(block: string): Generator<WrittenMention> {
  const marks = [...block.matchAll(mark)];
  /** For each length of a run of backticks, where such runs are, the last first. */
  const runs = new Map<number, number[]>();
  for (const { 1: ticks, index } of marks.toReversed()) {
    if (ticks === undefined) continue;
    const known = runs.get(ticks.length);
    if (known === undefined) runs.set(ticks.length, [index]);
    else known.push(index);
  }
  let from = 0;
  for (const { 0: whole, 1: ticks, 2: bracketed, 3: bare, index } of marks) {
    if (index < from) continue;
    const target = bracketed ?? bare;
    if (target !== undefined) {
      yield { written: target, at: index + whole.indexOf(target), kind: 'link' };
    } else if (ticks !== undefined) {
      const closings = runs.get(ticks.length) ?? [];
      while ((closings.at(-1) ?? Number.POSITIVE_INFINITY) <= index) closings.pop();
      const closing = closings.at(-1);
      if (closing === undefined) continue; // no code span: the backticks stand for themselves
      from = closing + ticks.length;
      const written = block.slice(index + ticks.length, closing);
      if (pathSpan.test(written)) yield { written, at: index + ticks.length, kind: 'code' };
    }
  }
}

/** A path inside the folder, without `./` and fragment; undefined for URLs, absolute paths and ones that leave it. */
function relativePath(target: string): string | undefined {
  const [path = ''] = target.split(/[?#]/, 1);
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    decoded = path; // a stray % in a file's name
  }
  return /^[a-z][a-z0-9+.-]*:/i.test(decoded) ? undefined : normalizeRelativePath(decoded);
}
