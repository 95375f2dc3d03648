/** Where completion was asked for in a state schema, and the subschemas around it. */
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import { roleAt } from '../../../../schemas/state/schemaRole';
import type { Dialect } from '../../../../schemas/state/stateSchema';
import type { Cursor } from '../cursor';
import type { SubschemaContext } from './keywordTemplates';
import type { WrittenSchema } from './writtenSchema';

export interface CompletionPlace {
  readonly cursor: Cursor;
  readonly dialect: Dialect;
  readonly written: WrittenSchema;
}

/** Keywords whose schemas hold for the value that they stand beside. */
const inPlaceKeywords: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'not',
]);

/** The subschema at a path, whose keys are looked up in the text. */
export function contextAt(place: CompletionPlace, path: JsonPath): SubschemaContext {
  const { dialect, written } = place;
  const parent = path.length === 0 ? undefined : roleAt(path.slice(0, -1), dialect);
  const name = path.at(-1);
  const isListed = parent?.kind === 'schema-array';
  const holder = parent?.kind === 'schema' ? name : isListed ? parent.keyword : undefined;
  const keys = written.keysAround(path.length);
  const around =
    holder !== undefined && inPlaceKeywords.has(holder)
      ? contextAt(place, path.slice(0, isListed ? -2 : -1))
      : undefined;
  return { dialect, isRoot: path.length === 0, holder, around, keys, written };
}
