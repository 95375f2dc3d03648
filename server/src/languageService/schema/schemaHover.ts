/** What a keyword means, and what follows for a property from all that is said of it. */
import { type Hover, MarkupKind } from 'vscode-languageserver-types';
import { formatPointer, type JsonPath, valueAt } from '../../../../schemas/json/jsonPointer';
import { isJsonObject } from '../../../../schemas/json/jsonValue';
import { unsupportedBy } from '../../../../schemas/state/providerKeywords';
import { roleAt } from '../../../../schemas/state/schemaRole';
import { placeAtOffset, type SourcePlace } from '../../../../schemas/text/sourceTree';
import type { SchemaPage, Tools } from '../documents';
import { codeSpan } from '../markdownText';
import { annotationValues, formats, keywordMarkdown } from './keywordReference';
import { supportText } from './providerSupport';
import { subschemaFacts } from './subschemaFacts';

/** Undefined where there is nothing to say. */
export async function hoverSchema(
  page: SchemaPage,
  offset: number,
  tools: Tools,
): Promise<Hover | undefined> {
  const { source, lines } = page.schema;
  const place = source && placeAtOffset(source, offset);
  if (place === undefined || place.path.length === 0) return undefined;
  const value = place.part === 'key' ? aboutKey(page, place, tools) : aboutValue(page, place);
  if (value === undefined) return undefined;
  const { keyStart, keyEnd, node } = place.property;
  const [start, end] = place.part === 'key' ? [keyStart, keyEnd] : [node.start, node.end];
  return { contents: { kind: MarkupKind.Markdown, value }, range: lines.rangeOf(start, end) };
}

/** Maps of which each key names a subschema that a hover tells the facts of. */
const namingKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

function aboutKey(page: SchemaPage, { path }: SourcePlace, tools: Tools): string | undefined {
  const { dialect } = page.schema;
  const key = path.at(-1) ?? '';
  const holder = roleAt(path.slice(0, -1), dialect);
  switch (holder.kind) {
    case 'schema':
      return aboutKeyword(page, path, tools);
    case 'schema-array':
      // draft-07: what stands in `items` may be one schema.
      return /^\d+$/.test(key) ? undefined : aboutKeyword(page, path, tools);
    case 'schema-map':
      return namingKeywords.has(holder.keyword) ? subschemaFacts(page, formatPointer(path)) : undefined;
    case 'keyword':
      return holder.keyword === 'x-invariants' ? invariantKeys[key] : undefined;
  }
}

const invariantKeys: Readonly<Partial<Record<string, string>>> = {
  expression: 'A CEL expression over `state`, true where all is well.',
  message: 'What the model is told where the expression isn’t true.',
};

/** Of a keyword that the editor documents itself, nothing is repeated. */
function aboutKeyword({ format, schema }: SchemaPage, path: JsonPath, tools: Tools): string | undefined {
  const keyword = path.at(-1) ?? '';
  if (format === 'json' && tools.settings.builtInJson && !keyword.startsWith('x-')) return undefined;
  const text = keywordMarkdown(keyword, schema.dialect);
  if (text === undefined) return undefined;
  const around = valueAt(schema.schema, path.slice(0, -1));
  const unsupported = isJsonObject(around) ? unsupportedBy(keyword, around) : [];
  const support = supportText(new Map(unsupported.map((one) => [one.provider, one.support])));
  const parts = [
    codeSpan(keyword),
    text,
    ...(support === '' ? [] : [`In constrained decoding: ${support}.`]),
  ];
  return parts.join('\n\n');
}

function aboutValue(page: SchemaPage, { path, property }: SourcePlace): string | undefined {
  const { schema } = page;
  const role = roleAt(path, schema.dialect);
  if (role.kind !== 'keyword') return undefined;
  const { value } = property.node;
  const { keyword, within, schemaPointer } = role;
  if (typeof value !== 'string') return undefined;
  if (within.length === 0) {
    if (keyword === '$ref') return aboutReference(page, schemaPointer);
    const meaning = ownMeaning(annotationValues, keyword, value);
    if (meaning !== undefined) return `${codeSpan(`${keyword}: ${value}`)}\n\n${meaning}`;
    const format = keyword === 'format' ? formats.get(value) : undefined;
    return format === undefined ? undefined : `${codeSpan(value)}\n\n${format}`;
  }
  if (keyword === 'required' && within.length === 1) {
    return aboutSibling(page, [...path.slice(0, -2), 'properties', value]);
  }
  return undefined;
}

function ownMeaning(
  meanings: Readonly<Record<string, Readonly<Record<string, string>>>>,
  keyword: string,
  value: string,
): string | undefined {
  if (!Object.hasOwn(meanings, keyword)) return undefined;
  const values = meanings[keyword] ?? {};
  return Object.hasOwn(values, value) ? values[value] : undefined;
}

function aboutReference(page: SchemaPage, from: string): string | undefined {
  const [target] = page.schema.references.get(from) ?? [];
  return target === undefined ? undefined : subschemaFacts(page, target);
}

function aboutSibling(page: SchemaPage, path: JsonPath): string | undefined {
  if (valueAt(page.schema.schema, path) === undefined) return undefined;
  return subschemaFacts(page, formatPointer(path));
}
