/** The cursor in JSON, or in a YAML flow collection: one tolerant pass over its tokens. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { maxSourceDepth } from '../../../schemas/text/sourceTree';
import type { Cursor } from './cursor';
import { indentationAt } from './textLines';
import { quotedEnd, unquoted } from './yamlScalar';

export interface FlowPlace {
  /** Where the collection (or the JSON text) begins. */
  readonly start: number;
  readonly offset: number;
  readonly format: 'yaml' | 'json';
  /** The path of the collection. */
  readonly base: JsonPath;
  /** Where the keys and items of that path begin. */
  readonly baseStarts: readonly number[];
}

interface Token {
  readonly kind: 'punctuation' | 'scalar' | 'comment' | 'end';
  readonly start: number;
  readonly end: number;
}

/** A collection that is open. */
interface Frame {
  readonly isObject: boolean;
  readonly path: JsonPath;
  readonly pathStarts: readonly number[];
  readonly start: number;
  /** Keys of an object, scalar items of an array. */
  readonly entries: { readonly name: string; readonly start: number }[];
  index: number;
  /** The key whose value is read; in an array, that of a pair without braces. */
  key: string | undefined;
  keyStart: number;
  /** Where the item begins. */
  itemStart: number;
  expects: 'entry' | 'colon' | 'value' | 'comma';
  last: Token | undefined;
}

/** What the cursor is on. */
interface Hit {
  readonly frame: Frame | undefined;
  readonly path: JsonPath;
  readonly pathStarts: readonly number[];
  readonly part: Cursor['part'];
  readonly token: Token | undefined;
}

/** The cursor; undefined behind the collection, in comments, and where a comma or colon has to come first. */
export function flowCursor(text: string, place: FlowPlace): Cursor | undefined {
  return new FlowScan(text, place).run();
}

class FlowScan {
  readonly #text: string;
  readonly #place: FlowPlace;
  readonly #frames: Frame[] = [];
  #position: number;
  #hit: Hit | undefined;
  #following: Token | undefined;
  #afterFollowing: Token | undefined;

  constructor(text: string, place: FlowPlace) {
    this.#text = text;
    this.#place = place;
    this.#position = place.start;
  }

