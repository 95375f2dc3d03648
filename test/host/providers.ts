/** What VS Code shows at a place, all providers together: its own, other extensions', and ours. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { untilAnswered } from './waiting';

/** The position of a text in a document, or one some characters behind its start. */
export function positionOf(
  { document }: { readonly document: vscode.TextDocument },
  text: string,
  after = 0,
) {
  const offset = document.getText().indexOf(text);
  assert.ok(offset >= 0, `${document.uri.path} has no ${text}`);
  return document.positionAt(offset + after);
}

/** The labels of the suggestions there, doubled ones as often as they are shown. */
export async function suggestions(uri: vscode.Uri, position: vscode.Position): Promise<string[]> {
  const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
    'vscode.executeCompletionItemProvider',
    uri,
    position,
  );
  return items
    .filter(({ kind }) => kind !== vscode.CompletionItemKind.Text)
    .map(({ label }) => (typeof label === 'string' ? label : label.label));
}

/** The texts of the hovers there, one for each provider that has something to say. */
export async function hovers(uri: vscode.Uri, position: vscode.Position): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    uri,
    position,
  );
  return found
    .map(({ contents }) => contents.map((one) => (typeof one === 'string' ? one : one.value)).join('\n'))
    .filter((text) => text !== '');
}

/** The quick fixes of a range. */
export function quickFixes(uri: vscode.Uri, range: vscode.Range): Thenable<vscode.CodeAction[]> {
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    uri,
    range,
    vscode.CodeActionKind.QuickFix.value,
  );
}

/** The inlay hints of a document, each as its line (from 0) and its text. */
export async function inlayHints({ uri, lineCount }: vscode.TextDocument): Promise<string[]> {
  const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
    'vscode.executeInlayHintProvider',
    uri,
    new vscode.Range(0, 0, lineCount, 0),
  );
  return hints.map(({ position, label }) => {
    const text = typeof label === 'string' ? label : label.map(({ value }) => value).join('');
    return `${position.line}: ${text}`;
  });
}

/** The titles of the lenses of a document, once one of them fits. */
export function lenses(uri: vscode.Uri, fits: RegExp): Promise<readonly string[]> {
  return untilAnswered(
    `a lens ${fits}`,
    async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri,
      );
      return found.map((lens) => lens.command?.title ?? '');
    },
    (titles) => (titles.some((title) => fits.test(title)) ? titles : undefined),
  );
}

/** The outline's names with those below them in brackets. */
export async function outline(uri: vscode.Uri): Promise<string[]> {
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  return (symbols ?? []).map(shown);
}

function shown({ name, children }: vscode.DocumentSymbol): string {
  return children.length === 0 ? name : `${name} (${children.map(shown).join(', ')})`;
}

/** Where the links of a document lead, as paths. */
export async function links(uri: vscode.Uri): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
    'vscode.executeLinkProvider',
    uri,
    resolvedLinks,
  );
  return found.map(({ target }) => target?.path ?? '');
}

/** How many links are resolved. */
const resolvedLinks = 20;
