/** The parts of a state schema's text that are read before its keywords: files, root, dialect, invariants. */
import { formatPointer } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import type { LineIndex } from '../text/position';
import type { TextFile } from '../text/sourceFile';
import type { SourceNode, SourceProperty } from '../text/sourceTree';
import { SchemaBundle } from './schemaBundle';
import type { ReferencedFile } from './schemaFiles';
import type { ReportProblem } from './schemaIndex';
import { dialectUris, isSchemaLike } from './schemaKeywords';
import type { SchemaReport } from './schemaReport';
import type { Dialect, Invariant } from './stateSchema';

/** The schema with the files it refers to; undefined where there are none. Their texts' own problems are reported. */
export function bundleOf(
  schema: TextFile,
  lines: LineIndex,
  root: SourceNode,
  referenced: readonly ReferencedFile[],
  found: SchemaReport,
): SchemaBundle | undefined {
  const parts = referenced.filter((one) => one.kind === 'read').filter(({ path }) => path !== schema.path);
  if (parts.length === 0) return undefined;
  const bundle = new SchemaBundle(schema, lines, root, parts);
  found.use(bundle);
  bundle.files.slice(1).forEach(({ base, text }, index) => {
    const source = parts[index]?.source;
    for (const { kind, message, start, end } of source?.problems ?? [])
      found.add(`state.${kind}`, message, start + base, end + base);
    const report: ReportProblem = (code, message, { node: { start, end } }) =>
      found.add(code, message, start + base, end + base);
    readRoot(source?.root, text, (source?.problems.length ?? 0) > 0, report);
  });
  return bundle;
}

/** The document as a schema; undefined, and reported, where it is something else. */
export function readRoot(
  root: SourceNode | undefined,
  text: string,
  alreadyReported: boolean,
  report: ReportProblem,
): SourceNode | undefined {
  if (root !== undefined && isSchemaLike(root.value)) return root;
  if (!alreadyReported) {
    const message = 'A state schema has to be an object, such as type: object with properties.';
    report('state.not-a-schema', message, placeAt(root?.start ?? 0, root?.end ?? Math.min(1, text.length)));
  }
  return undefined;
}

/** The dialect that `$schema` names, 2020-12 without one; undefined, and reported, for others. */
export function readDialect(root: SourceNode, report: ReportProblem): Dialect | undefined {
  const property = root.properties?.get('$schema');
  const uri = property?.node.value;
  if (property === undefined || typeof uri !== 'string') return '2020-12';
  const plain = uri.replace(/#$/, '').replace(/^https?:/, '');
  for (const dialect of Object.keys(dialectUris) as Dialect[]) {
    if (plain === dialectUris[dialect].replace(/^https?:/, '')) return dialect;
  }
  const message = `The dialect ${JSON.stringify(uri)} is not known; use ${dialectUris['2020-12']} or ${dialectUris['draft-07']}#.`;
  report('state.unknown-dialect', message, property);
  return undefined;
}

/** The entries of `x-invariants` that can be read. */
export function readInvariants(schema: JsonObject | boolean): Invariant[] {
  const list = isJsonObject(schema) ? ownProperty(schema, 'x-invariants') : undefined;
  if (!Array.isArray(list)) return [];
  const invariants: Invariant[] = [];
  list.forEach((item: JsonValue, index) => {
    const expression = isJsonObject(item) ? ownProperty(item, 'expression') : undefined;
    if (!isJsonObject(item) || typeof expression !== 'string') return;
    const message = ownProperty(item, 'message');
    invariants.push({
      expression,
      message: typeof message === 'string' ? message : `This has to be true: ${expression}`,
      schemaLocation: formatPointer(['x-invariants', String(index)]),
    });
  });
  return invariants;
}

/** A place without a value of its own. */
export function placeAt(start: number, end: number): SourceProperty {
  return { keyStart: start, keyEnd: end, node: { value: null, start, end } };
}
