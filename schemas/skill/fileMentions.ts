/** Files that a skill's body mentions, by a link or a code span: candidates for `metadata.include`. */
import { LineIndex, type Range } from '../text/position';
import { textBlocks } from './markdownBlocks';

/** A file that the body mentions by a link or a code span, relative to the skill's folder. */
export interface FileMention {
  readonly path: string;
  readonly range: Range;
}

const maxMentions = 1_000;

/** A link's target, or a code span that has the form of a path with a folder and an extension. */
const mention =
  /\]\(\s*<?([^\s()<>]+)>?(?:\s+"[^"]*")?\s*\)|(?<!`)`((?:\.\/)?[\w.@-]+(?:\/[\w.@-]+)+\.\w{1,10})`(?!`)/g;

/** Reads the mentions in a part of a file, each path once, in the order of the text. */
export function findMentions(text: string, start: number, end: number): FileMention[] {
  const lines = new LineIndex(text);
  const firstLine = lines.positionAt(start).line;
  const found = new Map<string, FileMention>();
  for (const block of textBlocks(text.slice(start, end))) {
    const blockStart = lines.offsetAt({ line: firstLine + block.startLine, character: 0 });
    const blockEnd = lines.offsetAt({ line: firstLine + block.endLine, character: 0 });
    for (const match of text.slice(blockStart, blockEnd).matchAll(mention)) {
      const written = match[1] ?? match[2] ?? '';
      const path = relativePath(written);
      if (path === undefined || found.has(path)) continue;
      if (found.size >= maxMentions) return [...found.values()];
      const at = blockStart + match.index + match[0].indexOf(written);
      found.set(path, { path, range: lines.rangeOf(at, at + written.length) });
    }
  }
  return [...found.values()];
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

/**
 * A relative path with `/` between segments and without `.` and `..`. Undefined where it is absolute, leaves the
 * folder, names no file or isn't portable (a backslash, a drive, a NUL).
 */
export function normalizeRelativePath(path: string): string | undefined {
  if (path === '' || path.startsWith('/') || path.endsWith('/') || /[\\\0]|^[a-z]:/i.test(path))
    return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length === 0 ? undefined : segments.join('/');
}
