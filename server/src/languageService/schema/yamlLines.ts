/**
 * A YAML text written anew line by line: each line keeps what it says, and gets its indentation and spacing from the
 * structure around it. No line is joined or broken, so that every line of the result belongs to one of the source.
 */
import { type CST, Parser } from 'yaml';

/** A block collection: the column that it began at in the source, and the one that it is written at. */
interface Block {
  readonly origin: number;
  readonly column: number;
  /** Where what is inside of an entry begins, at least. */
  readonly contentColumn: number;
  readonly outer: Block | undefined;
}

type Line =
  | {
      readonly kind: 'content';
      readonly origin: number;
      readonly column: number;
      readonly text: string;
      /** The innermost collection at the line's end. */
      readonly block: Block | undefined;
    }
  | {
      readonly kind: 'comment';
      readonly origin: number;
      /** Where it has to begin; undefined for one between blocks, which follows what is around it. */
      readonly column: number | undefined;
      readonly text: string;
      readonly block: Block | undefined;
    }
  | { readonly kind: 'blank' }
  /** Inside of a scalar: blank lines and spaces count. */
  | { readonly kind: 'verbatim'; readonly text: string };

/** What a token may stand in. */
interface Surroundings {
  readonly block: Block | undefined;
  /** The column of what begins a line here. */
  readonly column: number;
  readonly inFlow: boolean;
}

/** The lines of a text that parses; `indent` is the number of spaces for each level of mappings. */
export function formatYamlLines(text: string, indent: number): readonly string[] {
  const writer = new LineWriter(text, Math.max(1, indent));
  for (const token of new Parser().parse(text)) writer.token(token, rootSurroundings);
  return writer.finish();
}

const rootSurroundings: Surroundings = { block: undefined, column: 0, inFlow: false };

/** Tokens after which a space is due if anything follows. */
const spacedAfter: ReadonlySet<string> = new Set([
  'comma',
  'explicit-key-ind',
  'map-value-ind',
  'seq-item-ind',
]);
/** Tokens whose last character would take the colon behind it for its own. */
const greedyBeforeColon: ReadonlySet<string> = new Set(['alias', 'anchor', 'tag']);
const flowEnds: ReadonlySet<string> = new Set(['flow-map-end', 'flow-seq-end']);

/** The depth of a text that parses is bounded by its reader, and with it this recursion. */
class LineWriter {
  readonly #text: string;
  readonly #indent: number;
  readonly #lines: Line[] = [];
  #parts = '';
  #first: { origin: number; column: number; inFlow: boolean; isComment: boolean } | undefined;
  #block: Block | undefined;
  #lastKind = '';
  #sawSpace = false;
  /** The offset of the source line that is being read. */
  #lineStart = 0;

  constructor(text: string, indent: number) {
    this.#text = text;
    this.#indent = indent;
  }

  token(token: CST.Token, around: Surroundings): void {
    switch (token.type) {
      case 'document':
        this.#all(token.start, around);
        if (token.value !== undefined) this.token(token.value, around);
        this.#all(token.end, around);
        break;
      case 'block-map':
        this.#blockMap(token, around);
        break;
      case 'block-seq':
        this.#blockSequence(token, around);
        break;
      case 'flow-collection':
        this.#flow(token, around);
        break;
      case 'block-scalar':
        this.#all(token.props, around);
        this.#blockScalar(token, around);
        break;
      case 'alias':
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
        this.#scalar(token, around);
        this.#all(token.end, around);
        break;
      case 'space':
        this.#sawSpace = true;
        break;
      case 'newline':
        this.#endLine(token.offset + token.source.length);
        break;
      case 'byte-order-mark':
      case 'doc-mode':
      case 'flow-error-end':
      case 'error':
        break;
      case 'doc-end':
        this.#atom(token.source, token, around);
        this.#all(token.end, around);
        break;
      default:
        this.#atom(token.source, token, around);
    }
  }

