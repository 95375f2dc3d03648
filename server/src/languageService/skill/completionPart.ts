/** The front matter that is being typed, also where nothing closes it yet. */
import type { SkillDocument } from '../../../../schemas/skill/skillDocument';
import { frontMatterPart, lineStartAt, nextLineAt } from './frontMatterEdits';

/** Where the cursor is, as completion sees it. */
export type TypedFrontMatter =
  /** On the first line of a text without front matter, which holds nothing but dashes. `end` is the line's. */
  | { readonly kind: 'nothing'; readonly start: number; readonly end: number }
  /** Between `---` and `---`, or the end of what is written so far; `isEmpty` where no key is there yet. */
  | {
      readonly kind: 'keys';
      readonly start: number;
      readonly end: number;
      readonly isClosed: boolean;
      readonly isEmpty: boolean;
    };

/** Undefined where the offset is not in front matter. */
export function typedFrontMatter(document: SkillDocument, offset: number): TypedFrontMatter | undefined {
  const { text } = document;
  const part = frontMatterPart(document);
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const firstLineEnd = lineEndAt(text, start);
  const isUnclosed = document.problems.some(({ code }) => code === 'skill.unclosed-front-matter');
  if (part !== undefined && !isUnclosed) {
    if (offset < part.start || offset > part.end) return undefined;
    // Behind the last line break is the line of the closing marker.
    if (offset === part.end && part.end > part.start) return undefined;
    const isEmpty = text.slice(part.start, part.end).trim() === '';
    return { kind: 'keys', ...part, isClosed: true, isEmpty };
  }
  if (part === undefined && !isUnclosed) {
    const isAlone = offset <= firstLineEnd && /^-{0,3}[ \t]*$/.test(text.slice(start, firstLineEnd));
    return isAlone ? { kind: 'nothing', start, end: firstLineEnd } : undefined;
  }
  return unclosed(text, nextLineAt(text, openingStart(text, start)), offset);
}

function openingStart(text: string, start: number): number {
  return start + Math.max(0, text.slice(start).search(/\S/));
}

/** Lines up to the cursor's are front matter where all of them look like it. */
function unclosed(text: string, start: number, offset: number): TypedFrontMatter | undefined {
  if (offset < start) return undefined;
  const lineStart = lineStartAt(text, offset);
  for (let line = start; line < lineStart; line = nextLineAt(text, line)) {
    if (!/^(?:[\w-]+:(?:\s|$)|[ \t]+\S|- |#)/.test(text.slice(line, lineEndAt(text, line)))) return undefined;
  }
  const current = text.slice(lineStart, lineEndAt(text, offset));
  if (!/^(?:[\w-]*$|[\w-]+:|[ \t]+|- |\{)/.test(current)) return undefined;
  const end = lineEndAt(text, offset);
  const isEmpty = !/\S/.test(text.slice(start, lineStart));
  return { kind: 'keys', start, end, isClosed: false, isEmpty };
}

function lineEndAt(text: string, offset: number): number {
  const end = /[\r\n]/g;
  end.lastIndex = offset;
  return end.exec(text)?.index ?? text.length;
}
