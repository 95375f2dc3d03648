/** Σ's schema: JSON Schema 2020-12 (or draft-07 by `$schema`) in YAML or JSON, with the `x-` annotations of SKILL.state. */
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { JsonPath } from '../json/jsonPointer';
import type { Problem } from '../text/problem';
import type { Range } from '../text/position';

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
  readonly schema: JsonObject | boolean;
  readonly invariants: readonly Invariant[];
  readonly problems: readonly Problem<StateSchemaProblemCode>[];
  /** The subschemas that describe the value at a path of Σ, as JSON Pointers into the schema; follows `$ref`, `allOf`, `patternProperties`, `additionalProperties`, `items`. */
  pointersAt(path: JsonPath): readonly string[];
  /** The subschemas themselves, in the same order. */
  subschemasAt(path: JsonPath): readonly JsonValue[];
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
  /** Every declared property, for breakpoint locations. */
  readonly declaredProperties: readonly DeclaredProperty[];
}

/** The closed set of what can be wrong in a state schema. (Extended by the loader's author as rules land.) */
export type StateSchemaProblemCode = `state.${string}`;
