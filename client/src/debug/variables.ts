/** The tree behind the Variables view: JSON values served in pages, by references that live until the run goes on. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';
import { failures } from './errors';
import {
  itemExpression,
  listedLength,
  memberExpression,
  typeName,
  type ValueFormat,
  valueText,
} from './valueText';
import type { RootName } from './view';

/** What is known about the value at a path of Σ, beside the value. */
export interface Annotation {
  /** Follows the type, such as `proposed since step 7` or `parts of it proposed since step 7`. */
  readonly note?: string;
  /** JSON Pointer of the subschema that describes it. */
  readonly schemaPointer?: string;
}

/** A value and how it is reached. */
export interface Node {
  readonly value: JsonValue;
  /** What `evaluate` finds it by; undefined where nothing does. */
  readonly expression: string | undefined;
  /** The root that it is a part of; undefined for what is part of none, such as the lines of the observation. */
  readonly root: RootName | undefined;
  /** Its path from that root. */
  readonly path: JsonPath;
  /** Whether it may be given another value. */
  readonly editable: boolean;
  /** Undefined for values that no schema describes. */
  readonly annotate: ((path: JsonPath) => Annotation) | undefined;
}

/** A node with the name it is listed under. */
export interface NamedNode extends Node {
  readonly name: string;
}

/** What a reference stands for: listed entries, or a stretch of an object's keys or an array's items. */
type Container =
  | { readonly kind: 'entries'; readonly entries: readonly NamedNode[] }
  | { readonly kind: 'members'; readonly node: Node; readonly from: number; readonly to: number };

/** Which children are wanted, and how they are written. */
export interface Page extends ValueFormat {
  readonly filter?: string | undefined;
  readonly start?: number | undefined;
  readonly count?: number | undefined;
}

/** More children than this are served as ranges, or page by page. */
const pageSize = 100;

/** How the references of one stop are kept; the next stop has others. */
export class VariableStore {
  readonly #containers = new Map<number, Container>();
  readonly #byKey = new Map<string, number>();
  readonly #locations = new Map<number, string>();
  /** The keys of objects that were listed: of a long one each page would list them anew. */
  readonly #keys = new Map<object, readonly string[]>();
  #next = 1;

  /** Lets all references expire. Numbers are not used again, so that an expired one is never taken for another. */
  reset(): void {
    this.#containers.clear();
    this.#byKey.clear();
    this.#locations.clear();
    this.#keys.clear();
  }

  /** A reference to listed entries; the same for the same key until the next reset. */
  entries(key: string, entries: readonly NamedNode[]): number {
    return this.#refer(`entries ${key}`, { kind: 'entries', entries });
  }

  /** What DAP wants to know about a value's children. */
  children(
    key: string,
    node: Node,
  ): Pick<DebugProtocol.Variable, 'variablesReference' | 'namedVariables' | 'indexedVariables'> {
    const size = this.#sizeOf(node.value);
    if (size === 0) return { variablesReference: 0 };
    const variablesReference = this.#refer(`value ${key}`, { kind: 'members', node, from: 0, to: size });
    if (Array.isArray(node.value)) return { variablesReference, indexedVariables: size };
    return { variablesReference, namedVariables: Math.min(size, rangesOf(0, size).length || size) };
  }

  /** @throws RequestFailure for a reference that has expired. */
  list(reference: number, page: Page): DebugProtocol.Variable[] {
    const container = this.#container(reference);
    if (container.kind === 'entries') {
      if (page.filter === 'indexed') return [];
      return slice(container.entries, page).map((entry) => this.#variable(`${reference}`, entry, page));
    }
    const { node, from, to } = container;
    const { value } = node;
    if (Array.isArray(value)) return this.#items(reference, node, value as JsonArray, { from, to }, page);
    return isJsonObject(value) ? this.#members(reference, node, value, { from, to }, page) : [];
  }

  /**
   * The child of a reference that goes by a name; undefined where it has none, and for ranges, which are no values.
   *
   * @throws RequestFailure for a reference that has expired
   */
  find(reference: number, name: string): NamedNode | undefined {
    const container = this.#container(reference);
    if (container.kind === 'entries') return container.entries.find((entry) => entry.name === name);
    const { node } = container;
    const { value } = node;
    if (Array.isArray(value)) {
      const index = /^\[(\d{1,15})\]$/.exec(name)?.[1];
      const item = index === undefined ? undefined : (value as JsonArray)[Number(index)];
      return item === undefined ? undefined : itemNode(node, Number(index), item);
    }
    const member = isJsonObject(value) ? ownProperty(value, name) : undefined;
    return member === undefined ? undefined : memberNode(node, name, member);
  }

  #container(reference: number): Container {
    const container = this.#containers.get(reference);
    if (container === undefined) throw failures.expiredReference('variable reference', reference);
    return container;
  }

  /** The schema pointer that a location reference stands for. @throws RequestFailure for one that has expired. */
  schemaPointer(reference: number): string {
    const pointer = this.#locations.get(reference);
    if (pointer === undefined) throw failures.expiredReference('location', reference);
    return pointer;
  }

