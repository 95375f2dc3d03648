/** Fills in launch configurations: F5 without launch.json, and the skills that VS Code offers by itself. */
import * as vscode from 'vscode';
import { withChosenModel } from '../chosenModel';
import { configurationFor, debugType, isAbsolutePath, traceConfigurationFor } from '../launchConfiguration';
import type { ModelAccess } from './modelAccess';
import { findSkills, isSkillDocument } from './skillFiles';
import { activeTrace } from './traceFiles';

/** Registers the providers until the returned object is disposed. */
export function registerConfigurationProviders(models: ModelAccess): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.debug.registerDebugConfigurationProvider(debugType, {
      resolveDebugConfiguration,
      resolveDebugConfigurationWithSubstitutedVariables: (folder, configuration) =>
        withSkill(
          folder,
          withChosenModel(configuration, models.choice.current, models.configuration(folder?.uri).defaults),
        ),
    }),
    vscode.debug.registerDebugConfigurationProvider(
      debugType,
      { provideDebugConfigurations },
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
  );
}

/** Answers undefined to abort after having said why, as VS Code wants it. */
async function resolveDebugConfiguration(
  folder: vscode.WorkspaceFolder | undefined,
  configuration: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showErrorMessage(
      'This workspace is not trusted. Running a skill executes actions that it chooses, so trust the workspace first.',
    );
    return undefined;
  }
  if (configuration.type || configuration.request || configuration.name) return configuration;

  // F5 without launch.json.
  const trace = activeTrace();
  if (trace !== undefined) {
    return {
      ...traceConfigurationFor(trace.fsPath, folder?.uri.fsPath),
      ...stops(configuration),
      ...(configuration.noDebug === undefined ? {} : { noDebug: configuration.noDebug }),
    };
  }
  const document = vscode.window.activeTextEditor?.document;
  const skill = document && isSkillDocument(document) ? document.uri : await nearestSkill(document?.uri);
  if (!skill) {
    void vscode.window.showErrorMessage(
      'Open the SKILL.md to debug, or name its folder as "skill" in launch.json.',
    );
    return undefined;
  }
  return {
    ...configurationFor(skill.fsPath, folder?.uri.fsPath),
    ...stops(configuration),
    ...(configuration.noDebug === undefined ? {} : { noDebug: configuration.noDebug }),
  };
}

/** Who debugs looks at the run from both ends; who runs it wants neither. */
function stops({ noDebug }: vscode.DebugConfiguration) {
  return { stopOnEntry: noDebug !== true, stopOnEnd: noDebug !== true };
}

/** A trace has the skill's texts, and not where its files are: those of the workspace are looked for. */
async function withSkill(
  folder: vscode.WorkspaceFolder | undefined,
  configuration: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration> {
  const { replay, skill } = configuration;
  if (typeof replay !== 'string' || skill !== undefined) return configuration;
  const { skillOfTrace } = await import('./traceSkill');
  const base = folder ?? vscode.workspace.workspaceFolders?.[0];
  const trace =
    isAbsolutePath(replay) || base === undefined ? replay : vscode.Uri.joinPath(base.uri, replay).fsPath;
  const found = await skillOfTrace(trace);
  return found === undefined ? configuration : { ...configuration, skill: found.fsPath };
}

/** The SKILL.md beside a state schema. */
async function nearestSkill(file: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
  if (file?.scheme !== 'file') return undefined;
  const beside = vscode.Uri.joinPath(file, '..', 'SKILL.md');
  return vscode.workspace.fs.stat(beside).then(
    () => beside,
    () => undefined,
  );
}

async function provideDebugConfigurations(
  folder: vscode.WorkspaceFolder | undefined,
  token?: vscode.CancellationToken,
): Promise<vscode.DebugConfiguration[]> {
  // VS Code asks once for each folder, and once more for the workspace and for the user: those would say all again.
  if (!folder) return [];
  const skills = await findSkills(token);
  return skills
    .filter((skill) => vscode.workspace.getWorkspaceFolder(skill)?.uri.toString() === folder.uri.toString())
    .map((skill) => ({
      ...configurationFor(skill.fsPath, folder.uri.fsPath),
      stopOnEntry: true,
      stopOnEnd: true,
    }));
}