  finish(): readonly string[] {
    if (this.#first !== undefined) this.#endLine(this.#text.length);
    const columns = this.#commentColumns();
    const lines: string[] = [];
    this.#lines.forEach((line, index) => {
      switch (line.kind) {
        case 'blank':
          if (lines.length > 0 && this.#lines[index - 1]?.kind !== 'blank') lines.push('');
          break;
        case 'verbatim':
          lines.push(line.text);
          break;
        case 'content':
          lines.push(' '.repeat(line.column) + line.text);
          break;
        case 'comment':
          lines.push(' '.repeat(line.column ?? columns.get(index) ?? 0) + line.text);
          break;
      }
    });
    if (this.#lines.at(-1)?.kind === 'blank') while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  #all(tokens: readonly CST.Token[] | undefined, around: Surroundings): void {
    for (const token of tokens ?? []) this.token(token, around);
  }

  #blockMap(map: CST.BlockMap, around: Surroundings): void {
    const { column } = around;
    const block: Block = { origin: map.indent, column, contentColumn: column, outer: around.block };
    const onKey: Surroundings = { block, column, inFlow: false };
    for (const { start, key, sep, value, explicitKey } of map.items) {
      const content = column + (explicitKey === true ? 2 : this.#indent);
      const onValue: Surroundings = { block, column: content, inFlow: false };
      this.#all(start, onKey);
      if (key) this.token(key, explicitKey === true ? onValue : onKey);
      for (const token of sep ?? []) this.token(token, token.type === 'map-value-ind' ? onKey : onValue);
      if (value !== undefined) this.token(value, onValue);
    }
  }

  #blockSequence(sequence: CST.BlockSequence, around: Surroundings): void {
    const { column } = around;
    const block: Block = { origin: sequence.indent, column, contentColumn: column + 2, outer: around.block };
    const onDash: Surroundings = { block, column, inFlow: false };
    const onValue: Surroundings = { block, column: column + 2, inFlow: false };
    for (const { start, value } of sequence.items) {
      let afterDash = false;
      for (const token of start) {
        afterDash ||= token.type === 'seq-item-ind';
        this.token(token, token.type === 'seq-item-ind' || !afterDash ? onDash : onValue);
      }
      if (value !== undefined) this.token(value, onValue);
    }
  }

  #flow(collection: CST.FlowCollection, around: Surroundings): void {
    const base =
      this.#first === undefined
        ? around.column
        : this.#first.inFlow
          ? this.#first.column
          : (around.block?.contentColumn ?? 0);
    const inside: Surroundings = { block: around.block, column: base + this.#indent, inFlow: true };
    this.token(collection.start, around);
    for (const { start, key, sep, value } of collection.items) {
      this.#all(start, inside);
      if (key) this.token(key, inside);
      this.#all(sep, inside);
      if (value !== undefined) this.token(value, inside);
    }
    for (const token of collection.end) {
      const closes = flowEnds.has(token.type);
      this.token(token, closes ? { ...inside, column: base } : around.inFlow ? around : inside);
    }
  }

  #scalar(scalar: CST.FlowScalar, around: Surroundings): void {
    const [first = '', ...rest] = scalar.source.split(/\r?\n/);
    // Spaces at the end of a line belong to no plain or single-quoted text; in double quotes they may be escaped.
    const trims = scalar.type !== 'double-quoted-scalar';
    const trimmed = (part: string) => (trims ? part.trimEnd() : part);
    this.#atom(rest.length > 0 ? trimmed(first) : first, scalar, around);
    if (rest.length === 0) return;
    const column = around.inFlow || around.block === undefined ? around.column : this.#continued(around);
    let offset = scalar.offset + first.length;
    rest.forEach((part, index) => {
      offset += this.#text.startsWith('\r\n', offset) ? 2 : 1;
      if (this.#first !== undefined) this.#endLine(offset);
      const text = index < rest.length - 1 ? trimmed(part.trimStart()) : part.trimStart();
      if (text === '' && index < rest.length - 1) {
        this.#lines.push({ kind: 'verbatim', text: '' });
      } else {
        const at = offset + part.length - part.trimStart().length;
        this.#first = { origin: at - offset, column, inFlow: around.inFlow, isComment: false };
        this.#parts = text;
        this.#block = around.block;
        this.#lastKind = scalar.type;
      }
      offset += part.length;
    });
  }

