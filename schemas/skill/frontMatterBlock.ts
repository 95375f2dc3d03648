/** Where the front matter of a `SKILL.md` stands and where the instructions begin, also in texts that get it wrong. */

/** Offsets of the parts of a text, and what is odd about them. */
export interface FrontMatterBlock {
  /** The YAML text between the `---` lines; undefined without front matter. */
  readonly yaml: { readonly start: number; readonly end: number } | undefined;
  /** Where the body begins, at the start of a line. */
  readonly bodyStart: number;
  /** Where the body ends: the text's end, or a fence around the whole file. */
  readonly bodyEnd: number;
  readonly oddity: 'missing' | 'unclosed' | 'fenced' | 'late' | undefined;
  /** The line that the oddity shows at. */
  readonly at: { readonly start: number; readonly end: number };
}

interface Line {
  readonly start: number;
  /** Without the line end. */
  readonly end: number;
  readonly next: number;
  readonly text: string;
}

const marker = /^---[ \t]*$/;

/** Finds the front matter. A text without any is all body. */
export function findFrontMatter(text: string): FrontMatterBlock {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  let opening = lineAt(text, start);
  let oddity: FrontMatterBlock['oddity'];
  let fence: string | undefined;
  while (opening.text.trim() === '' && opening.next < text.length) {
    opening = lineAt(text, opening.next);
    oddity = 'late';
  }
  const at = { start: opening.start, end: Math.max(opening.end, Math.min(opening.start + 1, text.length)) };
  const missing: FrontMatterBlock = {
    yaml: undefined,
    bodyStart: start,
    bodyEnd: text.length,
    oddity: 'missing',
    at,
  };
  fence = /^(`{3,}|~{3,})[\w-]*\s*$/.exec(opening.text)?.[1];
  if (fence !== undefined) {
    opening = lineAt(text, opening.next);
    oddity = 'fenced';
  }
  if (!marker.test(opening.text) || opening.next === opening.end) return missing;
  const closing = findClosing(text, opening.next);
  if (closing === undefined) {
    if (fence !== undefined) return missing;
    const end = endOfUnclosed(text, opening.next);
    if (end === undefined) return { ...missing, oddity: 'unclosed' };
    return {
      yaml: { start: opening.next, end },
      bodyStart: end,
      bodyEnd: text.length,
      oddity: 'unclosed',
      at,
    };
  }
  const yaml = { start: opening.next, end: closing.start };
  if (fence === undefined) return { yaml, bodyStart: closing.next, bodyEnd: text.length, oddity, at };
  return { yaml, ...bodyInFence(text, closing.next, fence), oddity, at };
}

/** A second block of front matter at the start of the body, as left behind by tools that add their own. */
export function findSecondFrontMatter(
  text: string,
  bodyStart: number,
): { start: number; end: number } | undefined {
  let line = lineAt(text, bodyStart);
  while (line.text.trim() === '' && line.next < text.length) line = lineAt(text, line.next);
  if (!marker.test(line.text)) return undefined;
  const first = lineAt(text, line.next);
  if (!/^(?:name|description)\s*:/.test(first.text) || findClosing(text, first.start) === undefined)
    return undefined;
  return { start: line.start, end: line.end };
}

function lineAt(text: string, start: number): Line {
  let end = start;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++;
  const next = end + (text.startsWith('\r\n', end) ? 2 : end < text.length ? 1 : 0);
  return { start, end, next, text: text.slice(start, end) };
}

function* lines(text: string, from: number): Generator<Line> {
  for (let line = lineAt(text, from); ; line = lineAt(text, line.next)) {
    yield line;
    if (line.next === line.end) return;
  }
}

function findClosing(text: string, from: number): Line | undefined {
  for (const line of lines(text, from)) if (marker.test(line.text)) return line;
  return undefined;
}

/** Unclosed front matter is the lines that look like YAML, up to the first blank line or heading. */
function endOfUnclosed(text: string, from: number): number | undefined {
  for (const line of lines(text, from)) {
    const looksLikeYaml = /^(?:[\w-]+:(?:\s|$)|[ \t]+\S|- )/.test(line.text);
    if (!looksLikeYaml) return line.start === from ? undefined : line.start;
  }
  return text.length;
}

/** A fence around the front matter closes right after it; one around the whole file closes at its end. */
function bodyInFence(text: string, from: number, fence: string): { bodyStart: number; bodyEnd: number } {
  const first = lineAt(text, from);
  if (first.text.trim() === fence) return { bodyStart: first.next, bodyEnd: text.length };
  let last: Line | undefined;
  for (const line of lines(text, from)) if (line.text.trim() !== '') last = line;
  const closed = last?.text.trim() === fence;
  return { bodyStart: from, bodyEnd: closed && last !== undefined ? last.start : text.length };
}
