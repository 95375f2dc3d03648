/**
 * JSON Schema keywords that ajv implements in a way this runtime cannot use: its `uniqueItems` takes quadratic time over
 * objects, and its `const` and `enum` compare objects by a method they may themselves have as a key (`valueOf`).
 */
import type { Ajv, ErrorObject, FuncKeywordDefinition } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { JsonArray, JsonValue } from '../../../schemas/json/jsonValue';
import { canonicalJson } from './jsonEquality';
import { workKeyword } from './preparedSchema';

/** Thrown out of a validation that followed too many references. */
export class WorkExceeded extends Error {
  override readonly name: string = 'WorkExceeded';
}

/** How many references one validation may still follow. */
export interface WorkBudget {
  left: number;
}

/** Replaces the keywords of one ajv instance, and adds the one that counts work. */
export function registerKeywords(ajv: Ajv, work: WorkBudget): void {
  for (const definition of [uniqueItems, equalTo('const'), equalTo('enum')]) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  ajv.addKeyword({
    keyword: workKeyword,
    schemaType: 'boolean',
    errors: false,
    validate: () => {
      work.left--;
      if (work.left < 0) throw new WorkExceeded();
      return true;
    },
  });
}

const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  compile: (isRequired: boolean, parentSchema): DataValidateFunction => {
    const validate: DataValidateFunction = (items: JsonArray) => {
      const twins = isRequired ? firstTwins(items) : undefined;
      if (twins !== undefined)
        validate.errors = [errorOf('uniqueItems', isRequired, parentSchema, items, { ...twins })];
      return twins === undefined;
    };
    return validate;
  },
};

/** The first two equal items. */
function firstTwins(items: JsonArray): { i: number; j: number } | undefined {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = canonicalJson(item);
    const earlier = places.get(text);
    if (earlier !== undefined) return { i: earlier, j: index };
    places.set(text, index);
  }
  return undefined;
}

function equalTo(keyword: 'const' | 'enum'): FuncKeywordDefinition {
  return {
    keyword,
    errors: true,
    ...(keyword === 'enum' && { schemaType: 'array' }),
    compile: (schema: JsonValue, parentSchema): DataValidateFunction => {
      const allowedValues = keyword === 'enum' ? (schema as JsonArray) : [schema];
      const allowed = new Set(allowedValues.map(canonicalJson));
      const validate: DataValidateFunction = (value: JsonValue) => {
        const isAllowed = allowed.has(canonicalJson(value));
        if (!isAllowed) validate.errors = [errorOf(keyword, schema, parentSchema, value, { allowedValues })];
        return isAllowed;
      };
      return validate;
    },
  };
}

function errorOf(
  keyword: string,
  schema: unknown,
  parentSchema: ErrorObject['parentSchema'],
  data: unknown,
  params: Record<string, unknown>,
): Partial<ErrorObject> {
  return { keyword, schema, params, data, ...(parentSchema && { parentSchema }) };
}
