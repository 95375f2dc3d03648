/** Exhaustiveness at compile time, and a clear failure should a value get past the types. */

/** Marks a branch that no value can reach. Throws where one does. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
