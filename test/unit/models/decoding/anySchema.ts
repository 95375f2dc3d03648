/** State schemas by chance, for properties of what is derived from them. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';

const key = fc.constantFrom('a', 'b', 'c', 'k_1', '__proto__', 'a/b~"');
const count = fc.integer({ min: 0, max: 3 });

const text = fc.oneof(
  fc.record({ type: fc.constant('string'), maxLength: count }),
  fc.record({ type: fc.constant('string'), minLength: count, maxLength: fc.integer({ min: 3, max: 6 }) }),
  fc.record(
    {
      type: fc.constant('string'),
      pattern: fc.constantFrom(
        '^[a-c]{0,3}$',
        '^(x|yy|"){1,2}$',
        '^é*$',
        'a',
        'b$',
        '^item_(0|[1-9][0-9]*)$',
        '^[^"]+$',
        '^(ab|c)+d?$',
        '\\d',
      ),
      maxLength: fc.integer({ min: 4, max: 12 }),
    },
    { requiredKeys: ['type', 'pattern'] },
  ),
  fc.record({
    type: fc.constant('string'),
    format: fc.constantFrom(
      'date',
      'date-time',
      'time',
      'uuid',
      'ipv4',
      'email',
      'uri',
      'hostname',
      'duration',
      'ipv6',
    ),
  }),
);

const number = fc.oneof(
  fc.record({
    type: fc.constantFrom('integer', 'number'),
    minimum: fc.integer({ min: -120, max: 5 }),
    maximum: fc.integer({ min: 6, max: 1_200 }),
  }),
  fc.record({
    type: fc.constantFrom('integer', 'number'),
    exclusiveMinimum: fc.constantFrom(-0.5, 0, 9, 0.25),
    exclusiveMaximum: fc.constantFrom(9.5, 10, 100),
  }),
  fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.constantFrom(-3, 0.5, 100),
      multipleOf: fc.constantFrom(5, 0.25, 0.01, 7),
    },
    { requiredKeys: ['type', 'multipleOf'] },
  ),
  fc.record({ type: fc.constantFrom('integer', 'number') }),
);

const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  number,
  fc.record({ type: fc.constantFrom('boolean', 'null') }),
  fc.record({
    enum: fc.array(fc.constantFrom<JsonValue>('a', 'ab', 7, null, true, ['x'], { a: 1 }, 'é"'), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  fc.record({ const: fc.constantFrom<JsonValue>('a', 1.5, false) }),
  fc.record({ type: fc.constantFrom(['string', 'null'], ['integer', 'boolean']) }),
  fc.boolean(),
);

const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2, depthSize: 'xsmall' },
    leaf,
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        maxItems: fc.integer({ min: 1, max: 4 }),
        minItems: fc.constantFrom(0, 1),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        uniqueItems: fc.boolean(),
        'x-merge': fc.constantFrom('append', 'union', 'replace'),
        'x-evict': fc.constant('oldest'),
      },
      { requiredKeys: ['type', 'items'] },
    ),
    objectOf(tie('schema')),
    objectOf(tie('schema')),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $ref: fc.constantFrom('#/$defs/one', '#/$defs/two') }),
  ),
}));

function objectOf(inside: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(key, fc.oneof({ weight: 5, arbitrary: inside }, owned(inside)), {
        maxKeys: 5,
      }),
      required: fc.uniqueArray(key, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.constant(false), inside),
      patternProperties: fc.dictionary(fc.constantFrom('^k_', '^a$', 'b'), inside, {
        minKeys: 1,
        maxKeys: 2,
      }),
      propertyNames: fc.constantFrom(
        { maxLength: 3 },
        { pattern: '^k_[1-9][0-9]?$' },
        { enum: ['a', 'k_1', 'z'] },
        { pattern: '^[a-c]+$', minLength: 2 },
      ),
      maxProperties: fc.integer({ min: 1, max: 4 }),
      minProperties: fc.constantFrom(0, 1),
    },
    { requiredKeys: ['type'] },
  );
}

function owned(inside: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return inside.map((one) =>
    typeof one === 'object' && one !== null ? { ...one, 'x-writer': 'environment' } : one,
  );
}

/** Of an object, with two definitions that it and they may refer to. */
export const anyStateSchema: fc.Arbitrary<JsonObject> = fc
  .tuple(objectOf(schema), schema, schema)
  .map(([root, one, two]) => ({ ...root, $defs: { one, two } }));
