/** The JSON examples of a skill's instructions: fenced states, patches and replies, held against the state schema. */
import type { IncludedPage, SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';

export async function findInExamples(
  _page: SkillPage | IncludedPage,
  _tools: Tools,
): Promise<readonly Finding[]> {
  return [];
}
