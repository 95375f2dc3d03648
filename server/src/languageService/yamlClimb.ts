/** What is around a line of block-style YAML, found by indentation: upwards what it is in, downwards what else is in that. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { lineAfter, lineBefore, type TextLine } from './textLines';
import {
  contentStart,
  firstColumn,
  isItem,
  type LineNode,
  type LineValue,
  readYamlLine,
  simpleKey,
  type YamlLine,
} from './yamlLine';
import { unquoted } from './yamlScalar';

/** What leads from the root of the document to a line. */
export interface Climb {
  /** To the object or array that the level belongs to; where there is a carrier, to the carrier. */
  readonly path: JsonPath;
  /** Where the keys and items of that path begin. */
  readonly pathStarts: readonly number[];
  /** Keys of the level above the cursor; scalar items where it is a sequence. */
  readonly siblings: readonly Sibling[];
  /** A value that begins on a line above and goes on here: the line is no structure of its own. */
  readonly carrier: LineValue | undefined;
  /** True where nothing can begin in this column. */
  readonly misplaced: boolean;
  /** The column of the innermost node around the level; -1 at the root. */
  readonly parentColumn: number;
  readonly parentKind: LineNode['kind'] | undefined;
}

/** A key, or a scalar item. */
export interface Sibling {
  readonly name: string;
  readonly start: number;
}

/** The place of a node among the lines: its column, and what it is. */
export interface Level {
  readonly column: number;
  readonly kind: LineNode['kind'];
  /** Of an item: where its dash is. */
  readonly start: number;
}

/** Climbs from a line, whose own nodes before the level count, to the root. */
export function climbFrom(text: string, line: YamlLine, level: Level): Climb {
  return new Climber(text, level).climb(line);
}

class Climber {
  readonly #text: string;
  readonly #tokens: string[] = [];
  readonly #starts: number[] = [];
  readonly #siblings: Sibling[] = [];
  #column: number;
  #kind: LineNode['kind'];
  #index = 0;
  #start: number;
  #carrier: LineValue | undefined;
  #misplaced = false;
  /** In the innermost level still. */
  #isInnermost = true;
  #parentColumn = -1;
  #parentKind: LineNode['kind'] | undefined;
  #sawSibling = false;
  #sawItemAmongKeys = false;
  #sawDeeper = false;
  /** The topmost line that is content without structure in the column of the level. */
  #loose: LineValue | undefined;

  constructor(text: string, level: Level) {
    this.#text = text;
    this.#column = level.column;
    this.#kind = level.kind;
    this.#start = level.start;
  }

