/** A YAML or JSON text as a tree of JSON values that know where they stand. Offsets are UTF-16, into the whole file. */
import type { JsonPath } from '../json/jsonPointer';
import type { JsonValue } from '../json/jsonValue';

/** A value and its place: `start` included, `end` excluded. A YAML alias has its own place and its anchor's children. */
export interface SourceNode {
  readonly value: JsonValue;
  readonly start: number;
  readonly end: number;
  /** An object's properties; undefined for every other value. */
  readonly properties?: ReadonlyMap<string, SourceProperty>;
  /** An array's items; undefined for every other value. */
  readonly items?: readonly SourceNode[];
}

/** A key of an object and its value. */
export interface SourceProperty {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly node: SourceNode;
}

/** What can be wrong with a text before anybody asks what it means; each format adds its own prefix. */
export type SourceProblemKind =
  | 'syntax'
  | 'unquoted-colon'
  | 'tab-indentation'
  | 'multiple-documents'
  | 'duplicate-key'
  | 'unsupported-yaml'
  | 'inexact-number'
  | 'nul-character'
  | 'too-deep'
  | 'too-large';

export interface SourceProblem {
  readonly kind: SourceProblemKind;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

export interface SourceDocument {
  /** Undefined for a text without a value, or one too broken, deep or large to read. */
  readonly root: SourceNode | undefined;
  /** In the order of the text. After a syntax error nothing else is reported: what follows from a guess is no finding. */
  readonly problems: readonly SourceProblem[];
}

/** How deep a text may nest: far above any schema, below what overflows a recursive reader. */
export const maxSourceDepth = 200;

/** How many UTF-16 units a YAML or JSON text may have. */
export const maxSourceLength = 1_000_000;

/** How many values a text may have once its aliases are written out. */
export const maxSourceValues = 500_000;

/** A child in a node: a property, or an array's item as a property whose key is the item itself. */
export function childOf(node: SourceNode, token: string): SourceProperty | undefined {
  const property = node.properties?.get(token);
  if (property !== undefined) return property;
  if (node.items === undefined || !/^(0|[1-9]\d*)$/.test(token)) return undefined;
  const item = node.items[Number(token)];
  return item && { keyStart: item.start, keyEnd: item.end, node: item };
}

/** What stands at a path of the document; the root is a property whose key is the root itself. */
export function propertyAt(root: SourceNode, path: JsonPath): SourceProperty | undefined {
  let property: SourceProperty | undefined = { keyStart: root.start, keyEnd: root.end, node: root };
  for (const token of path) {
    property = childOf(property.node, token);
    if (property === undefined) return undefined;
  }
  return property;
}

/** Says that a text is longer than its reader takes, if it is. */
export function lengthProblem(text: string, limit = maxSourceLength): SourceProblem | undefined {
  if (text.length <= limit) return undefined;
  const message = `There are ${text.length} characters here, more than ${limit}; shorten the text.`;
  return { kind: 'too-large', message, start: 0, end: 1 };
}

/** Says where the first NUL character of a text is, if there is one. */
export function nulProblem(text: string): SourceProblem | undefined {
  const start = text.indexOf('\0');
  if (start === -1) return undefined;
  const message = 'The text contains a NUL character; remove it, or save the file as UTF-8.';
  return { kind: 'nul-character', message, start, end: start + 1 };
}

/** Says that a text nests deeper than this reader takes, at the place where it first does. */
export function depthProblem(start: number): SourceProblem {
  const message = `Values are nested more than ${maxSourceDepth} levels deep; flatten them.`;
  return { kind: 'too-deep', message, start, end: start + 1 };
}

/** False for an integer literal that a double can't hold and for what overflows; `source` is the number as written. */
export function isExactNumber(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source)) return true;
  return BigInt(source.replace('+', '')) === BigInt(value);
}

/** Where an offset lies in a tree. */
export interface SourcePlace {
  /** The keys and indices from the root to the innermost value around the offset. */
  readonly path: JsonPath;
  /** On the key of that path's last token, on or in its value. The root has no key. */
  readonly part: 'key' | 'value';
  /** The property at the path; the root is a property whose key is the root itself. */
  readonly property: SourceProperty;
}

/** The innermost key or value that an offset touches, its end included; undefined outside of the root. */
export function placeAtOffset(root: SourceNode, offset: number): SourcePlace | undefined {
  if (offset < root.start || offset > root.end) return undefined;
  const path: string[] = [];
  let property: SourceProperty = { keyStart: root.start, keyEnd: root.end, node: root };
  for (;;) {
    const found = childAtOffset(property.node, offset);
    if (found === undefined) return { path, part: 'value', property };
    path.push(found.token);
    property = found.property;
    if (found.part === 'key') return { path, part: 'key', property };
  }
}

function childAtOffset(
  node: SourceNode,
  offset: number,
): { token: string; property: SourceProperty; part: SourcePlace['part'] } | undefined {
  for (const [token, property] of node.properties ?? []) {
    if (offset >= property.keyStart && offset <= property.keyEnd) return { token, property, part: 'key' };
    const { start, end } = property.node;
    // A YAML alias has the children of its anchor, which stand elsewhere.
    if (offset >= start && offset <= end) return { token, property, part: 'value' };
  }
  const index = (node.items ?? []).findIndex(({ start, end }) => offset >= start && offset <= end);
  const item = node.items?.[index];
  if (item === undefined) return undefined;
  const property = { keyStart: item.start, keyEnd: item.end, node: item };
  return { token: String(index), property, part: 'value' };
}
