/** A skill's file as the workspace has it, where it is still what a trace has recorded. */
import * as vscode from 'vscode';
import { currentText, folderOf } from '../../hosts/vscode/openSkill';
import { findSkills } from '../../hosts/vscode/skillFiles';

/** How many skills of the workspace are looked at. */
const lookedAt = 200;

/**
 * @param hints.configured the launch configuration's `skill`, which may be anything
 * @returns undefined where no file has that text
 */
export async function findRecordedFile(
  { path, text }: { readonly path: string; readonly text: string },
  hints: { readonly skill: string | undefined; readonly configured: unknown },
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
  configured,
}: Parameters<typeof findRecordedFile>[1]): Promise<readonly vscode.Uri[]> {
  const folders: vscode.Uri[] = [];
  if (typeof configured === 'string' && configured !== '') {
    const uri = vscode.Uri.file(configured);
    folders.push(/\.md$/i.test(configured) ? folderOf(uri) : uri);
  }
  const skills = (await findSkills()).slice(0, lookedAt).map(folderOf);
  const byName = (folder: vscode.Uri) => (folder.path.endsWith(`/${skill}`) ? 0 : 1);
  return [...folders, ...skills.sort((a, b) => byName(a) - byName(b))];
}