  /** Deeper than the entry that the scalar belongs to. */
  #continued({ block, column }: Surroundings): number {
    return block !== undefined && column <= block.column ? block.column + this.#indent : column;
  }

  #blockScalar(scalar: CST.BlockScalar, around: Surroundings): void {
    const end = scalar.offset + scalar.props.reduce((length, prop) => length + lengthOf(prop), 0);
    const header = scalar.props.find(({ type }) => type === 'block-scalar-header');
    const hasIndicator = header !== undefined && 'source' in header && /\d/.test(header.source);
    const lines = scalar.source.split(/\r?\n/);
    // The last line end belongs to the line before it.
    if (lines.at(-1) === '') lines.pop();
    const origin = originOf(lines);
    const column = this.#continued(around);
    const shift = hasIndicator
      ? (around.block?.column ?? 0) - (around.block?.origin ?? 0)
      : around.block === undefined
        ? 0
        : column - origin;
    for (const line of lines) this.#lines.push({ kind: 'verbatim', text: shifted(line, shift) });
    this.#lineStart = end + scalar.source.length;
    this.#block = around.block;
    this.#sawSpace = false;
  }

  /** Writes a token into the current line. */
  #atom(
    text: string,
    { type, offset }: { readonly type: string; readonly offset: number },
    around: Surroundings,
  ): void {
    const isComment = type === 'comment';
    if (this.#first === undefined) {
      const origin = offset - this.#lineStart;
      this.#first = { origin, column: around.column, inFlow: around.inFlow, isComment };
      this.#parts = isComment ? text.trimEnd() : text;
    } else {
      this.#parts += (this.#needsSpace(type) ? ' ' : '') + (isComment ? text.trimEnd() : text);
    }
    if (!isComment) this.#block = around.block;
    this.#lastKind = type;
    this.#sawSpace = false;
  }

  #needsSpace(type: string): boolean {
    if (type === 'comment') return true;
    if (type === 'comma') return false;
    if (type === 'map-value-ind' && !greedyBeforeColon.has(this.#lastKind))
      return spacedAfter.has(this.#lastKind);
    if (spacedAfter.has(this.#lastKind)) return this.#sawSpace || !flowEnds.has(type);
    return this.#sawSpace;
  }

  /** @param next the offset of the next line in the source */
  #endLine(next: number): void {
    const first = this.#first;
    const text = this.#lastKind === 'double-quoted-scalar' ? this.#parts : this.#parts.trimEnd();
    if (first === undefined) {
      this.#lines.push({ kind: 'blank' });
    } else if (first.isComment) {
      const column = first.inFlow ? first.column : undefined;
      this.#lines.push({ kind: 'comment', origin: first.origin, column, text, block: this.#block });
    } else {
      const { origin, column } = first;
      this.#lines.push({ kind: 'content', origin, column, text, block: this.#block });
    }
    this.#first = undefined;
    this.#parts = '';
    this.#lastKind = '';
    this.#sawSpace = false;
    this.#lineStart = next;
  }

  /**
   * Where comment lines between blocks begin, by their index. One that began where the next entry does follows it,
   * any other the block whose column it had, or the nearest one to the left of it.
   */
  #commentColumns(): ReadonlyMap<number, number> {
    const columns = new Map<number, number>();
    let next: { readonly origin: number; readonly column: number } | undefined;
    for (let index = this.#lines.length - 1; index >= 0; index--) {
      const line = this.#lines[index];
      if (line?.kind === 'content') next = line;
      if (line?.kind !== 'comment') continue;
      if (next !== undefined && next.origin === line.origin) {
        columns.set(index, next.column);
        continue;
      }
      let block = line.block;
      while (block !== undefined && block.origin > line.origin) block = block.outer;
      const isDeeperNext = next !== undefined && next.origin <= line.origin;
      const left = block?.column ?? 0;
      const isNearer = isDeeperNext && next !== undefined && next.origin > (block?.origin ?? -1);
      columns.set(index, isNearer && next !== undefined ? next.column : left);
    }
    return columns;
  }
}

function lengthOf(token: CST.Token): number {
  return 'source' in token ? token.source.length : 0;
}

/** The indentation of a block scalar without an indicator: that of its first line with content. */
function originOf(lines: readonly string[]): number {
  const first = lines.find((line) => line.trim() !== '');
  if (first !== undefined) return first.length - first.replace(/^ +/, '').length;
  return lines.reduce((most, line) => Math.max(most, line.length), 0);
}

function shifted(line: string, by: number): string {
  if (by >= 0) return line === '' ? '' : ' '.repeat(by) + line;
  const spaces = line.length - line.replace(/^ +/, '').length;
  return line.slice(Math.min(spaces, -by));
}
