/** Schemas that stand in several places of another one, written once. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import type { SchemaDraft } from './shapeSchema';

/** Up to this length of its JSON text a schema is written again rather than referred to. */
const maxCopied = 60;

/** A schema whose parts were put together by identity, with those that stand in several places under `$defs`. */
export function withDefinitions(root: JsonObject): JsonObject {
  const uses = new Map<object, number>();
  const pending: JsonValue[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const count = (uses.get(value) ?? 0) + 1;
    uses.set(value, count);
    if (count === 1) for (const part of Object.values(value)) pending.push(part);
  }
  const names = new Map<object, string>();
  const definitions: SchemaDraft = {};
  const copies = new Map<object, JsonValue>();
  const copy = (value: JsonValue, isSchema: boolean): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    const known = names.get(value);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    let made = copies.get(value);
    if (made === undefined) {
      made = Array.isArray(value)
        ? value.map((item: JsonValue) => copy(item, true))
        : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part, true)]));
      copies.set(value, made);
    }
    const isShared = isSchema && isJsonObject(value) && isSubschema(value) && (uses.get(value) ?? 0) > 1;
    if (!isShared || JSON.stringify(made).length <= maxCopied) return made;
    const name = `d${names.size + 1}`;
    names.set(value, name);
    definitions[name] = made;
    return { $ref: `#/$defs/${name}` };
  };
  const schema = copy(root, false);
  if (!isJsonObject(schema) || names.size === 0) return isJsonObject(schema) ? schema : root;
  return { ...schema, $defs: definitions };
}

function isSubschema(value: JsonObject): boolean {
  return (
    typeof ownProperty(value, 'type') === 'string' ||
    Array.isArray(ownProperty(value, 'anyOf')) ||
    Array.isArray(ownProperty(value, 'enum'))
  );
}
