/** The properties of Σ that occur as keys of data: initial states, examples, defaults of the schema. */
import type { SourceNode } from '../../../../schemas/text/sourceTree';
import type { SymbolFile, SymbolSink } from './occurrence';
import { rewrittenScalar } from './scalarText';
import type { SchemaGraph, SchemaNode } from './schemaGraph';

/** A value in a file, and what the schema says of it. */
export interface DataPart {
  readonly file: SymbolFile;
  /** What is added to the tree's offsets to get the file's. */
  readonly offset: number;
  readonly source: SourceNode;
  readonly format: 'yaml' | 'json';
  readonly graph: SchemaGraph;
  readonly node: SchemaNode;
}

/** Finds every key that is a declared property. Iterative, and along the data, so that recursive schemas end. */
export function readData({ file, offset, source, format, graph, node }: DataPart, sink: SymbolSink): void {
  const pending: { source: SourceNode; node: SchemaNode }[] = [{ source, node }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const [key, property] of part.source.properties ?? []) {
      const start = property.keyStart + offset;
      const end = property.keyEnd + offset;
      for (const id of graph.propertiesOf(part.node, key)) {
        sink.occurrence({
          symbol: { kind: 'field', id },
          uri: file.uri,
          start,
          end,
          role: 'reference',
          written: (name) => rewrittenScalar(file.text.slice(start, end), name, format),
          ...(part.source.properties && { siblings: part.source.properties }),
        });
      }
      const child = part.node.property(key);
      if (child !== undefined) pending.push({ source: property.node, node: child });
    }
    for (const [index, item] of (part.source.items ?? []).entries()) {
      const child = part.node.item(index);
      if (child !== undefined) pending.push({ source: item, node: child });
    }
  }
}
