/**
 * A schema and the files it refers to as one document: each file stands under `$files` by its path, and offsets go on
 * from file to file. So pointers, look-ups and the validator know nothing of files, and places are mapped back here.
 */
import { formatPointer, type JsonPath, parsePointer, pointerFragment, valueAt } from '../json/jsonPointer';
import { defineOwnProperty, isJsonObject, type JsonObject, type JsonValue } from '../json/jsonValue';
import { LineIndex, type Range } from '../text/position';
import type { TextFile } from '../text/sourceFile';
import type { SourceNode, SourceProperty } from '../text/sourceTree';
import type { ReadSchemaFile } from './schemaFiles';

/** The key that the files stand under, by their paths; JSON Schema knows none of this name. */
export const filesKeyword = '$files';

/** A file of the bundle. */
export interface BundledFile {
  readonly path: string;
  readonly text: string;
  readonly lines: LineIndex;
  /** Where it begins in the offsets of the bundle. */
  readonly base: number;
  /** JSON Pointer of its root. */
  readonly pointer: string;
}

/** A reference as the bundle has it. */
export interface BundledReference {
  /** Of the subschema that has the keyword. */
  readonly pointer: string;
  readonly keyword: string;
  readonly target: string;
}

/** The file that a pointer into a bundle leads into, and the pointer inside of it. `path` is undefined for the schema's own. */
export function splitBundlePointer(pointer: string): {
  readonly path: string | undefined;
  readonly pointer: string;
} {
  const [, keyword, name] = pointer.split('/', 3);
  if (keyword !== filesKeyword || name === undefined) return { path: undefined, pointer };
  const [path] = parsePointer(`/${name}`) ?? [];
  return { path, pointer: pointer.slice(filesKeyword.length + name.length + 2) };
}

/** The pointer of a file's root in a bundle. */
export function bundlePointer(path: string): string {
  return formatPointer([filesKeyword, path]);
}

export class SchemaBundle {
  /** The schema's own file first. */
  readonly files: readonly BundledFile[];
  /** The whole, with offsets of the bundle. */
  readonly root: SourceNode;

  constructor(schema: TextFile, lines: LineIndex, root: SourceNode, files: readonly ReadSchemaFile[]) {
    const bundled: BundledFile[] = [{ ...schema, lines, base: 0, pointer: '' }];
    const properties = new Map<string, SourceProperty>();
    let base = schema.text.length + 1;
    for (const { path, text, source } of files) {
      bundled.push({ path, text, lines: new LineIndex(text), base, pointer: bundlePointer(path) });
      if (source.root !== undefined) {
        const node = shifted(source.root, base, new Map());
        properties.set(path, { keyStart: node.start, keyEnd: node.start, node });
      }
      base += text.length + 1;
    }
    this.files = bundled;
    this.root = withFiles(root, properties);
  }

  /** The file that an offset of the bundle lies in, and a range of it. */
  place(start: number, end: number): { readonly file: BundledFile; readonly range: Range } {
    const file = this.files.findLast(({ base }) => base <= start) ?? this.files[0];
    if (file === undefined) throw new Error('A bundle has at least the file of its schema.');
    return { file, range: file.lines.rangeOf(start - file.base, end - file.base) };
  }

  /**
   * The schema that all of it makes: references lead to pointers of the bundle, and the names that they went by
   * (`$id`, anchors) are gone, so that two files may use the same.
   *
   * @param named pointers of subschemas that have such names
   */
  value(references: readonly BundledReference[], named: readonly string[]): JsonObject | boolean {
    const copy = copied(this.root.value);
    for (const pointer of named) {
      const subschema = objectAt(copy, pointer);
      for (const keyword of ['$id', '$anchor', '$dynamicAnchor']) delete subschema?.[keyword];
    }
    for (const { path } of this.files.slice(1)) delete objectAt(copy, bundlePointer(path))?.$schema;
    for (const { pointer, keyword, target } of references) {
      const subschema = objectAt(copy, pointer);
      if (subschema !== undefined) subschema[keyword] = `#${pointerFragment(target)}`;
    }
    return isJsonObject(copy) || typeof copy === 'boolean' ? copy : true;
  }
}

function withFiles(root: SourceNode, files: ReadonlyMap<string, SourceProperty>): SourceNode {
  if (root.properties === undefined || !isJsonObject(root.value) || files.size === 0) return root;
  const fileValues: Record<string, JsonValue> = {};
  for (const [path, { node }] of files) defineOwnProperty(fileValues, path, node.value);
  const value: Record<string, JsonValue> = {};
  for (const [key, own] of Object.entries(root.value)) defineOwnProperty(value, key, own);
  value[filesKeyword] = fileValues;
  const { start, end } = root;
  const node: SourceNode = { value: fileValues, start: end, end, properties: files };
  const properties = new Map(root.properties).set(filesKeyword, { keyStart: end, keyEnd: end, node });
  return { value, start, end, properties };
}

/** A tree that begins further on. What aliases share stays shared; its depth is bounded by its reader. */
function shifted(node: SourceNode, by: number, known: Map<unknown, SourceNode>): SourceNode {
  const content = node.properties ?? node.items;
  const place = { start: node.start + by, end: node.end + by };
  const before = content && known.get(content);
  if (before !== undefined) return { ...before, ...place };
  const result: SourceNode = {
    value: node.value,
    ...place,
    ...(node.properties !== undefined && {
      properties: new Map(
        [...node.properties].map(([key, { keyStart, keyEnd, node: child }]) => [
          key,
          { keyStart: keyStart + by, keyEnd: keyEnd + by, node: shifted(child, by, known) },
        ]),
      ),
    }),
    ...(node.items !== undefined && { items: node.items.map((item) => shifted(item, by, known)) }),
  };
  if (content !== undefined) known.set(content, result);
  return result;
}

/** A value of which every object may be changed. */
function copied(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copied);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(value)) defineOwnProperty(copy, key, copied(child));
  return copy;
}

function objectAt(root: JsonValue, pointer: string): Record<string, JsonValue> | undefined {
  const path: JsonPath | undefined = parsePointer(pointer);
  const value = path === undefined ? undefined : valueAt(root, path);
  return isOwnCopy(value) ? value : undefined;
}

/** Objects of a copy may be changed. */
function isOwnCopy(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return isJsonObject(value);
}
