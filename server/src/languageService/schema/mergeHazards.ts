/** What makes patches large or states contradictory: lists rewritten whole, facts held twice, objects left open. */
import { stateBound } from '../../../../schemas/state/stateBound';
import { stateFieldName } from '../../../../schemas/state/stateFieldName';
import { findBacktracking } from '../../../../schemas/text/patternBacktracking';
import type { Severity } from '../../../../schemas/text/problem';
import { compilePattern } from '../../../../schemas/text/safePattern';
import type { Finding } from '../finding';
import { fixesOfList } from './listFixes';
import { findSameFacts } from './sameFacts';
import type { SchemaContext } from './schemaContext';
import { keyRangeOf, keywordIn, type Subschema, typesIn } from './subschemas';
import { openFixes } from './unboundedFindings';

export const hazardProblems = {
  /** A list that grows and that each patch has to repeat. */
  'state.list-rewritten': 'hint',
  /** Two fields that seem to say the same. */
  'state.same-fact': 'hint',
  /** An object that declares keys and takes any others. */
  'state.open-object': 'hint',
  /** A pattern that takes exponential time on engines that backtrack; ours doesn't. */
  'state.backtracking-pattern': 'hint',
} as const satisfies Record<`state.${string}`, Severity>;

type HazardFinding = Finding<keyof typeof hazardProblems>;

/** Hazards of merging. `reported` are the places, by pointer and keyword, that are found unbounded already. */
export function findMergeHazards(
  context: SchemaContext,
  reported: ReadonlySet<string>,
): readonly HazardFinding[] {
  const findings: HazardFinding[] = [];
  const lists = listsWithPolicy(context);
  for (const subschema of context.subschemas.all) {
    if (context.subschemas.isMerged(subschema.pointer)) {
      append(findings, rewrittenList(context, subschema, lists));
      append(findings, findSameFacts(context, subschema));
    }
    const open = openObject(context, subschema);
    if (open.length > 0 && !reported.has(`${subschema.pointer} additionalProperties`)) append(findings, open);
    append(findings, slowPatterns(context, subschema));
  }
  return findings;
}

/** Most subschemas have no findings, and all of them are asked. */
function append(findings: HazardFinding[], more: readonly HazardFinding[]): void {
  for (const finding of more) findings.push(finding);
}

function findingOf(
  code: keyof typeof hazardProblems,
  message: string,
  range: HazardFinding['range'],
): HazardFinding {
  return { code, severity: hazardProblems[code], message, range };
}

/** Lists of up to so many items or bytes are cheap to repeat. */
const fewItems = 20;
const fewBytes = 1_000;

function rewrittenList(
  context: SchemaContext,
  list: Subschema,
  merged: ReadonlySet<string>,
): readonly HazardFinding[] {
  const { schema } = context;
  const types = typesIn(list);
  if (types?.includes('array') !== true || keywordIn(list, 'x-merge') !== undefined) return [];
  if (merged.has(list.pointer)) return [];
  if (keywordIn(list, 'x-writer')?.node.value === 'environment') return [];
  if (keywordIn(list, 'enum') !== undefined || keywordIn(list, 'const') !== undefined) return [];
  const maxItems = keywordIn(list, 'maxItems')?.node.value;
  const size = stateBound(schema).at(list.pointer)?.bytes ?? 0;
  if (size <= fewBytes || (typeof maxItems === 'number' && maxItems <= fewItems)) return [];
  const field = JSON.stringify(stateFieldName(list.pointer));
  const message = `A patch that changes ${field} writes the whole list again, each step longer; let patches add to it (x-merge: append or union), or keep a map by keys.`;
  return [
    {
      ...findingOf('state.list-rewritten', message, keyRangeOf(schema, list)),
      fixes: () => fixesOfList(context, list),
    },
  ];
}

/** The lists that something which refers to them merges in another way. */
function listsWithPolicy({ schema, subschemas }: SchemaContext): ReadonlySet<string> {
  const lists = new Set<string>();
  if (!schema.hasMergePolicies) return lists;
  for (const [from, targets] of schema.references) {
    const referring = subschemas.at(from);
    if (referring === undefined || keywordIn(referring, 'x-merge') === undefined) continue;
    for (const target of targets) lists.add(target);
  }
  return lists;
}

function openObject(context: SchemaContext, subschema: Subschema): readonly HazardFinding[] {
  const { schema } = context;
  const properties = keywordIn(subschema, 'properties');
  if (properties?.node.properties === undefined || properties.node.properties.size === 0) return [];
  if (typesIn(subschema)?.includes('object') !== true) return [];
  const closing = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames'];
  if (closing.some((keyword) => keywordIn(subschema, keyword) !== undefined)) return [];
  // Parts that are combined are closed where they are.
  const { keyword } = subschema;
  const combining = ['allOf', 'anyOf', 'oneOf', '$ref', 'if'];
  if (combining.includes(keyword) || ['then', 'else', 'not', '$defs', 'definitions'].includes(keyword))
    return [];
  if (combining.some((other) => keywordIn(subschema, other) !== undefined)) return [];
  const field = stateFieldName(subschema.pointer);
  const named = field === 'the state' ? 'The state' : JSON.stringify(field);
  const message = `${named} takes keys that are not declared, misspelt ones too; add additionalProperties: false.`;
  return [
    {
      ...findingOf(
        'state.open-object',
        message,
        schema.lines.rangeOf(properties.keyStart, properties.keyEnd),
      ),
      fixes: () => openFixes(context, subschema).slice(0, 1),
    },
  ];
}

function slowPatterns({ schema }: SchemaContext, subschema: Subschema): readonly HazardFinding[] {
  const pattern = keywordIn(subschema, 'pattern');
  const patterns = keywordIn(subschema, 'patternProperties');
  if (pattern === undefined && patterns === undefined) return [];
  const findings: HazardFinding[] = [];
  const check = (source: string, start: number, end: number): void => {
    const part = compilePattern(source).ok ? findBacktracking(source) : undefined;
    if (part === undefined) return;
    const written = source.slice(part.start, part.end);
    const message = `${JSON.stringify(written)} in this pattern takes exponential time on engines that backtrack, as other validators and providers run; here it does no harm. Write it so that a text can be matched in one way only.`;
    findings.push(findingOf('state.backtracking-pattern', message, schema.lines.rangeOf(start, end)));
  };
  if (typeof pattern?.node.value === 'string')
    check(pattern.node.value, pattern.node.start, pattern.node.end);
  for (const [source, { keyStart, keyEnd }] of keywordIn(subschema, 'patternProperties')?.node.properties ??
    [])
    check(source, keyStart, keyEnd);
  return findings;
}
