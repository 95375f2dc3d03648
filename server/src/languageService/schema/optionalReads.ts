/** Invariants that read what a state may lack: they can't be evaluated there, and every patch that leads there is rejected. */
import { parsedExpression } from '../../../../client/src/runtime/expression';
import { type UnguardedRead, unguardedReads } from '../../../../client/src/runtime/expressionReads';
import { isJsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import type { Range } from '../../../../schemas/text/position';
import type { SourceProperty } from '../../../../schemas/text/sourceTree';
import type { Finding, Fix } from '../finding';
import { fixIn, type SchemaContext } from './schemaContext';
import { keywordIn } from './subschemas';

export const optionalReadProblems = {
  /** An invariant reads a property that isn't required. */
  'state.optional-in-invariant': 'warning',
} as const;

/** The reads of one expression, which can be compiled; `rangeOf` takes its offsets. */
export function findOptionalReads(
  context: SchemaContext,
  property: SourceProperty,
  source: string,
  rangeOf: (start: number, end: number) => Range,
): readonly Finding<keyof typeof optionalReadProblems>[] {
  const ast = parsedExpression(source, ['state']);
  if (ast === undefined) return [];
  return unguardedReads(ast, 'state').flatMap((read) => {
    // Any element has the subschema of the first; what a map has under a key is described alike for all of them.
    const path = read.path.slice(1).map(({ key }) => key ?? '0');
    if (!isOptional(context, path)) return [];
    const code = 'state.optional-in-invariant';
    const shown = source.slice(read.start, read.end);
    return [
      {
        code,
        severity: optionalReadProblems[code],
        message: `${shown} need not be there: where it is missing, the invariant can't be evaluated, and the patch is rejected. Guard it, as in ${guardOf(read, source, false)} || …, or require it.`,
        range: rangeOf(read.start, read.end),
        fixes: () => [
          ...guardFixes(context, property, source, read),
          ...requireFixes(
            context,
            path,
            read.path.some(({ element }) => element !== undefined),
          ),
        ],
      },
    ];
  });
}

/** True for a key that the schema knows and that no subschema which surely holds requires. */
function isOptional({ schema }: SchemaContext, path: readonly string[]): boolean {
  const key = path.at(-1) ?? '';
  const described = schema.subschemasAt(path);
  if (!described.some((subschema) => subschema !== false)) return false;
  return !schema.certainSubschemasAt(path.slice(0, -1)).some((owner) => {
    const required = isJsonObject(owner) ? ownProperty(owner, 'required') : undefined;
    return Array.isArray(required) && required.includes(key);
  });
}

/** What is true where the read can be made, or where it can't. */
function guardOf({ form, path, start, end }: UnguardedRead, source: string, isThere: boolean): string {
  const read = source.slice(start, end);
  if (form === 'field') return `${isThere ? '' : '!'}has(${read})`;
  const owner = read.slice(0, read.lastIndexOf('[')).trim();
  const test = `${JSON.stringify(path.at(-1)?.key ?? '')} in ${owner}`;
  return isThere ? test : `!(${test})`;
}

function guardFixes(
  context: SchemaContext,
  property: SourceProperty,
  source: string,
  read: UnguardedRead,
): readonly Fix[] {
  const { body } = read;
  // What `map` makes of an element without the key is for the writer to say.
  if (body?.macro === 'map') return [];
  const [start, end] = body === undefined ? [0, source.length] : [body.start, body.end];
  const isThere = body !== undefined && body.macro !== 'all';
  const guard = guardOf(read, source, isThere);
  const guarded = source.slice(start, end).trim();
  // A comment would take the bracket with it.
  const close = guarded.includes('//') ? '\n)' : ')';
  const sign = isThere ? '&&' : '||';
  const text = `${source.slice(0, start)}${guard} ${sign} (${guarded}${close}${source.slice(end)}`;
  return fixIn(context, `Add ${guard} ${sign} (…)`, [context.editor.setValue(property, text)], true);
}

/** In the object that declares the property, where that stands in this file and a first state has it. */
function requireFixes(context: SchemaContext, path: readonly string[], isOfElement: boolean): readonly Fix[] {
  const { schema, editor, subschemas } = context;
  const key = path.at(-1) ?? '';
  const declared = subschemas.all.find(
    ({ pointer, keyword, name, parent }) =>
      keyword === 'properties' &&
      name === key &&
      parent !== undefined &&
      schema.pointersAt(path).includes(pointer),
  );
  if (declared?.parent === undefined) return [];
  if (!isOfElement && keywordIn(declared, 'default') === undefined) return [];
  const required = keywordIn(declared.parent, 'required');
  const names = required?.node.value;
  const edit =
    required === undefined
      ? editor.insert(declared.parent.property.node, [['required', [key]]])
      : Array.isArray(names)
        ? editor.setValue(required, [...names, key])
        : undefined;
  return fixIn(context, `Add ${JSON.stringify(key)} to required`, [edit]);
}
