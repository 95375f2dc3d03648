/** The fix of a key that stands twice in one map: the source tree has the first alone, so the text is read once more for all. */
import { parseTree } from 'jsonc-parser';
import { isNode, type Node, parseDocument, visit } from 'yaml';
import type { Problem } from '../../../../schemas/text/problem';
import type { SourceNode, SourceProperty } from '../../../../schemas/text/sourceTree';
import type { SchemaPage } from '../documents';
import type { Fix } from '../finding';
import { fixIn, type SchemaContext } from './schemaContext';

/** A key and what it has, with what stands beside it in the map. */
interface Entry {
  readonly start: number;
  readonly end: number;
}

/** Takes out the key that the problem is about, which is never the first. */
export function duplicateKeyFixes(context: SchemaContext, { range }: Problem): readonly Fix[] {
  const { page, editor } = context;
  const start = page.lines.offsetAt(range.start);
  const found = entriesIn(page).get(start);
  if (found === undefined) return [];
  const { mapStart, entries, index } = found;
  const entry = entries[index];
  if (entry === undefined) return [];
  const node: SourceNode = { value: null, start: mapStart, end: mapStart };
  const edit = editor.removeExtent(node, entry.start, entry.end, {
    before: propertyOf(entries[index - 1]),
    after: propertyOf(entries[index + 1]),
  });
  return fixIn(context, 'Remove the second one', [edit]);
}

function propertyOf(entry: Entry | undefined): SourceProperty | undefined {
  return (
    entry && {
      keyStart: entry.start,
      keyEnd: entry.start,
      node: { value: null, start: entry.start, end: entry.end },
    }
  );
}

/** An entry among those of its map. */
interface FoundEntry {
  readonly mapStart: number;
  readonly entries: readonly Entry[];
  readonly index: number;
}

/** The entries by where their keys begin. */
type FoundEntries = ReadonlyMap<number, FoundEntry>;

const entriesByPage = new WeakMap<SchemaPage, FoundEntries>();

function entriesIn(page: SchemaPage): FoundEntries {
  let found = entriesByPage.get(page);
  if (found === undefined) {
    found = page.format === 'json' ? entriesInJson(page.text) : entriesInYaml(page.text);
    entriesByPage.set(page, found);
  }
  return found;
}

function addMap(found: Map<number, FoundEntry>, mapStart: number, entries: readonly Entry[]): void {
  entries.forEach((entry, index) => {
    found.set(entry.start, { mapStart, entries, index });
  });
}

function entriesInJson(text: string): FoundEntries {
  const found = new Map<number, FoundEntry>();
  const root = parseTree(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
  const pending = root === undefined ? [] : [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const children = node.children ?? [];
    if (node.type === 'object') {
      const entries = children.map(({ offset, length }) => ({ start: offset, end: offset + length }));
      addMap(found, node.offset, entries);
    }
    for (const child of children) pending.push(child);
  }
  return found;
}

function entriesInYaml(text: string): FoundEntries {
  const found = new Map<number, FoundEntry>();
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', prettyErrors: false });
  visit(document, {
    Map(_key, { items, range }) {
      const entries = items.flatMap(({ key, value }): Entry[] => {
        const from = isNode(key) ? key.range?.[0] : undefined;
        if (from === undefined || !isNode(key)) return [];
        return [{ start: from, end: endOf(text, isNode(value) ? value : key) }];
      });
      addMap(found, range?.[0] ?? entries[0]?.start ?? 0, entries);
    },
  });
  return found;
}

/** Where a node's own text ends: yaml counts the line breaks after a block among it. */
function endOf(text: string, node: Node): number {
  const [start = 0, end = 0] = node.range ?? [];
  return start + text.slice(start, end).trimEnd().length;
}
