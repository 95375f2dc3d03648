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

/** The subschema at a path, whose keys are looked up in the text. */
export function contextAt({ dialect, written }: CompletionPlace, path: JsonPath): SubschemaContext {
  const parent = path.length === 0 ? undefined : roleAt(path.slice(0, -1), dialect);
  const name = path.at(-1);
  const holder =
    parent?.kind === 'schema' ? name : parent?.kind === 'schema-array' ? parent.keyword : undefined;
  const keys = written.keysAround(path.length);
  return { dialect, isRoot: path.length === 0, holder, keys, written };
}
