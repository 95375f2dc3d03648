/** Fixes for a list that grows: limits, other ways to merge it, and a map by keys instead. */
import type { Fix } from '../finding';
import { fixIn, type SchemaContext } from './schemaContext';
import { keywordIn, type Subschema, typesIn } from './subschemas';

/** How many items the fixes allow. */
const maxItems = 20;
const maxKeyLength = 40;

/** Fixes for a list, those first that suit what it has. */
export function fixesOfList(context: SchemaContext, list: Subschema): readonly Fix[] {
  const { editor } = context;
  const { node } = list.property;
  const isLimited = keywordIn(list, 'maxItems') !== undefined;
  const merge = keywordIn(list, 'x-merge');
  const limit = isLimited ? [] : ([['maxItems', maxItems]] as const);
  const fixes: Fix[] = [];
  if (!isLimited)
    fixes.push(...fixIn(context, `Add maxItems: ${maxItems}`, [editor.insert(node, limit)], true));
  // What stands in another list is replaced with it, however it is written.
  if (!context.schema.isPart && !context.subschemas.isMerged(list.pointer)) return fixes;
  if (merge !== undefined && merge.node.value !== 'replace') {
    if (keywordIn(list, 'x-evict') === undefined)
      fixes.push(
        ...fixIn(
          context,
          isLimited ? 'Add x-evict: oldest' : `Add maxItems: ${maxItems} and x-evict: oldest`,
          [editor.insert(node, [...limit, ['x-evict', 'oldest']])],
        ),
      );
    return fixes;
  }
  const withMerge = (policy: string, evict: boolean): Fix[] => {
    const added = [...limit, ...(evict ? ([['x-evict', 'oldest']] as const) : [])];
    const title = [`x-merge: ${policy}`, ...added.map(([keyword, value]) => `${keyword}: ${value}`)];
    const edits =
      merge === undefined
        ? [editor.insert(node, [['x-merge', policy], ...added])]
        : [editor.setValue(merge, policy), ...(added.length > 0 ? [editor.insert(node, added)] : [])];
    return fixIn(context, `Add ${title.join(', ')}`, edits);
  };
  fixes.push(...withMerge('append', true), ...withMerge('union', false), ...keyedMap(context, list));
  return fixes;
}

/** Keywords of a list that have no counterpart in a map. */
const dropped = ['uniqueItems', 'x-merge', 'x-evict'];
const renamed = [
  ['items', 'additionalProperties'],
  ['maxItems', 'maxProperties'],
  ['minItems', 'minProperties'],
] as const;
/** Those that make it more than a list of like items. */
const peculiar = [
  'prefixItems',
  'additionalItems',
  'contains',
  'unevaluatedItems',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  'properties',
  'examples',
];

/** A list of like items as an object whose values they are, so that a patch names only those that change. */
function keyedMap(context: SchemaContext, list: Subschema): readonly Fix[] {
  const { editor } = context;
  const { node } = list.property;
  const type = keywordIn(list, 'type');
  const items = keywordIn(list, 'items');
  const initial = keywordIn(list, 'default');
  const types = typesIn(list);
  if (type === undefined || items?.node.properties === undefined || types?.length !== 1) return [];
  if (peculiar.some((keyword) => keywordIn(list, keyword) !== undefined)) return [];
  if (initial !== undefined && !(Array.isArray(initial.node.value) && initial.node.value.length === 0))
    return [];
  if (dropped.some((keyword) => keywordIn(list, keyword) !== undefined)) return [];
  const limit = keywordIn(list, 'maxItems') === undefined ? ([['maxProperties', maxItems]] as const) : [];
  return fixIn(context, 'Turn the list into a map by keys, so that a patch names only what changes', [
    editor.setValue(type, 'object'),
    ...renamed.flatMap(([keyword, name]) => {
      const property = keywordIn(list, keyword);
      return property === undefined ? [] : [editor.rename(property, name)];
    }),
    initial === undefined ? [] : editor.setValue(initial, {}),
    editor.insert(node, [['propertyNames', { maxLength: maxKeyLength }], ...limit]),
  ]);
}
