/** What the checks of a state schema share. */
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { SchemaPage } from '../documents';
import { editsOf, type Fix, type Replacement } from '../finding';
import { SchemaEditor } from './schemaEdits';
import { type Subschemas, subschemasOf } from './subschemas';

export interface SchemaContext {
  readonly page: SchemaPage;
  readonly schema: StateSchema;
  /** Found when first asked for. */
  readonly subschemas: Subschemas;
  readonly editor: SchemaEditor;
}

export function schemaContextOf(page: SchemaPage): SchemaContext {
  const { schema } = page;
  return {
    page,
    schema,
    editor: new SchemaEditor(page),
    get subschemas() {
      return subschemasOf(schema);
    },
  };
}

/** A fix in the schema's own text; none where one of its edits can't be made. */
export function fixIn(
  { page }: SchemaContext,
  title: string,
  edits: readonly (readonly Replacement[] | undefined)[],
  preferred = false,
): Fix[] {
  const replacements: Replacement[] = [];
  for (const edit of edits) {
    if (edit === undefined) return [];
    replacements.push(...edit);
  }
  return [{ title, edits: editsOf(page.uri, ...replacements), ...(preferred ? { preferred } : {}) }];
}
