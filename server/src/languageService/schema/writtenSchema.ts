/** What is written around the cursor in a schema that may not parse: keys beside it, keys and items below those, by looking at the text. */
import type { JsonPrimitive, JsonValue } from '../../../../schemas/json/jsonValue';
import { type Cursor, cursorAt } from '../cursor';
import { flowCursor } from '../flowCursor';
import { lineAfter, lineAt } from '../textLines';
import { siblingsBelow } from '../yamlClimb';
import { firstColumn, isItem, readYamlLine } from '../yamlLine';
import { quotedEnd, unquoted } from '../yamlScalar';

/** A key or a scalar item, and where it begins. */
export interface Written {
  readonly name: string;
  readonly start: number;
}

/** A subschema that can be referred to. */
export interface WrittenDefinition extends Written {
  readonly reference: string;
}

/** How many descriptions are looked up for one completion. */
const maxDescriptions = 100;

export class WrittenSchema {
  readonly #text: string;
  readonly #format: 'yaml' | 'json';
  readonly #cursor: Cursor;
  readonly #around = new Map<number, readonly Written[]>();
  readonly #below = new Map<number, readonly Written[]>();
  #definitions: readonly WrittenDefinition[] | undefined;
  #descriptions = 0;

  constructor(text: string, format: 'yaml' | 'json', cursor: Cursor) {
    this.#text = text.includes('\r') ? text.replaceAll('\r\n', ' \n').replaceAll('\r', '\n') : text;
    this.#format = format;
    this.#cursor = cursor;
  }

  /** The keys of the object at the first `depth` tokens of the cursor's path, that which is being typed left out. */
  keysAround(depth: number): readonly Written[] {
    const keys = this.#around.get(depth) ?? this.#findKeysAround(depth);
    this.#around.set(depth, keys);
    return keys;
  }

