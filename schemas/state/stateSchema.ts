/** Σ's schema: JSON Schema 2020-12 (or draft-07 by `$schema`) in YAML or JSON, with the `x-` annotations of SKILL.state. */
import { type JsonPath, parsePointer } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/jsonValue';
import { LineIndex, type Range } from '../text/position';
import type { Problem } from '../text/problem';
import { parseSourceFile, type TextFile } from '../text/sourceFile';
import { propertyAt, type SourceNode, type SourceProperty } from '../text/sourceTree';
import { defaultSchema } from './defaultSchema';
import { bundlePointer, filesKeyword, type SchemaBundle, splitBundlePointer } from './schemaBundle';
import type { ReferencedFile } from './schemaFiles';
import { type IndexedProperty, indexSchema, type ReportProblem, type SchemaIndex } from './schemaIndex';
import { SchemaLookup } from './schemaLookup';
import { bundleOf, placeAt, readDialect, readInvariants, readRoot } from './schemaReading';
import { SchemaReport } from './schemaReport';
import type { StateSchemaProblemCode } from './stateProblems';

export type { StateSchemaProblemCode } from './stateProblems';

export type Dialect = '2020-12' | 'draft-07';

/** How a patch's array meets Σ's (`x-merge`), and what gives way when it grows over `maxItems` (`x-evict`). */
export interface MergePolicy {
  readonly merge: 'replace' | 'append' | 'union';
  readonly evict: 'oldest' | undefined;
  readonly maxItems: number | undefined;
}

/** An entry of `x-invariants`: a CEL expression over `state` that has to be true of every Σ. */
export interface Invariant {
  readonly expression: string;
  readonly message: string;
  /** JSON Pointer into the schema, such as `/x-invariants/0`. */
  readonly schemaLocation: string;
}

/** A place in the schema file: the key that names the subschema or keyword, and its value. */
export interface SchemaRanges {
  readonly key: Range;
  readonly value: Range;
}

/** A property of Σ as the schema file declares it, found by a line of that file. */
export interface DeclaredProperty {
  /** JSON Pointer of the property's subschema, such as `/properties/inventory`. */
  readonly pointer: string;
  readonly range: Range;
}

/** A place in one of the files that a schema consists of. */
export interface SchemaPlace extends SchemaRanges {
  /** Relative to the skill's folder; undefined for the default schema. */
  readonly path: string | undefined;
}

/** A file that the schema refers to, directly or through others. */
export interface SchemaPart extends TextFile {
  readonly lines: LineIndex;
  readonly problems: readonly Problem<StateSchemaProblemCode>[];
  /** As {@link StateSchema.declaredProperties}; pointers begin in the schema, not in this file. */
  readonly declaredProperties: readonly DeclaredProperty[];
}

