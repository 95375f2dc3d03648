/** Σ's schema: JSON Schema 2020-12 (or draft-07 by `$schema`) in YAML or JSON, with the `x-` annotations of SKILL.state. */
import { formatPointer, type JsonPath, parsePointer } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import { LineIndex, type Range } from '../text/position';
import type { Problem } from '../text/problem';
import { parseSourceFile, type TextFile } from '../text/sourceFile';
import { propertyAt, type SourceNode, type SourceProperty } from '../text/sourceTree';
import { defaultSchema } from './defaultSchema';
import { type IndexedProperty, indexSchema, type ReportProblem, type SchemaIndex } from './schemaIndex';
import { dialectUris, isSchemaLike } from './schemaKeywords';
import { SchemaLookup } from './schemaLookup';
import { type StateSchemaProblemCode, stateSchemaProblems } from './stateProblems';

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

/** A loaded state schema. Without a schema file it is the bounded free-form default (`origin: 'default'`). */
export interface StateSchema {
  readonly origin: 'file' | 'default';
  /** The file's path relative to the skill's folder; undefined for the default. */
  readonly path: string | undefined;
  /** The file's text, or the default's as JSON. */
  readonly text: string;
  readonly dialect: Dialect;
  /** `true` where the file can't be read as a schema, which `problems` says. */
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
  /** Where a JSON Pointer into the schema stands in `text`; undefined where it leads nowhere. */
  rangesOf(pointer: string): SchemaRanges | undefined;
  /** The property declared on a 0-based line of `text`, if one is. */
  propertyAtLine(line: number): DeclaredProperty | undefined;
  /** Every declared property, for breakpoint locations: `properties`, `patternProperties`, `additionalProperties`. */
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
  return new LoadedStateSchema({ path: 'default.json', text }, 'default');
}

/** Loads a state schema: JSON by its `.json` name, YAML otherwise. Never throws; `problems` says what is wrong. */
export function loadStateSchema(file: TextFile): StateSchema {
  return new LoadedStateSchema(file, 'file');
}

const noIndex: SchemaIndex = {
  references: new Map(),
  properties: [],
  hasMergePolicies: false,
  hasWriters: false,
};

class LoadedStateSchema implements StateSchema {
  readonly origin: 'file' | 'default';
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
  readonly #root: SourceNode | undefined;
  readonly #lookup: SchemaLookup;
  #propertiesByLine: ReadonlyMap<number, DeclaredProperty> | undefined;

  constructor(file: TextFile, origin: 'file' | 'default') {
    this.origin = origin;
    this.path = origin === 'file' ? file.path : undefined;
    this.text = file.text;
    this.lines = new LineIndex(file.text);
    const problems: Problem<StateSchemaProblemCode>[] = [];
    const report: ReportProblem = (code, message, { node: { start, end } }) => {
      problems.push({
        code,
        severity: stateSchemaProblems[code],
        message,
        range: this.lines.rangeOf(start, end),
      });
    };
    const source = parseSourceFile(file);
    this.source = source.root;
    for (const { kind, message, start, end } of source.problems)
      report(`state.${kind}`, message, placeAt(start, end));
    // What a broken text seems to have as keys is a guess.
    const broken = problems.some(({ severity }) => severity === 'error');
    const reportInSchema: ReportProblem = (code, message, place) => {
      if (!broken || code !== 'state.unknown-keyword') report(code, message, place);
    };
    const root = readRoot(source.root, file.text, problems.length > 0, report);
    this.#root = root;
    this.schema = root === undefined ? true : (root.value as JsonObject | boolean);
    const dialect = root === undefined ? '2020-12' : readDialect(root, report);
    this.dialect = dialect ?? '2020-12';
    const index =
      root === undefined
        ? noIndex
        : indexSchema(root, this.dialect, dialect === undefined ? ignore : reportInSchema);
    this.references = index.references;
    this.#lookup = new SchemaLookup(this.schema, index.references);
    this.hasMergePolicies = index.hasMergePolicies;
    this.hasWriters = index.hasWriters;
    this.invariants = readInvariants(this.schema);
    this.declaredProperties = index.properties.map((property) => this.#declared(property)).sort(byPosition);
    if (root !== undefined && problems.every(({ severity }) => severity !== 'error')) {
      this.#checkRootType(root, report);
    }
    this.problems = problems.sort(byPosition);
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

  propertyAtLine(line: number): DeclaredProperty | undefined {
    if (this.#propertiesByLine === undefined) {
      const byLine = new Map<number, DeclaredProperty>();
      for (const property of this.declaredProperties) {
        const { line: itsLine } = property.range.start;
        if (!byLine.has(itsLine)) byLine.set(itsLine, property);
      }
      this.#propertiesByLine = byLine;
    }
    return this.#propertiesByLine.get(line);
  }

  #declared({ pointer, keyStart, keyEnd }: IndexedProperty): DeclaredProperty {
    return { pointer, range: this.lines.rangeOf(keyStart, keyEnd) };
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

function placeAt(start: number, end: number): SourceProperty {
  return { keyStart: start, keyEnd: end, node: { value: null, start, end } };
}

function firstKey(root: SourceNode): SourceProperty | undefined {
  const first = root.properties?.values().next().value;
  return first && placeAt(first.keyStart, first.keyEnd);
}

/** The document as a schema; undefined, and reported, where it is something else. */
function readRoot(
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
function readDialect(root: SourceNode, report: ReportProblem): Dialect | undefined {
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

function readInvariants(schema: JsonObject | boolean): Invariant[] {
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

function allowsObject(type: JsonValue): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function byPosition(a: { readonly range: Range }, b: { readonly range: Range }): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}
