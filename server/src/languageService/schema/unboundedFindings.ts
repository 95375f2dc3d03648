/** What keeps Σ from having a bound, at the places where a limit is missing. */
import { stateBound, type UnboundedPlace, unboundedPlaces } from '../../../../schemas/state/stateBound';
import { stateFieldName } from '../../../../schemas/state/stateFieldName';
import type { Severity } from '../../../../schemas/text/problem';
import type { Finding, Fix } from '../finding';
import { fixesOfList } from './listFixes';
import { fixIn, type SchemaContext } from './schemaContext';
import { keyRangeOf, keywordIn, rangeOfSubschema, type Subschema, typesIn } from './subschemas';

export const boundProblems = {
  /** A value that may grow without end, and every prompt with it. */
  'state.unbounded': 'information',
} as const satisfies Record<`state.${string}`, Severity>;

/** More than anybody reads; the rest show up as these are mended. */
const maxFindings = 100;

/** What the fixes suggest; every schema has its own right numbers. */
export const suggested = { maxItems: 20, maxLength: 200, maxProperties: 50, keyLength: 40, timeLength: 40 };

/** One finding for each place that makes Σ unbounded. */
export function findUnbounded(
  context: SchemaContext,
  places: readonly UnboundedPlace[],
): readonly Finding<keyof typeof boundProblems>[] {
  const { schema, subschemas } = context;
  const reported = new Set<string>();
  return places.slice(0, maxFindings).flatMap((place) => {
    const subschema = subschemas.at(place.pointer);
    if (subschema === undefined) return elsewhere(context, place, reported);
    // What a YAML alias repeats is written once.
    const range = rangeOfSubschema(schema, subschema);
    const { line, character } =
      keywordIn(subschema, 'type') === undefined ? keyRangeOf(schema, subschema).start : range.start;
    const written = `${place.missing} ${line} ${character}`;
    if (reported.has(written)) return [];
    reported.add(written);
    const code = 'state.unbounded';
    return [
      {
        code,
        severity: boundProblems[code],
        message: messageOf(place, subschema),
        range,
        fixes: () => fixesOf(context, place, subschema),
      },
    ];
  });
}

/** A place that is not in this text, but in a file that one of its references leads to: reported at that reference. */
function elsewhere(
  { schema, subschemas }: SchemaContext,
  place: UnboundedPlace,
  reported: Set<string>,
): readonly Finding<keyof typeof boundProblems>[] {
  for (const [from, targets] of schema.references) {
    const subschema = subschemas.at(from);
    const reference = subschema && keywordIn(subschema, '$ref');
    if (reference === undefined || targets.every((target) => subschemas.at(target) !== undefined)) continue;
    const bound = stateBound(schema).at(from);
    if (bound === undefined || Number.isFinite(bound.bytes)) continue;
    const leadsThere = unboundedPlaces(bound).some(
      ({ pointer, missing }) => pointer === place.pointer && missing === place.missing,
    );
    if (!leadsThere) continue;
    const { start, end } = reference.node;
    if (reported.has(`${start}`)) return [];
    reported.add(`${start}`);
    const code = 'state.unbounded';
    const message = `What this leads to has no bound: ${messageOf(place)}`;
    return [{ code, severity: boundProblems[code], message, range: schema.lines.rangeOf(start, end) }];
  }
  return [];
}

function messageOf({ pointer, missing }: UnboundedPlace, subschema?: Subschema): string {
  const name = stateFieldName(pointer);
  const field = name === 'the state' ? 'The state' : JSON.stringify(name);
  switch (missing) {
    case 'maxItems':
      return `${field} can have any number of items, so the state has no bound; add maxItems.`;
    case 'maxLength': {
      const format = subschema && keywordIn(subschema, 'format')?.node.value;
      if (typeof format === 'string')
        return `${field} can be of any length, which format: ${JSON.stringify(format)} does not limit, so the state has no bound; add maxLength.`;
      return `${field} can be of any length, so the state has no bound; add maxLength.`;
    }
    case 'maxProperties':
      return `${field} can have any number of keys, so the state has no bound; add maxProperties.`;
    case 'propertyNames':
      return `The keys of ${field} can be of any length, so the state has no bound; add propertyNames with maxLength.`;
    case 'additionalProperties':
      return `${field} can have keys that are not declared, with any values, so the state has no bound; add additionalProperties: false, or the schema of their values.`;
    case 'items':
      return `The items of ${field} can be any values, so the state has no bound; add items with their schema.`;
    case 'type':
      return `${field} can be any value, so the state has no bound; add its type.`;
    case 'fewer subschemas':
      return `${field} is described by too many subschemas at once to tell how large it can be; describe it more simply.`;
    case '$ref':
      return `${field} contains itself by this $ref, so the state has no bound; write out as many levels as there may be.`;
  }
}

