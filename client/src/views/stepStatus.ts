/** The status bar item that shows a running skill's step, the size of its state and the tokens it has used. */
import * as vscode from 'vscode';
import { isStepProgress, stepEvent } from '../../../schemas/messages/debugMessages';
import { debugType } from '../hosts/launchConfiguration';
import { describeProgress } from './stepProgress';

/** Shows the item while a session of ours runs, until the returned object is disposed. */
export function createStepStatus(): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('skill-state.step', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Skill Step';
  item.command = 'workbench.debug.action.toggleRepl';

  /** The last text of each session, so that switching between sessions switches the item. */
  const texts = new Map<string, ReturnType<typeof describeProgress>>();
  const refresh = () => {
    const active = vscode.debug.activeDebugSession;
    const text = active && texts.get(active.id);
    if (!text) {
      item.hide();
      return;
    }
    item.text = text.label;
    item.tooltip = text.tooltip;
    item.accessibilityInformation = { label: text.spoken };
    item.show();
  };

  return vscode.Disposable.from(
    item,
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ event, body, session }) => {
      if (session.type !== debugType || event !== stepEvent || !isStepProgress(body)) return;
      texts.set(session.id, describeProgress(body));
      refresh();
    }),
    vscode.debug.onDidChangeActiveDebugSession(refresh),
    vscode.debug.onDidTerminateDebugSession((session) => {
      texts.delete(session.id);
      refresh();
    }),
  );
}
