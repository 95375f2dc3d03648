/** Everything that is found in a `SKILL.md`: rules of the standard and of clients, files it names, its length. */
import type { SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';

/** Findings in the order of the text, with their fixes. */
export async function findInSkill(page: SkillPage, _tools: Tools): Promise<readonly Finding[]> {
  return page.model.skill.problems.filter(({ path }) => path === 'SKILL.md').map(({ problem }) => problem);
}
