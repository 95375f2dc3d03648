/** The cursor in block-style YAML: the lines around it are read upwards by their indentation until the root is reached. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { Cursor } from './cursor';
import { flowCursor, quoteAt, typedText } from './flowCursor';
import { lineAfter, lineAt, type TextLine } from './textLines';
import { type Climb, climbFrom, type Level, type Sibling, siblingsBelow } from './yamlClimb';
import { contentStart, firstColumn, type LineNode, readYamlLine, type YamlLine } from './yamlLine';
import { quotedEnd } from './yamlScalar';

/** The cursor in a YAML text whose lines end with line feeds; see `cursorAt`. */
export function yamlCursor(text: string, offset: number): Cursor | undefined {
  const line = surrounded(text, readYamlLine(text, lineAt(text, offset)));
  if (line.kind === 'document-end') return undefined;
  const onMarker = line.kind === 'document-start';
  const columnOfCursor = offset - contentStart(text, line);
  const column = line.kind === 'blank' || line.kind === 'comment' ? columnOfCursor : line.column;
  if (columnOfCursor < 0) return undefined;
  const [outermost] = line.nodes;
  const carrier = onMarker
    ? undefined
    : carrierOf(text, line, {
        column,
        kind: outermost?.kind ?? 'key',
        start: outermost?.start ?? offset,
      });
  if (carrier !== undefined) return inCarrier(text, offset, carrier);
  if (line.hasTabIndent || offset > line.commentStart || line.kind === 'comment') return undefined;
  if (onMarker) {
    const { value } = line;
    if (value.kind === 'none' || offset < value.start) return undefined;
    return inValue(text, offset, line, { path: [], pathStarts: [], siblings: [], parentColumn: -1 });
  }
  return inBlock(text, offset, line);
}

/** A line that knows what is above it, climbing once for each level. */
interface SurroundedLine extends YamlLine {
  climb(level: Level): Climb;
}

function surrounded(text: string, line: YamlLine): SurroundedLine {
  const known = new Map<string, Climb>();
  return {
    ...line,
    climb(level) {
      const key = `${level.kind} ${level.column}`;
      const climb = known.get(key) ?? climbFrom(text, line, level);
      known.set(key, climb);
      return climb;
    },
  };
}

/** The value that a line is part of, if it isn't structure. */
function carrierOf(text: string, line: SurroundedLine, level: Level): Climb | undefined {
  const climb = line.climb(level);
  if (climb.carrier !== undefined) return climb;
  if (line.kind !== 'blank') return undefined;
  // An empty line is inside of what goes on below it, however far to the left the cursor is.
  let next = lineAfter(text, line);
  while (next !== undefined && firstColumn(text, next) === undefined) next = lineAfter(text, next);
  if (next === undefined) return undefined;
  const below = readYamlLine(text, next);
  const closes = below.value.kind === 'plain' && /[\]}]/.test(text[below.value.start] ?? '');
  if (below.column <= level.column && !closes) return undefined;
  const fromBelow = climbFrom(text, below, {
    column: below.column + (closes ? 1 : 0),
    kind: 'key',
    start: below.start,
  });
  const { carrier } = fromBelow;
  return carrier !== undefined && carrier.start < line.start ? fromBelow : undefined;
}

function inCarrier(text: string, offset: number, { path, pathStarts, carrier }: Climb): Cursor | undefined {
  if (carrier?.kind === 'flow') {
    return flowCursor(text, {
      start: carrier.start,
      offset,
      format: 'yaml',
      base: path,
      baseStarts: pathStarts,
    });
  }
  if (carrier?.kind !== 'quoted') return undefined;
  const end = quotedEnd(text, carrier.start, text.length);
  if (end === undefined || offset > end) return undefined;
  return scalarCursor(text, offset, { start: carrier.start, end }, { path, pathStarts, siblings: [] });
}

