/** Guards built from the shape of a message, so that its type and its check are one thing. */

/** Tells whether a value that came from elsewhere is of a type. */
export type Guard<Value> = (value: unknown) => value is Value;

/** The type that a guard checks for. */
export type Guarded<Check> = Check extends Guard<infer Value> ? Value : never;

export const isText: Guard<string> = (value): value is string => typeof value === 'string';

export const isFlag: Guard<boolean> = (value): value is boolean => typeof value === 'boolean';

export const isFiniteNumber: Guard<number> = (value): value is number => Number.isFinite(value);

/** A whole number from 0 that a double holds exactly: a step, a branch, a count, an offset. */
export const isCount: Guard<number> = (value): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** One of these texts. */
export function oneOf<const Texts extends readonly string[]>(...texts: Texts): Guard<Texts[number]> {
  const known = new Set<unknown>(texts);
  return (value): value is Texts[number] => known.has(value);
}

/** The value, or nothing: messages lose the keys whose value is undefined. */
export function optional<Value>(guard: Guard<Value>): Guard<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || guard(value);
}

/** A list of such values, at most `limit` long. */
export function listOf<Value>(guard: Guard<Value>, limit = 100_000): Guard<readonly Value[]> {
  return (value): value is readonly Value[] =>
    Array.isArray(value) && value.length <= limit && value.every((item) => guard(item));
}

type Shape = Readonly<Record<string, Guard<unknown>>>;

/** An object with at least these properties of its own; what else it has is ignored. */
export function objectOf<Members extends Shape>(
  members: Members,
): Guard<{ readonly [Key in keyof Members]: Guarded<Members[Key]> }> {
  const entries = Object.entries(members);
  return (value): value is { readonly [Key in keyof Members]: Guarded<Members[Key]> } =>
    typeof value === 'object' &&
    value !== null &&
    entries.every(([key, guard]) => guard(Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined));
}

/** Any of several. */
export function anyOf<Guards extends readonly Guard<unknown>[]>(
  ...guards: Guards
): Guard<Guarded<Guards[number]>> {
  return (value): value is Guarded<Guards[number]> => guards.some((guard) => guard(value));
}