  #findKeysAround(depth: number): readonly Written[] {
    const { path, part, keyOrValue, pathStarts } = this.#cursor;
    if (depth === path.length) return part === 'key' || keyOrValue ? siblingsOf(this.#cursor) : [];
    const start = pathStarts[depth];
    const name = path[depth];
    const at = start === undefined ? undefined : cursorAt(this.#text, start, this.#format);
    if (at?.part !== 'key' || name === undefined || start === undefined) return [];
    return [...siblingsOf(at), { name, start }];
  }

  /** The keys of the object, or the scalar items of the array, that is the value of a key. */
  below(key: Written | undefined): readonly Written[] {
    if (key === undefined) return [];
    const found = this.#below.get(key.start) ?? this.#findBelow(key);
    this.#below.set(key.start, found);
    return found;
  }

  #findBelow(key: Written): readonly Written[] {
    const value = this.#valueOf(key);
    if (value === undefined) return [];
    if (value.kind === 'lines') return this.#linesBelow(key);
    if (value.kind === 'scalar') return [];
    const place = {
      start: value.start,
      offset: value.start + 1,
      format: this.#format,
      base: [],
      baseStarts: [],
    };
    const at = flowCursor(this.#text, place);
    if (at === undefined) return [];
    // A gap where another entry could be typed shows all of them; on an entry, that one is left out.
    const next = flowCursor(this.#text, { ...place, offset: this.#skipSpace(value.start + 1) });
    if (next === undefined) return siblingsOf(at);
    const { start, end } = next.replace;
    const own = start === end ? [] : [{ name: unquoted(this.#text.slice(start, end)), start }];
    return [...own, ...siblingsOf(next)];
  }

  /** The scalar that is the value of a key on its line. */
  scalarOf(key: Written | undefined): string | undefined {
    const value = key && this.#valueOf(key);
    if (value?.kind !== 'scalar') return undefined;
    return unquoted(this.#text.slice(value.start, value.end));
  }

  /** The value of a key as a list of texts: its items, or the scalar. */
  textsOf(key: Written | undefined): readonly string[] {
    const scalar = this.scalarOf(key);
    return scalar === undefined ? this.below(key).map(({ name }) => name) : [scalar];
  }

  /** The key or scalar at two offsets. */
  nameAt(start: number, end: number): string {
    return unquoted(this.#text.slice(start, end));
  }

  /** A value of the kind that the value of a key is of: objects are shown empty, arrays with their scalar items. */
  sampleOf(key: Written): JsonValue {
    const value = this.#valueOf(key);
    if (value === undefined || value.kind === 'lines') {
      const lines = this.#linesBelow(key);
      const [first] = lines;
      if (first === undefined) return null;
      return isItem(this.#text, lineAt(this.#text, first.start)) ? lines.map(({ name }) => name) : {};
    }
    if (value.kind !== 'scalar') {
      return this.#text[value.start] === '{' ? {} : this.below(key).map(({ name }) => name);
    }
    return scalarValue(this.#text.slice(value.start, value.end));
  }

  /** The scalar items of the array that is the value of a key. */
  scalarsBelow(key: Written | undefined): readonly JsonPrimitive[] {
    return this.below(key).map(({ name, start }) =>
      /["']/.test(this.#text[start] ?? '') ? name : scalarValue(name),
    );
  }

  /** What `$ref` can lead to: the entries of `$defs` and `definitions` at the root. */
  definitions(): readonly WrittenDefinition[] {
    this.#definitions ??= ['$defs', 'definitions'].flatMap((keyword) =>
      this.below(this.keysAround(0).find(({ name }) => name === keyword)).map((definition) => ({
        ...definition,
        reference: `#/${keyword}/${fragmentOf(definition.name)}`,
      })),
    );
    return this.#definitions;
  }

  /** The description of the subschema that is the value of a key; of the first that are asked for, as each takes time. */
  descriptionOf(key: Written): string | undefined {
    if (this.#descriptions++ >= maxDescriptions) return undefined;
    return this.scalarOf(this.below(key).find(({ name }) => name === 'description'));
  }

  #skipSpace(from: number): number {
    let at = from;
    while (at < this.#text.length && /\s/.test(this.#text[at] ?? '')) at++;
    return at;
  }

  #valueOf({
    start,
  }: Written):
    | { readonly kind: 'flow' | 'lines'; readonly start: number }
    | { readonly kind: 'scalar'; readonly start: number; readonly end: number }
    | undefined {
    const text = this.#text;
    const isQuoted = text[start] === '"' || text[start] === "'";
    const keyEnd = isQuoted ? quotedEnd(text, start, lineAt(text, start).end) : text.indexOf(':', start);
    if (keyEnd === undefined || keyEnd === -1) return undefined;
    const colon = this.#format === 'json' ? /\s*:\s*/y : /[ \t]*:[ \t]*(?:[&!]\S*[ \t]*)*/y;
    colon.lastIndex = keyEnd;
    const found = colon.exec(text);
    if (found === null) return undefined;
    const at = keyEnd + found[0].length;
    const character = text[at];
    if (character === '{' || character === '[') return { kind: 'flow', start: at };
    if (this.#format === 'yaml' && (character === undefined || '\n#'.includes(character))) {
      return { kind: 'lines', start: at };
    }
    const { end } = lineAt(text, at);
    if (character === '"' || character === "'") {
      const closed = quotedEnd(text, at, end);
      return closed === undefined ? undefined : { kind: 'scalar', start: at, end: closed };
    }
    if (character === '|' || character === '>') return undefined;
    if (this.#format === 'yaml') {
      const read = readYamlLine(text, lineAt(text, start));
      const isBlock = read.nodes.some((node) => node.start === start);
      if (isBlock) return { kind: 'scalar', start: at, end: Math.max(at, read.value.end) };
    }
    const ending = /(?:[,}\]]|[ \t]#|(?<![ \t])[ \t]*$)/m.exec(text.slice(at, end));
    const length = text.slice(at, at + (ending?.index ?? end - at)).trimEnd().length;
    return { kind: 'scalar', start: at, end: at + length };
  }

  /** The keys or items on the lines below a key in block style. */
  #linesBelow({ start }: Written): readonly Written[] {
    const text = this.#text;
    const line = lineAt(text, start);
    const column = start - line.start - (text.startsWith('\uFEFF') && line.start === 0 ? 1 : 0);
    for (let next = lineAfter(text, line); next !== undefined; next = lineAfter(text, next)) {
      const first = firstColumn(text, next);
      if (first === undefined) continue;
      const read = readYamlLine(text, next);
      if (read.kind === 'comment') continue;
      const [node] = read.nodes;
      if (node === undefined || first < column || (first === column && node.kind !== 'item')) return [];
      const { siblings } = siblingsBelow(text, next, node, { parentColumn: column, parentKind: 'key' });
      if (node.kind === 'key') return [{ name: node.name, start: node.start }, ...siblings];
      const { value } = read;
      const isScalar = read.nodes.length === 1 && (value.kind === 'plain' || value.kind === 'quoted');
      const own = { name: unquoted(text.slice(value.start, value.end)), start: value.start };
      return isScalar ? [own, ...siblings] : siblings;
    }
    return [];
  }
}

/** The value of a scalar as it is written, its quotation marks included. */
function scalarValue(written: string): JsonPrimitive {
  if (/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(written)) return Number(written);
  if (written === 'null') return null;
  return written === 'true' || written === 'false' ? written === 'true' : unquoted(written);
}

function siblingsOf({ siblings, siblingStarts }: Cursor): readonly Written[] {
  return siblings.map((name, index) => ({ name, start: siblingStarts[index] ?? 0 }));
}

/** A key as a token of a JSON Pointer in a URI fragment. */
export function fragmentOf(name: string): string {
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return encodeURIComponent(token.replace(/\p{Cs}/gu, '\uFFFD')).replace(
    /%(?:24|26|2B|2C|3A|3B|3D|40)/g,
    decodeURIComponent,
  );
}
