/** The commands that start a skill. */
import * as vscode from 'vscode';
import { configurationFor } from '../hosts/launchConfiguration';
import { pickSkill } from '../hosts/vscode/openSkill';
import { isSkillDocument } from '../hosts/vscode/skillFiles';
import { fileArgument, isOnDisk } from './commandArguments';

/** Starts the skill of a title-bar button, else the active editor's, else one that the user picks. */
export async function runSkill(argument: unknown, options: { readonly noDebug: boolean }): Promise<void> {
  const skill = fileArgument(argument) ?? activeSkill() ?? (await pickSkill('Skill'));
  if (!skill || !isOnDisk(skill, options.noDebug ? 'run' : 'debug')) return;
  const folder = vscode.workspace.getWorkspaceFolder(skill);
  const configuration = configurationFor(skill.fsPath, folder?.uri.fsPath);
  const stops = { stopOnEntry: !options.noDebug, stopOnEnd: !options.noDebug };
  await vscode.debug.startDebugging(folder, { ...configuration, ...stops }, options);
}

function activeSkill(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && isSkillDocument(document) ? document.uri : undefined;
}
