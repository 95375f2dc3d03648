/** What was found out about models, as read-only documents. */
import * as vscode from 'vscode';
import { onDocumentClosed } from '../../hosts/vscode/closedDocuments';

const scheme = 'skill-state-models';

export interface ModelDocuments extends vscode.Disposable {
  /** Opens a text, in Markdown; one of the same name is replaced. */
  open(name: string, text: string, links?: readonly DocumentCommand[]): Promise<void>;
  /** What the parts of an open document lead to. */
  linksOf(uri: vscode.Uri): readonly DocumentCommand[];
}

/** A part of a line that runs a command. */
export interface DocumentCommand {
  /** From 0, as the columns, which are UTF-16 units. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly command: string;
  readonly argument: unknown;
  /** What it leads to, in a list. */
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
}

/** Serves the documents until it is disposed. */
export function createModelDocuments(): ModelDocuments {
  const texts = new Map<string, { readonly text: string; readonly links: readonly DocumentCommand[] }>();
  const linksOf = (uri: vscode.Uri) => texts.get(uri.toString())?.links ?? [];
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const subscriptions = vscode.Disposable.from(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      // A window that is opened again asks for what nobody has any more.
      provideTextDocumentContent: (uri) => texts.get(uri.toString())?.text ?? '',
    }),
    vscode.languages.registerDocumentLinkProvider(
      { scheme },
      { provideDocumentLinks: ({ uri }) => linksOf(uri).map(linkOf) },
    ),
    onDocumentClosed(({ uri }) => texts.delete(uri.toString())),
  );
  return {
    async open(name, text, links = []) {
      const uri = vscode.Uri.from({ scheme, path: `/${name.replaceAll('/', '∕')}.md` });
      texts.set(uri.toString(), { text, links });
      changed.fire(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.languages.setTextDocumentLanguage(document, 'markdown');
      await vscode.window.showTextDocument(document, { preview: false });
    },
    linksOf,
    dispose: () => subscriptions.dispose(),
  };
}

function linkOf({ line, start, end, command, argument, tooltip }: DocumentCommand): vscode.DocumentLink {
  const link = new vscode.DocumentLink(
    new vscode.Range(line, start, line, end),
    vscode.Uri.parse(`command:${command}?${encodeURIComponent(JSON.stringify([argument]))}`),
  );
  link.tooltip = tooltip;
  return link;
}
