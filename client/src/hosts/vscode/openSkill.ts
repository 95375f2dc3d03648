/** Skills as the editor has them now, on any file system: open documents first, then what is stored. */
import * as vscode from 'vscode';
import type { Skill } from '../../../../schemas/skill/skill';
import { readText } from './fileRequests';
import { findSkills, isSkillPath } from './skillFiles';

/** The text of a file as the editor has it; undefined where there is none. Rejects as `readText` does. */
export async function currentText(uri: vscode.Uri): Promise<string | undefined> {
  const key = uri.toString();
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
  return open === undefined ? readText(uri) : open.getText();
}

/** Loads the skill of a `SKILL.md`. What is wrong with it is in its `problems`. */
export async function openSkill(skillUri: vscode.Uri): Promise<Skill> {
  const { loadSkill } = await import('../../../../schemas/skill/skill');
  const folder = folderOf(skillUri);
  return loadSkill({
    folderName: folder.path.split('/').at(-1) ?? '',
    read: (path) => currentText(vscode.Uri.joinPath(folder, ...path.split('/'))),
  });
}

export function folderOf(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(file, '..');
}

/** The `SKILL.md` of the active editor, or the one beside the file in it. */
export async function activeSkill(): Promise<vscode.Uri | undefined> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined || isSkillPath(uri)) return uri;
  return skillBeside(uri);
}

/** The `SKILL.md` in the folder of a file. */
export async function skillBeside(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  if (file.scheme === 'untitled') return undefined;
  const beside = vscode.Uri.joinPath(folderOf(file), 'SKILL.md');
  return (await exists(beside)) ? beside : undefined;
}

/** Whether there is a file or folder; one that can't be looked at counts as there, since nothing may be overwritten. */
export async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    return !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound');
  }
}

/** Asks for one of the workspace's skills; undefined where there is none, which is said, or none was chosen. */
export async function pickSkill(title: string): Promise<vscode.Uri | undefined> {
  const skills = await findSkills();
  if (skills.length === 0) {
    void vscode.window.showInformationMessage(
      'No SKILL.md was found in this workspace. Open a folder with a skill first.',
    );
    return undefined;
  }
  const items = skills.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a skill' });
  return picked?.uri;
}
