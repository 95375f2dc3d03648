/** Where prose and schema disagree: paths that aren't there, fields that no instruction mentions, actions. */
import type { IncludedPage, SchemaPage, SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';

/** Findings in instructions. */
export async function findInProse(
  _page: SkillPage | IncludedPage,
  _tools: Tools,
): Promise<readonly Finding[]> {
  return [];
}

/** Findings in the schema of a skill: its fields that no instruction mentions. */
export async function findUnmentioned(_page: SchemaPage, _tools: Tools): Promise<readonly Finding[]> {
  return [];
}
