/** State schemas and validators from JSON, for tests. */
import { applyPatch } from '../../../client/src/runtime/merge';
import { defaultRunOptions, type Limits } from '../../../client/src/runtime/options';
import type { Rejection } from '../../../client/src/runtime/rejection';
import { createStateValidator, type StateValidator } from '../../../client/src/runtime/validation';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import { loadStateSchema, type StateSchema } from '../../../schemas/state/stateSchema';

export const { limits } = defaultRunOptions;

export function schemaOf(schema: JsonValue): StateSchema {
  return loadStateSchema({ path: 'state.schema.json', text: JSON.stringify(schema) });
}

const validators = new Map<string, StateValidator>();

/** One validator for a schema and limits, however often they are asked for. */
export function validatorOf(schema: JsonValue, custom: Limits = limits): StateValidator {
  const key = JSON.stringify([schema, custom]);
  const validator = validators.get(key) ?? createStateValidator(schemaOf(schema), custom);
  validators.set(key, validator);
  return validator;
}

/** What becomes of a model's patch: the rejection, or undefined where Σ' may become Σ. */
export function rejectionOf(
  schema: JsonValue,
  state: JsonObject,
  patch: JsonObject,
  custom: Limits = limits,
): Rejection | undefined {
  const stateSchema = schemaOf(schema);
  const validator = validatorOf(schema, custom);
  return (
    validator.checkPatch(patch, 'model') ??
    validator.checkMerged(applyPatch(state, patch, stateSchema).state, patch)
  );
}
