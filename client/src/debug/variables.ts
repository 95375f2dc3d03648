/** The tree behind the Variables view: JSON values served in pages, by references that live until the run goes on. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../schemas/json/jsonValue';
import { failures } from './errors';
import { itemExpression, memberExpression, typeName, valueText } from './valueText';

/** What is known about the value at a path of Σ, beside the value. */
export interface Annotation {
  /** Follows the type, such as `proposed since step 7`. */
  readonly note?: string;
  /** JSON Pointer of the subschema that describes it. */
  readonly schemaPointer?: string;
}

/** A value and how it is reached. */
export interface Node {
  readonly value: JsonValue;
  /** What `evaluate` finds it by; undefined where nothing does. */
  readonly expression: string | undefined;
  /** Its path from the root that `annotate` speaks of. */
  readonly path: JsonPath;
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

export interface Page {
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
  #next = 1;

  /** Lets all references expire. Numbers are not used again, so that an expired one is never taken for another. */
  reset(): void {
    this.#containers.clear();
    this.#byKey.clear();
    this.#locations.clear();
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
    const size = sizeOf(node.value);
    if (size === 0) return { variablesReference: 0 };
    const variablesReference = this.#refer(`value ${key}`, { kind: 'members', node, from: 0, to: size });
    if (Array.isArray(node.value)) return { variablesReference, indexedVariables: size };
    return { variablesReference, namedVariables: Math.min(size, rangesOf(0, size).length || size) };
  }

  /** @throws RequestFailure for a reference that has expired. */
  list(reference: number, page: Page): DebugProtocol.Variable[] {
    const container = this.#containers.get(reference);
    if (container === undefined) throw failures.expiredReference('variable reference', reference);
    if (container.kind === 'entries') {
      if (page.filter === 'indexed') return [];
      return slice(container.entries, page).map((entry) => this.#variable(`${reference}`, entry));
    }
    const { node, from, to } = container;
    return Array.isArray(node.value)
      ? this.#items(reference, node, node.value as JsonArray, { from, to }, page)
      : this.#members(reference, node, node.value as JsonObject, { from, to }, page);
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
    return slice(items.slice(from, to), page).map((value, offset) => {
      const index = from + (page.start ?? 0) + offset;
      return this.#variable(`${reference}`, {
        name: `[${index}]`,
        value,
        expression: node.expression && itemExpression(node.expression, index),
        path: [...node.path, String(index)],
        annotate: node.annotate,
      });
    });
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
    const keys = Object.keys(object);
    const ranges = rangesOf(from, to);
    if (ranges.length > 0) {
      const listed = ranges.map((range) =>
        this.#range(reference, node, range, `${keys[range.from]} … ${keys[range.to - 1]}`),
      );
      return slice(listed, page);
    }
    return slice(keys.slice(from, to), page).map((name) =>
      this.#variable(`${reference}`, {
        name,
        value: object[name] ?? null,
        expression: node.expression && memberExpression(node.expression, name),
        path: [...node.path, name],
        annotate: node.annotate,
      }),
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

  #variable(parentKey: string, node: NamedNode): DebugProtocol.Variable {
    const { note, schemaPointer } = node.annotate?.(node.path) ?? {};
    return {
      name: node.name,
      value: valueText(node.value),
      type: note === undefined ? typeName(node.value) : `${typeName(node.value)}, ${note}`,
      ...(node.expression !== undefined && { evaluateName: node.expression }),
      presentationHint: { kind: 'property', attributes: ['readOnly'] },
      ...(schemaPointer !== undefined && { valueLocationReference: this.location(schemaPointer) }),
      ...this.children(`${parentKey}/${node.name}`, node),
    };
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

/** A half-open stretch of indices. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

function sizeOf(value: JsonValue): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
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
