/** Completion in state schemas: keywords, values, reference targets, required names, common shapes. */
import type { CompletionItem } from 'vscode-languageserver-types';
import { type KeywordKind, keywordsOf, mismatch } from '../../../../schemas/state/schemaKeywords';
import { roleAt, type SchemaRole } from '../../../../schemas/state/schemaRole';
import type { Dialect, StateSchema } from '../../../../schemas/state/stateSchema';
import { type Cursor, cursorAt, isBeforeKey } from '../cursor';
import type { Tools } from '../documents';
import { commonShapes, stateSchemaShape } from './commonShapes';
import { CompletionList, type Offer } from './completionList';
import { type CompletionPlace, contextAt } from './completionPlace';
import { completeExpression } from './expressionCompletion';
import { annotationValues, keywordMarkdown } from './keywordReference';
import {
  fittingKeywords,
  invariantTemplate,
  keywordTemplate,
  type SubschemaContext,
  typeStop,
} from './keywordTemplates';
import { definitionsElsewhere } from './otherFiles';
import { fixed, map, stop } from './snippet';
import { isReference, offersForValue, offersFromFiles } from './valueCompletion';
import { WrittenSchema } from './writtenSchema';

/** What completion needs of a document; `schema` is read only where an item depends on the whole document. */
export interface SchemaText {
  readonly uri: string;
  readonly text: string;
  readonly format: 'yaml' | 'json';
  schema(): Promise<StateSchema>;
}

/** What can be written at an offset. The document isn't parsed: every item comes from the text around the cursor. */
export async function completeSchema(
  document: SchemaText,
  offset: number,
  tools: Tools,
): Promise<readonly CompletionItem[]> {
  const { text, format } = document;
  const cursor = cursorAt(text, offset, format);
  if (cursor === undefined || isBeforeKey(cursor, offset)) return [];
  const dialect = dialectOf(text);
  if (isMisplacedItem(text, cursor, dialect)) return [];
  const written = new WrittenSchema(text, format, cursor);
  const place: CompletionPlace = { cursor, dialect, written };
  const completions = new CompletionList(text, offset, cursor);
  const inExpression = completeExpression(place, text.slice(offset, cursor.replace.end), completions);
  if (inExpression !== undefined) return inExpression;
  const offers = [
    ...(cursor.part === 'key' || cursor.keyOrValue ? offersForKey(place) : []),
    ...(cursor.part === 'value' || cursor.keyOrValue ? offersForValue(place) : []),
    ...(isReference(place) ? offersFromFiles(await definitionsElsewhere(document.uri, tools.workspace)) : []),
  ];
  const leftToEditor = format === 'json' && tools.settings.builtInJson;
  return completions.items(leftToEditor ? offers.filter(({ isOurs }) => isOurs === true) : offers);
}

/** True behind a dash where no list belongs. */
function isMisplacedItem(text: string, { path, pathStarts }: Cursor, dialect: Dialect): boolean {
  const start = pathStarts.at(-1);
  if (start === undefined || !/^-[ \t\r\n]/.test(`${text.slice(start, start + 2)} `)) return false;
  const parent = roleAt(path.slice(0, -1), dialect);
  return parent.kind === 'schema' || parent.kind === 'schema-map';
}

