/**
 * One walk over a state schema's text: checks every keyword, and notes what look-ups need: where references lead,
 * which properties are declared, which annotations occur.
 */
import { formatPointer } from '../json/jsonPointer';
import { patternSize } from '../text/patternSize';
import { compilePattern } from '../text/safePattern';
import { childOf, type SourceNode, type SourceProperty } from '../text/sourceTree';
import { annotationNames, checkAnnotations } from './schemaAnnotations';
import type { BundledReference } from './schemaBundle';
import {
  isSchemaLike,
  type KeywordKind,
  keywordsOf,
  mismatch,
  nearestType,
  simpleTypes,
} from './schemaKeywords';
import { anonymousBase, type IndexedFiles, SchemaReferences } from './schemaReferences';
import { resolveUri, splitFragment } from './schemaUri';
import type { StateSchemaProblemCode } from './stateProblems';
import type { Dialect } from './stateSchema';
import { keyPlaceOf, reportUnknown, type UnknownKeyword } from './unknownKeywords';

/** A declared property, with UTF-16 offsets of its key. */
export interface IndexedProperty {
  readonly pointer: string;
  readonly keyStart: number;
  readonly keyEnd: number;
}

export interface SchemaIndex {
  /** Where the references of a subschema lead, by its JSON Pointer. */
  readonly references: ReadonlyMap<string, readonly string[]>;
  readonly properties: readonly IndexedProperty[];
  readonly hasMergePolicies: boolean;
  readonly hasWriters: boolean;
  /** Each reference by itself, for the schema that a bundle makes. */
  readonly written: readonly BundledReference[];
  /** JSON Pointers of the subschemas with an `$id` or an anchor. */
  readonly named: readonly string[];
  /** True where the schema has more of something than can be checked against, which is reported. */
  readonly isTooLarge: boolean;
  /**
   * The pointer of what a reference leads to, were it written in the root of a file (of the schema's own without one);
   * undefined where it leads nowhere.
   */
  resolve(reference: string, file?: string): string | undefined;
}

export type ReportProblem = (code: StateSchemaProblemCode, message: string, place: SourceProperty) => void;

interface Subschema {
  readonly property: SourceProperty;
  readonly pointer: string;
  /** The URI that references in it are resolved against. */
  readonly base: string;
}

interface Reference {
  readonly from: Subschema;
  readonly keyword: string;
  readonly place: SourceProperty;
}

/** How many subschemas a schema may have in all: the validator's code grows with them. */
const maxSubschemas = 2_000;

/** How many of them one keyword may combine: each stands inside the one before in the validator's code. */
const maxCombined = 200;
const combiningKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'patternProperties']);

/** How many keys may require others, by `dependentRequired` and `dependencies` together: the validator has code for each. */
const maxDependentKeys = 1_000;

/**
 * How much they may require: for each key the number of names times their length, since every name that is missing is
 * told with all of them.
 */
const maxDependencySize = 500_000;

/** How large the programs of all patterns together may be: each takes time to compile. */
const maxPatternSizes = 200_000;

/** Walks a schema (or a bundle of files). Iterative, so that neither depth nor cycles matter. */
export function indexSchema(
  root: SourceNode,
  dialect: Dialect,
  report: ReportProblem,
  files: IndexedFiles,
): SchemaIndex {
  return new Indexer(root, dialect, report, files).index();
}

class Indexer {
  readonly #root: SourceNode;
  readonly #dialect: Dialect;
  readonly #keywords: ReadonlyMap<string, KeywordKind>;
  readonly #report: ReportProblem;
  readonly #pending: Subschema[] = [];
  readonly #visited = new Set<string>();
  readonly #found: Reference[] = [];
  readonly #unknown: UnknownKeyword[] = [];
  readonly #references = new Map<string, string[]>();
  readonly #properties: IndexedProperty[] = [];
  readonly #resolver: SchemaReferences;
  readonly #written: BundledReference[] = [];
  readonly #named: string[] = [];
  #isTooLarge = false;
  #dependentKeys = 0;
  #patternSizes = 0;
  #dependencySize = 0;
  #hasMergePolicies = false;
  #hasWriters = false;

