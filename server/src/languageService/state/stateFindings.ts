/** What is wrong in an initial state, against its schema. */
import { initialStateProblemOf } from '../../../../client/src/runtime/initialStateProblems';
import type { InitialViolation } from '../../../../client/src/runtime/validation';
import { formatPointer, type JsonPath, parsePointer } from '../../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { Range } from '../../../../schemas/text/position';
import { propertyAt, type SourceNode } from '../../../../schemas/text/sourceTree';
import type { StatePage, Tools } from '../documents';
import type { Finding, RelatedPlace } from '../finding';
import { type CheckedSchema, checkedSchemaOf, withoutEchoes } from './checkedSchema';
import { type FixTarget, fixesOf, type Misfit } from './stateFixes';

/** The text's problems, and every breach of the schema and its invariants. Without a schema, or with a broken one, only the former. */
export async function findInState(page: StatePage, _tools: Tools): Promise<readonly Finding[]> {
  const { state, schema } = page;
  const isBroken = state.problems.some(({ severity }) => severity === 'error');
  const checked = isBroken || schema === undefined ? undefined : checkedSchemaOf(schema);
  if (schema === undefined || checked === undefined || state.state === undefined) return state.problems;
  const violations = withoutEchoes(violationsOf(checked, state.state), ({ pointer }) => pointer);
  return [...state.problems, ...violations.map((violation) => findingOf(page, schema, violation))];
}

/** The violations of a Σ_0; those of the schema alone where an invariant can't be read. */
export function violationsOf(
  { validator, compiled }: CheckedSchema,
  state: JsonObject,
): readonly InitialViolation[] {
  if (validator !== undefined) return validator.checkInitial(state);
  const violations = compiled.violations(state);
  if (violations === 'exhausted') return [];
  return violations.map(({ path, schemaLocation, message }) => ({
    class: 'schema',
    pointer: formatPointer(path),
    schemaLocation,
    message,
  }));
}

function findingOf(page: StatePage, schema: StateSchema, violation: InitialViolation): Finding {
  const { state, model, uri } = page;
  if (violation.class === 'invariant') return invariantFinding(page, schema, violation);
  const filePath = model?.pathOf(uri) ?? uri;
  const { problem } = initialStateProblemOf(schema, violation, { path: filePath, rangesOf: state.rangesOf });
  const path = parsePointer(violation.pointer) ?? [];
  const related = ruleOf(page, schema, violation.schemaLocation, 'The rule stands here.');
  return {
    ...problem,
    range: isEmpty(problem.range) ? firstPlace(page) : problem.range,
    ...(related && { related: [related] }),
    fixes: () => {
      const target = targetOf(page);
      const misfit = target && misfitOf(target.root, path, violation.schemaLocation);
      return target === undefined || misfit === undefined ? [] : fixesOf(target, schema, misfit);
    },
  };
}

function invariantFinding(page: StatePage, schema: StateSchema, violation: InitialViolation): Finding {
  const expressionLocation = `${violation.schemaLocation}/expression`;
  const related = ruleOf(page, schema, expressionLocation, 'The invariant stands here.');
  const index = Number((parsePointer(violation.schemaLocation) ?? []).at(-1));
  const path = mentionedPath(page.state.source, schema.invariants[index]?.expression ?? '');
  const where = schema.path === undefined ? '' : ` in ${schema.path}`;
  return {
    code: 'state.invariant-of-initial-state',
    severity: 'error',
    message: `An invariant rejects this state: ${violation.message} Correct the state, or the expression${where}.`,
    range: (path.length > 0 ? page.state.rangesOf(path)?.key : undefined) ?? firstPlace(page),
    ...(related && { related: [related] }),
  };
}

/** The deepest value of the state that an expression names first: `inventory` for `state.inventory.all(…)`. */
function mentionedPath(root: SourceNode | undefined, expression: string): JsonPath {
  const names = /\bstate((?:\.\w+)+)/.exec(expression)?.[1]?.slice(1).split('.') ?? [];
  for (let length = names.length; length > 0; length--) {
    const path = names.slice(0, length);
    if (root !== undefined && propertyAt(root, path) !== undefined) return path;
  }
  return [];
}

/** What a violation is in the tree: its key, its value, or that it isn't there. */
function misfitOf(root: SourceNode, path: JsonPath, schemaLocation: string): Misfit | undefined {
  if (propertyAt(root, path) === undefined) {
    return propertyAt(root, path.slice(0, -1)) && { kind: 'missing', path, statePath: path };
  }
  const rule = (parsePointer(schemaLocation) ?? []).at(-1) ?? '';
  const isForbidden = ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'not'].includes(
    rule,
  );
  return { kind: isForbidden ? 'forbidden' : 'value', path, statePath: path };
}

function targetOf({ uri, lines, format, text, state: { source: root } }: StatePage): FixTarget | undefined {
  if (root === undefined) return undefined;
  // A byte order mark is no JSON; the tree's offsets count it.
  const readable = format === 'json' && text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  return { uri, lines, format, text: readable, root, offset: 0 };
}

function ruleOf(
  { model }: StatePage,
  schema: StateSchema,
  schemaLocation: string,
  message: string,
): RelatedPlace | undefined {
  const place = schemaLocation === '' ? undefined : schema.placeOf(schemaLocation);
  if (model === undefined || place?.path === undefined) return undefined;
  return { uri: model.uriOf(place.path), range: place.key, message };
}

/** Where a finding about the whole state shows: its first key, else its first character. */
function firstPlace({ lines, state: { source } }: StatePage): Range {
  const first = source?.properties?.values().next().value;
  if (first !== undefined) return lines.rangeOf(first.keyStart, first.keyEnd);
  const start = source?.start ?? 0;
  return lines.rangeOf(start, source?.end ?? start);
}

function isEmpty({ start, end }: Range): boolean {
  return start.line === end.line && start.character === end.character;
}
