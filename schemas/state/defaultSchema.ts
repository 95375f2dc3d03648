/** Σ of a skill that declares none: any object, within bounds, so that a prompt stays bounded too. */
import type { JsonObject } from '../json/jsonValue';

/**
 * The numbers behind the default. Three levels: Σ's entries, their entries, and those of lists and maps in them.
 * Keys and strings are counted in characters. `largestFreeFormState` says what it comes to: 18 MB if every
 * character is a control character, 3 MB of plain letters; `budget.stateBytes` warns long before.
 */
export const freeFormBounds = {
  keyLength: 64,
  levels: [
    { entries: 32, stringLength: 1_000 },
    { entries: 32, stringLength: 250 },
    { entries: 16, stringLength: 100 },
  ],
} as const;

/** A character of a string takes at most six (`\u0001`) in JSON; one beyond the basic plane counts as one and takes two. */
const jsonCharacters = 6;

/** The longest that a state can be which the default allows, serialised without spaces, in UTF-16 units. */
export function largestFreeFormState(): number {
  const { keyLength, levels } = freeFormBounds;
  const stringSize = (length: number): number => length * jsonCharacters + 2;
  const objectSize = (level: number): number => {
    const { entries, stringLength } = levels[level] ?? { entries: 0, stringLength: 0 };
    const deepest = level === levels.length - 1;
    const value = Math.max(stringSize(stringLength), deepest ? 0 : objectSize(level + 1));
    return entries * (stringSize(keyLength) + 1 + value + 1) + 1;
  };
  return objectSize(0);
}

/** The default schema as 2020-12: Σ allows values of level 0, those of level 1, and so on; the last holds no more. */
export function defaultSchema(): JsonObject {
  const { keyLength, levels } = freeFormBounds;
  const definitions: Record<string, JsonObject> = {};
  levels.forEach(({ stringLength }, level) => {
    const scalars = [{ type: 'string', maxLength: stringLength }, { type: ['number', 'boolean', 'null'] }];
    const next = levels[level + 1];
    if (next === undefined) {
      definitions[`level${level}`] = { anyOf: scalars };
      return;
    }
    const entry = { $ref: `#/$defs/level${level + 1}` };
    definitions[`level${level}`] = {
      anyOf: [
        ...scalars,
        { type: 'array', items: entry, maxItems: next.entries },
        { ...objectOf(keyLength, next.entries), additionalProperties: entry },
      ],
    };
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Free-form state',
    description: 'The state of a skill that declares no schema of its own.',
    ...objectOf(keyLength, levels[0].entries),
    additionalProperties: { $ref: '#/$defs/level0' },
    $defs: definitions,
  };
}

function objectOf(keyLength: number, entries: number): JsonObject {
  return { type: 'object', maxProperties: entries, propertyNames: { maxLength: keyLength } };
}
