/** A reader of llama.cpp's GBNF, as far as derived grammars use it: texts of a grammar by chance, and whether it has a text. */

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly ranges: readonly (readonly [from: number, to: number])[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly name: string };

type Grammar = ReadonlyMap<string, Node>;

/** After so many characters a sample takes the shortest way to its end. */
const maxSampled = 2_000;
/** What has at least so many characters is written now and then, or where there is nothing shorter. */
const longPart = 100;

/** A text of the grammar. `random` gives numbers from 0 to below 1. */
export function grammarSample(grammar: string, random: () => number): string {
  const rules = parsed(grammar);
  const shortest = shortestLengths(rules);
  let text = '';
  const write = (node: Node): void => {
    const isLong = text.length > maxSampled;
    switch (node.kind) {
      case 'text':
        text += node.text;
        break;
      case 'class': {
        const [from, to] = node.ranges[Math.floor(random() * node.ranges.length)] ?? [0x20, 0x20];
        text += String.fromCodePoint(from + Math.floor(random() * (to - from + 1)));
        break;
      }
      case 'sequence':
        for (const part of node.parts) write(part);
        break;
      case 'choice': {
        const short = node.options.filter((one) => shortest(one) < longPart);
        const index = Math.floor(random() * short.length);
        const option = isLong
          ? node.options.reduce((least, one) => (shortest(one) < shortest(least) ? one : least))
          : (short[index] ?? node.options[0]);
        if (option !== undefined) write(option);
        break;
      }
      case 'repeat': {
        const end = shortest(node.part) < longPart ? 0.4 : 0.95;
        for (let count = 0; count < node.max; count++) {
          if (count >= node.min && (text.length > maxSampled || random() < end)) break;
          write(node.part);
        }
        break;
      }
      case 'rule':
        write(ruleOf(rules, node.name));
        break;
    }
  };
  write(ruleOf(rules, 'root'));
  return text;
}

/** The length of the shortest text of each node. */
function shortestLengths(rules: Grammar): (node: Node) => number {
  const known = new Map<string, number>();
  const lengthOf = (node: Node): number => {
    switch (node.kind) {
      case 'text':
        return node.text.length;
      case 'class':
        return 1;
      case 'sequence':
        return node.parts.reduce((sum, part) => sum + lengthOf(part), 0);
      case 'choice':
        return Math.min(...node.options.map(lengthOf));
      case 'repeat':
        return node.min === 0 ? 0 : node.min * lengthOf(node.part);
      case 'rule': {
        const before = known.get(node.name);
        if (before !== undefined) return before;
        known.set(node.name, Number.POSITIVE_INFINITY);
        const length = lengthOf(ruleOf(rules, node.name));
        known.set(node.name, length);
        return length;
      }
    }
  };
  return lengthOf;
}

/** True where the whole text is one of the grammar's. */
export function isOfGrammar(grammar: string, text: string): boolean {
  const rules = parsed(grammar);
  const known = new Map<Node, Map<number, ReadonlySet<number>>>();
  const from = (node: Node, start: number): ReadonlySet<number> => {
    const byStart = known.get(node) ?? new Map<number, ReadonlySet<number>>();
    known.set(node, byStart);
    const before = byStart.get(start);
    if (before !== undefined) return before;
    const ends = endsOf(node, start);
    byStart.set(start, ends);
    return ends;
  };
  const after = (starts: ReadonlySet<number>, node: Node): Set<number> => {
    const ends = new Set<number>();
    for (const start of starts) for (const end of from(node, start)) ends.add(end);
    return ends;
  };
  const endsOf = (node: Node, start: number): ReadonlySet<number> => {
    switch (node.kind) {
      case 'text':
        return new Set(text.startsWith(node.text, start) ? [start + node.text.length] : []);
      case 'class': {
        const code = text.codePointAt(start);
        const isIn = code !== undefined && node.ranges.some(([low, high]) => low <= code && code <= high);
        return new Set(isIn ? [start + String.fromCodePoint(code).length] : []);
      }
      case 'sequence':
        return node.parts.reduce<ReadonlySet<number>>(after, new Set([start]));
      case 'choice':
        return new Set(node.options.flatMap((option) => [...from(option, start)]));
      case 'repeat': {
        const ends = new Set<number>();
        let level: ReadonlySet<number> = new Set([start]);
        for (let count = 0; level.size > 0; count++) {
          if (count >= node.min) for (const end of level) ends.add(end);
          if (count === node.max) break;
          level = after(level, node.part);
        }
        return ends;
      }
      case 'rule':
        return from(ruleOf(rules, node.name), start);
    }
  };
  return from(ruleOf(rules, 'root'), 0).has(text.length);
}

