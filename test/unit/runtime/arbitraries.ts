/** Random JSON values, patches and states for property tests; keys are few, so that patches meet what is there. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';

const key = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__', 'toString', 'a/b', '');

const { value, object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 2.5, '', 'x', 'null'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((entries) =>
      JSON.parse(
        `{${entries.map(([name, child]) => `${JSON.stringify(name)}:${JSON.stringify(child)}`).join(',')}}`,
      ),
    ),
}));

export const anyJson: fc.Arbitrary<JsonValue> = value;
export const anyJsonObject: fc.Arbitrary<JsonObject> = object;