  /** A reference to where a schema declares something. */
  location(schemaPointer: string): number {
    const key = `location ${schemaPointer}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const reference = this.#next++;
    this.#byKey.set(key, reference);
    this.#locations.set(reference, schemaPointer);
    return reference;
  }

  /** Who asks for a page gets it; who asks for everything gets ranges where that is much. */
  #items(
    reference: number,
    node: Node,
    items: JsonArray,
    stretch: Stretch,
    page: Page,
  ): DebugProtocol.Variable[] {
    if (page.filter === 'named') return [];
    const { from, to } = stretch;
    const ranges = page.count ? [] : rangesOf(from, to);
    if (ranges.length > 0)
      return ranges.map((range) => this.#range(reference, node, range, rangeValue(range)));
    const first = from + (page.start ?? 0);
    const last = page.count ? Math.min(to, first + page.count) : to;
    return items
      .slice(first, last)
      .map((value, offset) => this.#variable(`${reference}`, itemNode(node, first + offset, value), page));
  }

  #members(
    reference: number,
    node: Node,
    object: JsonObject,
    stretch: Stretch,
    page: Page,
  ): DebugProtocol.Variable[] {
    if (page.filter === 'indexed') return [];
    const { from, to } = stretch;
    const keys = this.#keysOf(object);
    const ranges = rangesOf(from, to);
    if (ranges.length > 0) {
      const listed = ranges.map((range) =>
        this.#range(reference, node, range, `${keys[range.from]} … ${keys[range.to - 1]}`),
      );
      return slice(listed, page);
    }
    return slice(keys.slice(from, to), page).map((name) =>
      this.#variable(`${reference}`, memberNode(node, name, object[name] ?? null), page),
    );
  }

  #range(reference: number, node: Node, range: Stretch, value: string): DebugProtocol.Variable {
    const key = `range ${reference} ${range.from} ${range.to}`;
    return {
      name: `[${range.from}…${range.to - 1}]`,
      value,
      variablesReference: this.#refer(key, { kind: 'members', node, ...range }),
      presentationHint: { kind: 'virtual', attributes: ['readOnly'] },
    };
  }

  #variable(parentKey: string, node: NamedNode, format: ValueFormat): DebugProtocol.Variable {
    const { note, schemaPointer } = node.annotate?.(node.path) ?? {};
    return {
      name: node.name,
      value: valueText(node.value, listedLength, format),
      type: note === undefined ? typeName(node.value) : `${typeName(node.value)}, ${note}`,
      ...(node.expression !== undefined && { evaluateName: node.expression }),
      presentationHint: { kind: 'property', ...(node.editable ? {} : { attributes: ['readOnly'] }) },
      ...(schemaPointer !== undefined && { valueLocationReference: this.location(schemaPointer) }),
      ...this.children(`${parentKey}/${node.name}`, node),
      ...(isAttempt(node) && attemptContext),
    };
  }

  #sizeOf(value: JsonValue): number {
    if (Array.isArray(value)) return value.length;
    return isJsonObject(value) ? this.#keysOf(value).length : 0;
  }

  #keysOf(object: JsonObject): readonly string[] {
    const known = this.#keys.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length > pageSize) this.#keys.set(object, keys);
    return keys;
  }

  #refer(key: string, container: Container): number {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const reference = this.#next++;
    this.#byKey.set(key, reference);
    this.#containers.set(reference, container);
    return reference;
  }
}

/** What VS Code's menus know an attempt by (`debugProtocolVariableMenuContext`). */
const attemptContext = { __vscodeVariableMenuContext: 'attempt' };

function isAttempt({ expression }: Node): boolean {
  return expression !== undefined && /^attempts\[\d+\]$/.test(expression);
}

/** A half-open stretch of indices. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

function itemNode(parent: Node, index: number, value: JsonValue): NamedNode {
  return {
    ...parent,
    name: `[${index}]`,
    value,
    expression: parent.expression && itemExpression(parent.expression, index),
    path: [...parent.path, String(index)],
  };
}

function memberNode(parent: Node, name: string, value: JsonValue): NamedNode {
  return {
    ...parent,
    name,
    value,
    expression: parent.expression && memberExpression(parent.expression, name),
    path: [...parent.path, name],
  };
}

/** The ranges in which a long stretch is listed, a hundred at most; none for a stretch that is short enough itself. */
function rangesOf(from: number, to: number): readonly Stretch[] {
  const length = to - from;
  if (length <= pageSize) return [];
  let size = pageSize;
  while (length / size > pageSize) size *= pageSize;
  const ranges: Stretch[] = [];
  for (let start = from; start < to; start += size)
    ranges.push({ from: start, to: Math.min(start + size, to) });
  return ranges;
}

function rangeValue({ from, to }: Stretch): string {
  return `${to - from} items`;
}

function slice<Item>(items: readonly Item[], { start = 0, count = 0 }: Page): Item[] {
  return items.slice(start, count > 0 ? start + count : undefined);
}
