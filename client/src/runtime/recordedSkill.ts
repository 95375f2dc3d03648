/** The skill that a trace holds, as files. */
import type { SkillFiles } from '../../../schemas/skill/skill';
import type { RecordedFile } from '../../../schemas/trace/trace';

/** Files as they were recorded; others aren't there. */
export function recordedSkillFiles(name: string, files: readonly RecordedFile[]): SkillFiles {
  const texts = new Map(files.map((file) => [file.path, file.text]));
  return { folderName: name, read: async (path) => texts.get(path) };
}
