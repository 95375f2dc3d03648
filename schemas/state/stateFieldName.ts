/** A subschema's place as the user knows it: by the path of the values that it describes. */
import { parsePointer } from '../json/jsonPointer';

/** Keywords whose entries describe a value of their own, and how it is written. */
const steps: Readonly<Record<string, string>> = {
  additionalProperties: '.*',
  unevaluatedProperties: '.*',
  items: '[]',
  additionalItems: '[]',
  unevaluatedItems: '[]',
  contains: '[]',
};

/**
 * `/properties/orders/items/properties/note` is `orders[].note`; keys that aren't declared are `*`, and what stands in
 * `$defs` begins with its name there: `$defs/node.children`. The root is `the state`.
 */
export function stateFieldName(pointer: string): string {
  const tokens = parsePointer(pointer) ?? [];
  let name = '';
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? '';
    const next = tokens[index + 1];
    if (token === 'properties' && next !== undefined) {
      name += `.${next}`;
      index++;
    } else if (token === 'patternProperties' && next !== undefined) {
      name += '.*';
      index++;
    } else if ((token === '$defs' || token === 'definitions') && next !== undefined) {
      name = `.${token}/${next}`;
      index++;
    } else if (token === 'propertyNames') {
      name += ' (its keys)';
    } else if (token === 'prefixItems' && next !== undefined) {
      name += `[${next}]`;
      index++;
    } else if (token === 'items' && next !== undefined && /^\d+$/.test(next)) {
      name += `[${next}]`;
      index++;
    } else {
      name += steps[token] ?? '';
    }
  }
  return name === '' ? 'the state' : name.replace(/^\./, '');
}
