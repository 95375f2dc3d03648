/** The skill that a trace holds, as files. */
import { loadSkill, type Skill, type SkillFiles } from '../../../schemas/skill/skill';
import type { RecordedFile } from '../../../schemas/trace/trace';

const skills = new WeakMap<readonly RecordedFile[], Promise<Skill>>();

/**
 * The skill that recorded files make up, problems included. It is read once for the same list.
 *
 * @param name the skill's, which stands for its folder's
 */
export function recordedSkill(name: string, files: readonly RecordedFile[]): Promise<Skill> {
  const known = skills.get(files);
  if (known !== undefined) return known;
  const skill = loadSkill(recordedSkillFiles(name, files));
  skills.set(files, skill);
  return skill;
}

/** Files as they were recorded; others aren't there. */
function recordedSkillFiles(name: string, files: readonly RecordedFile[]): SkillFiles {
  const texts = new Map(files.map((file) => [file.path, file.text]));
  return { folderName: name, read: async (path) => texts.get(path) };
}