/** Draft-07 where a text says so; its place in the text is not looked at. */
function dialectOf(text: string): Dialect {
  return /\$schema["']?\s*:\s*["']?https?:\/\/json-schema\.org\/draft-07\/schema/.test(text)
    ? 'draft-07'
    : '2020-12';
}

function offersForKey(place: CompletionPlace): readonly Offer[] {
  const { cursor, dialect } = place;
  const role = roleAt(cursor.path, dialect);
  switch (role.kind) {
    case 'schema':
      return keywordOffers(place, contextAt(place, cursor.path));
    case 'schema-array':
      // draft-07: the items may be one schema.
      return role.keyword === 'items'
        ? keywordOffers(place, contextAt(place, cursor.path))
        : branchOffers(place, contextAt(place, [...cursor.path, '0']));
    case 'schema-map':
      return shapeOffers(place, role);
    case 'keyword':
      return keyOffersInKeyword(place, role);
  }
}

function keywordOffers(place: CompletionPlace, context: SubschemaContext): readonly Offer[] {
  const { cursor, dialect } = place;
  const hasValue = cursor.hasColon || cursor.hasChildren;
  const fitting = fittingKeywords(context);
  const offered = hasValue ? fitting.filter((keyword) => keepsValue(place, keyword)) : fitting;
  const keywords = offered.map((keyword): Offer => {
    const offer = {
      kind: 'keyword',
      label: keyword,
      documentation: keywordMarkdown(keyword, dialect),
      isOurs: keyword.startsWith('x-') || keyword === '$ref',
    } as const;
    // What follows a key that is there already stays.
    if (hasValue) return { ...offer, key: keyword, template: undefined };
    const needsMaxItems = keyword === 'x-evict' && context.keys.every(({ name }) => name !== 'maxItems');
    if (!needsMaxItems) return { ...offer, key: keyword, template: keywordTemplate(keyword, context) };
    const entries = ['x-evict', 'maxItems'].map((key) => [key, keywordTemplate(key, context)] as const);
    return { ...offer, entries };
  });
  const isEmpty = context.keys.length === 0 && !hasValue && context.holder !== 'propertyNames';
  if (!isEmpty) return keywords;
  const shapes = (context.isRoot ? [stateSchemaShape(dialect)] : commonShapes).map(
    ({ label, documentation, entries }): Offer => ({
      kind: 'shape',
      label,
      entries,
      documentation,
      isOurs: true,
    }),
  );
  return [...keywords, ...shapes];
}

/** Items of a list of schemas, each with its dash: one with a type, and those that are defined. */
function branchOffers({ cursor, written }: CompletionPlace, context: SubschemaContext): readonly Offer[] {
  if (cursor.style !== 'block' || !cursor.keyOrValue || cursor.hasColon || cursor.hasChildren) return [];
  const offer = { kind: 'shape', documentation: undefined } as const;
  return [
    { ...offer, label: '- type', item: map(['type', typeStop({ ...context, keys: [] })]) },
    ...written.definitions().map(
      ({ reference }): Offer => ({
        ...offer,
        label: `- $ref: ${reference}`,
        item: map(['$ref', fixed(reference)]),
        isOurs: true,
      }),
    ),
  ];
}

/** Kinds of which an object says too little to tell one from the other. */
const mapKinds: ReadonlySet<KeywordKind> = new Set(['schema-map', 'pattern-schema-map']);
const neverGuessed: ReadonlySet<KeywordKind> = new Set([
  'dependencies',
  'id',
  'reference',
  'string-array-map',
  'vocabulary',
]);

/** True for a keyword that can take the place of the one at the cursor, whose value stays. */
function keepsValue({ cursor, dialect, written }: CompletionPlace, keyword: string): boolean {
  const { start, end } = cursor.replace;
  const sample = written.sampleOf({ name: cursor.typed, start });
  const kinds = keywordsOf(dialect);
  const kind = kinds.get(keyword);
  if (kind === undefined) {
    return typeof sample === 'string' && Object.hasOwn(annotationValues[keyword] ?? {}, sample);
  }
  const present = kinds.get(written.nameAt(start, end));
  if (kind === present) return keyword !== '$schema' && kind !== 'reference';
  if (neverGuessed.has(kind) || keyword === '$schema' || mismatch(kind, sample) !== undefined) return false;
  const isContainer = typeof sample === 'object' && sample !== null;
  return !isContainer || present === undefined || (mapKinds.has(kind) && mapKinds.has(present));
}

/** Names can't be known; but what a field may look like can. */
function shapeOffers(
  { cursor }: CompletionPlace,
  role: SchemaRole & { kind: 'schema-map' },
): readonly Offer[] {
  const isNamed = ['properties', '$defs', 'definitions'].includes(role.keyword);
  if (!isNamed || cursor.hasColon || cursor.hasChildren) return [];
  return commonShapes.map(
    ({ label, name, documentation, entries }): Offer => ({
      kind: 'shape',
      label,
      // What has been typed is the name of the field.
      entries: [
        [stop(freeName(cursor.typed === '' ? name : cursor.typed, cursor.siblings)), map(...entries)],
      ],
      filter: cursor.typed === '' ? undefined : cursor.typed,
      documentation,
      isOurs: true,
    }),
  );
}

function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let count = 2; taken.includes(free); count++) free = `${name}_${count}`;
  return free;
}

function keyOffersInKeyword(
  place: CompletionPlace,
  role: SchemaRole & { kind: 'keyword' },
): readonly Offer[] {
  const { cursor, written } = place;
  const { keyword, within } = role;
  const depth = cursor.path.length - within.length - 1;
  if (keyword === 'x-invariants' && depth === 0 && within.length <= 1) {
    const isListed = within.length === 1;
    const properties = written.below(written.keysAround(0).find(({ name }) => name === 'properties'));
    const template = invariantTemplate(properties);
    if (!isListed) {
      if (cursor.style !== 'block' || !cursor.keyOrValue) return [];
      return [{ kind: 'shape', label: 'invariant', item: template, documentation: undefined, isOurs: true }];
    }
    const entries = template.kind === 'map' ? template.entries : [];
    return entries.flatMap(([key, value]): Offer[] =>
      typeof key !== 'string' ||
      cursor.siblings.includes(key) ||
      (key === 'message' && !cursor.siblings.includes('expression'))
        ? []
        : [
            {
              kind: 'keyword',
              label: key,
              key,
              template: cursor.hasColon || cursor.hasChildren ? undefined : value,
              documentation:
                key === 'expression'
                  ? 'A CEL expression over `state`, true where all is well.'
                  : 'What the model is told where it is not true.',
              isOurs: true,
            },
          ],
    );
  }
  if (keyword === 'dependentRequired' && within.length === 0) {
    const properties = written.below(written.keysAround(depth).find(({ name }) => name === 'properties'));
    const names = properties.map(({ name }) => name);
    const listed = new Set(cursor.siblings);
    return names
      .filter((name) => !listed.has(name))
      .map((name): Offer => {
        const other = names.find((candidate) => candidate !== name) ?? 'other';
        const hasValue = cursor.hasColon || cursor.hasChildren;
        const template = hasValue ? undefined : ({ kind: 'list', items: [stop(other)] } as const);
        return { kind: 'property', label: name, key: name, template, documentation: undefined, isOurs: true };
      });
  }
  return [];
}
