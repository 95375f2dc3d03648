/** The status bar item that shows the model of the running skill, or the one that the next run gets. */
import * as vscode from 'vscode';
import { initialStateLanguage, stateSchemaLanguage } from '../../hosts/languageIds';
import type { ModelChoice } from '../../hosts/vscode/modelChoice';
import { isSkillPath } from '../../hosts/vscode/skillFiles';
import type { SessionTraces } from '../sessionTraces';
import { describeModel } from './modelLabel';

const ownLanguages: readonly string[] = [stateSchemaLanguage, initialStateLanguage];

/** Shows the item while a skill is open or runs, until the returned object is disposed. */
export function createModelStatus(choice: ModelChoice, traces: SessionTraces): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('skill-state.model', vscode.StatusBarAlignment.Left, 49);
  item.name = 'Skill Model';
  item.command = 'skill-state.chooseModel';

  const refresh = () => {
    const run = traces.current;
    const running = run === undefined || run.ended ? undefined : run.reader?.header?.model.name;
    if (running === undefined && !isSkillOpen()) return item.hide();
    const { label, tooltip, spoken } = describeModel(choice.current, running);
    item.text = label;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: spoken, role: 'button' };
    item.show();
  };
  refresh();
  return vscode.Disposable.from(
    item,
    choice.onDidChange(refresh),
    vscode.window.onDidChangeActiveTextEditor(refresh),
    traces.onDidChangeCurrent(refresh),
    traces.onDidRead((run) => run === traces.current && refresh()),
  );
}

/** Whether the active editor has a file of a skill. */
function isSkillOpen(): boolean {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && (isSkillPath(document.uri) || ownLanguages.includes(document.languageId));
}