  constructor(root: SourceNode, dialect: Dialect, report: ReportProblem, files: IndexedFiles) {
    this.#root = root;
    this.#dialect = dialect;
    this.#keywords = keywordsOf(dialect);
    this.#report = report;
    this.#resolver = new SchemaReferences(root, dialect, files);
  }

  index(): SchemaIndex {
    const property = { keyStart: this.#root.start, keyEnd: this.#root.end, node: this.#root };
    const fileRoots = this.#resolver.fileRoots().filter((file) => isSchemaLike(file.property.node.value));
    this.#pending.push(...fileRoots.reverse(), { property, pointer: '', base: anonymousBase });
    this.#walk();
    // A reference may lead to a place that no keyword makes a schema, and that place may hold references.
    for (let next = 0; next < this.#found.length; next++) {
      const reference = this.#found[next];
      if (reference !== undefined) this.#follow(reference);
      this.#walk();
    }
    reportUnknown(this.#unknown, [...this.#references.values()].flat(), this.#dialect, this.#report);
    return {
      references: this.#references,
      properties: this.#properties,
      hasMergePolicies: this.#hasMergePolicies,
      hasWriters: this.#hasWriters,
      written: this.#written,
      named: this.#named,
      isTooLarge: this.#isTooLarge,
      resolve: (reference, file) => this.#resolver.resolveIn(reference, file),
    };
  }

  #walk(): void {
    for (let schema = this.#pending.pop(); schema !== undefined; schema = this.#pending.pop()) {
      if (this.#visited.has(schema.pointer)) continue;
      this.#visited.add(schema.pointer);
      if (this.#visited.size > maxSubschemas) {
        this.#tooLarge(`The schema has more than ${maxSubschemas} subschemas`, schema.property);
        this.#pending.length = 0;
        return;
      }
      this.#visit(schema);
    }
  }

  #visit(schema: Subschema): void {
    const { node } = schema.property;
    if (node.properties === undefined) return;
    const here = this.#enterResource(schema, node);
    this.#resolver.enterRoot(schema.pointer, here.base);
    const before = this.#pending.length;
    for (const [keyword, property] of node.properties) {
      const kind = this.#keywords.get(keyword);
      if (kind !== undefined) this.#keyword(here, keyword, kind, property);
      else if (!reportedKeywords.has(keyword) && !this.#resolver.holdsFiles(schema.pointer, keyword))
        this.#unknown.push({ keyword, pointer: schema.pointer + formatPointer([keyword]), property });
    }
    // The last of the pending is next: this way subschemas are visited in the order of the text.
    for (const next of this.#pending.splice(before).reverse()) this.#pending.push(next);
    this.#foreignKeywords(node);
    const seen = checkAnnotations(node, schema.pointer === '', this.#report);
    this.#hasMergePolicies ||= seen.mergePolicy;
    this.#hasWriters ||= seen.writer;
  }

  /** Registers `$id` and anchors, and gives the subschema the base that its own references have. */
  #enterResource(schema: Subschema, node: SourceNode): Subschema {
    const id = node.properties?.get('$id');
    if (['$id', '$anchor', '$dynamicAnchor'].some((keyword) => node.properties?.has(keyword) === true))
      this.#named.push(schema.pointer);
    const written = id?.node.value;
    let base = schema.base;
    if (id !== undefined && typeof written === 'string') {
      // `#name` is draft-07's way to write an anchor.
      if (!written.startsWith('#')) base = splitFragment(resolveUri(written, base)).resource;
      this.#register(written.startsWith('#') ? base + written : base, schema.pointer, id);
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = node.properties?.get(keyword);
      const name = anchor?.node.value;
      if (anchor !== undefined && typeof name === 'string') {
        this.#register(`${base}#${name}`, schema.pointer, anchor);
      }
    }
    return { ...schema, base };
  }

  #register(uri: string, pointer: string, property: SourceProperty): void {
    const other = this.#resolver.register(uri, pointer);
    if (other !== undefined) {
      const written = JSON.stringify(String(property.node.value));
      const message = `${written} names another subschema too (${other || 'the root'}); give each its own name.`;
      this.#report('state.duplicate-identifier', message, placeOf(property));
    }
  }

  /** Keywords of other standards that the validator gives up on. */
  #foreignKeywords(node: SourceNode): void {
    const id = node.properties?.get('id');
    if (id !== undefined) {
      this.#report(
        'state.unsupported-keyword',
        'id is a keyword of draft-04; write $id, or remove it.',
        keyPlaceOf(id),
      );
    }
    const nullable = node.properties?.get('nullable');
    if (nullable !== undefined && node.properties?.has('type') !== true) {
      const message = 'nullable is a keyword of OpenAPI; write "null" as one of the types instead.';
      this.#report('state.unsupported-keyword', message, keyPlaceOf(nullable));
    }
  }

