/** Values in a state schema that don't fit it: `default`s, `examples`, and the Σ_0 that the defaults make. */
import {
  compileSchemaParts,
  type PartViolation,
  type SchemaPart,
} from '../../../../client/src/runtime/compiledSchema';
import { initialStateProblemOf } from '../../../../client/src/runtime/initialStateProblems';
import { formatPointer, type JsonPath, parsePointer } from '../../../../schemas/json/jsonPointer';
import { sampleValueAt } from '../../../../schemas/state/sampleValue';
import { type KeywordKind, keywordsOf } from '../../../../schemas/state/schemaKeywords';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { Range } from '../../../../schemas/text/position';
import type { Severity } from '../../../../schemas/text/problem';
import { propertyAt, type SourceNode } from '../../../../schemas/text/sourceTree';
import type { SchemaPage, Tools } from '../documents';
import { editsOf, type Finding, type Fix } from '../finding';
import { checkedSchemaOf, orUndefined, withoutEchoes } from './checkedSchema';
import { addProperty, inlineText } from './dataEdits';
import { violationsOf } from './stateFindings';
import { surelyFits } from './surelyFits';

export const defaultProblems = {
  /** A `default` that its own subschema forbids. */
  'state.default-does-not-fit': 'warning',
  /** One of `examples`, likewise. */
  'state.example-does-not-fit': 'warning',
  /** The defaults make no Σ_0 that fits. It stops a run, but an initial state may still be written, or is the next step. */
  'initial.defaults-do-not-fit': 'warning',
  /** An invariant that is false of that Σ_0, likewise. */
  'initial.defaults-break-invariant': 'warning',
} as const satisfies Record<`state.${string}` | `initial.${string}`, Severity>;

export type DefaultProblemCode = keyof typeof defaultProblems;

/** A value that a schema gives for one of its subschemas. */
interface GivenValue extends SchemaPart {
  readonly code: 'state.default-does-not-fit' | 'state.example-does-not-fit';
  readonly path: JsonPath;
  readonly node: SourceNode;
}

/** A subschema in the text; `name` is the property's that it describes. */
interface Subschema {
  readonly node: SourceNode;
  readonly path: JsonPath;
  readonly name: string;
}

/** More values than these are not looked at. */
const maxGivenValues = 2_000;

/** Values that need the validator, of which more than these are not held against it. */
const maxDoubtful = 100;

/** The findings of a schema without errors; one with errors has enough of its own. */
export async function findInDefaults(
  page: SchemaPage,
  _tools: Tools,
): Promise<readonly Finding<DefaultProblemCode>[]> {
  const { schema } = page;
  if (schema.problems.some(({ severity }) => severity === 'error')) return [];
  const initial = initialFindings(page);
  const taken = new Set(initial.map(({ range }) => keyOf(range)));
  return [...initial, ...givenFindings(page).filter(({ range }) => !taken.has(keyOf(range)))];
}

/** Why the defaults make no Σ_0 to begin with, for a skill that has no other. */
function initialFindings({
  schema,
  model,
  uri,
  text,
  format,
  lines,
}: SchemaPage): readonly Finding<DefaultProblemCode>[] {
  const skill = model?.skill;
  if (model === undefined || skill === undefined || skill.stateSchema !== schema) return [];
  const hasFile = skill.files.some(({ role }) => role === 'initial-state');
  if (hasFile || skill.document.metadata.has('initial-state')) return [];
  const checked = checkedSchemaOf(schema);
  const violations = checked === undefined ? [] : violationsOf(checked, skill.initialState);
  const told = withoutEchoes(violations, ({ pointer }) => pointer);
  return told.map((violation): Finding<DefaultProblemCode> => {
    const { path: file, problem } = initialStateProblemOf(schema, violation, undefined);
    const path = parsePointer(violation.pointer) ?? [];
    const fixes = (): Fix[] => {
      const value = sampleValueAt(schema, path);
      const place = schema.certainSubschemasAt(path)[0];
      const pointer = schema
        .pointersAt(path)
        .find((_one, index) => schema.subschemasAt(path)[index] === place);
      const { source: root } = schema;
      if (path.length === 0 || value === undefined || pointer === undefined || root === undefined) return [];
      const readable = format === 'json' && text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
      const data = { format, text: readable, root };
      const edit = addProperty(data, parsePointer(pointer) ?? [], 'default', value);
      if (edit === undefined) return [];
      const range = lines.rangeOf(edit.start, edit.end);
      const title = `Add default: ${inlineText(value).slice(0, 40)}`;
      return [{ title, edits: editsOf(uri, { range, text: edit.text }), preferred: true }];
    };
    const code: DefaultProblemCode =
      violation.class === 'invariant' ? 'initial.defaults-break-invariant' : 'initial.defaults-do-not-fit';
    const finding = { ...problem, code, severity: defaultProblems[code], fixes };
    if (schema.path === undefined || file === schema.path) return finding;
    // What has to be mended stands in a file that the schema refers to.
    const related = { uri: model.uriOf(file), range: problem.range, message: 'It is declared here.' };
    return { ...finding, range: lines.rangeOf(0, 0), related: [related] };
  });
}