/** The cursor on a line that has structure, or can have. */
function inBlock(text: string, offset: number, line: SurroundedLine): Cursor | undefined {
  const { nodes, value } = line;
  const node = nodes.findLast(({ start }) => start <= offset);
  if (line.kind === 'blank') {
    return keyCursor(text, offset, line, {
      start: offset,
      end: offset,
      column: offset - contentStart(text, line),
    });
  }
  if (node?.kind === 'key') {
    if (offset <= node.end) return keyCursor(text, offset, line, { ...node, hasColon: true });
    if (offset < node.valueStart) return undefined;
    const climb = line.climb(node);
    if (climb.misplaced) return undefined;
    const path = [...climb.path, node.name];
    const pathStarts = [...climb.pathStarts, node.start];
    return inValue(text, offset, line, { path, pathStarts, siblings: [], parentColumn: node.column });
  }
  if (node?.kind === 'item') {
    if (node !== nodes.at(-1) || offset <= node.start) return undefined;
    return itemCursor(text, offset, line, node);
  }
  if (nodes.length > 0 || value.kind !== 'plain' || offset < value.start || offset > value.end) {
    if (nodes.length > 0 || value.kind === 'plain') return undefined;
    const { path, pathStarts } = line.climb({ column: line.column, kind: 'key', start: offset });
    return inValue(text, offset, line, { path, pathStarts, siblings: [], parentColumn: -1 });
  }
  // A dash whose blank isn't typed yet is no key.
  if (text.slice(value.start, value.end) === '-') return undefined;
  return keyCursor(text, offset, line, { start: value.start, end: value.end, column: line.column });
}

interface KeyToken {
  readonly start: number;
  readonly end: number;
  readonly column: number;
  readonly hasColon?: boolean;
}

function keyCursor(text: string, offset: number, line: SurroundedLine, token: KeyToken): Cursor | undefined {
  const level: Level = { column: token.column, kind: 'key', start: token.start };
  const climb = line.climb(level);
  const below = siblingsBelow(text, line, level, climb);
  if (climb.misplaced || below.misplaced) return undefined;
  // What is below would be torn from its key.
  if (line.kind === 'blank' && below.isFirstDeeper) return undefined;
  const siblings = [...climb.siblings, ...below.siblings];
  const hasColon = token.hasColon === true;
  const { start, end } = token;
  return {
    ...scalarCursor(text, offset, { start, end }, { ...climb, siblings }),
    part: 'key',
    childIndent: ' '.repeat(token.column + stepOf(text, token.column, climb.parentColumn)),
    hasColon,
    hasChildren: below.isFirstDeeper,
    keyOrValue: !hasColon && siblings.length === 0,
  };
}

/** Behind `- `: a scalar, or the first key of an object. */
function itemCursor(text: string, offset: number, line: SurroundedLine, item: LineNode): Cursor | undefined {
  const { value } = line;
  const isFree = value.kind === 'none';
  if (isFree ? offset === item.end : offset < value.start) return undefined;
  const level: Level = { column: item.column, kind: 'item', start: item.start };
  const climb = line.climb(level);
  if (climb.misplaced) return undefined;
  const below = siblingsBelow(text, line, level, climb);
  if (below.misplaced) return undefined;
  const items = [...climb.siblings, ...below.siblings];
  const place = {
    path: climb.path,
    pathStarts: climb.pathStarts,
    siblings: items,
    parentColumn: item.column,
  };
  if (!isFree && value.kind !== 'plain') return inValue(text, offset, line, place);
  if (!isFree && offset > value.end) return undefined;
  const column = (isFree ? offset : value.start) - contentStart(text, line);
  const keys = siblingsBelow(
    text,
    line,
    { column, kind: 'key', start: offset },
    { parentColumn: item.column, parentKind: 'item' },
  );
  if (keys.misplaced || (isFree && keys.isFirstDeeper)) return undefined;
  const token = isFree ? { start: offset, end: offset } : { start: value.start, end: value.end };
  const isKey = keys.siblings.length > 0;
  return {
    ...scalarCursor(text, offset, token, { ...climb, siblings: isKey ? keys.siblings : items }),
    part: isKey ? 'key' : 'value',
    childIndent: ' '.repeat(column + stepOf(text, item.column, climb.parentColumn)),
    keyOrValue: !isKey,
  };
}

interface ScalarPlace {
  readonly path: JsonPath;
  readonly pathStarts: readonly number[];
  readonly siblings: readonly Sibling[];
}

