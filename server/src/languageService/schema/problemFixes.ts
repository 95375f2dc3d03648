/** Quick fixes for the problems that loading a state schema reports. */
import { fragmentText } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import { annotationNames } from '../../../../schemas/state/schemaAnnotations';
import { dialectUris, keywordsOf, mismatch, nearestType } from '../../../../schemas/state/schemaKeywords';
import type { StateSchemaProblemCode } from '../../../../schemas/state/stateProblems';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { Problem } from '../../../../schemas/text/problem';
import {
  placeAtOffset,
  propertyAt,
  type SourceNode,
  type SourceProperty,
} from '../../../../schemas/text/sourceTree';
import type { Fix } from '../finding';
import { duplicateKeyFixes } from './duplicateKeyFix';
import { fixIn, type SchemaContext } from './schemaContext';
import { keywordIn } from './subschemas';

/** A keyword that a problem is about. */
interface ProblemPlace {
  readonly keyword: string;
  readonly property: SourceProperty;
  /** The object that has it. */
  readonly owner: SourceNode;
}

type SchemaProblem = Problem<StateSchemaProblemCode>;
type MakeFixes = (context: SchemaContext, place: ProblemPlace, problem: SchemaProblem) => readonly Fix[];

const fixesByCode: Partial<Record<StateSchemaProblemCode, MakeFixes>> = {
  'state.unknown-keyword': unknownKeyword,
  'state.unsupported-keyword': unsupportedKeyword,
  'state.invalid-keyword': invalidType,
  'state.misplaced-annotation': misplacedAnnotation,
  'state.invalid-annotation': invalidAnnotation,
  'state.unknown-dialect': (context, { property }) =>
    (['2020-12', 'draft-07'] as const).flatMap((dialect) => {
      const uri = dialect === 'draft-07' ? `${dialectUris[dialect]}#` : dialectUris[dialect];
      return fixIn(
        context,
        `Use ${dialect}`,
        [context.editor.setValue(property, uri)],
        dialect === '2020-12',
      );
    }),
  'state.unresolved-reference': unresolvedReference,
  'state.untyped-root': addObjectType,
  'state.root-not-object': (context, { keyword, property }) =>
    keyword === 'type'
      ? fixIn(context, 'Change to type: object', [context.editor.setValue(property, 'object')], true)
      : [],
};

/** The fixes of a problem, or none; to be asked for when the user asks. */
export function fixesOfProblem(context: SchemaContext, problem: SchemaProblem): readonly Fix[] {
  if (problem.code === 'state.duplicate-key') return duplicateKeyFixes(context, problem);
  const make = fixesByCode[problem.code];
  const place = make && placeOf(context, problem);
  return make === undefined || place === undefined ? [] : make(context, place, problem);
}

/** True for problems that may have fixes. */
export function mayHaveFixes({ code }: SchemaProblem): boolean {
  return code === 'state.duplicate-key' || fixesByCode[code] !== undefined;
}

function placeOf({ schema }: SchemaContext, { range }: SchemaProblem): ProblemPlace | undefined {
  const { source, lines } = schema;
  const place = source && placeAtOffset(source, lines.offsetAt(range.start));
  const keyword = place?.path.at(-1);
  if (source === undefined || place === undefined || keyword === undefined) return undefined;
  const owner = propertyAt(source, place.path.slice(0, -1))?.node;
  return owner && { keyword, property: place.property, owner };
}

function remove(context: SchemaContext, { keyword, owner }: ProblemPlace): readonly Fix[] {
  return fixIn(context, `Remove ${keyword}`, [context.editor.remove(owner, keyword)]);
}

function unknownKeyword(context: SchemaContext, place: ProblemPlace): readonly Fix[] {
  const { keyword, property, owner } = place;
  const keywords = keywordsOf(context.schema.dialect);
  const isAnnotation = /^x-/i.test(keyword);
  const meant = nearestName(
    keyword,
    isAnnotation ? annotationNames : [...keywords.keys(), ...annotationNames],
  );
  const kind = meant === undefined ? undefined : keywords.get(meant);
  const fits = kind === undefined || mismatch(kind, property.node.value) === undefined;
  if (meant !== undefined && owner.properties?.has(meant) !== true && fits)
    return fixIn(context, `Change to ${meant}`, [context.editor.rename(property, meant)], true);
  const note = `x-${keyword}`;
  const renaming =
    isAnnotation || owner.properties?.has(note) === true || !/^[\w-]+$/.test(keyword)
      ? []
      : fixIn(context, `Change to ${note}, a note of yours`, [context.editor.rename(property, note)]);
  return [...remove(context, place), ...renaming];
}

