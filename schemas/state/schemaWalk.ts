/** A walk over the subschemas of a schema's text, in the order of the text, for features that show what each part is. */
import type { SourceNode, SourceProperty } from '../text/sourceTree';
import { type KeywordKind, keywordsOf } from './schemaKeywords';
import type { Dialect } from './stateSchema';

/** What a walk tells of. */
export interface SchemaVisitor {
  /** A key of a subschema; `kind` is undefined for annotations and for what is no keyword. */
  keyword?(
    keyword: string,
    property: SourceProperty,
    kind: KeywordKind | undefined,
    schema: SourceNode,
  ): void;
  /** A name (or pattern) under `properties`, `$defs`, … of a subschema. */
  name?(mapKeyword: string, name: string, property: SourceProperty, schema: SourceNode): void;
}

/**
 * True where a value's children stand in its own text. Those of a YAML alias stand at its anchor, where they are
 * walked already.
 */
export function holdsItsChildren(node: SourceNode): boolean {
  const [first] = node.properties?.values() ?? [];
  const start = first?.keyStart ?? node.items?.[0]?.start;
  return start === undefined || (start >= node.start && start <= node.end);
}

/** Visits every keyword and name once; what aliases repeat is left out. Iterative. */
export function walkSchema(root: SourceNode, dialect: Dialect, visitor: SchemaVisitor): void {
  const keywords = keywordsOf(dialect);
  const pending: SourceNode[] = [root];
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (schema.properties === undefined || !holdsItsChildren(schema)) continue;
    const inside: SourceNode[] = [];
    for (const [keyword, property] of schema.properties) {
      const kind = keywords.get(keyword);
      visitor.keyword?.(keyword, property, kind, schema);
      const { node } = property;
      switch (kind) {
        case 'schema':
          inside.push(node);
          break;
        case 'schema-array':
        case 'schema-or-schema-array':
          if (node.items === undefined) inside.push(node);
          else if (holdsItsChildren(node)) for (const item of node.items) inside.push(item);
          break;
        case 'dependencies':
        case 'pattern-schema-map':
        case 'schema-map':
        case 'string-array-map':
          if (!holdsItsChildren(node)) break;
          for (const [name, entry] of node.properties ?? []) {
            visitor.name?.(keyword, name, entry, schema);
            if (kind !== 'string-array-map') inside.push(entry.node);
          }
          break;
        default:
      }
    }
    for (let index = inside.length - 1; index >= 0; index--) {
      const next = inside[index];
      if (next !== undefined) pending.push(next);
    }
  }
}