interface ValuePlace extends ScalarPlace {
  readonly parentColumn: number;
}

/** On or behind a colon, or on a scalar of its own. */
function inValue(text: string, offset: number, line: SurroundedLine, place: ValuePlace): Cursor | undefined {
  const { value } = line;
  if (value.kind === 'none') {
    const afterProperties = value.propertiesStart < value.start && offset >= value.start;
    if (offset > value.propertiesStart && !afterProperties) return undefined;
    // The lines below are the value.
    const { parentColumn } = place;
    const level: Level = { column: parentColumn, kind: 'key', start: offset };
    const isOnKey = parentColumn >= 0 && line.kind !== 'document-start';
    if (
      isOnKey &&
      siblingsBelow(text, line, level, { parentColumn: -1, parentKind: undefined }).isFirstDeeper
    ) {
      return undefined;
    }
    return scalarCursor(text, offset, { start: offset, end: offset }, place);
  }
  if (offset < value.start) return undefined;
  switch (value.kind) {
    case 'flow':
      if (offset === value.start) return undefined;
      return flowCursor(text, {
        start: value.start,
        offset,
        format: 'yaml',
        base: place.path,
        baseStarts: place.pathStarts,
      });
    case 'quoted': {
      const end = quotedEnd(text, value.start, value.end) ?? quotedEndBelow(text, line, place.parentColumn);
      const token = {
        start: value.start,
        end: end ?? value.start + text.slice(value.start, line.end).trimEnd().length,
      };
      return offset > token.end ? undefined : scalarCursor(text, offset, token, place);
    }
    case 'plain': {
      if (offset > value.end) return undefined;
      const end = plainEndBelow(text, line, place.parentColumn);
      return scalarCursor(text, offset, { start: value.start, end }, place);
    }
    default:
      return undefined;
  }
}

function scalarCursor(text: string, offset: number, token: TextLine, place: ScalarPlace): Cursor {
  const isEmpty = token.start === token.end;
  const quote = isEmpty ? undefined : quoteAt(text, token.start, 'yaml');
  return {
    path: place.path,
    part: 'value',
    typed: typedText(text, token, offset, quote),
    replace: { start: token.start, end: token.end },
    quote,
    siblings: place.siblings.map(({ name }) => name),
    siblingStarts: place.siblings.map(({ start }) => start),
    pathStarts: place.pathStarts,
    style: 'block',
    childIndent: '',
    hasColon: false,
    hasChildren: false,
    keyOrValue: false,
    needsSpace: isEmpty && /[^\s]/.test(text[offset - 1] ?? ' ') && text[offset - 1] !== '\uFEFF',
    needsComma: false,
  };
}

/** The end of a quoted scalar that goes on below; undefined where what is below can't be part of it. */
function quotedEndBelow(text: string, line: SurroundedLine, parentColumn: number): number | undefined {
  let last: TextLine = line;
  for (let next = lineAfter(text, line); next !== undefined; next = lineAfter(text, next)) {
    const column = firstColumn(text, next);
    if (column !== undefined && column <= parentColumn) break;
    last = next;
  }
  return quotedEnd(text, line.value.start, last.end);
}

/** The end of a plain scalar with the lines below that go on with it: deeper ones that are no structure. */
function plainEndBelow(text: string, line: SurroundedLine, parentColumn: number): number {
  let { end } = line.value;
  if (line.commentStart < line.end) return end;
  for (let next = lineAfter(text, line); next !== undefined; next = lineAfter(text, next)) {
    const column = firstColumn(text, next);
    if (column === undefined) continue;
    if (column <= parentColumn) break;
    const { kind, nodes, value } = readYamlLine(text, next);
    if (kind !== 'content' || nodes.length > 0 || value.kind !== 'plain') break;
    end = value.end;
  }
  return end;
}

/** How much deeper the lines below a node stand. */
function stepOf(text: string, column: number, parentColumn: number): number {
  const step = column - Math.max(parentColumn, 0);
  if (parentColumn >= 0 && step > 0 && step <= 8) return step;
  const first = /\n( {1,8})(?=[^\s#-])/.exec(text.slice(0, 10_000));
  return first?.[1]?.length ?? 2;
}
