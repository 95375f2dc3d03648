/**
 * What commands are called with: a file by VS Code's menus, answers to their questions by key bindings and tests
 * (`{ "name": "my-skill" }`), nothing by the palette.
 */
import * as vscode from 'vscode';

/** The file that a menu's command is for. */
export function fileArgument(argument: unknown): vscode.Uri | undefined {
  return argument instanceof vscode.Uri ? argument : undefined;
}

/**
 * Whether a file is one on disk, where alone runs and traces are found; says so of another, such as a version in Git, whose
 * path names a different file or none.
 *
 * @param act what was wanted of it: `run`
 */
export function isOnDisk({ scheme, path }: vscode.Uri, act: string): boolean {
  if (scheme === 'file') return true;
  const name = path.split('/').at(-1) ?? path;
  void vscode.window.showErrorMessage(
    `This ${name} is not a file on disk (its address begins with "${scheme}:"), so there is nothing to ${act}: open the file itself.`,
  );
  return false;
}

/** A text among the answers; undefined where it has to be asked for. */
export function textAnswer(argument: unknown, key: string): string | undefined {
  const value = answer(argument, key);
  return typeof value === 'string' ? value : undefined;
}

/** A file or folder among the answers, as a URI or its text. */
export function uriAnswer(argument: unknown, key: string): vscode.Uri | undefined {
  const value = answer(argument, key);
  if (value instanceof vscode.Uri) return value;
  return typeof value === 'string' ? vscode.Uri.parse(value, true) : undefined;
}

function answer(argument: unknown, key: string): unknown {
  if (typeof argument !== 'object' || argument === null || argument instanceof vscode.Uri) return undefined;
  return Object.hasOwn(argument, key) ? Reflect.get(argument, key) : undefined;
}
