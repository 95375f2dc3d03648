/** What the client can do, read once from its capabilities. */
import {
  type ClientCapabilities,
  CodeActionKind,
  MarkupKind,
  ResourceOperationKind,
  type TextDocumentClientCapabilities,
} from 'vscode-languageserver';

/** What the server does with a single document: hears of it, and answers for it. */
const documentMethods = [
  'textDocument/didOpen',
  'textDocument/didChange',
  'textDocument/didSave',
  'textDocument/didClose',
  'textDocument/completion',
  'textDocument/hover',
  'textDocument/definition',
  'textDocument/references',
  'textDocument/rename',
  'textDocument/codeAction',
  'textDocument/foldingRange',
  'textDocument/selectionRange',
  'textDocument/documentLink',
  'textDocument/semanticTokens',
  'textDocument/inlayHint',
  'textDocument/codeLens',
  'textDocument/diagnostic',
] as const;

export type DocumentMethod = (typeof documentMethods)[number];

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
  /** Methods that can be registered for a single document; none where the client can't be asked to send one. */
  readonly documentRegistrations: ReadonlySet<DocumentMethod>;
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

/** Whatever a client leaves out, it can't do (LSP 3.17, "Capabilities"). */
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
    documentRegistrations: documentRegistrations(textDocument ?? {}),
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

function documentRegistrations(textDocument: TextDocumentClientCapabilities): ReadonlySet<DocumentMethod> {
  const { synchronization, filters } = textDocument;
  const isAble = ({ dynamicRegistration }: { readonly dynamicRegistration?: boolean } = {}) =>
    dynamicRegistration === true;
  if (!isAble(synchronization) || filters?.relativePatternSupport !== true) return new Set();
  const able: Readonly<Record<DocumentMethod, boolean>> = {
    'textDocument/didOpen': true,
    'textDocument/didChange': true,
    'textDocument/didSave': true,
    'textDocument/didClose': true,
    'textDocument/completion': isAble(textDocument.completion),
    'textDocument/hover': isAble(textDocument.hover),
    'textDocument/definition': isAble(textDocument.definition),
    'textDocument/references': isAble(textDocument.references),
    'textDocument/rename': isAble(textDocument.rename),
    'textDocument/codeAction': isAble(textDocument.codeAction),
    'textDocument/foldingRange': isAble(textDocument.foldingRange),
    'textDocument/selectionRange': isAble(textDocument.selectionRange),
    'textDocument/documentLink': isAble(textDocument.documentLink),
    'textDocument/semanticTokens': isAble(textDocument.semanticTokens),
    'textDocument/inlayHint': isAble(textDocument.inlayHint),
    'textDocument/codeLens': isAble(textDocument.codeLens),
    'textDocument/diagnostic': isAble(textDocument.diagnostic),
  };
  return new Set(documentMethods.filter((method) => able[method]));
}
