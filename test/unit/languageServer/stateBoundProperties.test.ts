/** The bound of Σ holds: no state that the validator takes is larger. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileStateSchema } from '../../../client/src/runtime/compiledSchema';
import { jsonSize } from '../../../schemas/json/jsonSize';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import { stateBound } from '../../../schemas/state/stateBound';
import { loadStateSchema } from '../../../schemas/state/stateSchema';

const key = fc.constantFrom('a', 'b', 'k_1');
const count = fc.integer({ min: 0, max: 3 });

const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record({ type: fc.constant('string'), maxLength: count }),
  fc.record({
    type: fc.constant('string'),
    pattern: fc.constantFrom('^[a-c]{0,3}$', '^(x|yy|"){1,2}$', '^é*$', 'a'),
    maxLength: count,
  }),
  fc.record({
    type: fc.constant('integer'),
    minimum: fc.integer({ min: -120, max: 5 }),
    maximum: fc.integer({ min: 6, max: 120 }),
  }),
  fc.record({ type: fc.constantFrom('number', 'integer', 'boolean', 'null') }),
  fc.record({
    enum: fc.array(fc.constantFrom<JsonValue>('a', 7, null, ['x']), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('date', 'uuid', 'ipv4') }),
  fc.boolean(),
);

const { schema: anySchema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        maxItems: count,
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 2 }),
        additionalProperties: tie('schema'),
        patternProperties: fc.dictionary(fc.constantFrom('^k_', '^a$'), tie('schema'), {
          minKeys: 1,
          maxKeys: 1,
        }),
        maxProperties: count,
        propertyNames: fc.constantFrom({ maxLength: 3 }, { pattern: '^k_[1-3]$' }, { enum: ['a', 'k_1'] }),
      },
      { requiredKeys: ['type', 'additionalProperties'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 2 }),
        unevaluatedProperties: tie('schema'),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        if: tie('schema'),
        // biome-ignore lint/suspicious/noThenProperty: the keyword's name
        then: tie('schema'),
        dependentSchemas: fc.dictionary(key, tie('schema'), { maxKeys: 1 }),
      },
      { requiredKeys: ['type', 'unevaluatedProperties'] },
    ),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $ref: fc.constantFrom('#/$defs/one', '#/$defs/two') }),
  ),
}));

const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<JsonValue>(
      '',
      'a',
      'abc',
      'yy"',
      '\u0001\u0001',
      'ééé',
      null,
      true,
      false,
      7,
      -120,
      1.5e-300,
      99,
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'k_1', 'k_2', 'k_3', '\u0001\u0001\u0001'), tie('value'), {
      maxKeys: 3,
    }),
  ),
})).value;

test('no valid value is larger than the bound', () => {
  let valid = 0;
  fc.assert(
    fc.property(
      anySchema,
      anySchema,
      anySchema,
      fc.array(value, { minLength: 10, maxLength: 30 }),
      (a, one, two, values) => {
        const text = JSON.stringify({
          type: 'object',
          properties: { a },
          required: ['a'],
          additionalProperties: false,
          $defs: { one, two },
        });
        const schema = loadStateSchema({ path: 'state.schema.json', text });
        if (schema.problems.some(({ severity }) => severity === 'error')) return;
        const bound = stateBound(schema).root.bytes;
        const compiled = compileStateSchema(schema);
        for (const candidate of values) {
          const state: JsonObject = { a: candidate };
          const violations = compiled.violations(state);
          if (violations === 'exhausted' || violations.length > 0) continue;
          valid++;
          expect(jsonSize(state), `${text} ${JSON.stringify(state)}`).toBeLessThanOrEqual(bound);
        }
      },
    ),
    { numRuns: 50, seed: 20_261_130 },
  );
  expect(valid).toBeGreaterThan(50);
});

test('sizes are those of JSON.stringify in UTF-8', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      expect(jsonSize(json as JsonValue)).toBe(new TextEncoder().encode(JSON.stringify(json)).length);
    }),
  );
});
