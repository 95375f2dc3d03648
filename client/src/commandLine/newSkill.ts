/** `skill-state new`: a new skill from a template. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createSkillFiles,
  descriptionProblem,
  nameProblem,
  type SkillTemplateId,
} from '../../../schemas/skill/skillTemplates';
import { printable } from '../../../schemas/text/printable';
import { codeOf, FileFailure, reasonOf } from '../hosts/node/skillFolder';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

export interface NewSkillFlags {
  readonly description: string;
  readonly template: SkillTemplateId;
  /** The folder that the skill's own folder is made in. */
  readonly folder: string;
}

/**
 * Writes the skill into a folder of its name, which must not be there yet, and prints the paths.
 *
 * @throws UsageFailure for a name or description that breaks the standard's rules, FileFailure where it can't be written
 */
export async function newSkill(name: string, flags: NewSkillFlags, terminal: Terminal): Promise<ExitCode> {
  const problem = nameProblem(name) ?? descriptionProblem(flags.description);
  if (problem !== undefined) throw new UsageFailure(problem);
  const { files } = createSkillFiles({ name, ...flags });
  const folder = join(flags.folder, name);
  try {
    await mkdir(flags.folder, { recursive: true });
    await mkdir(folder);
    for (const [path, text] of files) await writeFile(join(folder, path), text, { flag: 'wx' });
  } catch (cause) {
    const advice =
      codeOf(cause) === 'EEXIST' ? ' Nothing is overwritten: choose another name or folder.' : '';
    throw new FileFailure(`The skill ${folder} can't be written: ${reasonOf(cause)}.${advice}`, { cause });
  }
  for (const path of files.keys()) terminal.stdout.write(printable(`${join(folder, path)}\n`));
  return 0;
}
