/** What the client can do, read once from its capabilities. */
import {
  type ClientCapabilities,
  CodeActionKind,
  MarkupKind,
  ResourceOperationKind,
} from 'vscode-languageserver';

export interface ClientFeatures {
  /** It asks for diagnostics; else they are pushed. */
  readonly pullsDiagnostics: boolean;
  readonly relatedInformation: boolean;
  readonly diagnosticTags: boolean;
  readonly configuration: boolean;
  readonly configurationRegistration: boolean;
  readonly workspaceFolders: boolean;
  readonly watchedFiles: boolean;
  readonly formattingRegistration: boolean;
  readonly symbolRegistration: boolean;
  readonly workDoneProgress: boolean;
  readonly documentChanges: boolean;
  readonly fileRenames: boolean;
  readonly codeActionLiterals: boolean;
  readonly prepareRename: boolean;
  readonly snippets: boolean;
  readonly markdownCompletion: boolean;
  readonly markdownHover: boolean;
  readonly nestedSymbols: boolean;
  readonly refresh: {
    readonly diagnostics: boolean;
    readonly inlayHints: boolean;
    readonly codeLenses: boolean;
    readonly semanticTokens: boolean;
  };
}

export function clientFeatures({ textDocument, workspace, window }: ClientCapabilities): ClientFeatures {
  const { workspaceEdit } = workspace ?? {};
  const documentChanges = workspaceEdit?.documentChanges === true;
  const { diagnostic, publishDiagnostics, codeAction, completion, hover } = textDocument ?? {};
  const kinds = codeAction?.codeActionLiteralSupport?.codeActionKind.valueSet;
  const itemFormats = completion?.completionItem?.documentationFormat;
  const hoverFormats = hover?.contentFormat;
  return {
    pullsDiagnostics: diagnostic !== undefined,
    relatedInformation: (diagnostic?.relatedInformation ?? publishDiagnostics?.relatedInformation) === true,
    diagnosticTags: (diagnostic?.tagSupport ?? publishDiagnostics?.tagSupport) !== undefined,
    configuration: workspace?.configuration === true,
    configurationRegistration: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    workspaceFolders: workspace?.workspaceFolders === true,
    watchedFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    formattingRegistration: textDocument?.formatting?.dynamicRegistration === true,
    symbolRegistration: textDocument?.documentSymbol?.dynamicRegistration === true,
    workDoneProgress: window?.workDoneProgress === true,
    documentChanges,
    fileRenames:
      documentChanges && workspaceEdit?.resourceOperations?.includes(ResourceOperationKind.Rename) === true,
    codeActionLiterals:
      kinds?.some((kind) => kind === CodeActionKind.Empty || kind === CodeActionKind.QuickFix) === true,
    prepareRename: textDocument?.rename?.prepareSupport === true,
    snippets: completion?.completionItem?.snippetSupport === true,
    markdownCompletion: itemFormats === undefined || itemFormats.includes(MarkupKind.Markdown),
    markdownHover: hoverFormats === undefined || hoverFormats.includes(MarkupKind.Markdown),
    nestedSymbols: textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
    refresh: {
      diagnostics: workspace?.diagnostics?.refreshSupport === true,
      inlayHints: workspace?.inlayHint?.refreshSupport === true,
      codeLenses: workspace?.codeLens?.refreshSupport === true,
      semanticTokens: workspace?.semanticTokens?.refreshSupport === true,
    },
  };
}