  climb(from: YamlLine): Climb {
    const own = from.nodes.findLastIndex(({ column }) => column < this.#column);
    if (own >= 0) this.#ascend(from.nodes, own);
    for (let line = lineBefore(this.#text, from); line !== undefined; line = lineBefore(this.#text, line)) {
      const column = firstColumn(this.#text, line);
      if (column === undefined) continue;
      if (column > this.#column) {
        this.#sawDeeper ||= this.#text[contentStart(this.#text, line) + column] !== '#';
        this.#loose = undefined;
        continue;
      }
      const simple =
        column === this.#column && this.#kind === 'key' ? simpleKey(this.#text, line) : undefined;
      if (simple !== undefined) {
        this.#loose = undefined;
        this.#meetKey({ name: simple, start: contentStart(this.#text, line) + column });
        continue;
      }
      if (
        column === this.#column &&
        this.#kind === 'item' &&
        !this.#isInnermost &&
        isItem(this.#text, line)
      ) {
        this.#loose = undefined;
        this.#index++;
        continue;
      }
      const read = readYamlLine(this.#text, line);
      if (read.kind === 'comment') continue;
      if (read.kind === 'document-end') break;
      if (read.kind === 'document-start') {
        if (read.value.kind !== 'none') this.#carry(read.value);
        break;
      }
      this.#loose = undefined;
      this.#visit(read);
    }
    this.#finish();
    const path = this.#tokens.reverse();
    return {
      path,
      pathStarts: this.#starts.reverse(),
      siblings: this.#siblings.reverse(),
      carrier: this.#carrier,
      misplaced: this.#misplaced,
      parentColumn: this.#parentColumn,
      parentKind: this.#parentKind,
    };
  }

  #finish(): void {
    // A document that is a collection in flow style, or a scalar, as a whole.
    if (this.#loose !== undefined && this.#loose.kind !== 'plain') {
      this.#carry(this.#loose);
      return;
    }
    this.#leaveLevel();
    if (this.#kind === 'item') this.#leaveItem();
  }

  #visit(line: YamlLine): void {
    const { nodes, value } = line;
    const at = nodes.findIndex(({ column }) => column === this.#column);
    const node = nodes[at];
    if (node !== undefined) this.#meet(nodes, at, node, value);
    else this.#enterParent(line);
  }

  /** A node in the column of the level. */
  #meet(nodes: readonly LineNode[], at: number, node: LineNode, value: LineValue): void {
    const isLast = at === nodes.length - 1;
    if (node.kind === 'item' && this.#kind === 'item') {
      this.#index++;
      this.#sawSibling = true;
      const isScalar = isLast && (value.kind === 'plain' || value.kind === 'quoted');
      if (this.#isInnermost && isScalar)
        this.#siblings.push({ name: unquoted(this.#text.slice(value.start, value.end)), start: value.start });
    } else if (node.kind === 'item') {
      // A sequence in the column of the key that it belongs to.
      if (!this.#sawSibling) this.#sawItemAmongKeys = true;
    } else if (this.#kind === 'item') {
      if (value.kind !== 'none') this.#misplaced = true;
      this.#ascend(nodes, at);
      return;
    } else {
      this.#meetKey(node);
    }
    if (at > 0) this.#ascend(nodes, at - 1);
  }

  #meetKey({ name, start }: Sibling): void {
    this.#sawSibling = true;
    this.#sawItemAmongKeys = false;
    if (this.#isInnermost) this.#siblings.push({ name, start });
  }

  /** A line that begins before the level's column, or content without structure. */
  #enterParent({ nodes, value, column }: YamlLine): void {
    const at = nodes.findLastIndex((candidate) => candidate.column < this.#column);
    if (at === -1) {
      const closes = value.kind === 'plain' && /[\]},]/.test(this.#text[value.start] ?? '');
      if (column === this.#column || closes) this.#loose = value;
      else {
        this.#carry(value);
        this.#column = column;
      }
      return;
    }
    if (at < nodes.length - 1) this.#misplaced = true;
    else if (value.kind !== 'none') this.#carry(value);
    this.#ascend(nodes, at);
  }

  /** What was found below is inside of this value. */
  #carry(value: LineValue): void {
    this.#carrier = value;
    this.#tokens.length = 0;
    this.#starts.length = 0;
    this.#siblings.length = 0;
    this.#isInnermost = false;
    this.#misplaced = false;
    this.#kind = 'key';
  }

  /** From the level to the node around it, and on to those before it on the same line. */
  #ascend(nodes: readonly LineNode[], from: number): void {
    this.#leaveLevel();
    for (let at = from; at >= 0; at--) {
      const node = nodes[at];
      if (node === undefined) return;
      if (this.#kind === 'item') this.#leaveItem();
      if (this.#isInnermost) {
        this.#parentColumn = node.column;
        this.#parentKind = node.kind;
      }
      this.#isInnermost = false;
      if (node.kind === 'key') {
        this.#tokens.push(node.name);
        this.#starts.push(node.start);
      }
      this.#column = node.column;
      this.#kind = node.kind;
      this.#index = 0;
      this.#start = node.start;
    }
  }

  #leaveItem(): void {
    this.#tokens.push(String(this.#index));
    this.#starts.push(this.#start);
  }

  #leaveLevel(): void {
    if (!this.#isInnermost) return;
    // Its neighbours stand deeper, or are items: no key fits in this column.
    if (!this.#sawSibling && this.#sawDeeper) this.#misplaced = true;
    if (this.#sawItemAmongKeys) this.#misplaced = true;
  }
}

/**
 * What stands below a line in its level; misplaced where the column doesn't fit what is there, `isFirstDeeper` where
 * the next line is inside of what would be written here.
 */
export function siblingsBelow(
  text: string,
  line: TextLine,
  level: Level,
  { parentColumn, parentKind }: Pick<Climb, 'parentColumn' | 'parentKind'>,
): { readonly siblings: readonly Sibling[]; readonly misplaced: boolean; readonly isFirstDeeper: boolean } {
  const siblings: Sibling[] = [];
  let isFirstDeeper: boolean | undefined;
  for (let next = lineAfter(text, line); next !== undefined; next = lineAfter(text, next)) {
    const column = firstColumn(text, next);
    if (column === undefined) continue;
    if (isFirstDeeper === undefined && text[contentStart(text, next) + column] !== '#') {
      const isList = level.kind === 'key' && isItem(text, next);
      isFirstDeeper = column > level.column || (column === level.column && isList);
    }
    if (column > level.column) continue;
    if (column < level.column) {
      const isComment = text[contentStart(text, next) + column] === '#';
      if (isComment) continue;
      // The items of a key may stand in its own column.
      const isOtherItem = parentKind === 'key' && column === parentColumn && isItem(text, next);
      return {
        siblings,
        misplaced: column > parentColumn || isOtherItem,
        isFirstDeeper: isFirstDeeper === true,
      };
    }
    const simple = level.kind === 'key' ? simpleKey(text, next) : undefined;
    if (simple !== undefined) {
      siblings.push({ name: simple, start: contentStart(text, next) + column });
      continue;
    }
    const { kind, nodes, value } = readYamlLine(text, next);
    if (kind === 'comment') continue;
    if (kind !== 'content') break;
    const [node] = nodes;
    if (node === undefined) continue;
    if (node.kind !== level.kind) {
      if (level.kind === 'item') break;
      continue;
    }
    if (node.kind === 'key') siblings.push({ name: node.name, start: node.start });
    else if (nodes.length === 1 && (value.kind === 'plain' || value.kind === 'quoted')) {
      siblings.push({ name: unquoted(text.slice(value.start, value.end)), start: value.start });
    }
  }
  return { siblings, misplaced: false, isFirstDeeper: isFirstDeeper === true };
}
