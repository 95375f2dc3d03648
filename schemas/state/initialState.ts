/** Σ_0: read from a file, or made of the schema's defaults. */
import type { JsonPath } from '../json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../json/jsonValue';
import { LineIndex, type Range } from '../text/position';
import type { Problem } from '../text/problem';
import { parseSourceFile, type TextFile } from '../text/sourceFile';
import { propertyAt, type SourceNode } from '../text/sourceTree';
import { type InitialStateProblemCode, initialStateProblems } from './stateProblems';
import type { StateSchema } from './stateSchema';

export type { InitialStateProblemCode } from './stateProblems';

export interface LoadedInitialState {
  /** Undefined where the text holds no object. */
  readonly state: JsonObject | undefined;
  readonly problems: readonly Problem<InitialStateProblemCode>[];
  /** The text as a tree with offsets, as far as it could be read. */
  readonly source: SourceNode | undefined;
  /** Where the value at a path of Σ_0 stands (its key and the value); undefined where it leads nowhere. */
  rangesOf(path: JsonPath): { readonly key: Range; readonly value: Range } | undefined;
}

/** Reads an initial state: JSON by its `.json` name, YAML otherwise. Whether it fits the schema is the runtime's check. */
export function loadInitialState(file: TextFile): LoadedInitialState {
  const lines = new LineIndex(file.text);
  const { root, problems: found } = parseSourceFile(file);
  const problems = found.map(({ kind, message, start, end }): Problem<InitialStateProblemCode> => {
    const code = `initial.${kind}` as const;
    return { code, severity: initialStateProblems[code], message, range: lines.rangeOf(start, end) };
  });
  const state = root !== undefined && isJsonObject(root.value) ? root.value : undefined;
  if (state === undefined && problems.length === 0) {
    const code = 'initial.not-an-object';
    const message = 'The initial state has to be an object; write {} for an empty one.';
    const range = lines.rangeOf(root?.start ?? 0, root?.end ?? 0);
    problems.push({ code, severity: initialStateProblems[code], message, range });
  }
  return {
    state,
    problems,
    source: root,
    rangesOf(path) {
      const property = root && propertyAt(root, path);
      if (property === undefined) return undefined;
      const { keyStart, keyEnd, node } = property;
      return { key: lines.rangeOf(keyStart, keyEnd), value: lines.rangeOf(node.start, node.end) };
    },
  };
}

/** How deep defaults are looked for; a schema that contains itself would never end. */
const maxDefaultDepth = 32;
/** How many properties are looked at: more than anybody declares, unless the schema contains itself. */
const maxDefaults = 20_000;

/**
 * Σ_0 of a skill without an initial state: the schema's defaults, from the outside in. An object or a list that
 * is required and has no default begins empty; anything else without a default is left out.
 */
export function initialStateOf(
  schema: Pick<StateSchema, 'pointersAt' | 'subschemasAt' | 'certainSubschemasAt'>,
): JsonObject {
  let budget = maxDefaults;
  /** The least depth at which an object so described was found to have no defaults; deeper ones have none either. */
  const barren = new Map<readonly string[], number>();

  function objectAt(path: JsonPath, depth: number): JsonObject {
    const state: Record<string, JsonValue> = {};
    const required = new Set<string>();
    const names = new Set<string>();
    for (const subschema of schema.certainSubschemasAt(path).filter(isJsonObject)) {
      const properties = ownProperty(subschema, 'properties');
      if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
      const list = ownProperty(subschema, 'required');
      if (Array.isArray(list)) for (const name of list) if (typeof name === 'string') required.add(name);
    }
    for (const name of names) {
      if (budget-- <= 0) break;
      const value = valueAtPath([...path, name], required.has(name), depth + 1);
      if (value !== undefined) defineOwnProperty(state, name, value);
    }
    return state;
  }

  function valueAtPath(path: JsonPath, required: boolean, depth: number): JsonValue | undefined {
    const subschemas = schema.certainSubschemasAt(path).filter(isJsonObject);
    for (const subschema of subschemas) {
      const value = ownProperty(subschema, 'default');
      if (value !== undefined) return value;
    }
    const types = subschemas.map((subschema) => ownProperty(subschema, 'type'));
    if (types.includes('object')) {
      // Places that are described alike share their pointers.
      const place = schema.pointersAt(path);
      const isBarren = depth >= Math.min(maxDefaultDepth, barren.get(place) ?? maxDefaultDepth);
      const value = isBarren ? {} : objectAt(path, depth);
      const isEmpty = Object.keys(value).length === 0;
      if (isEmpty) barren.set(place, Math.min(depth, barren.get(place) ?? depth));
      return required || !isEmpty ? value : undefined;
    }
    return required && types.includes('array') ? [] : undefined;
  }

  const rootDefault = schema
    .subschemasAt([])
    .find((subschema) => isJsonObject(subschema) && Object.hasOwn(subschema, 'default'));
  const value = isJsonObject(rootDefault) ? ownProperty(rootDefault, 'default') : undefined;
  return isJsonObject(value) ? value : objectAt([], 0);
}
