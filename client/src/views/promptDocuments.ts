/** Prompts as read-only documents, with the tokens of each part above it; nothing is added to the text itself. */
import * as vscode from 'vscode';
import { onDocumentClosed } from '../hosts/vscode/closedDocuments';
import type { PromptPreview } from '../runtime/promptPreview';

const scheme = 'skill-state-prompt';

export interface PromptDocuments extends vscode.Disposable {
  /** Opens a prompt in an editor of its own. */
  open(skillName: string, preview: PromptPreview): Promise<void>;
}

/** Serves the documents until it is disposed. */
export function createPromptDocuments(): PromptDocuments {
  const previews = new Map<string, PromptPreview>();
  let opened = 0;
  const subscriptions = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      // A window that is opened again asks for what nobody has any more.
      provideTextDocumentContent: (uri) => previews.get(uri.toString())?.prompt.text ?? '',
    }),
    vscode.languages.registerCodeLensProvider(
      { scheme },
      {
        provideCodeLenses: (document) => {
          const preview = previews.get(document.uri.toString());
          return preview === undefined ? [] : lensesOf(document, preview);
        },
      },
    ),
    onDocumentClosed(({ uri }) => previews.delete(uri.toString())),
  );
  return {
    async open(skillName, preview) {
      opened++;
      const uri = vscode.Uri.from({ scheme, path: `/Prompt of ${skillName}`, query: String(opened) });
      previews.set(uri.toString(), preview);
      await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    },
    dispose: () => subscriptions.dispose(),
  };
}

function lensesOf(
  document: vscode.TextDocument,
  { prompt, tokens, tokenizer }: PromptPreview,
): vscode.CodeLens[] {
  const lensAt = (offset: number, title: string) => {
    const position = document.positionAt(offset);
    return new vscode.CodeLens(new vscode.Range(position, position), { title, command: '' });
  };
  const { parts } = prompt;
  return [
    lensAt(0, `${tokens.total} tokens in all, estimated by ${tokenizer}`),
    lensAt(0, `scaffold ${tokens.scaffold}`),
    lensAt(parts.instructions.start, `instructions ${tokens.instructions}`),
    lensAt(parts.state.start, `state ${tokens.state}`),
    lensAt(parts.observation.start, `observation ${tokens.observation}`),
  ];
}
