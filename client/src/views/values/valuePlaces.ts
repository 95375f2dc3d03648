/** Where the texts of a skill name a value of Σ, and the expression that gives it. Free of VS Code. */
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import { parseSkill } from '../../../../schemas/skill/skillDocument';
import { declaredKeysAt } from '../../../../schemas/state/declaredKeys';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { LineIndex, type Range } from '../../../../schemas/text/position';
import { readProse } from '../../../../server/src/languageService/symbols/codeSpans';
import { type ProsePath, parseProsePath } from '../../../../server/src/languageService/symbols/prosePath';
import { itemExpression, memberExpression } from '../../debug/valueText';

/** A name in a text that stands for a value of Σ. */
export interface ValuePlace {
  /** The name, without backticks or quotes around it. */
  readonly range: Range;
  /** `state.inventory`, as the debugger evaluates it. */
  readonly expression: string;
}

/** How many values of Σ a schema's lines can stand for; more is no schema that a person wrote. */
const maxPaths = 2_000;

/** The expression of a path of Σ: `['inventory', 'shelf_1']` gives `state.inventory.shelf_1`. */
function stateExpression(path: JsonPath): string {
  return path.reduce(
    (parent, key) =>
      /^(?:0|[1-9]\d{0,8})$/.test(key) ? itemExpression(parent, Number(key)) : memberExpression(parent, key),
    'state',
  );
}

/**
 * The properties that a schema declares, each with the value that it describes. Those that describe many (the values of
 * a map, the items of an array) have none.
 *
 * @param file of the schema, relative to the skill's folder; its own file where none is named
 */
export function schemaValuePlaces(schema: StateSchema, file = schema.path): readonly ValuePlace[] {
  const part = schema.parts.find(({ path }) => path === file);
  const declared = file === schema.path ? schema.declaredProperties : (part?.declaredProperties ?? []);
  if (declared.length === 0) return [];
  const paths = pathsByPointer(schema);
  return declared.flatMap(({ pointer, range }) => {
    const path = paths.get(pointer);
    return path === undefined ? [] : [{ range, expression: stateExpression(path) }];
  });
}

/**
 * The path of Σ that each subschema describes, as far as names alone lead; none for one that describes several, as a
 * definition does that is referred to twice, or by itself.
 */
function pathsByPointer(schema: StateSchema): ReadonlyMap<string, JsonPath> {
  const known = new Map<string, JsonPath>();
  const shared = new Set<string>();
  const open: JsonPath[] = [[]];
  for (let at = 0; at < open.length && known.size < maxPaths; at++) {
    const parent = open[at] ?? [];
    for (const { name } of declaredKeysAt(schema, parent)) {
      const path = [...parent, name];
      let isNew = false;
      for (const pointer of schema.pointersAt(path)) {
        if (known.has(pointer)) shared.add(pointer);
        else {
          known.set(pointer, path);
          isNew = true;
        }
      }
      if (isNew) open.push(path);
    }
  }
  for (const pointer of shared) known.delete(pointer);
  return known;
}

/**
 * The code spans of a skill's instructions, or of a file that they include, that name a value of Σ: a path whose first
 * name the schema declares, or one that begins with `state.`. A path goes as far as it names one value:
 * `inventory.<shelf_id>` stands for `inventory`.
 */
export function proseValuePlaces(text: string, schema: StateSchema): readonly ValuePlace[] {
  const lines = new LineIndex(text);
  const start = lines.offsetAt({ line: parseSkill(text).firstInstructionLine, character: 0 });
  const declared = new Set(declaredKeysAt(schema, []).map(({ name }) => name));
  return readProse(text, lines, start).spans.flatMap((span) => {
    const written = parseProsePath(span.text);
    const path = written && pathOf(written, schema, declared);
    if (path === undefined) return [];
    return [{ range: lines.rangeOf(span.start, span.end), expression: stateExpression(path) }];
  });
}

function pathOf(
  { segments, prefixLength }: ProsePath,
  schema: StateSchema,
  declared: ReadonlySet<string>,
): JsonPath | undefined {
  const open = segments.findIndex(({ kind }) => kind === 'any');
  const path = segments.slice(0, open === -1 ? undefined : open).map(({ name }) => name);
  const [first] = path;
  if (first === undefined || (prefixLength === 0 && !declared.has(first))) return undefined;
  return schema.pointersAt(path).length > 0 ? path : undefined;
}

/** The place at a position; positions count from 0, characters are UTF-16 units. */
export function valuePlaceAt(
  places: readonly ValuePlace[],
  { line, character }: { readonly line: number; readonly character: number },
): ValuePlace | undefined {
  return places.find(
    ({ range: { start, end } }) =>
      start.line === line && end.line === line && start.character <= character && character <= end.character,
  );
}
