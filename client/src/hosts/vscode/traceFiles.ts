/** Traces as files: how they are told from others and chosen. */
import * as vscode from 'vscode';
import { traceSuffix } from '../launchConfiguration';

/** Whether a file is a trace on disk. */
export function isTrace({ scheme, path }: vscode.Uri): boolean {
  return scheme === 'file' && path.endsWith(traceSuffix);
}

/** The trace in the active editor, as text or in an editor of its own. */
export function activeTrace(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const shown =
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
  return shown !== undefined && isTrace(shown) ? shown : undefined;
}

/** Asks for a trace. */
export async function openTraceFile(title: string): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title,
    openLabel: 'Open',
    filters: { Traces: ['jsonl'] },
  });
  return chosen?.[0];
}
