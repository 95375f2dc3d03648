/** The `x-` annotations of SKILL.state: their values, as `stateSchema.schema.json` lists them, and where they belong. */
import { nearestName } from '../text/nearestName';
import type { SourceNode, SourceProperty } from '../text/sourceTree';
import type { ReportProblem } from './schemaIndex';
import { mismatch } from './schemaKeywords';
import metaSchema from './stateSchema.schema.json';

const definitions = metaSchema.$defs;

/** The annotations there are. */
export const annotationNames: readonly string[] = Object.keys(metaSchema.properties);

/** Which annotations of a subschema change how patches are handled. */
export interface SeenAnnotations {
  readonly mergePolicy: boolean;
  readonly writer: boolean;
}

/** Checks the annotations of one subschema. */
export function checkAnnotations(
  schema: SourceNode,
  isRoot: boolean,
  report: ReportProblem,
): SeenAnnotations {
  const merge = schema.properties?.get('x-merge');
  const evict = schema.properties?.get('x-evict');
  const writer = schema.properties?.get('x-writer');
  const invariants = schema.properties?.get('x-invariants');
  if (merge !== undefined && checkEnum('x-merge', merge, report)) checkMergePlace(schema, merge, report);
  if (evict !== undefined && checkEnum('x-evict', evict, report)) checkEvictPlace(schema, evict, report);
  if (writer !== undefined) checkEnum('x-writer', writer, report);
  if (invariants !== undefined) checkInvariants(invariants, isRoot, report);
  return {
    mergePolicy: merge !== undefined && merge.node.value !== 'replace',
    writer: writer?.node.value === 'environment',
  };
}

function checkEnum(
  keyword: 'x-merge' | 'x-evict' | 'x-writer',
  property: SourceProperty,
  report: ReportProblem,
): boolean {
  const values: readonly string[] = definitions[keyword].enum;
  const { value } = property.node;
  if (typeof value === 'string' && values.includes(value)) return true;
  const meant = typeof value === 'string' ? nearestName(value, values) : undefined;
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  report('state.invalid-annotation', `${keyword} has to be ${values.join(' or ')}.${advice}`, property);
  return false;
}

function checkMergePlace(schema: SourceNode, merge: SourceProperty, report: ReportProblem): void {
  const type = schema.properties?.get('type')?.node.value;
  // What a type that can't be read was to be isn't known.
  if (type === undefined || mismatch('type', type) !== undefined) return;
  if (type === 'array' || (Array.isArray(type) && type.includes('array'))) return;
  report(
    'state.misplaced-annotation',
    'x-merge has no effect here: it belongs to a schema of type array.',
    merge,
  );
}

function checkEvictPlace(schema: SourceNode, evict: SourceProperty, report: ReportProblem): void {
  const merge = schema.properties?.get('x-merge')?.node.value;
  if (merge !== undefined && !definitions['x-merge'].enum.some((policy) => policy === merge)) return;
  if (merge !== 'append' && merge !== 'union') {
    const message = 'x-evict has no effect here: it needs x-merge: append or x-merge: union beside it.';
    report('state.misplaced-annotation', message, evict);
  } else if (schema.properties?.has('maxItems') !== true) {
    report('state.misplaced-annotation', 'x-evict has no effect here: it needs maxItems beside it.', evict);
  }
}

/** How an invariant is written. */
const invariantShape =
  'Write two lines for each: `- expression: "!has(state.list) || size(state.list) <= 5"` and, below it, `  message: The list is full.`';

function checkInvariants(invariants: SourceProperty, isRoot: boolean, report: ReportProblem): void {
  if (!isRoot) {
    const message = 'x-invariants has no effect here: it belongs to the root of the schema.';
    report('state.misplaced-annotation', message, invariants);
    return;
  }
  if (invariants.node.items === undefined) {
    const message = `x-invariants has to be a list. ${invariantShape}`;
    report('state.invalid-annotation', message, invariants);
    return;
  }
  for (const item of invariants.node.items) {
    const place = { keyStart: item.start, keyEnd: item.end, node: item };
    if (item.properties === undefined || !item.properties.has('expression')) {
      const message = `An invariant has to be an object with an expression and a message. ${invariantShape}`;
      report('state.invalid-annotation', message, place);
    }
    for (const [key, property] of item.properties ?? []) {
      const { value } = property.node;
      if (key !== 'expression' && key !== 'message') {
        const message = `${JSON.stringify(key)} is no key of an invariant. ${invariantShape}`;
        report('state.invalid-annotation', message, property);
      } else if (typeof value !== 'string' || (key === 'expression' && value.trim() === '')) {
        report(
          'state.invalid-annotation',
          `The ${key} of an invariant has to be a text. ${invariantShape}`,
          property,
        );
      }
    }
  }
}
