/** A state schema compiled by ajv, once per run. */
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formatPointer, pointerFragment } from '../../../schemas/json/jsonPointer';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import type { Dialect, StateSchema } from '../../../schemas/state/stateSchema';
import { registerKeywords, type WorkBudget, WorkExceeded } from './ajvKeywords';
import { joinScopeLinearly } from './linearScope';
import { type PreparedSchema, prepareSchema } from './preparedSchema';
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

/** A violation by the value of a part of Σ that was checked alone. */
export interface PartViolation extends SchemaViolation {
  /** Which of the values it is about. */
  readonly index: number;
}

/** A subschema, and what messages call its value. */
export interface SchemaPart {
  /** JSON Pointer into the schema. */
  readonly pointer: string;
  readonly name: string;
}

export interface CompiledParts {
  /**
   * Violations by values, each held against the part of the same index; paths begin in that value. `exhausted` as in
   * {@link CompiledSchema}.
   */
  violations(values: readonly JsonValue[]): readonly PartViolation[] | 'exhausted';
}

/** How many references one validation may follow. */
const maxWork = 1_000_000;

/** Compiles a schema, or throws a {@link StateSchemaFailure}. */
export function compileStateSchema(stateSchema: StateSchema): CompiledSchema {
  const prepared = prepare(stateSchema);
  const work: WorkBudget = { left: 0 };
  const validate = compile(stateSchema, work, (ajv) => ajv.compile(prepared.schema));

  return {
    violations(state) {
      const errors = errorsOf(validate, state, work);
      return errors === 'exhausted' ? errors : schemaViolations(errors, prepared.pointerOf);
    },
  };
}

/** Compiles subschemas, to hold values other than Σ against them; throws a {@link StateSchemaFailure}. */
export function compileSchemaParts(stateSchema: StateSchema, parts: readonly SchemaPart[]): CompiledParts {
  const prepared = prepare(stateSchema);
  const work: WorkBudget = { left: 0 };
  const validate = compile(stateSchema, work, (ajv) => {
    ajv.addSchema(prepared.schema, wholeSchema);
    const items = parts.map(({ pointer }) => ({ $ref: `${wholeSchema}#${pointerFragment(pointer)}` }));
    // One array of all values, so that there is one compilation.
    const isOld = stateSchema.dialect === 'draft-07';
    return ajv.compile(items.length === 0 ? {} : { [isOld ? 'items' : 'prefixItems']: items });
  });

  return {
    violations(values) {
      const errors = errorsOf(validate, values, work);
      if (errors === 'exhausted') return errors;
      return parts.flatMap(({ name }, index) => {
        const prefix = `/${index}`;
        const own = errors.filter(
          ({ instancePath }) => instancePath === prefix || instancePath.startsWith(`${prefix}/`),
        );
        if (own.length === 0) return [];
        const named = own.map((error) => ({
          ...error,
          instancePath: formatPointer([name]) + error.instancePath.slice(prefix.length),
        }));
        return schemaViolations(named, prepared.pointerOf).map((violation) => ({
          ...violation,
          path: violation.path.slice(1),
          index,
        }));
      });
    },
  };
}

const wholeSchema = 'skill-state:/whole-schema';

function prepare(stateSchema: StateSchema): PreparedSchema {
  for (const { path, problems } of [stateSchema, ...stateSchema.parts]) {
    const tooLarge = problems.find(({ code }) => code === 'state.too-large');
    if (tooLarge !== undefined)
      throw new StateSchemaFailure(`${path ?? 'The state schema'} cannot be used: ${tooLarge.message}`);
  }
  return prepareSchema(stateSchema.schema);
}

function errorsOf(
  validate: Validate,
  value: JsonValue,
  work: WorkBudget,
): readonly ErrorObject[] | 'exhausted' {
  work.left = maxWork;
  try {
    return validate(value) ? [] : (validate.errors ?? []);
  } catch (error) {
    // A reference that leads back to itself within one value overflows the stack before it has used up its work.
    if (error instanceof WorkExceeded || error instanceof RangeError) return 'exhausted';
    throw error;
  }
}

interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

function compile(
  { dialect, path }: StateSchema,
  work: WorkBudget,
  compileWith: (ajv: Ajv) => unknown,
): Validate {
  try {
    const ajv = createAjv(dialect);
    registerKeywords(ajv, work);
    return compileWith(ajv) as Validate;
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
    // What is optimized is the length of the code, which takes longer than running it.
    code: { regExp: rememberingRegExp, optimize: false },
    // Otherwise a large definition is copied to every place that refers to it.
    inlineRefs: 20,
  };
  const ajv = dialect === 'draft-07' ? new Ajv(options) : new Ajv2020(options);
  addFormats(ajv);
  joinScopeLinearly(ajv);
  // The library's own takes quadratic time.
  ajv.addFormat('url', /^(?:https?|ftp):\/\/[^\s/?#]+(?:[/?#]\S*)?$/iu);
  return ajv;
}
