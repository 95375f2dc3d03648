/** Everything that is found in a state schema. */
import type { SchemaPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { findInDefaults } from '../state/defaultFindings';

/** Findings in the order of the text, with their fixes. */
export async function findInSchema(page: SchemaPage, tools: Tools): Promise<readonly Finding[]> {
  return [...page.schema.problems, ...(await findInDefaults(page, tools))];
}
