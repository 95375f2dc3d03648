/** The files that a `SKILL.md` names, in metadata and in its text, as links. */
import type { DocumentLink } from 'vscode-languageserver-types';
import type { SkillPage, Tools } from '../documents';

/** Links to files that exist, in the order of the text. */
export async function linksInSkill(_page: SkillPage, _tools: Tools): Promise<readonly DocumentLink[]> {
  return [];
}
