/** Reads values that came from elsewhere: messages, arguments of commands. Free of VS Code. */

/** A member of an object's own; undefined for anything else. */
export function ownMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

/** The first item of a list; undefined for anything else. */
export function firstItem(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