function givenFindings({ schema, lines }: SchemaPage): readonly Finding<DefaultProblemCode>[] {
  const given = givenValues(schema)
    .filter(({ pointer, node }) => !surelyFits(schema, pointer, node.value))
    .slice(0, maxDoubtful);
  const parts = given.length === 0 ? undefined : orUndefined(() => compileSchemaParts(schema, given));
  const violations = parts?.violations(given.map(({ node }) => node.value)) ?? [];
  if (violations === 'exhausted') return [];
  const placeOf = (one: PartViolation): string => `${one.index}${formatPointer(one.path)}`;
  return withoutEchoes(violations, placeOf).flatMap(({ index, path, message }) => {
    const value = given[index];
    if (value === undefined) return [];
    const place = propertyAt(value.node, path) ?? propertyAt(value.node, path.slice(0, -1));
    const { start, end } = place?.node ?? value.node;
    const what = value.code === 'state.default-does-not-fit' ? 'default' : 'example';
    const text = `This ${what} does not fit the schema that it stands in: ${message} Correct it, or that schema.`;
    return [
      {
        code: value.code,
        severity: defaultProblems[value.code],
        message: text,
        range: lines.rangeOf(start, end),
      },
    ];
  });
}

/** The `default`s and `examples` of all subschemas, in the order of the text. */
function givenValues(schema: StateSchema): readonly GivenValue[] {
  const { source } = schema;
  if (source === undefined || !/default|examples/.test(schema.text)) return [];
  const keywords = keywordsOf(schema.dialect);
  const given: GivenValue[] = [];
  const pending: Subschema[] = [{ node: source, path: [], name: 'value' }];
  // Appended to while it is read.
  for (const { node, path, name } of pending) {
    if (given.length >= maxGivenValues) break;
    const pointer = formatPointer(path);
    const add = (code: GivenValue['code'], at: JsonPath, value: SourceNode): void => {
      given.push({ code, path: at, node: value, pointer, name });
    };
    for (const [keyword, { node: value }] of node.properties ?? []) {
      const at = [...path, keyword];
      if (keyword === 'default') add('state.default-does-not-fit', at, value);
      if (keyword === 'examples') {
        for (const [index, item] of (value.items ?? []).entries()) {
          if (given.length >= maxGivenValues) break;
          add('state.example-does-not-fit', [...at, String(index)], item);
        }
      }
      for (const subschema of subschemasIn(keywords.get(keyword) ?? 'any', { node: value, path: at, name }))
        pending.push(subschema);
    }
  }
  return given;
}

/** The subschemas in a keyword's value. */
function subschemasIn(kind: KeywordKind, { node, path, name }: Subschema): Subschema[] {
  switch (kind) {
    case 'schema':
    case 'schema-array':
    case 'schema-or-schema-array':
      if (node.items === undefined) return [{ node, path, name }];
      return node.items.map((item, index) => ({ node: item, path: [...path, String(index)], name }));
    case 'schema-map':
    case 'pattern-schema-map':
    case 'dependencies':
      return [...(node.properties ?? [])].map(([key, property]) => ({
        node: property.node,
        path: [...path, key],
        name: path.at(-1) === 'properties' ? key : name,
      }));
    default:
      return [];
  }
}

function keyOf({ start, end }: Range): string {
  return `${start.line}:${start.character}-${end.line}:${end.character}`;
}