/** A loaded state schema. Without a schema file it is the bounded free-form default (`origin: 'default'`). */
export interface StateSchema {
  readonly origin: 'file' | 'default';
  /** True for a file that a state schema refers to, looked at by itself: its root describes some value, not Σ. */
  readonly isPart: boolean;
  /** The file's path relative to the skill's folder; undefined for the default. */
  readonly path: string | undefined;
  /** The file's text, or the default's as JSON. */
  readonly text: string;
  readonly dialect: Dialect;
  /** `true` where the file can't be read as a schema or is too large to be used, which `problems` says. */
  readonly schema: JsonObject | boolean;
  readonly invariants: readonly Invariant[];
  readonly problems: readonly Problem<StateSchemaProblemCode>[];
  /**
   * The subschemas that describe the value at a path of Σ, as JSON Pointers into the schema; follows `$ref`,
   * combinations (`allOf`, `anyOf`, …), `patternProperties`, `additionalProperties`, `items`.
   */
  pointersAt(path: JsonPath): readonly string[];
  /** The subschemas themselves, in the same order. */
  subschemasAt(path: JsonPath): readonly JsonValue[];
  /** Those of them that hold whatever the value is: not the branches of `anyOf`, `oneOf` and conditions. */
  certainSubschemasAt(path: JsonPath): readonly JsonValue[];
  /** The array policy at a path of Σ; `replace` where nothing else is said. */
  mergePolicyAt(path: JsonPath): MergePolicy;
  /** True where some array of the schema has an `x-merge` other than `replace`, so that merge can skip the look-ups. */
  readonly hasMergePolicies: boolean;
  /** Who may write at a path; `environment` holds for everything below such a field too. */
  writerAt(path: JsonPath): 'model' | 'environment';
  readonly hasWriters: boolean;
  /** Where a JSON Pointer into the schema stands in `text`; undefined where it leads nowhere or into another file. */
  rangesOf(pointer: string): SchemaRanges | undefined;
  /** The same for any of the schema's files; also for what {@link locationText} makes of a pointer. */
  placeOf(pointer: string): SchemaPlace | undefined;
  /** A pointer as people read it: in another file `shelves.yaml#/$defs/item`, in `text` unchanged. */
  locationText(pointer: string): string;
  /**
   * Where a reference leads that is written in the root of `text`, or of the file `from` of the schema. `path` is
   * relative to the skill's folder (undefined for the default schema), the pointer begins in that file.
   */
  resolveReference(
    reference: string,
    from?: string,
  ): { readonly path: string | undefined; readonly pointer: string } | undefined;
  /** The files that references lead to, apart from `text`; their contents are under `$files` of `schema`. */
  readonly parts: readonly SchemaPart[];
  /** The property declared on a 0-based line of `text`, or of the file `path` of the schema, if one is. */
  propertyAtLine(line: number, path?: string): DeclaredProperty | undefined;
  /** Every property declared in `text`, for breakpoint locations: `properties`, `patternProperties`, `additionalProperties`. */
  readonly declaredProperties: readonly DeclaredProperty[];
  /** The text as a tree with offsets, as far as it could be read, even where it is no schema. */
  readonly source: SourceNode | undefined;
  /** Positions in `text`. */
  readonly lines: LineIndex;
  /** Where the references of a subschema lead, by its JSON Pointer; those that lead nowhere are missing. */
  readonly references: ReadonlyMap<string, readonly string[]>;
}

/** The schema of a skill without one: free-form within the bounds of `freeFormBounds`. */
export function defaultStateSchema(): StateSchema {
  const text = `${JSON.stringify(defaultSchema(), null, 2)}\n`;
  return new LoadedStateSchema({ path: defaultPath, text }, 'default', []);
}

const defaultPath = 'default.json';

/**
 * Loads a state schema: JSON by its `.json` name, YAML otherwise. Never throws; `problems` says what is wrong.
 *
 * @param referenced the files that it refers to, as `readReferencedFiles` gives them; others are there for no reference
 * @param isPart whether it is only a part of a state schema
 */
export function loadStateSchema(
  file: TextFile,
  referenced: readonly ReferencedFile[] = [],
  isPart = false,
): StateSchema {
  return new LoadedStateSchema(file, 'file', referenced, isPart);
}

const noIndex: SchemaIndex = {
  references: new Map(),
  properties: [],
  hasMergePolicies: false,
  hasWriters: false,
  written: [],
  named: [],
  isTooLarge: false,
  resolve: () => undefined,
};

class LoadedStateSchema implements StateSchema {
  readonly origin: 'file' | 'default';
  readonly isPart: boolean;
  readonly path: string | undefined;
  readonly text: string;
  readonly dialect: Dialect;
  readonly schema: JsonObject | boolean;
  readonly invariants: readonly Invariant[];
  readonly problems: readonly Problem<StateSchemaProblemCode>[];
  readonly hasMergePolicies: boolean;
  readonly hasWriters: boolean;
  readonly declaredProperties: readonly DeclaredProperty[];
  readonly source: SourceNode | undefined;
  readonly lines: LineIndex;
  readonly references: ReadonlyMap<string, readonly string[]>;
  readonly parts: readonly SchemaPart[];
  readonly #root: SourceNode | undefined;
  readonly #bundle: SchemaBundle | undefined;
  readonly #index: SchemaIndex;
  readonly #lookup: SchemaLookup;
  readonly #propertiesByLine = new Map<string | undefined, ReadonlyMap<number, DeclaredProperty>>();

