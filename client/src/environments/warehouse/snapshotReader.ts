/** Reads a warehouse snapshot back from JSON; what does not fit is an `EnvironmentFailure`. */
import { isJsonObject, type JsonValue, ownProperty } from '../../../../schemas/json/jsonValue';
import { EnvironmentFailure } from '../../runtime/environment';
import { shelfCount } from './names';
import { Shelves } from './shelves';

export function member(value: JsonValue, key: string): JsonValue {
  const found = isJsonObject(value) ? ownProperty(value, key) : undefined;
  if (found === undefined) throw unfit(`"${key}" is missing`);
  return found;
}

export function integer(value: JsonValue): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unfit('a whole number was expected');
  return value;
}

export function boolean(value: JsonValue): boolean {
  if (typeof value !== 'boolean') throw unfit('true or false was expected');
  return value;
}

export function array(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw unfit('an array was expected');
  return value as readonly JsonValue[];
}

export function integers(value: JsonValue): readonly number[] {
  return array(value).map(integer);
}

/** What {@link Shelves.toJson} wrote. */
export function shelvesFrom(value: JsonValue): Shelves {
  const shelves = new Shelves();
  for (const pair of array(value)) {
    const [shelf, item] = integers(pair);
    if (shelf === undefined || item === undefined || shelf < 0 || shelf >= shelfCount || item < 0) {
      throw unfit('a shelf and an item were expected');
    }
    shelves.put(item, shelf);
  }
  return shelves;
}

export function unfit(reason: string): EnvironmentFailure {
  return new EnvironmentFailure(`This is not a snapshot of the warehouse: ${reason}.`);
}
