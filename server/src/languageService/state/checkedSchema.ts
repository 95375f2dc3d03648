/** A state schema made ready to check states, once for as long as its text stays the same. */
import { type CompiledSchema, compileStateSchema } from '../../../../client/src/runtime/compiledSchema';
import { defaultRunOptions } from '../../../../client/src/runtime/options';
import {
  createStateValidator,
  StateSchemaFailure,
  type StateValidator,
} from '../../../../client/src/runtime/validation';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { surelyFits } from './surelyFits';

/** What checks states. */
export interface CheckedSchema {
  readonly compiled: CompiledSchema;
  /** Undefined where an invariant can't be read, so that only the rest is checked. */
  readonly validator: StateValidator | undefined;
}

const checked = new WeakMap<StateSchema, CheckedSchema | undefined>();

/** Undefined for a schema with errors, of which its own findings tell. One that can't be compiled finds nothing. */
export function checkedSchemaOf(schema: StateSchema): CheckedSchema | undefined {
  if (!checked.has(schema)) checked.set(schema, check(schema));
  return checked.get(schema);
}

function check(schema: StateSchema): CheckedSchema | undefined {
  if (schema.problems.some(({ severity }) => severity === 'error')) return undefined;
  const compiled = compiledWhenNeeded(schema);
  const validator = orUndefined(() => createStateValidator(schema, defaultRunOptions.limits, compiled));
  return { compiled, validator };
}

/** Compiled for the first state that doesn't fit at first sight. */
function compiledWhenNeeded(schema: StateSchema): CompiledSchema {
  let compiled: CompiledSchema | undefined | 'not yet' = 'not yet';
  return {
    violations(state) {
      if (surelyFits(schema, '', state)) return [];
      if (compiled === 'not yet') compiled = orUndefined(() => compileStateSchema(schema));
      return compiled?.violations(state) ?? [];
    },
  };
}

/** The result; undefined where a schema can't be used. */
export function orUndefined<Result>(compile: () => Result): Result | undefined {
  try {
    return compile();
  } catch (error) {
    if (error instanceof StateSchemaFailure) return undefined;
    throw error;
  }
}

/** Violations without those that only repeat that a value's type is wrong: that it is none of the allowed values. */
export function withoutEchoes<Violation extends { readonly schemaLocation: string }>(
  violations: readonly Violation[],
  placeOf: (violation: Violation) => string,
): readonly Violation[] {
  const mistyped = new Set(violations.filter(isAbout(['type'])).map(placeOf));
  const isEcho = isAbout<Violation>(['enum', 'const']);
  return violations.filter((violation) => !isEcho(violation) || !mistyped.has(placeOf(violation)));
}

function isAbout<Violation extends { readonly schemaLocation: string }>(keywords: readonly string[]) {
  return ({ schemaLocation }: Violation): boolean =>
    keywords.includes(schemaLocation.slice(schemaLocation.lastIndexOf('/') + 1));
}
