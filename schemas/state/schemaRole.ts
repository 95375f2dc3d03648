/** What a place in a state schema's text is for, told from the keys that lead to it alone: text that doesn't parse has a role too. */
import { formatPointer, type JsonPath } from '../json/jsonPointer';
import { annotationNames } from './schemaAnnotations';
import { type KeywordKind, keywordsOf } from './schemaKeywords';
import type { Dialect } from './stateSchema';

/** The role of the value at a path of a schema document. */
export type SchemaRole =
  /** A subschema: its keys are keywords. */
  | { readonly kind: 'schema'; readonly pointer: string }
  /** A keyword's value, or (`within` not empty) something inside of one that holds no schema, such as an item of `enum`. */
  | {
      readonly kind: 'keyword';
      readonly keyword: string;
      /** Undefined for annotations and for what is no keyword. */
      readonly valueKind: KeywordKind | undefined;
      /** The JSON Pointer of the subschema that has the keyword. */
      readonly schemaPointer: string;
      /** The keys and indices below the keyword's value. */
      readonly within: JsonPath;
    }
  /** The value of `properties`, `$defs`, …: its keys are names (or patterns) and their values subschemas. */
  | { readonly kind: 'schema-map'; readonly keyword: string; readonly schemaPointer: string }
  /** The value of `allOf`, `prefixItems`, …: its items are subschemas. */
  | { readonly kind: 'schema-array'; readonly keyword: string; readonly schemaPointer: string };

/** Keywords whose value maps names to schemas. */
const mapKinds: ReadonlySet<KeywordKind> = new Set(['schema-map', 'pattern-schema-map', 'dependencies']);

/** The role of the value at `path` in a schema document of a dialect. */
export function roleAt(path: JsonPath, dialect: Dialect): SchemaRole {
  const keywords = keywordsOf(dialect);
  let role: SchemaRole = { kind: 'schema', pointer: '' };
  for (const token of path) role = childRole(role, token, keywords);
  return role;
}

function childRole(
  parent: SchemaRole,
  token: string,
  keywords: ReadonlyMap<string, KeywordKind>,
): SchemaRole {
  switch (parent.kind) {
    case 'schema': {
      const valueKind = keywords.get(token);
      const schemaPointer = parent.pointer;
      if (valueKind === 'schema') return { kind: 'schema', pointer: schemaPointer + formatPointer([token]) };
      if (valueKind !== undefined && mapKinds.has(valueKind))
        return { kind: 'schema-map', keyword: token, schemaPointer };
      // draft-07's `items` may be a schema as well as a list of them; which it is shows one key further in.
      if (valueKind === 'schema-array' || valueKind === 'schema-or-schema-array')
        return { kind: 'schema-array', keyword: token, schemaPointer };
      return { kind: 'keyword', keyword: token, valueKind, schemaPointer, within: [] };
    }
    case 'schema-map':
      return { kind: 'schema', pointer: parent.schemaPointer + formatPointer([parent.keyword, token]) };
    case 'schema-array': {
      const pointer = parent.schemaPointer + formatPointer([parent.keyword]);
      if (/^(0|[1-9]\d*)$/.test(token)) return { kind: 'schema', pointer: pointer + formatPointer([token]) };
      return childRole({ kind: 'schema', pointer }, token, keywords);
    }
    case 'keyword':
      return { ...parent, within: [...parent.within, token] };
  }
}

/** True for a key that means something to a dialect or to SKILL.state. */
export function isKnownKeyword(keyword: string, dialect: Dialect): boolean {
  return keywordsOf(dialect).has(keyword) || annotationNames.includes(keyword);
}