  constructor(
    file: TextFile,
    origin: 'file' | 'default',
    referenced: readonly ReferencedFile[],
    isPart = false,
  ) {
    this.origin = origin;
    this.isPart = isPart;
    this.path = origin === 'file' ? file.path : undefined;
    this.text = file.text;
    this.lines = new LineIndex(file.text);
    const found = new SchemaReport({ path: file.path, text: file.text, lines: this.lines });
    const report: ReportProblem = (code, message, { node: { start, end } }) =>
      found.add(code, message, start, end);
    const source = parseSourceFile(file);
    this.source = source.root;
    for (const { kind, message, start, end } of source.problems)
      found.add(`state.${kind}`, message, start, end);
    const root = readRoot(source.root, file.text, found.of(file.path).length > 0, report);
    this.#root = root;
    this.#bundle = root && bundleOf(file, this.lines, root, referenced, found);
    const others = this.#bundle?.files.slice(1) ?? [];
    found.noteBreaks();
    const reportInSchema: ReportProblem = (code, message, place) => {
      if (!found.isGuess(code, place.node.start, place.node.end)) report(code, message, place);
    };
    const dialect = root === undefined ? '2020-12' : readDialect(root, report);
    this.dialect = dialect ?? '2020-12';
    const index =
      root === undefined
        ? noIndex
        : indexSchema(
            this.#bundle?.root ?? root,
            this.dialect,
            dialect === undefined ? ignore : reportInSchema,
            { path: file.path, referenced },
          );
    this.#index = index;
    for (const { path } of others) this.#checkDialectOf(path, report);
    this.references = index.references;
    // Nobody looks into what nothing is checked against: it may be large in any way.
    this.schema = index.isTooLarge
      ? true
      : schemaValue(this.#bundle?.value(index.written, index.named) ?? root?.value);
    this.#lookup = new SchemaLookup(this.schema, index.references);
    this.hasMergePolicies = index.hasMergePolicies;
    this.hasWriters = index.hasWriters;
    this.invariants = readInvariants(this.schema);
    const declared = this.#declared(index.properties);
    this.declaredProperties = declared.get(file.path) ?? [];
    if (root !== undefined && !isPart && !found.hasErrors(file.path)) this.#checkRootType(root, report);
    this.problems = found.of(file.path);
    this.parts = others.map(({ path, text, lines }) => ({
      path,
      text,
      lines,
      problems: found.of(path),
      declaredProperties: declared.get(path) ?? [],
    }));
  }

  pointersAt(path: JsonPath): readonly string[] {
    return this.#lookup.at(path).pointers;
  }

  subschemasAt(path: JsonPath): readonly JsonValue[] {
    return this.#lookup.at(path).subschemas;
  }

  certainSubschemasAt(path: JsonPath): readonly JsonValue[] {
    return this.#lookup
      .at(path)
      .places.filter(({ certain }) => certain)
      .map(({ schema }) => schema);
  }

  mergePolicyAt(path: JsonPath): MergePolicy {
    return this.#lookup.at(path).mergePolicy;
  }

  writerAt(path: JsonPath): 'model' | 'environment' {
    return this.#lookup.at(path).environment ? 'environment' : 'model';
  }

  rangesOf(pointer: string): SchemaRanges | undefined {
    const path = parsePointer(pointer);
    if (path === undefined || this.#root === undefined) return undefined;
    const property = propertyAt(this.#root, path);
    if (property === undefined) return undefined;
    const { keyStart, keyEnd, node } = property;
    return { key: this.lines.rangeOf(keyStart, keyEnd), value: this.lines.rangeOf(node.start, node.end) };
  }

  placeOf(pointer: string): SchemaPlace | undefined {
    const [, name, inside] = /^([^#/][^#]*)#(.*)$/s.exec(pointer) ?? [];
    const whole = name === undefined || inside === undefined ? pointer : bundlePointer(name) + inside;
    const ranges = this.rangesOf(whole);
    if (ranges !== undefined) return { ...ranges, path: this.path };
    const path = parsePointer(whole);
    const property = path && this.#bundle && propertyAt(this.#bundle.root, path);
    if (property === undefined || splitBundlePointer(whole).path === undefined) return undefined;
    const { keyStart, keyEnd, node } = property;
    const key = this.#bundle?.place(keyStart, keyEnd);
    const value = this.#bundle?.place(node.start, node.end);
    return key && value && { path: key.file.path, key: key.range, value: value.range };
  }

  locationText(pointer: string): string {
    const { path, pointer: inside } = splitBundlePointer(pointer);
    return path === undefined || this.#bundle === undefined ? pointer : `${path}#${inside}`;
  }

  resolveReference(reference: string, from?: string) {
    const pointer = this.#index.resolve(reference, from === this.path ? undefined : from);
    if (pointer === undefined) return undefined;
    const { path, pointer: inside } = splitBundlePointer(pointer);
    return this.#bundle === undefined || path === undefined
      ? { path: this.path, pointer }
      : { path, pointer: inside };
  }

  propertyAtLine(line: number, path = this.path): DeclaredProperty | undefined {
    let byLine = this.#propertiesByLine.get(path);
    if (byLine === undefined) {
      const lines = new Map<number, DeclaredProperty>();
      const part = this.parts.find((one) => one.path === path);
      const properties = path === this.path ? this.declaredProperties : (part?.declaredProperties ?? []);
      for (const property of properties) {
        const { line: itsLine } = property.range.start;
        if (!lines.has(itsLine)) lines.set(itsLine, property);
      }
      byLine = lines;
      this.#propertiesByLine.set(path, byLine);
    }
    return byLine.get(line);
  }

  /** The declared properties by file, in the order of its text. */
  #declared(properties: readonly IndexedProperty[]): ReadonlyMap<string, readonly DeclaredProperty[]> {
    const byFile = new Map<string, DeclaredProperty[]>();
    for (const { pointer, keyStart, keyEnd } of properties) {
      const place = this.#bundle?.place(keyStart, keyEnd);
      const path = place?.file.path ?? this.path ?? defaultPath;
      const list = byFile.get(path) ?? [];
      byFile.set(path, list);
      list.push({ pointer, range: place?.range ?? this.lines.rangeOf(keyStart, keyEnd) });
    }
    for (const list of byFile.values()) list.sort(byPosition);
    return byFile;
  }

  /** One validator reads all files, by one dialect. */
  #checkDialectOf(path: string, report: ReportProblem): void {
    const root = this.#bundle?.root.properties?.get(filesKeyword)?.node.properties?.get(path)?.node;
    const property = root?.properties?.get('$schema');
    if (root === undefined || property === undefined) return;
    const dialect = readDialect(root, report);
    if (dialect === undefined || dialect === this.dialect) return;
    const message = `This file is written in ${dialect}, and ${this.path ?? 'the schema'}, which refers to it, in ${this.dialect}; use one dialect.`;
    report('state.mixed-dialects', message, property);
  }

  #checkRootType(root: SourceNode, report: ReportProblem): void {
    const type = root.properties?.get('type');
    if (root.value === false || (type !== undefined && !allowsObject(type.node.value))) {
      const message = 'The state is an object, but this schema allows none; write type: object.';
      report('state.root-not-object', message, type ?? placeAt(root.start, root.end));
      return;
    }
    const typed = this.subschemasAt([]).some(
      (schema) => isJsonObject(schema) && Object.hasOwn(schema, 'type'),
    );
    if (typed) return;
    const message = 'The schema does not say that the state is an object; add type: object.';
    report('state.untyped-root', message, firstKey(root) ?? placeAt(root.start, root.end));
  }
}

const ignore: ReportProblem = () => undefined;

function schemaValue(value: JsonValue | undefined): JsonObject | boolean {
  return isJsonObject(value) || typeof value === 'boolean' ? value : true;
}

function firstKey(root: SourceNode): SourceProperty | undefined {
  const first = root.properties?.values().next().value;
  return first && placeAt(first.keyStart, first.keyEnd);
}

function allowsObject(type: JsonValue): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function byPosition(a: { readonly range: Range }, b: { readonly range: Range }): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}
