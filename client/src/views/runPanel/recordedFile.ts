/** A skill's file as the workspace has it, where it is still what a trace has recorded. */
import * as vscode from 'vscode';
import { currentText, folderOf } from '../../hosts/vscode/openSkill';
import { findSkills } from '../../hosts/vscode/skillFiles';

/** How many skills of the workspace are looked at. */
const lookedAt = 200;

/**
 * @param hints.folder that of the skill, where a session was started with one
 * @returns undefined where no file has that text
 */
export async function findRecordedFile(
  { path, text }: { readonly path: string; readonly text: string },
  hints: { readonly skill: string | undefined; readonly folder: vscode.Uri | undefined },
): Promise<vscode.Uri | undefined> {
  const segments = path.split('/');
  // What a trace says must not lead out of the skill's folder, on Windows neither.
  if (path.split(/[\\/]/).includes('..') || path.startsWith('/')) return undefined;
  for (const folder of await candidateFolders(hints)) {
    const file = vscode.Uri.joinPath(folder, ...segments);
    try {
      if ((await currentText(file)) === text) return file;
    } catch {
      // A file that can't be read isn't the one: the recorded text is shown then.
    }
  }
  return undefined;
}

async function candidateFolders({
  skill,
  folder,
}: Parameters<typeof findRecordedFile>[1]): Promise<readonly vscode.Uri[]> {
  const skills = (await findSkills()).slice(0, lookedAt).map(folderOf);
  const byName = ({ path }: vscode.Uri) => (path.endsWith(`/${skill}`) ? 0 : 1);
  return [...(folder === undefined ? [] : [folder]), ...skills.sort((a, b) => byName(a) - byName(b))];
}
