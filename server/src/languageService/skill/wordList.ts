/** The word that is being typed in a text of `metadata` or `allowed-tools` that is a list with spaces. */
import { cursorAt, type TextPart } from '../cursor';
import { lineStartAt } from './frontMatterEdits';

/** A word of a list, with the offsets of all of it. */
export interface WordCursor {
  readonly key: 'include' | 'terminal-actions' | 'allowed-tools';
  readonly start: number;
  readonly end: number;
  /** The list's other words. */
  readonly others: readonly string[];
  /** True right behind the colon, where a space has to come first. */
  readonly needsSpace: boolean;
}

const line = /^( *)(include|terminal-actions|allowed-tools)[ \t]*:([ \t]*)(.*)$/;

/** Undefined where the line of the offset holds no such list as a text. */
export function wordCursorAt(text: string, offset: number, part: TextPart): WordCursor | undefined {
  const lineStart = lineStartAt(text, offset);
  const [written = ''] = /^[^\r\n]*/.exec(text.slice(lineStart, part.end)) ?? [];
  const [whole, indent = '', key = '', space = '', value = ''] = line.exec(written) ?? [];
  if (whole === undefined || !isListKey(key)) return undefined;
  const parent = cursorAt(text, lineStart + indent.length + 1, 'yaml', part)?.path.join('/');
  if (parent !== (key === 'allowed-tools' ? '' : 'metadata')) return undefined;
  if (/^[[{|>&*!]/.test(value)) return undefined;
  const quote = /^["']/.exec(value)?.[0];
  const valueStart = lineStart + written.length - value.length + (quote === undefined ? 0 : 1);
  const inner = quote === undefined ? value.replace(/(?:^|\s)#.*$/, '') : until(value.slice(1), quote);
  const at = offset - valueStart;
  if (space === '' && value === '' && at === 0) {
    return { key, start: offset, end: offset, others: [], needsSpace: true };
  }
  if (at < 0 && quote === undefined && -at < space.length) {
    // Between the spaces behind the colon.
    return { key, start: offset, end: offset, others: wordsOf(inner), needsSpace: false };
  }
  if (at < 0 || at > inner.length || (space === '' && quote === undefined)) return undefined;
  const before = inner.slice(0, at).split(/\s/).at(-1)?.length ?? 0;
  const after = /^\S*/.exec(inner.slice(at))?.[0].length ?? 0;
  const others = wordsOf(`${inner.slice(0, at - before)} ${inner.slice(at + after)}`);
  return {
    key,
    start: offset - before,
    end: offset + after,
    others,
    needsSpace: false,
  };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function until(text: string, quote: string): string {
  const end = text.indexOf(quote);
  return end === -1 ? text : text.slice(0, end);
}

function isListKey(key: string): key is WordCursor['key'] {
  return key === 'include' || key === 'terminal-actions' || key === 'allowed-tools';
}

/** True for a word that can stand anywhere in such a text, quoted or not. */
export function isListWord(word: string): boolean {
  return /^[^\s#&*!|>'"%@`{}[\],:?-][^\s'"\\{}[\],]*$/.test(word) && !word.endsWith(':');
}
