/** Completion of values in a state schema: types, formats, references, names in `required`, values of annotations. */
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import { dialectUris } from '../../../../schemas/state/schemaKeywords';
import { roleAt, type SchemaRole } from '../../../../schemas/state/schemaRole';
import { markdownEscaped } from '../markdownText';
import { stateSchemaShape } from './commonShapes';
import type { Offer } from './completionList';
import { type CompletionPlace, contextAt } from './completionPlace';
import { annotationValues, formats } from './keywordReference';
import { sampleOf, typeStop } from './keywordTemplates';
import type { OtherDefinition } from './otherFiles';
import { fixed, map, stop, type Template } from './snippet';
import type { Written } from './writtenSchema';

/** Keywords whose schema is often just `false` or `true`. */
const closable: ReadonlySet<string> = new Set([
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
]);

/** True where a reference is written, which may lead to other files. */
export function isReference({ cursor, dialect }: CompletionPlace): boolean {
  const role = roleAt(cursor.path, dialect);
  return (
    cursor.part === 'value' && role.kind === 'keyword' && role.keyword === '$ref' && role.within.length === 0
  );
}

/** Subschemas of other files as values of `$ref`. */
export function offersFromFiles(definitions: readonly OtherDefinition[]): readonly Offer[] {
  return definitions.map(({ reference, description }) => ({
    kind: 'reference',
    label: reference,
    value: reference,
    documentation: description && markdownEscaped(description),
    isOurs: true,
  }));
}

/** What can stand as a value at the cursor. */
export function offersForValue(place: CompletionPlace): readonly Offer[] {
  const { cursor, dialect } = place;
  if (cursor.path.length === 0 && cursor.style === 'json' && !cursor.keyOrValue)
    return [
      {
        kind: 'shape',
        ...stateSchemaShape(dialect),
        inline: map(...stateSchemaShape(dialect).entries),
        isOurs: true,
      },
    ];
  const role = roleAt(cursor.path, dialect);
  if (role.kind === 'keyword') return keywordValues(place, role);
  if (role.kind !== 'schema' || cursor.keyOrValue || cursor.path.length === 0) return [];
  const context = contextAt(place, cursor.path);
  const booleans = closable.has(context.holder ?? '') ? [value(false), value(true)] : [];
  if (cursor.style === 'block' || cursor.quote !== undefined) return booleans;
  const template = map(['type', typeStop({ ...context, keys: [] })]);
  const schema: Offer = { kind: 'shape', label: '{ type }', inline: template, documentation: undefined };
  return [...booleans, schema];
}

function keywordValues(place: CompletionPlace, role: SchemaRole & { kind: 'keyword' }): readonly Offer[] {
  const { cursor, written } = place;
  const { keyword, within, valueKind } = role;
  const schemaPath = cursor.path.slice(0, cursor.path.length - within.length - 1);
  // On an empty line below a key, a scalar is no way to go on; an item is.
  const isItemLine = cursor.keyOrValue && cursor.part === 'key';
  const context = () => contextAt(place, schemaPath);
  if (keyword === 'required') return nameOffers(place, context().keys, within.length, isItemLine);
  if (keyword === 'dependentRequired' && within.length > 0) {
    return nameOffers(place, context().keys, within.length - 1, isItemLine, within[0]);
  }
  if (isItemLine || within.length > 1) return [];
  const isItem = within.length === 1;
  switch (keyword) {
    case 'type':
      return typeOffers(place, schemaPath.length === 0);
    case 'format':
      return isItem ? [] : [...formats].map(([format, documentation]) => value(format, documentation));
    case '$schema':
      if (isItem || schemaPath.length > 0) return [];
      return [
        value(dialectUris['2020-12'], 'The dialect that is assumed without `$schema`.'),
        value(`${dialectUris['draft-07']}#`, 'The dialect of 2018, which many editors know best.'),
      ];
    case '$ref':
      return isItem
        ? []
        : written.definitions().map((definition): Offer => {
            const { name, reference } = definition;
            const description = written.descriptionOf(definition);
            return {
              kind: 'reference',
              label: reference,
              value: reference,
              // The name alone finds it as well.
              filter: cursor.typed.includes('#') ? reference : `${name} ${reference}`,
              documentation: description && markdownEscaped(description),
              isOurs: true,
            };
          });
    case 'default':
    case 'const': {
      const { keys, ...rest } = context();
      const others = keys.filter(({ name }) => name !== keyword);
      return isItem ? [] : sampleOffers(sampleOf({ ...rest, keys: others }));
    }
    case 'examples':
      return isItem ? sampleOffers(sampleOf(context())) : [];
    default:
      break;
  }
  if (isItem) return [];
  const meanings = annotationValues[keyword];
  if (meanings !== undefined) {
    return Object.entries(meanings).map(([name, meaning]) => ({ ...value(name, meaning), isOurs: true }));
  }
  if (valueKind === 'boolean') return [value(true), value(false)];
  return [];
}

function value(written: JsonValue, documentation?: string): Offer {
  const label = typeof written === 'string' ? written : JSON.stringify(written);
  return { kind: 'value', label, value: written, documentation };
}

function typeOffers({ cursor }: CompletionPlace, isRoot: boolean): readonly Offer[] {
  const types = isRoot ? ['object'] : ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
  return types.filter((type) => !cursor.siblings.includes(type)).map((type) => value(type));
}

function sampleOffers(sample: Template): readonly Offer[] {
  switch (sample.kind) {
    case 'stop':
      if (sample.choices !== undefined) return sample.choices.map((choice) => value(choice));
      return sample.value === '' ? [{ ...value(''), label: '""' }] : [value(sample.value)];
    case 'value':
      return [value(sample.value)];
    case 'list':
      return [value([])];
    case 'map':
      return [value({})];
  }
}

/** Names of declared properties that a list doesn't have yet. `depth` 0: the list itself is to be written. */
function nameOffers(
  { cursor, written }: CompletionPlace,
  keys: readonly Written[],
  depth: number,
  isItemLine: boolean,
  except?: string,
): readonly Offer[] {
  if (depth > 1) return [];
  const properties = written.below(keys.find(({ name }) => name === 'properties'));
  const listed = new Set(depth === 1 ? cursor.siblings : []);
  return properties
    .filter(({ name }) => name !== except && !listed.has(name))
    .map((property): Offer => {
      const { name } = property;
      const description = written.descriptionOf(property);
      const offer = {
        kind: 'property',
        label: name,
        documentation: description && markdownEscaped(description),
        isOurs: true,
      } as const;
      if (depth === 1) return { ...offer, value: name };
      if (isItemLine) return { ...offer, item: fixed(name) };
      return cursor.quote === undefined
        ? { ...offer, value: [name] }
        : { ...offer, inline: { kind: 'list', items: [stop(name)] } };
    });
}
