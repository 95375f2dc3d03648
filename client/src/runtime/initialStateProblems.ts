/** Why a run can't start with a skill's Σ_0, at the place in the skill's files where that is mended. */
import { formatPointer, type JsonPath, parsePointer } from '../../../schemas/json/jsonPointer';
import { isJsonObject } from '../../../schemas/json/jsonValue';
import type { FileProblem, Skill } from '../../../schemas/skill/skill';
import { type LoadedInitialState, loadInitialState } from '../../../schemas/state/initialState';
import { initialStateProblems, stateSchemaProblems } from '../../../schemas/state/stateProblems';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import type { Range } from '../../../schemas/text/position';
import type { InitialViolation } from './validation';

const start: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** Rules that forbid a key, which then is the place, not its value. */
const keyRules = new Set(['additionalProperties', 'unevaluatedProperties', 'propertyNames']);

/** Σ_0's file, and where the values at its paths stand in it. */
export interface InitialStatePlaces extends Pick<LoadedInitialState, 'rangesOf'> {
  /** Relative to the skill's folder. */
  readonly path: string;
}

/** Each violation of Σ_0 as a problem in the initial state's file or, where there is none, in the state schema. */
export function initialStateProblemsOf(
  skill: Skill,
  violations: readonly InitialViolation[],
): readonly FileProblem[] {
  const file = skill.files.find(({ role }) => role === 'initial-state');
  const places = file && { path: file.path, rangesOf: loadInitialState(file).rangesOf };
  return violations.map((violation) => initialStateProblemOf(skill.stateSchema, violation, places));
}

/** One violation as such a problem; `places` is undefined where Σ_0 is made of the schema's defaults. */
export function initialStateProblemOf(
  schema: StateSchema,
  violation: InitialViolation,
  places: InitialStatePlaces | undefined,
): FileProblem {
  if (violation.class === 'invariant') return invariantProblem(schema, violation, places?.path);
  return places === undefined ? defaultsProblem(schema, violation) : fileProblem(schema, violation, places);
}

function fileProblem(
  schema: StateSchema,
  violation: InitialViolation,
  { path: filePath, rangesOf }: InitialStatePlaces,
): FileProblem {
  const path = parsePointer(violation.pointer) ?? [];
  const ranges = rangesOf(path);
  const keyword = (parsePointer(violation.schemaLocation) ?? []).at(-1) ?? '';
  let range = keyRules.has(keyword) ? ranges?.key : ranges?.value;
  for (let length = path.length - 1; range === undefined && length > 0; length--) {
    // What is missing is missed where it belongs.
    range = rangesOf(path.slice(0, length))?.key;
  }
  const rule = placeOfRule(schema, violation.schemaLocation);
  const remedy = rule === undefined ? 'Correct it here.' : `Correct it here, or the rule in ${rule}.`;
  return doesNotFit(
    filePath,
    `The initial state does not fit the state schema: ${violation.message} ${remedy}`,
    range ?? start,
  );
}

function defaultsProblem(schema: StateSchema, violation: InitialViolation): FileProblem {
  const path = parsePointer(violation.pointer) ?? [];
  const written = writtenDefault(schema, path);
  const remedy =
    written === undefined
      ? `Give ${path.length === 0 ? 'the properties' : 'it'} a default, or write state.initial.yaml.`
      : 'Correct this default, or write state.initial.yaml.';
  const place = written ?? withoutDefault(schema, path, violation.schemaLocation);
  return doesNotFit(
    place?.path ?? schema.path ?? 'state.schema.yaml',
    `The schema's defaults make no initial state that fits it: ${violation.message} ${remedy}`,
    place?.range ?? start,
  );
}

/** A range in one of the schema's files. */
interface FileRange {
  readonly path: string | undefined;
  readonly range: Range;
}

/** Where the value at a path was taken from a `default` of it or of what contains it, the outermost of which counts. */
function writtenDefault(schema: StateSchema, path: JsonPath): FileRange | undefined {
  for (let length = 0; length <= path.length; length++) {
    const pointers = schema.pointersAt(path.slice(0, length));
    const subschemas = schema.subschemasAt(path.slice(0, length));
    const certain = new Set(schema.certainSubschemasAt(path.slice(0, length)));
    const index = subschemas.findIndex(
      (subschema) => isJsonObject(subschema) && Object.hasOwn(subschema, 'default') && certain.has(subschema),
    );
    const pointer = pointers[index];
    if (pointer === undefined) continue;
    for (let inner = path.length; inner >= length; inner--) {
      const found = schema.placeOf(`${pointer}/default${formatPointer(path.slice(length, inner))}`);
      if (found !== undefined) return { path: found.path, range: found.value };
    }
  }
  return undefined;
}

function withoutDefault(schema: StateSchema, path: JsonPath, schemaLocation: string): FileRange | undefined {
  const declared = path.length === 0 ? undefined : schema.pointersAt(path)[0];
  const place =
    (declared === undefined ? undefined : schema.placeOf(declared)) ?? schema.placeOf(schemaLocation);
  return place && { path: place.path, range: place.key };
}

function invariantProblem(
  schema: StateSchema,
  violation: InitialViolation,
  initialPath: string | undefined,
): FileProblem {
  const code = 'state.invariant-of-initial-state';
  const expression = schema.rangesOf(`${violation.schemaLocation}/expression`);
  const initial =
    initialPath === undefined
      ? 'the initial state that the defaults make'
      : `the initial state in ${initialPath}`;
  return {
    path: schema.path ?? 'state.schema.yaml',
    problem: {
      code,
      severity: stateSchemaProblems[code],
      message: `This invariant rejects ${initial}: ${violation.message} Correct the expression, or that state.`,
      range: expression?.value ?? start,
    },
  };
}

function doesNotFit(path: string, message: string, range: Range): FileProblem {
  const code = 'initial.does-not-fit';
  return { path, problem: { code, severity: initialStateProblems[code], message, range } };
}

/** `state.schema.yaml:12`; undefined for a limit of the run and for the schema of a skill without one. */
function placeOfRule(schema: StateSchema, schemaLocation: string): string | undefined {
  const place = schemaLocation === '' ? undefined : schema.placeOf(schemaLocation);
  if (place?.path === undefined) return undefined;
  return `${place.path}:${place.key.start.line + 1}`;
}
