/** Σ of a skill that declares none: any object, within bounds, so that a prompt stays bounded too. */
import type { JsonObject } from '../json/jsonValue';

/**
 * The numbers behind the default. Three levels: Σ's entries, their entries, and those of lists and maps in them.
 * Keys and strings are counted in characters, which take at most 12 bytes each in JSON (`\ud83d\ude00`).
 */
export const freeFormBounds = {
  keyLength: 64,
  levels: [
    { entries: 32, stringLength: 1_000 },
    { entries: 32, stringLength: 250 },
    { entries: 16, stringLength: 100 },
  ],
} as const;

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