function unsupportedKeyword(context: SchemaContext, place: ProblemPlace): readonly Fix[] {
  const { keyword, property, owner } = place;
  const { editor } = context;
  if (keyword === 'id') {
    const kind = keywordsOf(context.schema.dialect).get('$id');
    const fits = kind !== undefined && mismatch(kind, property.node.value) === undefined;
    const renaming =
      fits && owner.properties?.has('$id') !== true
        ? fixIn(context, 'Change to $id', [editor.rename(property, '$id')])
        : [];
    return [...renaming, ...remove(context, place)];
  }
  return remove(context, place);
}

/** The type that was meant, as the value of `type` or as one in its list. */
function invalidType(context: SchemaContext, { property }: ProblemPlace): readonly Fix[] {
  const { node } = property;
  const meant = typeof node.value === 'string' ? nearestType(node.value) : undefined;
  if (meant === undefined) return [];
  const types = context.subschemas.all
    .flatMap((subschema) => keywordIn(subschema, 'type')?.node ?? [])
    .find((type) => type === node || type.items?.includes(node) === true);
  // A type that stands in the list already may not stand there twice.
  if (types === undefined || types.items?.some(({ value }) => value === meant) === true) return [];
  return fixIn(context, `Change to ${meant}`, [context.editor.setValue(property, meant)], true);
}

function misplacedAnnotation(context: SchemaContext, place: ProblemPlace): readonly Fix[] {
  const { keyword, owner } = place;
  const { editor } = context;
  const removal = remove(context, place);
  if (keyword !== 'x-evict') return removal;
  const merge = owner.properties?.get('x-merge');
  const limit = owner.properties?.has('maxItems') === true ? [] : ([['maxItems', 20]] as const);
  if (merge === undefined)
    return [
      ...fixIn(context, 'Add x-merge: append', [editor.insert(owner, [['x-merge', 'append'], ...limit])]),
      ...removal,
    ];
  if (merge.node.value === 'append' || merge.node.value === 'union')
    return [...fixIn(context, 'Add maxItems: 20', [editor.insert(owner, limit)], true), ...removal];
  return [
    ...fixIn(context, 'Change to x-merge: append', [
      editor.setValue(merge, 'append'),
      ...(limit.length === 0 ? [] : [editor.insert(owner, limit)]),
    ]),
    ...removal,
  ];
}

const annotationValues: Readonly<Record<string, readonly JsonValue[]>> = {
  'x-merge': ['append', 'union', 'replace'],
  'x-evict': ['oldest'],
  'x-writer': ['environment', 'model'],
};

function invalidAnnotation(context: SchemaContext, place: ProblemPlace): readonly Fix[] {
  const { keyword, property } = place;
  const { value } = property.node;
  const values = annotationValues[keyword];
  if (values === undefined) return [];
  const meant = typeof value === 'string' ? nearestName(value, values.map(String)) : undefined;
  const choices = meant === undefined ? values : [meant, ...values.filter((other) => other !== meant)];
  return [
    ...choices.flatMap((choice) =>
      fixIn(context, `Change to ${choice}`, [context.editor.setValue(property, choice)], choice === meant),
    ),
    ...remove(context, place),
  ];
}

function unresolvedReference(context: SchemaContext, { property }: ProblemPlace): readonly Fix[] {
  const { schema, editor } = context;
  const written = property.node.value;
  if (typeof written !== 'string' || !isJsonObject(schema.schema)) return [];
  const name = decoded(written.split('/').at(-1) ?? '');
  const targets = ['$defs', 'definitions'].flatMap((container) =>
    [...(schema.source?.properties?.get(container)?.node.properties?.keys() ?? [])].map((key) => ({
      container,
      key,
    })),
  );
  const meant = nearestName(
    name,
    targets.map(({ key }) => key),
  );
  const target = targets.find(({ key }) => key === meant) ?? (targets.length === 1 ? targets[0] : undefined);
  if (target === undefined) return [];
  const fragment = target.key.replaceAll('~', '~0').replaceAll('/', '~1');
  const reference = `#/${target.container}/${fragmentText(fragment)}`;
  return fixIn(
    context,
    `Change to ${reference}`,
    [editor.setValue(property, reference)],
    meant !== undefined,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % stands for itself
  }
}

function addObjectType(context: SchemaContext): readonly Fix[] {
  const { source } = context.schema;
  const edit = source && context.editor.insert(source, [['type', 'object']]);
  return fixIn(context, 'Add type: object', [edit], true);
}
