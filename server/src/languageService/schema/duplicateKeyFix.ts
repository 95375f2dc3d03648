/** The fix of a key that stands twice in one map: the source tree has the first alone, so the text is read once more. */
import { parseTree } from 'jsonc-parser';
import { isMap, isNode, type Node, parseDocument, visit } from 'yaml';
import type { Problem } from '../../../../schemas/text/problem';
import type { SourceNode, SourceProperty } from '../../../../schemas/text/sourceTree';
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
  const found = page.format === 'json' ? findInJson(page.text, start) : findInYaml(page.text, start);
  if (found === undefined) return [];
  const { mapStart, entries } = found;
  const index = entries.findIndex((entry) => entry.start === start);
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

interface FoundMap {
  readonly mapStart: number;
  readonly entries: readonly Entry[];
}

function findInJson(text: string, keyStart: number): FoundMap | undefined {
  const root = parseTree(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
  const pending = root === undefined ? [] : [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === 'object' && node.children?.some(({ offset }) => offset === keyStart))
      return {
        mapStart: node.offset,
        entries: node.children.map(({ offset, length }) => ({ start: offset, end: offset + length })),
      };
    pending.push(...(node.children ?? []));
  }
  return undefined;
}

function findInYaml(text: string, keyStart: number): FoundMap | undefined {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', prettyErrors: false });
  let found: FoundMap | undefined;
  visit(document, {
    Map(_key, map) {
      const entries = map.items.flatMap(({ key, value }): Entry[] => {
        const from = isNode(key) ? key.range?.[0] : undefined;
        if (from === undefined || !isNode(key)) return [];
        return [{ start: from, end: endOf(text, isNode(value) ? value : key) }];
      });
      if (!isMap(map) || !entries.some(({ start }) => start === keyStart)) return undefined;
      found = { mapStart: map.range?.[0] ?? keyStart, entries };
      return visit.BREAK;
    },
  });
  return found;
}

/** Where a node's own text ends: yaml counts the line breaks after a block among it. */
function endOf(text: string, node: Node): number {
  const [start = 0, end = 0] = node.range ?? [];
  return start + text.slice(start, end).trimEnd().length;
}