function ruleOf(rules: Grammar, name: string): Node {
  const rule = rules.get(name);
  if (rule === undefined) throw new Error(`There is no rule ${name}`);
  return rule;
}

const cache = new Map<string, Grammar>();

/** @throws Error for what isn't the GBNF that this reader knows, and for rules that are used and not there */
function parsed(grammar: string): Grammar {
  const known = cache.get(grammar);
  if (known !== undefined) return known;
  const rules = new Map<string, Node>();
  for (const line of grammar.split('\n')) {
    if (line === '') continue;
    const [, name, body] = /^([a-z0-9-]+) ::= (.*)$/.exec(line) ?? [];
    if (name === undefined || body === undefined || rules.has(name)) throw new Error(`No rule: ${line}`);
    rules.set(name, new LineReader(body).whole());
  }
  for (const [, name = ''] of grammar
    .replaceAll(/"(?:\\.|[^"\\])*"|\[[^\]]*\]/g, '')
    .matchAll(/\b(r[0-9a-z]+)\b/g))
    ruleOf(rules, name);
  if (cache.size > 20) cache.clear();
  cache.set(grammar, rules);
  return rules;
}

class LineReader {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
  }

  whole(): Node {
    const node = this.#choice();
    if (this.#at < this.#line.length) throw new Error(`Unread: ${this.#line.slice(this.#at, this.#at + 40)}`);
    return node;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take(/\s*\|\s*/y) !== undefined) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      this.#take(/ +/y);
      const part = this.#repeated();
      if (part === undefined) return { kind: 'sequence', parts };
      parts.push(part);
    }
  }

  #repeated(): Node | undefined {
    const part = this.#atom();
    if (part === undefined) return undefined;
    const sign = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (sign === undefined) return part;
    if (sign === '?') return { kind: 'repeat', part, min: 0, max: 1 };
    if (sign === '*' || sign === '+')
      return { kind: 'repeat', part, min: sign === '*' ? 0 : 1, max: Number.POSITIVE_INFINITY };
    const [, min = '0', comma, max = ''] = /\{(\d+)(,)?(\d*)\}/.exec(sign) ?? [];
    const most = comma === undefined ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max);
    return { kind: 'repeat', part, min: Number(min), max: most };
  }

  #atom(): Node | undefined {
    const quoted = this.#take(/"(?:\\.|[^"\\])*"/y);
    if (quoted !== undefined) return { kind: 'text', text: charactersOf(quoted.slice(1, -1)).join('') };
    const listed = this.#take(/\[(?:\\.|[^\]\\])*\]/y);
    if (listed !== undefined) return { kind: 'class', ranges: rangesOf(listed.slice(1, -1)) };
    const name = this.#take(/[a-z0-9-]+/y);
    if (name !== undefined) return { kind: 'rule', name };
    if (this.#take(/\(/y) === undefined) return undefined;
    const inner = this.#choice();
    if (this.#take(/\)/y) === undefined) throw new Error('A group is not closed');
    return inner;
  }

  #take(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#line)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const character = /\\(?:x([0-9A-F]{2})|u([0-9A-F]{4})|U([0-9A-F]{8})|([nrt"\\[\]]))|[^\\]/gu;

/** Characters with their escapes resolved; an escape that llama.cpp doesn't know is an error. */
function charactersOf(text: string): string[] {
  if (text.replaceAll(character, '') !== '') throw new Error(`An unknown escape in ${text}`);
  return [...text.matchAll(character)].map(([written, two, four, eight, letter]) => {
    const digits = two ?? four ?? eight;
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
    if (letter === undefined) return written;
    return { n: '\n', r: '\r', t: '\t' }[letter] ?? letter;
  });
}

function rangesOf(text: string): readonly (readonly [number, number])[] {
  // A dash between two characters is one; one by itself is written by its number.
  const parts = [...text.matchAll(character)].map(([written]) => written);
  const codes = charactersOf(text).map((one) => one.codePointAt(0) ?? 0);
  const ranges: [number, number][] = [];
  for (let index = 0; index < parts.length; index++) {
    const from = codes[index] ?? 0;
    if (parts[index + 1] === '-' && parts[index + 2] !== undefined) {
      ranges.push([from, codes[index + 2] ?? from]);
      index += 2;
    } else ranges.push([from, from]);
  }
  if (text.startsWith('^')) throw new Error('A negated class');
  return ranges;
}
