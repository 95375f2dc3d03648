/** What a patch and the Σ' it leads to have to satisfy before Σ is touched. */
import { isDeeperThan } from '../../../schemas/json/jsonDepth';
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Invariant, StateSchema } from '../../../schemas/state/stateSchema';
import { type CompiledSchema, compileStateSchema, StateSchemaFailure } from './compiledSchema';
import { environmentWriteIn } from './environmentFields';
import { compileExpression } from './expression';
import type { Limits } from './options';
import { commonPointer, pointerIntoPatch } from './patchPointer';
import { quoted, shortened } from './quotation';
import type { Rejection, RejectionClass, Violation } from './rejection';

export { StateSchemaFailure } from './compiledSchema';

/** A violation of a Σ that no patch led to. */
export interface InitialViolation extends Violation {
  /** `schema`, `invariant` or `limit`. */
  readonly class: RejectionClass;
}

export interface StateValidator {
  /**
   * Violations of a Σ that no patch explains, such as Σ_0 or one that a run is resumed with. Pointers are into that
   * Σ; `schemaLocation` is empty where a limit of the run is violated.
   */
  checkInitial(state: JsonObject): readonly InitialViolation[];
  /** `writer`: the model may not write, delete or replace what belongs to the environment. The environment may write anything. */
  checkPatch(patch: JsonObject, by: 'model' | 'environment'): Rejection | undefined;
  /**
   * Whether Σ', which `patch` led to, may become Σ. In this order, the first failure counts: nesting (`limit`), the
   * schema (`schema`, with all violations), the invariants (`invariant`), the size (`limit`).
   */
  checkMerged(next: JsonObject, patch: JsonObject): Rejection | undefined;
}

/** How many violations are kept of one Σ'. */
const maxViolations = 50;

/** One thing wrong with a Σ, before it is known what the reader is to be pointed to. */
interface Finding {
  readonly class: RejectionClass;
  /** The place in Σ; undefined where it is about Σ as a whole. */
  readonly path: JsonPath | undefined;
  readonly schemaLocation: string;
  readonly message: string;
}

/**
 * Compiles schema and invariants; throws a {@link StateSchemaFailure} where that is not possible. `compiled` is the
 * schema compiled before, by whoever needs it apart from the validator.
 */
export function createStateValidator(
  schema: StateSchema,
  limits: Limits,
  compiled: CompiledSchema = compileStateSchema(schema),
): StateValidator {
  const invariants = schema.invariants.map((invariant) => compileInvariant(invariant, schema));

  function findings(state: JsonObject): readonly Finding[] {
    if (isDeeperThan(state, limits.depth)) {
      return [limitFinding(`The state nests more than ${limits.depth} objects and arrays in each other.`)];
    }
    const violations = compiled.violations(state);
    if (violations === 'exhausted') {
      return [limitFinding('The state schema refers to itself so often that this state cannot be checked.')];
    }
    if (violations.length > 0) {
      return violations.slice(0, maxViolations).map((violation) => ({ class: 'schema', ...violation }));
    }
    const broken = invariants.flatMap((check) => check(state) ?? []);
    if (broken.length > 0) return broken.slice(0, maxViolations);
    const characters = JSON.stringify(state).length;
    if (characters <= limits.stateCharacters) return [];
    return [
      limitFinding(`The state would take ${characters} characters; ${limits.stateCharacters} are allowed.`),
    ];
  }

  return {
    checkInitial: (state) =>
      findings(state).map(({ class: violationClass, path, schemaLocation, message }) => ({
        class: violationClass,
        pointer: formatPointer(path ?? []),
        schemaLocation,
        message,
      })),

    checkPatch(patch, by) {
      const write = by === 'model' && schema.hasWriters ? environmentWriteIn(patch, schema) : undefined;
      if (write === undefined) return undefined;
      const pointer = formatPointer(write.path);
      const message = `${shortened(pointer, 100)} may only be written by the environment.`;
      return { class: 'writer', message, pointer, schemaLocation: schema.locationText(write.schemaLocation) };
    },

    checkMerged(next, patch) {
      const found = findings(next);
      const violations = found.map(({ path, schemaLocation, message }) => {
        const pointer = path === undefined ? commonPointer(patch) : pointerIntoPatch(path, patch, next);
        return { pointer, schemaLocation: schema.locationText(schemaLocation), message };
      });
      const [first] = violations;
      const rejectionClass = found[0]?.class;
      if (first === undefined || rejectionClass === undefined) return undefined;
      const { pointer, schemaLocation, message } = first;
      if (rejectionClass === 'limit') return { class: rejectionClass, message, pointer };
      return { class: rejectionClass, message, pointer, schemaLocation, violations };
    },
  };
}

function limitFinding(message: string): Finding {
  return { class: 'limit', path: undefined, schemaLocation: '', message };
}

/** `state.schema.yaml:9:17`. */
function placeIn(schema: StateSchema, schemaLocation: string): string {
  const { line, character } = schema.rangesOf(schemaLocation)?.value.start ?? { line: 0, character: 0 };
  return `${schema.path ?? 'The state schema'}:${line + 1}:${character + 1}`;
}

function compileInvariant(
  invariant: Invariant,
  schema: StateSchema,
): (state: JsonObject) => Finding | undefined {
  const { expression, schemaLocation } = invariant;
  const compiled = compileExpression(expression, ['state']);
  if (!compiled.ok) {
    throw new StateSchemaFailure(
      `${placeIn(schema, `${schemaLocation}/expression`)}: The invariant ${quoted(expression)} can't be read. ${compiled.message}`,
    );
  }
  const finding = (message: string): Finding => ({
    class: 'invariant',
    path: undefined,
    schemaLocation,
    message,
  });
  return (state) => {
    const result = compiled.evaluate({ state });
    // Its message would say what is wrong with a state that it was never held against.
    if (!result.ok) return finding(unanswered(`could not be evaluated: ${result.message}`, invariant));
    if (result.value === true) return undefined;
    if (result.value === false) return finding(invariant.message);
    return finding(unanswered('gives neither true nor false.', invariant));
  };
}

/** What is said of an invariant that tells nothing of a state: why, then what it was to ensure. */
function unanswered(why: string, { message }: Invariant): string {
  return `The invariant ${why} (It is to ensure: ${message})`;
}
