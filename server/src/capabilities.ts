/** What the server can do, as it tells a client that can do this much. */
import {
  CodeActionKind,
  FileOperationPatternKind,
  type ServerCapabilities,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import type { ClientFeatures } from './clientFeatures';
import { semanticTokensLegend } from './languageService/schema/semanticTokens';

/** By what a client tells our diagnostics from those of others. */
const diagnosticsIdentifier = 'skill-state';

/** Characters behind which names and values of ours begin. */
const completionTriggers = [':', ' ', '"', '/', '#', '`', '.', '-', '<', '['];

/** Any file or folder: only the server knows which ones it has read. */
const anyFile = {
  filters: [
    { scheme: 'file', pattern: { glob: '**/*' } },
    { scheme: 'file', pattern: { glob: '**/*', matches: FileOperationPatternKind.folder } },
  ],
};

const incremental = TextDocumentSyncKind.Incremental;
const savedWithoutText = { includeText: false };

/** @param registers whether the client named the documents that formatting and the outline are registered for later */
export function serverCapabilities(client: ClientFeatures, registers: boolean): ServerCapabilities {
  return {
    textDocumentSync: {
      openClose: true,
      change: incremental,
      save: savedWithoutText,
    },
    ...(client.pullsDiagnostics && {
      diagnosticProvider: {
        identifier: diagnosticsIdentifier,
        interFileDependencies: true,
        workspaceDiagnostics: true,
        workDoneProgress: true,
      },
    }),
    completionProvider: { triggerCharacters: completionTriggers },
    hoverProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    renameProvider: client.prepareRename ? { prepareProvider: true } : true,
    codeActionProvider: client.codeActionLiterals ? { codeActionKinds: [CodeActionKind.QuickFix] } : false,
    documentSymbolProvider: !(registers && client.symbolRegistration),
    foldingRangeProvider: true,
    selectionRangeProvider: true,
    documentLinkProvider: {},
    documentFormattingProvider: !(registers && client.formattingRegistration),
    semanticTokensProvider: { legend: semanticTokensLegend, full: true },
    inlayHintProvider: true,
    codeLensProvider: {},
    workspace: {
      workspaceFolders: { supported: true, changeNotifications: true },
      fileOperations: { didCreate: anyFile, didRename: anyFile, didDelete: anyFile },
    },
  };
}