function fixesOf(context: SchemaContext, { missing }: UnboundedPlace, subschema: Subschema): readonly Fix[] {
  const { editor } = context;
  const { node } = subschema.property;
  const add = (keyword: string, value: number | boolean, preferred = true): Fix[] =>
    fixIn(context, `Add ${keyword}: ${value}`, [editor.insert(node, [[keyword, value]])], preferred);
  switch (missing) {
    case 'maxItems':
      return fixesOfList(context, subschema);
    case 'maxLength':
      return add('maxLength', isTime(subschema) ? suggested.timeLength : suggested.maxLength);
    case 'maxProperties':
      return countFixes(context, subschema);
    case 'propertyNames':
      return keyFixes(context, subschema);
    case 'additionalProperties':
      return openFixes(context, subschema);
    case 'items': {
      const items = { type: 'string', maxLength: suggested.maxLength };
      return fixIn(context, `Add items: strings of at most ${items.maxLength} characters`, [
        editor.insert(node, [['items', items]]),
      ]);
    }
    case 'type':
      return typeFixes(context, subschema);
    case '$ref':
    case 'fewer subschemas':
      return [];
  }
}

function isTime(subschema: Subschema): boolean {
  const format = keywordIn(subschema, 'format')?.node.value;
  return format === 'date-time' || format === 'time' || format === 'duration';
}

/** Limits the number of keys, and their length where nothing does. */
function countFixes(context: SchemaContext, subschema: Subschema): readonly Fix[] {
  const { editor } = context;
  const { maxProperties, keyLength } = suggested;
  const isFree = ['propertyNames', 'patternProperties'].every(
    (keyword) => keywordIn(subschema, keyword) === undefined,
  );
  const title = isFree
    ? `Add maxProperties: ${maxProperties} and propertyNames: { maxLength: ${keyLength} }`
    : `Add maxProperties: ${maxProperties}`;
  const edit = editor.insert(subschema.property.node, [
    ...(isFree ? ([['propertyNames', { maxLength: keyLength }]] as const) : []),
    ['maxProperties', maxProperties],
  ]);
  return fixIn(context, title, [edit], true);
}

function keyFixes(context: SchemaContext, subschema: Subschema): readonly Fix[] {
  const { editor } = context;
  const names = keywordIn(subschema, 'propertyNames');
  const title = `Add propertyNames: { maxLength: ${suggested.keyLength} }`;
  const limit = [['maxLength', suggested.keyLength]] as const;
  if (names === undefined)
    return fixIn(
      context,
      title,
      [editor.insert(subschema.property.node, [['propertyNames', Object.fromEntries(limit)]])],
      true,
    );
  return fixIn(
    context,
    `Add maxLength: ${suggested.keyLength} to propertyNames`,
    [editor.insert(names.node, limit)],
    true,
  );
}

/** Fixes of an object that may have any other keys. */
export function openFixes(context: SchemaContext, subschema: Subschema): readonly Fix[] {
  const { editor } = context;
  const { node } = subschema.property;
  const written = keywordIn(subschema, 'additionalProperties');
  const close =
    written === undefined
      ? editor.insert(node, [['additionalProperties', false]])
      : editor.setValue(written, false);
  const hasProperties = keywordIn(subschema, 'properties') !== undefined;
  const closing = fixIn(context, 'Add additionalProperties: false', [close], hasProperties);
  const values = { type: 'string', maxLength: suggested.maxLength };
  const limits = (
    [
      ['propertyNames', { maxLength: suggested.keyLength }],
      ['maxProperties', suggested.maxProperties],
    ] as const
  ).filter(([keyword]) => keywordIn(subschema, keyword) === undefined);
  const limiting = fixIn(context, `Allow up to ${suggested.maxProperties} other keys with strings`, [
    written === undefined
      ? editor.insert(node, [['additionalProperties', values], ...limits])
      : editor.setValue(written, values),
    ...(written === undefined || limits.length === 0 ? [] : [editor.insert(node, limits)]),
  ]);
  return [...closing, ...limiting];
}

/** Which type the keywords beside it speak of. */
const typeByKeyword: readonly (readonly [keyword: string, type: string])[] = [
  ['properties', 'object'],
  ['additionalProperties', 'object'],
  ['patternProperties', 'object'],
  ['propertyNames', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['maxItems', 'array'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['maxLength', 'string'],
  ['pattern', 'string'],
  ['format', 'string'],
];

function typeFixes(context: SchemaContext, subschema: Subschema): readonly Fix[] {
  if (typesIn(subschema) !== undefined) return [];
  const { editor } = context;
  const { node } = subschema.property;
  const type = typeByKeyword.find(([keyword]) => keywordIn(subschema, keyword) !== undefined)?.[1];
  if (type !== undefined)
    return fixIn(context, `Add type: ${type}`, [editor.insert(node, [['type', type]])], true);
  const { maxLength } = suggested;
  return [
    ...fixIn(context, `Add type: string and maxLength: ${maxLength}`, [
      editor.insert(node, [
        ['type', 'string'],
        ['maxLength', maxLength],
      ]),
    ]),
    ...(['integer', 'number', 'boolean'] as const).flatMap((simple) =>
      fixIn(context, `Add type: ${simple}`, [editor.insert(node, [['type', simple]])]),
    ),
  ];
}