  #keyword(schema: Subschema, keyword: string, kind: KeywordKind, property: SourceProperty): void {
    const { node } = property;
    const expected = mismatch(kind, node.value);
    if (expected !== undefined) {
      if (kind === 'type') this.#invalidType(expected, property);
      else this.#invalid(keyword, expected, property);
      return;
    }
    const parts = node.items?.length ?? node.properties?.size ?? 0;
    if (combiningKeywords.has(keyword) && parts > maxCombined) {
      this.#tooLarge(`${keyword} has ${parts} subschemas, more than ${maxCombined}`, property);
      return;
    }
    switch (kind) {
      case 'pattern':
        this.#pattern(String(node.value), 'value', property);
        break;
      case 'reference':
        this.#noteReference(schema, keyword, property);
        break;
      case 'schema':
        if (keyword === 'additionalProperties') this.#declare(schema, [keyword], property);
        this.#enter(schema, [keyword], property);
        break;
      case 'schema-array':
        this.#enterAll(schema, keyword, node);
        break;
      case 'schema-or-schema-array':
        if (node.items === undefined) this.#enter(schema, [keyword], property);
        else this.#enterAll(schema, keyword, node);
        break;
      case 'dependencies':
      case 'pattern-schema-map':
      case 'schema-map':
        for (const [name, entry] of node.properties ?? []) this.#mapEntry(schema, keyword, kind, name, entry);
        break;
      case 'string-array-map':
        for (const entry of node.properties?.values() ?? []) this.#namesEntry(keyword, entry);
        break;
      case 'vocabulary':
        for (const entry of node.properties?.values() ?? []) this.#entry(keyword, 'boolean', entry);
        break;
      default:
    }
  }

  #mapEntry(
    schema: Subschema,
    keyword: string,
    kind: KeywordKind,
    name: string,
    entry: SourceProperty,
  ): void {
    if (kind === 'dependencies' && entry.node.items !== undefined) {
      this.#namesEntry(keyword, entry);
      return;
    }
    if (kind === 'pattern-schema-map') this.#pattern(name, 'key', entry);
    if (kind === 'pattern-schema-map' || keyword === 'properties')
      this.#declare(schema, [keyword, name], entry);
    this.#enter(schema, [keyword, name], entry);
  }

  #noteReference(from: Subschema, keyword: string, place: SourceProperty): void {
    if (keyword !== '$ref' && keyword !== '$dynamicRef') return;
    this.#found.push({ from, keyword, place });
  }

  /** The names that a key requires. */
  #namesEntry(keyword: string, entry: SourceProperty): void {
    this.#entry(keyword, 'string-array', entry);
    const names = entry.node.items ?? [];
    const length = names.reduce((sum, { value }) => sum + (typeof value === 'string' ? value.length : 0), 0);
    this.#dependentKeys++;
    this.#dependencySize += names.length * length;
    if (this.#dependentKeys > maxDependentKeys)
      this.#tooLarge(`${keyword} has rules for more than ${maxDependentKeys} keys`, entry);
    else if (this.#dependencySize > maxDependencySize)
      this.#tooLarge(`${keyword} requires too many keys, or keys with too long names`, entry);
  }

  #entry(keyword: string, kind: KeywordKind, entry: SourceProperty): void {
    const expected = mismatch(kind, entry.node.value);
    if (expected !== undefined) this.#invalid(`An entry of ${keyword}`, expected, entry);
  }

  #invalid(what: string, expected: string, property: SourceProperty): void {
    this.#report('state.invalid-keyword', `${what} has to be ${expected}.`, placeOf(property));
  }

  /** In a list each name that is no type, at its own place. */
  #invalidType(expected: string, property: SourceProperty): void {
    const wrong =
      property.node.items?.filter(({ value }) => !simpleTypes.some((type) => type === value)) ?? [];
    if (wrong.length === 0)
      this.#report('state.invalid-keyword', typeMessage('type', expected, property.node), placeOf(property));
    const names = `one of ${simpleTypes.join(', ')}`;
    for (const node of wrong) {
      const place = { keyStart: node.start, keyEnd: node.end, node };
      this.#report('state.invalid-keyword', typeMessage('An entry of type', names, node), place);
    }
  }

  /** Reported once: the first place says enough. */
  #tooLarge(what: string, property: SourceProperty): void {
    if (this.#isTooLarge) return;
    this.#isTooLarge = true;
    const message = `${what}, which is too much to check a state against; describe it more simply.`;
    this.#report('state.too-large', message, keyPlaceOf(property));
  }

  #enter(schema: Subschema, tokens: readonly string[], property: SourceProperty): void {
    const expected = mismatch('schema', property.node.value);
    if (expected !== undefined) {
      this.#invalid(tokens.join(' '), expected, property);
      return;
    }
    this.#pending.push({ property, pointer: schema.pointer + formatPointer(tokens), base: schema.base });
  }

  #enterAll(schema: Subschema, keyword: string, list: SourceNode): void {
    for (let index = 0; index < (list.items?.length ?? 0); index++) {
      const item = childOf(list, String(index));
      if (item !== undefined) this.#enter(schema, [keyword, String(index)], item);
    }
  }

  #declare(schema: Subschema, tokens: readonly string[], property: SourceProperty): void {
    if (typeof property.node.value === 'boolean' && tokens.length === 1) return;
    const { keyStart, keyEnd } = property;
    this.#properties.push({ pointer: schema.pointer + formatPointer(tokens), keyStart, keyEnd });
  }

  #pattern(source: string, where: 'key' | 'value', property: SourceProperty): void {
    this.#patternSizes += patternSize(source);
    if (this.#patternSizes > maxPatternSizes) {
      this.#tooLarge('The patterns of the schema repeat too much together', property);
      return;
    }
    const compiled = compilePattern(source);
    if (compiled.ok) return;
    const place = where === 'value' ? placeOf(property) : keyPlaceOf(property);
    if (compiled.reason === 'invalid') {
      this.#report('state.invalid-pattern', compiled.message, place);
      return;
    }
    const message = `${compiled.message.replace(/\.$/, '')}, or check it with an x-invariants entry.`;
    this.#report('state.unsupported-pattern', message, place);
  }

  #follow({ from, keyword, place }: Reference): void {
    const found = this.#resolver.resolve(String(place.node.value), from.pointer, from.base);
    if (found.kind === 'problem') this.#report(found.code, `${keyword} ${found.message}`, placeOf(place));
    if (found.kind !== 'found') return;
    const { pointer, target, base } = found;
    this.#written.push({ pointer: from.pointer, keyword, target: pointer });
    this.#references.set(from.pointer, [...(this.#references.get(from.pointer) ?? []), pointer]);
    this.#pending.push({ property: target, pointer, base });
  }
}

/** Keys that have their own checks: annotations, and keywords of other standards. */
const reportedKeywords: ReadonlySet<string> = new Set([...annotationNames, 'id', 'nullable']);

/** The value's place, or the key's where the value has none. */
function placeOf(property: SourceProperty): SourceProperty {
  return property.node.start < property.node.end ? property : keyPlaceOf(property);
}

function typeMessage(what: string, expected: string, { value }: SourceNode): string {
  const meant = typeof value === 'string' ? nearestType(value) : undefined;
  return `${what} has to be ${expected}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}
