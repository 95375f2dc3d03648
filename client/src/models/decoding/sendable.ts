/** What of a state schema can be sent to a server: half of a surrogate pair has no UTF-8, and a request that has one is refused. */
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import type { ObjectShape } from './shapes';
import type { Note } from './stringTexts';

const half = /\p{Surrogate}/u;

/** Whether a value's texts and keys are well-formed, as far as it is looked into. */
export function isSendable(value: JsonValue): boolean {
  const pending: JsonValue[] = [value];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part === 'string' && half.test(part)) return false;
    if (typeof part !== 'object' || part === null) continue;
    for (const [key, inner] of Object.entries(part)) {
      if (half.test(key)) return false;
      pending.push(inner);
    }
  }
  return true;
}

/** An object without the keys that can't be sent; undefined where one of them is required. */
export function sendableObject(shape: ObjectShape, note: Note): ObjectShape | undefined {
  const isKept = ({ key }: { readonly key: string }) => !half.test(key);
  const { pointer, members, known, excluded } = shape;
  if (members.every(isKept) && known.every(isKept) && ![...excluded].some((key) => half.test(key)))
    return shape;
  note(pointer, 'properties', 'has a key with half of a surrogate pair, which no server takes');
  if (members.some((member) => member.isRequired && !isKept(member))) return undefined;
  return {
    ...shape,
    members: members.filter(isKept),
    known: known.filter(isKept),
    excluded: new Set([...excluded].filter((key) => !half.test(key))),
  };
}
