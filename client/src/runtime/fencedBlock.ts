/**
 * The last fenced JSON block of a reply. A fence is a run of at least three backticks at the start of a line,
 * indentation aside; backticks in the middle of a line, inside a JSON string say, are text.
 *
 * A block opens with a fence followed by `json` in any case, or with a bare fence whose content begins with `{`. It
 * closes at the next fence that is at least as long. A `json` fence always opens a block: one that is still open before
 * it was abandoned. Blocks of other languages are passed over whole.
 */

/** A block in UTF-16 offsets. */
export interface FencedBlock {
  /** The content without the white space around it. */
  readonly start: number;
  readonly end: number;
  /** From the opening backticks to behind the closing ones. */
  readonly fenceStart: number;
  readonly fenceEnd: number;
  /** False where the reply ends before the fence closes. */
  readonly closed: boolean;
}

interface OpenFence {
  readonly language: 'json' | 'none' | 'other';
  readonly fenceStart: number;
  readonly contentStart: number;
  readonly backticks: number;
}

/** Finds the last JSON block, or undefined where there is none. */
export function findLastJsonBlock(text: string): FencedBlock | undefined {
  let last: FencedBlock | undefined;
  let open: OpenFence | undefined;
  for (let at = text.indexOf('```'); at >= 0; ) {
    const fenceEnd = endOfRun(text, at, isBacktick);
    const lineStart = lineStartBefore(text, at);
    if (lineStart !== undefined && fenceEnd - at >= (open?.backticks ?? 0)) {
      const found = openingAt(text, at, fenceEnd);
      if (open === undefined || found?.language === 'json') {
        open = found;
      } else if (open.language !== 'other' || found?.language === 'none') {
        last = blockOf(text, open, lineStart, fenceEnd, true) ?? last;
        open = undefined;
      }
    }
    at = text.indexOf('```', fenceEnd);
  }
  if (open === undefined) return last;
  return blockOf(text, open, text.length, text.length, false) ?? last;
}

function blockOf(
  text: string,
  open: OpenFence,
  contentEnd: number,
  fenceEnd: number,
  closed: boolean,
): FencedBlock | undefined {
  const start = endOfRun(text, open.contentStart, isWhiteSpace);
  let end = Math.max(start, contentEnd);
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  const isJson = open.language === 'json' || (open.language === 'none' && start < end && text[start] === '{');
  return isJson ? { start, end, fenceStart: open.fenceStart, fenceEnd, closed } : undefined;
}

/** The fence whose backticks are given, were it an opening one; undefined where its line has more backticks, as inline code has. */
function openingAt(text: string, fenceStart: number, fenceEnd: number): OpenFence | undefined {
  const infoStart = endOfRun(text, fenceEnd, isSpaceOrTab);
  const backticks = fenceEnd - fenceStart;
  if (/^json(?![\w+.-])/i.test(text.slice(infoStart, infoStart + 5))) {
    return { language: 'json', fenceStart, contentStart: infoStart + 4, backticks };
  }
  if (infoStart === text.length || isLineBreak(text.charCodeAt(infoStart))) {
    return { language: 'none', fenceStart, contentStart: infoStart, backticks };
  }
  const infoEnd = endOfRun(text, infoStart, (code) => !isLineBreak(code) && !isBacktick(code));
  if (infoEnd < text.length && isBacktick(text.charCodeAt(infoEnd))) return undefined;
  return { language: 'other', fenceStart, contentStart: infoEnd, backticks };
}

/** The start of the line that `offset` is in, where only indentation (or a byte order mark) stands before it. */
function lineStartBefore(text: string, offset: number): number | undefined {
  let start = offset;
  while (start > 0 && isSpaceOrTab(text.charCodeAt(start - 1))) start--;
  if (start === 1 && text.charCodeAt(0) === 0xfeff) return 0;
  return start === 0 || isLineBreak(text.charCodeAt(start - 1)) ? start : undefined;
}

function endOfRun(text: string, start: number, belongs: (code: number) => boolean): number {
  let end = start;
  while (end < text.length && belongs(text.charCodeAt(end))) end++;
  return end;
}

const isBacktick = (code: number): boolean => code === 0x60;
const isSpaceOrTab = (code: number): boolean => code === 0x20 || code === 0x09;
const isLineBreak = (code: number): boolean => code === 0x0a || code === 0x0d;
const isWhiteSpace = (code: number): boolean => isSpaceOrTab(code) || isLineBreak(code);
