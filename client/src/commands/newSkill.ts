/** *New Skill…* and *Create Sample Skill…*: a folder with a skill that has nothing wrong with it. */
import * as vscode from 'vscode';
import type { NewSkill, SkillTemplateId } from '../../../schemas/skill/skillTemplates';
import { exists } from '../hosts/vscode/openSkill';
import { findSkills } from '../hosts/vscode/skillFiles';
import { textAnswer, uriAnswer } from './commandArguments';

const title = 'New Skill';

/** Asks for name, description, template and folder, writes the skill and opens it where its author goes on. */
export async function newSkill(argument: unknown): Promise<void> {
  const { descriptionProblem } = await templates();
  const answered = textAnswer(argument, 'name');
  let name = answered ?? (await askName());
  if (name === undefined) return;
  const description =
    textAnswer(argument, 'description') ??
    (await vscode.window.showInputBox({
      title: `${title} (2/4): Description`,
      prompt: 'What the skill does and when to use it. Agents choose a skill by this.',
      placeHolder: 'Writes release notes from merged changes. Use it when a version is about to be released.',
      ignoreFocusOut: true,
      validateInput: (text) => descriptionProblem(text),
    }));
  if (description === undefined) return;
  const template = await chooseTemplate(argument);
  if (template === undefined) return;
  const folder = uriAnswer(argument, 'folder') ?? (await chooseFolder(`${title} (4/4): Folder`));
  if (folder === undefined) return;
  // Only now is it known what is there already; the other answers are kept.
  if (answered === undefined && (await exists(vscode.Uri.joinPath(folder, name))))
    name = await askName(name, folder);
  if (name !== undefined) await createIn(folder, { name, description, template });
}

/** Asks for a name that follows the standard's rules and that nothing in the folder has, where one is given. */
async function askName(value = '', folder?: vscode.Uri): Promise<string | undefined> {
  const { nameProblem } = await templates();
  return vscode.window.showInputBox({
    title: folder === undefined ? `${title} (1/4): Name` : `${title}: Another Name`,
    prompt: 'The folder gets this name too: lowercase letters, digits and single hyphens.',
    placeHolder: 'release-notes',
    value,
    ignoreFocusOut: true,
    async validateInput(text) {
      const problem = nameProblem(text);
      if (problem !== undefined || folder === undefined) return problem;
      return (await exists(vscode.Uri.joinPath(folder, text)))
        ? `There is a ${text} in this folder already; choose another name.`
        : undefined;
    },
  });
}

/** Writes the warehouse sample into a folder that the user chooses, and opens skill and schema side by side. */
export async function createSample(argument: unknown): Promise<void> {
  const folder = uriAnswer(argument, 'folder') ?? (await chooseFolder('Create Sample Skill: Folder'));
  if (folder === undefined) return;
  const name = await freeName(folder, 'warehouse');
  const description =
    'Runs a warehouse of 500 shelves by one command for each event, and keeps track of which item is on which shelf. Use it to try out skills whose state is checked by a schema.';
  const skill = await createIn(folder, { name, description, template: 'warehouse' });
  if (skill === undefined) return;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(skill, '..', 'state.schema.yaml'), {
    viewColumn: vscode.ViewColumn.Beside,
    preview: false,
  });
}

/** Loaded with the first question; it parses Markdown and YAML. */
function templates() {
  return import('../../../schemas/skill/skillTemplates');
}

/**
 * Writes and opens a skill; what stands in the way is said.
 *
 * @returns its `SKILL.md`, or undefined where it was not written
 */
async function createIn(folder: vscode.Uri, skill: NewSkill): Promise<vscode.Uri | undefined> {
  const { createSkillFiles } = await templates();
  const { files, selection } = createSkillFiles(skill);
  const target = vscode.Uri.joinPath(folder, skill.name);
  if (await exists(target)) {
    void vscode.window.showErrorMessage(
      `There is a ${skill.name} in this folder already, and nothing is overwritten: choose another name or folder.`,
    );
    return undefined;
  }
  try {
    await vscode.workspace.fs.createDirectory(target);
    for (const [path, text] of files) {
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(target, path), new TextEncoder().encode(text));
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(`The skill could not be written: ${reason}`);
    return undefined;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(target, 'SKILL.md'));
  await vscode.window.showTextDocument(document, {
    preview: false,
    selection: new vscode.Range(document.positionAt(selection.start), document.positionAt(selection.end)),
  });
  return document.uri;
}

async function chooseTemplate(argument: unknown): Promise<SkillTemplateId | undefined> {
  const { skillTemplates } = await templates();
  const answer = textAnswer(argument, 'template');
  const answered = skillTemplates.find(({ id }) => id === answer);
  if (answered !== undefined) return answered.id;
  const items = skillTemplates.map(({ id, title: label, description }) => ({
    id,
    label,
    detail: description,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: `${title} (3/4): Template`,
    placeHolder: 'Choose what the skill begins with',
    ignoreFocusOut: true,
  });
  return picked?.id;
}

/** A folder's path in the workspace; a workspace folder's own name. */
function labelOf(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.uri.toString() === uri.toString() ? folder.name : vscode.workspace.asRelativePath(uri);
}

/** Where clients look for a project's skills. */
const usualFolders: readonly string[] = ['skills', '.github/skills', '.claude/skills', '.agents/skills'];

/** Asks for the folder in which the skill's own is made: where skills are, where they might be, or any other. */
async function chooseFolder(boxTitle: string): Promise<vscode.Uri | undefined> {
  const workspaceFolders = vscode.workspace.workspaceFolders ?? [];
  const candidates = new Map<string, { label: string; description: string; uri: vscode.Uri }>();
  const add = (uri: vscode.Uri, description: string) => {
    const key = uri.toString();
    if (!candidates.has(key)) {
      candidates.set(key, { label: labelOf(uri), description, uri });
    }
  };
  for (const skill of await findSkills()) {
    const parent = vscode.Uri.joinPath(skill, '..', '..');
    if (vscode.workspace.getWorkspaceFolder(parent) !== undefined) add(parent, 'has skills');
  }
  const usual = workspaceFolders.flatMap((folder) =>
    usualFolders.map((path) => vscode.Uri.joinPath(folder.uri, ...path.split('/'))),
  );
  const there = await Promise.all(usual.map(exists));
  for (const [index, uri] of usual.entries()) if (there[index]) add(uri, '');
  for (const folder of workspaceFolders)
    add(vscode.Uri.joinPath(folder.uri, '.github', 'skills'), 'new folder');
  for (const folder of workspaceFolders) add(folder.uri, 'workspace folder');

  const other = { label: 'Choose Another Folder…', description: '', uri: undefined };
  const picked =
    candidates.size === 0
      ? other
      : await vscode.window.showQuickPick<{
          label: string;
          description: string;
          uri: vscode.Uri | undefined;
        }>([...candidates.values(), other], {
          title: boxTitle,
          placeHolder: "Choose where the skill's folder is made",
          ignoreFocusOut: true,
        });
  if (picked === undefined || picked.uri !== undefined) return picked?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: boxTitle,
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    openLabel: 'Create Here',
  });
  return chosen?.[0];
}

/** A name that nothing in the folder has: `warehouse`, `warehouse-2`, … */
async function freeName(folder: vscode.Uri, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!(await exists(vscode.Uri.joinPath(folder, name)))) return name;
  }
}
