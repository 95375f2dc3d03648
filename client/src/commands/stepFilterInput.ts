/** Which steps the Steps tree shows: asked of a person, or named by a key binding. */
import * as vscode from 'vscode';
import { ownMember } from '../hosts/ownMember';
import { filterText, parseStatePath, type StepFilter } from '../views/steps/stepFilter';

/** A filter as a key binding or a test names it: `{ "filter": "rejected" }`, `{ "path": "inventory" }`, `{ "text": "…" }`. */
export function filterArgument(argument: unknown): StepFilter | undefined {
  const kind = ownMember(argument, 'filter');
  if (kind === 'all' || kind === 'rejected' || kind === 'warnings') return { kind };
  const written = ownMember(argument, 'path');
  if (typeof written === 'string') return pathFilter(written);
  const text = ownMember(argument, 'text');
  return typeof text === 'string' && text !== '' ? { kind: 'text', text } : undefined;
}

function pathFilter(text: string): StepFilter | undefined {
  const path = parseStatePath(text);
  return path && { kind: 'path', path, text: text.trim() };
}

/** Asks which steps are to be shown; undefined where nothing was chosen. */
export async function askFilter(present: StepFilter): Promise<StepFilter | undefined> {
  const item = (kind: StepFilter['kind'], label: string, detail: string) => ({
    label: `${kind === present.kind ? '$(check) ' : ''}${label}`,
    filter: kind,
    detail,
  });
  const picked = await vscode.window.showQuickPick(
    [
      item('all', 'All Steps', 'No filter'),
      item('rejected', 'Rejected Replies', 'Steps in which a reply was rejected'),
      item('warnings', 'Warnings', 'Steps with a warning'),
      item('path', 'Changes of a Path…', 'Steps that wrote into a part of the state'),
      item('text', 'Text…', 'Steps whose action, observation, reply or findings contain a text'),
    ],
    { title: 'Filter Steps', placeHolder: filterText(present) || 'All steps are shown' },
  );
  switch (picked?.filter) {
    case undefined:
      return undefined;
    case 'path': {
      const text = await vscode.window.showInputBox({
        title: 'Filter Steps: Path of the State',
        placeHolder: 'inventory.shelf_1',
        validateInput: (value) =>
          parseStatePath(value) === undefined ? 'Write a path such as inventory.shelf_1.' : undefined,
      });
      return text === undefined ? undefined : pathFilter(text);
    }
    case 'text': {
      const text = await vscode.window.showInputBox({ title: 'Filter Steps: Text' });
      return text ? { kind: 'text', text } : undefined;
    }
    default:
      return picked && { kind: picked.filter };
  }
}
