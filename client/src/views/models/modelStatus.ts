/** The status bar item that shows the model of the running skill, or the one that the next run gets. */
import * as vscode from 'vscode';
import type { RecordedParticipant } from '../../../../schemas/trace/trace';
import type { ChosenModel } from '../../hosts/chosenModel';
import { initialStateLanguage, stateSchemaLanguage } from '../../hosts/languageIds';
import type { ModelChoice } from '../../hosts/vscode/modelChoice';
import { isSkillPath } from '../../hosts/vscode/skillFiles';
import type { SessionTraces } from '../sessionTraces';
import { describeModel } from './modelLabel';
import { modelAt } from './sessionModel';

const ownLanguages: readonly string[] = [stateSchemaLanguage, initialStateLanguage];

/** Shows the item while a skill is open or runs, until the returned object is disposed. */
export function createModelStatus(choice: ModelChoice, traces: SessionTraces): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('skill-state.model', vscode.StatusBarAlignment.Left, 49);
  item.name = 'Skill Model';
  item.command = 'skill-state.chooseModel';

  let shown = '';
  const refresh = () => {
    const run = traces.current;
    const there = run?.ended === false && run.reader ? modelAt(run.reader, run.position) : undefined;
    const running = recordedModel(there);
    if (running === undefined && !isSkillOpen()) {
      shown = '';
      return item.hide();
    }
    const texts = describeModel(choice.current, running);
    // A session that runs moves all the time.
    const told = JSON.stringify(texts);
    if (told === shown) return;
    shown = told;
    const { label, tooltip, spoken } = texts;
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
    traces.onDidMove((run) => run === traces.current && refresh()),
  );
}

/** A model as a trace names it, with its address where that isn't the provider's own. */
function recordedModel(recorded: RecordedParticipant | undefined): ChosenModel | undefined {
  if (recorded === undefined) return undefined;
  const { baseUrl } = recorded.settings;
  return { model: recorded.name, ...(typeof baseUrl === 'string' && { baseUrl }) };
}

/** Whether the active editor has a file of a skill. */
function isSkillOpen(): boolean {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && (isSkillPath(document.uri) || ownLanguages.includes(document.languageId));
}
