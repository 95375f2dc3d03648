/** The model that was chosen for the workspace, which remembers it. */
import * as vscode from 'vscode';
import { type ChosenModel, readChosenModel } from '../chosenModel';

export interface ModelChoice extends vscode.Disposable {
  /** Undefined where none was chosen. */
  readonly current: ChosenModel | undefined;
  readonly onDidChange: vscode.Event<void>;
  /** @param chosen undefined to choose none */
  set(chosen: ChosenModel | undefined): Promise<void>;
}

const memoryKey = 'skill-state.chosenModel';

export function createModelChoice(memory: vscode.Memento): ModelChoice {
  const changed = new vscode.EventEmitter<void>();
  return {
    get current() {
      return readChosenModel(memory.get(memoryKey));
    },
    onDidChange: changed.event,
    async set(chosen) {
      await memory.update(memoryKey, chosen);
      changed.fire();
    },
    dispose: () => changed.dispose(),
  };
}
