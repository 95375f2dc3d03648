/** Registers the commands of the table; the type of `handlers` sees to it that none is forgotten. */
import * as vscode from 'vscode';
import { configurationFor } from '../hosts/launchConfiguration';
import { findSkills, isSkillDocument } from '../hosts/vscode/skillFiles';
import type { CommandId } from './commandTable';

/** Registers every command until the returned object is disposed. */
export function registerCommands({ log }: { readonly log: vscode.LogOutputChannel }): vscode.Disposable {
  const handlers: Record<CommandId, (resource?: vscode.Uri) => unknown> = {
    'skill-state.run': (resource) => startSkill(resource, { noDebug: true }),
    'skill-state.debug': (resource) => startSkill(resource, { noDebug: false }),
    'skill-state.showLog': () => log.show(),
  };
  return vscode.Disposable.from(
    ...Object.entries(handlers).map(([id, handler]) => vscode.commands.registerCommand(id, handler)),
  );
}

/** Starts the skill of a title-bar button, else the active editor's, else one that the user picks. */
async function startSkill(
  resource: vscode.Uri | undefined,
  options: { readonly noDebug: boolean },
): Promise<void> {
  const skill = resource ?? activeSkill() ?? (await pickSkill());
  if (!skill) return;
  const folder = vscode.workspace.getWorkspaceFolder(skill);
  const configuration = configurationFor(skill.fsPath, folder?.uri.fsPath);
  await vscode.debug.startDebugging(folder, { ...configuration, stopOnEntry: !options.noDebug }, options);
}

function activeSkill(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && isSkillDocument(document) ? document.uri : undefined;
}

async function pickSkill(): Promise<vscode.Uri | undefined> {
  const skills = await findSkills();
  if (skills.length === 0) {
    void vscode.window.showInformationMessage(
      'No SKILL.md was found in this workspace. Open a folder with a skill first.',
    );
    return undefined;
  }
  const items = skills.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Skill', placeHolder: 'Choose a skill' });
  return picked?.uri;
}
