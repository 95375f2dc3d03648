/** What was found out about models, as read-only documents. */
import * as vscode from 'vscode';

const scheme = 'skill-state-models';

export interface ModelDocuments extends vscode.Disposable {
  /** Opens a text, in Markdown; one of the same name is replaced. */
  open(name: string, text: string): Promise<void>;
}

/** Serves the documents until it is disposed. */
export function createModelDocuments(): ModelDocuments {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const subscriptions = vscode.Disposable.from(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      // A window that is opened again asks for what nobody has any more.
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => texts.delete(uri.toString())),
  );
  return {
    async open(name, text) {
      const uri = vscode.Uri.from({ scheme, path: `/${name.replaceAll('/', '∕')}.md` });
      texts.set(uri.toString(), text);
      changed.fire(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.languages.setTextDocumentLanguage(document, 'markdown');
      await vscode.window.showTextDocument(document, { preview: false });
    },
    dispose: () => subscriptions.dispose(),
  };
}