  run(): Cursor | undefined {
    const { offset } = this.#place;
    for (;;) {
      const token = this.#next();
      if (token.kind === 'comment') {
        if (this.#hit === undefined && offset > token.start && offset <= token.end) return undefined;
        continue;
      }
      if (this.#hit === undefined) {
        if (offset <= token.start || (token.kind === 'scalar' && offset <= token.end)) {
          const inToken = token.kind === 'scalar' && offset >= token.start;
          const hit = this.#hitAt(inToken ? token : undefined);
          if (hit === undefined) return undefined;
          this.#hit = hit;
          if (!inToken) this.#following = token;
        }
      } else if (this.#following === undefined) this.#following = token;
      else this.#afterFollowing ??= token;
      if (token.kind === 'end') break;
      this.#take(token);
      // What no reader takes is not completed; every level has a path of its own.
      if (this.#frames.length > maxSourceDepth) return undefined;
      const done = this.#frames.length === 0;
      if (this.#hit === undefined && done) return undefined;
      if (this.#hit?.frame !== undefined && !this.#frames.includes(this.#hit.frame)) break;
      if (this.#hit !== undefined && done && this.#following !== undefined) break;
    }
    if (this.#following !== undefined && this.#afterFollowing === undefined)
      this.#afterFollowing = this.#next();
    const cursor = this.#hit && this.#cursor(this.#hit);
    return this.#hit !== undefined && cursor?.needsComma === false && this.#hasValueBehind(this.#hit)
      ? undefined
      : cursor;
  }

  /** True in a gap before a value that is written already. */
  #hasValueBehind({ frame, part, path, token }: Hit): boolean {
    const isValue =
      frame === undefined || (part === 'value' && (frame.isObject || frame.path.length + 2 === path.length));
    const following = this.#following;
    if (!isValue || token !== undefined || following === undefined) return false;
    return following.kind === 'scalar' || '{['.includes(this.#text[following.start] ?? ' ');
  }

  /** What stands or can stand at a token, or in the gap before it. */
  #hitAt(token: Token | undefined): Hit | undefined {
    const frame = this.#frames.at(-1);
    const { base, baseStarts, offset } = this.#place;
    if (frame === undefined) return { frame, path: base, pathStarts: baseStarts, part: 'value', token };
    const { isObject, expects } = frame;
    if (expects === 'value') {
      const { path, pathStarts } = this.#childPath(frame);
      return { frame, path, pathStarts, part: 'value', token };
    }
    if (token === undefined && expects !== 'entry') return undefined;
    if (isObject) return { frame, path: frame.path, pathStarts: frame.pathStarts, part: 'key', token };
    // Behind an item without a comma: another one is meant.
    const index = String(expects === 'comma' ? frame.index + 1 : frame.index);
    const pathStarts = [...frame.pathStarts, token?.start ?? offset];
    return { frame, path: [...frame.path, index], pathStarts, part: 'value', token };
  }

  #childPath({ isObject, key, keyStart, path, pathStarts, index, itemStart }: Frame): {
    readonly path: JsonPath;
    readonly pathStarts: readonly number[];
  } {
    if (isObject) return { path: [...path, key ?? ''], pathStarts: [...pathStarts, keyStart] };
    const item = [...path, String(index)];
    const itemStarts = [...pathStarts, itemStart];
    if (key === undefined) return { path: item, pathStarts: itemStarts };
    return { path: [...item, key], pathStarts: [...itemStarts, keyStart] };
  }

  #take(token: Token): void {
    const frame = this.#frames.at(-1);
    if (token.kind === 'scalar') {
      if (frame !== undefined) this.#takeScalar(frame, token);
      return;
    }
    const character = this.#text[token.start];
    if (character === '{' || character === '[') {
      if (frame?.isObject === false && frame.expects === 'comma') frame.index++;
      const { base, baseStarts } = this.#place;
      if (frame?.expects === 'entry' || frame?.expects === 'comma') frame.itemStart = token.start;
      const { path, pathStarts } =
        frame === undefined ? { path: base, pathStarts: baseStarts } : this.#childPath(frame);
      if (frame !== undefined) {
        frame.expects = 'comma';
        frame.last = undefined;
      }
      this.#frames.push({
        isObject: character === '{',
        path,
        pathStarts,
        start: token.start,
        keyStart: token.start,
        itemStart: token.start,
        entries: [],
        index: 0,
        key: undefined,
        expects: 'entry',
        last: undefined,
      });
    } else if (character === '}' || character === ']') this.#close(character === '}');
    else if (frame !== undefined && character === ',') {
      if (!frame.isObject) frame.index++;
      frame.expects = 'entry';
      frame.key = undefined;
      frame.last = undefined;
    } else if (frame !== undefined) this.#takeColon(frame);
  }

  #takeScalar(frame: Frame, token: Token): void {
    frame.last = token;
    if (frame.isObject && frame.expects !== 'value') {
      frame.key = unquoted(this.#text.slice(token.start, token.end));
      frame.keyStart = token.start;
      frame.entries.push({ name: frame.key, start: token.start });
      frame.expects = 'colon';
      return;
    }
    if (!frame.isObject && frame.expects !== 'value') {
      if (frame.expects === 'comma') frame.index++;
      frame.itemStart = token.start;
      const name = unquoted(this.#text.slice(token.start, token.end));
      frame.entries.push({ name, start: token.start });
    }
    frame.expects = 'comma';
  }

  #takeColon(frame: Frame): void {
    if (frame.expects === 'colon') {
      frame.expects = 'value';
    } else if (frame.expects === 'comma' && frame.last !== undefined) {
      // An item that is a pair; or what stood in a value's place is the next key, and the value isn't written yet.
      frame.key = unquoted(this.#text.slice(frame.last.start, frame.last.end));
      frame.keyStart = frame.last.start;
      if (frame.isObject) frame.entries.push({ name: frame.key, start: frame.last.start });
      else frame.entries.pop();
      frame.expects = 'value';
    }
  }

  /** Closes the innermost collection of that kind, with those that were left open in it. */
  #close(isObject: boolean): void {
    for (let depth = this.#frames.length - 1; depth >= 0; depth--) {
      if (this.#frames[depth]?.isObject !== isObject) continue;
      this.#frames.length = depth;
      return;
    }
  }

  #cursor({ frame, path, pathStarts, part, token }: Hit): Cursor {
    const text = this.#text;
    const { offset, format } = this.#place;
    const replace =
      token === undefined ? { start: offset, end: offset } : { start: token.start, end: token.end };
    const quote = quoteAt(text, token?.start, format);
    const nextIs = (character: string) =>
      this.#following?.kind === 'punctuation' && text[this.#following.start] === character;
    const hasColon = token !== undefined && nextIs(':');
    const isPair =
      hasColon && part === 'value' && frame?.isObject === false && frame.path.length === path.length - 1;
    const hasSiblings = part === 'key' || frame?.isObject === false;
    const entries = hasSiblings ? (frame?.entries ?? []) : [];
    const siblings = entries.filter(({ start }) => start !== token?.start);
    return {
      path,
      part: isPair ? 'key' : part,
      typed: typedText(text, replace, offset, quote),
      replace,
      quote,
      siblings: siblings.map(({ name }) => name),
      siblingStarts: siblings.map(({ start }) => start),
      pathStarts,
      style: format === 'json' ? 'json' : 'flow',
      childIndent: childIndent(text, offset, frame?.start),
      hasColon: hasColon && (part === 'key' || isPair),
      hasChildren: false,
      keyOrValue: false,
      needsSpace: format === 'yaml' && token === undefined && text[offset - 1] === ':',
      needsComma: this.#needsComma(part, token, frame, hasColon),
    };
  }

  #needsComma(
    part: Cursor['part'],
    token: Token | undefined,
    frame: Frame | undefined,
    hasColon: boolean,
  ): boolean {
    const following = this.#following;
    if (frame === undefined || following === undefined || hasColon) return false;
    const opens = following.kind === 'punctuation' && '{['.includes(this.#text[following.start] ?? '');
    if (following.kind !== 'scalar' && !opens) return false;
    if (part === 'key' || !frame.isObject || token !== undefined) return true;
    const after = this.#afterFollowing;
    return after?.kind === 'punctuation' && this.#text[after.start] === ':';
  }

  #next(): Token {
    const text = this.#text;
    let at = this.#position;
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    const start = at;
    if (at >= text.length) return { kind: 'end', start, end: start };
    const character = text[at] ?? '';
    const isYaml = this.#place.format === 'yaml';
    let kind: Token['kind'] = 'scalar';
    if ('{}[],'.includes(character)) {
      kind = 'punctuation';
      at++;
    } else if (character === ':' && (!isYaml || this.#isYamlColon(at))) {
      kind = 'punctuation';
      at++;
    } else if (isYaml && character === '#') {
      kind = 'comment';
      at = lineEnd(text, at);
    } else if (character === '"' || (isYaml && character === "'")) {
      at = this.#stringEnd(at);
    } else {
      at = isYaml ? plainEnd(text, at) : wordEnd(text, at);
    }
    this.#position = at;
    return { kind, start, end: at };
  }

  #isYamlColon(at: number): boolean {
    return (
      /[\s,[\]{}]/.test(this.#text[at + 1] ?? ' ') || this.#text[at - 1] === '"' || this.#text[at - 1] === "'"
    );
  }

  /** A quoted text that isn't closed on its line ends where the structure seems to go on. */
  #stringEnd(start: number): number {
    const text = this.#text;
    const closed = quotedEnd(text, start, text.length, true);
    if (closed !== undefined) return closed;
    const line = lineEnd(text, start);
    if (this.#place.format === 'yaml') {
      const later = quotedEnd(text, start, text.length);
      if (later !== undefined && /^\s*(?:[,\]}:#]|$)/.test(text.slice(later, later + 100))) return later;
    }
    for (let at = start + 1; at < line; at++) {
      if (',:{}[]'.includes(text[at] ?? '')) return at;
    }
    return start + text.slice(start, line).trimEnd().length;
  }
}

/** What of a token is before the cursor, without its quotation marks. */
export function typedText(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  offset: number,
  quote: Cursor['quote'],
): string {
  if (quote === undefined) return text.slice(start, offset);
  const isClosed = offset === end && end - 1 > start && text[end - 1] === quote;
  return text.slice(start + 1, isClosed ? offset - 1 : offset);
}

/** The quotation mark at an offset. */
export function quoteAt(text: string, start: number | undefined, format: 'yaml' | 'json'): Cursor['quote'] {
  const character = start === undefined ? undefined : text[start];
  if (character === '"') return character;
  return character === "'" && format === 'yaml' ? character : undefined;
}

/** The indentation of the cursor's line and one step more, as its collection's other lines have it. */
function childIndent(text: string, offset: number, frameStart: number | undefined): string {
  const own = indentationAt(text, offset);
  const outer = frameStart === undefined ? '' : indentationAt(text, frameStart);
  if (own.length > outer.length && own.startsWith(outer) && own.length - outer.length <= 8) {
    return own + own.slice(outer.length);
  }
  return own + (own.startsWith('\t') ? '\t' : '  ');
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isSpace(text.charCodeAt(at)) && !',:{}[]"'.includes(text[at] ?? '')) at++;
  return Math.max(at, start + 1);
}

/** The end of a plain scalar in a flow collection, over as many lines as it goes on. */
function plainEnd(text: string, start: number): number {
  let end = plainLineEnd(text, start);
  for (;;) {
    let next = end;
    while (next < text.length && isSpace(text.charCodeAt(next))) next++;
    if (
      next >= text.length ||
      !text.slice(end, next).includes('\n') ||
      ',[]{}#"\''.includes(text[next] ?? '')
    ) {
      return end;
    }
    const nextEnd = plainLineEnd(text, next);
    // A comma is missing: what stands there is a key.
    let after = nextEnd;
    while (text[after] === ' ' || text[after] === '\t') after++;
    if (text[after] === ':' || text[next] === ':') return end;
    end = nextEnd;
  }
}

function plainLineEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\n' || ',[]{}'.includes(character)) break;
    if (character === ':' && /[\s,[\]{}]/.test(text[at + 1] ?? ' ')) break;
    if (character === '#' && at > start && isSpace(text.charCodeAt(at - 1))) break;
  }
  return Math.max(start + 1, start + text.slice(start, at).trimEnd().length);
}
