/** Schemas and initial states that `metadata` names otherwise, and our languages for them. Free of VS Code, and loaded late. */
import { normalizeRelativePath } from '../../../schemas/skill/fileMentions';
import { parseSkill } from '../../../schemas/skill/skillDocument';
import { initialStateLanguage, stateSchemaLanguage } from './languageIds';

/** How many folders above a file are looked at for the `SKILL.md` that names it. */
export const maxParents = 4;

/**
 * The language that a skill's text gives a file by naming it in `metadata`; undefined where it doesn't.
 *
 * @param path of the file relative to the skill's folder, with `/` between segments
 */
export function languageBySkill(skillText: string, path: string): string | undefined {
  const { metadata } = parseSkill(skillText);
  const names = (key: string) => normalizeRelativePath((metadata.get(key) ?? '').trim()) === path;
  if (names('state-schema')) return stateSchemaLanguage;
  return names('initial-state') ? initialStateLanguage : undefined;
}
