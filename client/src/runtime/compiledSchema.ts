/** A state schema compiled by ajv, once per run. */
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Dialect, StateSchema } from '../../../schemas/state/stateSchema';
import { registerKeywords, type WorkBudget, WorkExceeded } from './ajvKeywords';
import { prepareSchema } from './preparedSchema';
import { rememberingRegExp } from './rememberingRegExp';
import { type SchemaViolation, schemaViolations } from './schemaViolation';

/** A state schema that cannot be compiled. `message` is for the user. */
export class StateSchemaFailure extends Error {
  override readonly name: string = 'StateSchemaFailure';
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
  }
}

export interface CompiledSchema {
  /** All violations, or `exhausted` where the schema refers to itself too often to be checked against this value. */
  violations(state: JsonObject): readonly SchemaViolation[] | 'exhausted';
}

/** How many references one validation may follow. */
const maxWork = 1_000_000;

/** Compiles a schema, or throws a {@link StateSchemaFailure}. */
export function compileStateSchema(stateSchema: StateSchema): CompiledSchema {
  const tooLarge = stateSchema.problems.find(({ code }) => code === 'state.too-large');
  if (tooLarge !== undefined) {
    throw new StateSchemaFailure(
      `${stateSchema.path ?? 'The state schema'} cannot be used: ${tooLarge.message}`,
    );
  }
  const prepared = prepareSchema(stateSchema.schema);
  const work: WorkBudget = { left: 0 };
  const validate = compile(prepared.schema, stateSchema, work);

  return {
    violations(state) {
      work.left = maxWork;
      try {
        if (validate(state)) return [];
      } catch (error) {
        // A reference that leads back to itself within one value overflows the stack before it has used up its work.
        if (error instanceof WorkExceeded || error instanceof RangeError) return 'exhausted';
        throw error;
      }
      return schemaViolations(validate.errors ?? [], prepared.pointerOf);
    },
  };
}

interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

function compile(schema: JsonObject | boolean, { dialect, path }: StateSchema, work: WorkBudget): Validate {
  try {
    const ajv = createAjv(dialect);
    registerKeywords(ajv, work);
    return ajv.compile(schema) as Validate;
  } catch (error) {
    const reason = reasonOf(error);
    throw new StateSchemaFailure(`${path ?? 'The state schema'} cannot be used: ${reason}`, { cause: error });
  }
}

/** The generated code nests as the schema does: what is too large overflows the stack of the engine that reads it. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError)
    return 'it is too large to check a state against; describe it more simply.';
  return error instanceof Error ? error.message : String(error);
}

function createAjv(dialect: Dialect): Ajv {
  const options: Options = {
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strict: false,
    logger: false,
    // Otherwise 19.99 would be no multiple of 0.01.
    multipleOfPrecision: 9,
    code: { regExp: rememberingRegExp },
    // Otherwise a large definition is copied to every place that refers to it.
    inlineRefs: 20,
  };
  const ajv = dialect === 'draft-07' ? new Ajv(options) : new Ajv2020(options);
  addFormats(ajv);
  // The library's own takes quadratic time.
  ajv.addFormat('url', /^(?:https?|ftp):\/\/[^\s/?#]+(?:[/?#]\S*)?$/iu);
  return ajv;
}
