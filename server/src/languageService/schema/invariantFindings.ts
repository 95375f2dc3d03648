/** What is wrong with `x-invariants`: expressions that don't parse, and paths of the state that the schema doesn't know. */
import { compileExpression } from '../../../../client/src/runtime/expression';
import { isJsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { Severity } from '../../../../schemas/text/problem';
import type { SourceProperty } from '../../../../schemas/text/sourceTree';
import type { Finding } from '../finding';
import { findOptionalReads, optionalReadProblems } from './optionalReads';
import { scalarOffsets } from './scalarOffsets';
import { fixIn, type SchemaContext } from './schemaContext';

export const invariantProblems = {
  /** No run can begin with it. */
  'state.invalid-invariant': 'error',
  /** The expression reads what no state can have. */
  'state.unknown-state-path': 'warning',
  ...optionalReadProblems,
} as const satisfies Record<`state.${string}`, Severity>;

type InvariantFinding = Finding<keyof typeof invariantProblems>;

/** How many invariants are looked at, and how long they may be: compiling one takes time. */
const maxInvariants = 200;
const maxLength = 5_000;

/** Findings in the expressions of the root's invariants. */
export function findInInvariants(context: SchemaContext): readonly InvariantFinding[] {
  const items = context.schema.source?.properties?.get('x-invariants')?.node.items ?? [];
  return items.slice(0, maxInvariants).flatMap((item) => {
    const property = item.properties?.get('expression');
    const node = property?.node;
    if (
      property === undefined ||
      node === undefined ||
      typeof node.value !== 'string' ||
      node.value.trim() === ''
    )
      return [];
    return node.value.length > maxLength ? [] : findInExpression(context, property, node.value);
  });
}

function findInExpression(
  context: SchemaContext,
  property: SourceProperty,
  source: string,
): readonly InvariantFinding[] {
  const { node } = property;
  const { lines } = context.schema;
  const { text } = context.page;
  let offsets: readonly number[] | undefined | 'unknown' = 'unknown';
  const rangeOf = (start: number, end: number) => {
    if (offsets === 'unknown') offsets = scalarOffsets(text, node);
    const from = offsets?.[start];
    const to = offsets?.[Math.min(end, source.length)];
    return from === undefined || to === undefined || to < from
      ? lines.rangeOf(node.start, node.end)
      : lines.rangeOf(from, to);
  };
  const compiled = compileExpression(source, ['state']);
  if (!compiled.ok) {
    const { offset } = compiled;
    const code = 'state.invalid-invariant';
    const range =
      offset === undefined ? lines.rangeOf(node.start, node.end) : rangeOf(...wordAt(source, offset));
    return [
      {
        code,
        severity: invariantProblems[code],
        message: `This is no valid expression: ${compiled.message.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())}`,
        range,
      },
    ];
  }
  const unknownPaths = statePaths(source).flatMap((path): readonly InvariantFinding[] => {
    const unknown = unknownStep(context, path.steps);
    if (unknown === undefined) return [];
    const { step, known } = unknown;
    const code = 'state.unknown-state-path';
    const before = ['state', ...path.steps.slice(0, path.steps.indexOf(step)).map(({ name }) => name)].join(
      '.',
    );
    const meant = nearestName(step.name, known);
    const advice = meant === undefined ? 'Declare it, or correct the expression.' : `Did you mean ${meant}?`;
    const range = rangeOf(step.start, step.end);
    return [
      {
        code,
        severity: invariantProblems[code],
        message: `The schema declares no ${JSON.stringify(step.name)} in ${before}. ${advice}`,
        range,
        ...(meant === undefined || source.slice(step.start, step.end) !== step.name || !/^\w+$/.test(meant)
          ? {}
          : { fixes: () => fixIn(context, `Change to ${meant}`, [[{ range, text: meant }]], true) }),
      },
    ];
  });
  return [...unknownPaths, ...findOptionalReads(context, property, source, rangeOf)];
}

function wordAt(source: string, offset: number): [start: number, end: number] {
  const start = Math.min(offset, Math.max(0, source.length - 1));
  const word = /\w+|[^\w\s]+|\s/y;
  word.lastIndex = start;
  return [start, start + (word.exec(source)?.[0].length ?? 1)];
}

/** A key that an expression reads; offsets are UTF-16, into the expression. */
interface PathStep {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A string that isn't closed is one too: it would be looked through again from each of its quotes. */
const token = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*|\/\/[^\n]*|\s+|./gsu;

/** The paths that begin with `state`, as far as their keys are written out. */
function statePaths(source: string): readonly { readonly steps: readonly PathStep[] }[] {
  const tokens = [...source.matchAll(token)]
    .map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
    .filter(({ text }) => text.trim() !== '' && !text.startsWith('//'));
  const paths: { steps: PathStep[] }[] = [];
  tokens.forEach(({ text }, index) => {
    if (text !== 'state' || tokens[index - 1]?.text === '.') return;
    const steps: PathStep[] = [];
    for (let at = index + 1; ; ) {
      const [next, name, close] = [tokens[at], tokens[at + 1], tokens[at + 2]];
      if (next?.text === '.' && name !== undefined && /^[A-Za-z_]/.test(name.text)) {
        // What is called is no key.
        if (close?.text === '(') break;
        steps.push({ name: name.text, start: name.start, end: name.end });
        at += 2;
      } else if (next?.text === '[' && close?.text === ']' && name !== undefined) {
        const key = literalKey(name.text);
        if (key === undefined) break;
        steps.push({ name: key, start: name.start, end: name.end });
        at += 3;
      } else break;
    }
    if (steps.length > 0) paths.push({ steps });
  });
  return paths;
}

/** The key in `["key"]` or `[0]`; undefined for one that is computed or has escapes. */
function literalKey(text: string): string | undefined {
  if (/^\d+$/.test(text)) return text;
  return /^(["'])[^\\]*\1$/s.test(text) ? text.slice(1, -1) : undefined;
}

/** The first step that leads to what the schema doesn't allow, and the names that it knows there. */
function unknownStep(
  { schema }: SchemaContext,
  steps: readonly PathStep[],
): { readonly step: PathStep; readonly known: readonly string[] } | undefined {
  const path: string[] = [];
  for (const step of steps) {
    const parents = schema.subschemasAt(path);
    path.push(step.name);
    const found = schema.subschemasAt(path);
    if (found.some((subschema) => subschema !== false)) continue;
    const known = parents.flatMap((parent) => {
      const properties = isJsonObject(parent) ? ownProperty(parent, 'properties') : undefined;
      return isJsonObject(properties) ? Object.keys(properties) : [];
    });
    // Where nothing is declared and nothing forbidden, any key may be there.
    return found.length > 0 || known.length > 0 ? { step, known } : undefined;
  }
  return undefined;
}
