/** The routes of the language server: each request or notification to the service that answers it. */
import { type Connection, TextDocumentSyncKind, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Problem } from '../../schemas/text/problem';
import { toDiagnostic } from './languageService/diagnostics';

/** The text of one document to its problems, or undefined for a document that isn't checked. */
export type CheckDocument = (document: {
  readonly uri: string;
  readonly text: string;
}) => readonly Problem[] | undefined;

/** What the server is wired from. */
export interface ServerOptions {
  readonly connection: Connection;
  readonly checkDocument: CheckDocument;
  /** Milliseconds without a keystroke after which a document is checked. */
  readonly quietTime?: number;
}

/** Registers the handlers and starts to listen. */
export function startServer({ connection, checkDocument, quietTime = 150 }: ServerOptions): void {
  const documents = new TextDocuments(TextDocument);
  const scheduled = new Map<string, NodeJS.Timeout>();

  connection.onInitialize(() => ({
    capabilities: { textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental } },
    serverInfo: { name: 'skill-state' },
  }));

  const check = (uri: string) => {
    scheduled.delete(uri);
    const document = documents.get(uri);
    const problems = document && checkDocument({ uri, text: document.getText() });
    if (!problems) return;
    void connection.sendDiagnostics({
      uri,
      version: document.version,
      diagnostics: problems.map(toDiagnostic),
    });
  };
  documents.onDidChangeContent(({ document: { uri, version } }) => {
    clearTimeout(scheduled.get(uri));
    // A document just opened is shown at once; typing isn't interrupted.
    scheduled.set(
      uri,
      setTimeout(() => check(uri), version === 1 ? 0 : quietTime),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(scheduled.get(uri));
    scheduled.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });

  documents.listen(connection);
  connection.listen();
}
