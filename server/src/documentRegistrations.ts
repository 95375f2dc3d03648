/** What is registered for a single document, told apart from all others by path and language. */
import type { DocumentSelector, Registration } from 'vscode-languageserver';
import { URI, Utils } from 'vscode-uri';
import { serverCapabilities } from './capabilities';
import type { ClientFeatures, DocumentMethod } from './clientFeatures';
import type { DocumentKind } from './languageService/skillModels';

/** Instructions get what only the skill knows; what Markdown is, the editor knows itself. */
const includeMethods = [
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
  'textDocument/diagnostic',
] as const satisfies readonly DocumentMethod[];

const dataMethods = [
  ...includeMethods,
  'textDocument/foldingRange',
  'textDocument/selectionRange',
] as const satisfies readonly DocumentMethod[];

/** The order counts: a client sends the document at once when it may, and asks for diagnostics of what it has sent. */
const methodsByKind: Readonly<Record<DocumentKind, readonly DocumentMethod[]>> = {
  skill: [],
  include: includeMethods,
  'initial-state': dataMethods,
  'state-schema': [
    ...dataMethods,
    'textDocument/documentLink',
    'textDocument/semanticTokens',
    'textDocument/inlayHint',
    'textDocument/codeLens',
  ],
};

/** A document that something is registered for. */
export interface RegisteredDocument {
  /** In normal form. */
  readonly uri: string;
  readonly languageId: string;
  readonly kind: DocumentKind;
}

/** The parameters of `client/registerCapability` for a document; the ids are the same each time. */
export function registrationsOf(document: RegisteredDocument, client: ClientFeatures): Registration[] {
  const documentSelector = selectorOf(document);
  const options = optionsOf(client);
  return methodsByKind[document.kind]
    .filter((method) => client.documentRegistrations.has(method) && options[method] !== undefined)
    .map((method) => ({
      id: `${method} ${document.languageId} ${document.uri}`,
      method,
      registerOptions: { ...options[method], documentSelector },
    }));
}

/** The same options as for all other documents; undefined for what the client isn't offered. */
function optionsOf(client: ClientFeatures): Readonly<Record<DocumentMethod, object | undefined>> {
  const offered = serverCapabilities(client, true);
  const optionsFor = (provider: boolean | object | undefined) =>
    typeof provider === 'object' ? provider : provider === true ? {} : undefined;
  const { textDocumentSync } = offered;
  const sync = typeof textDocumentSync === 'object' ? textDocumentSync : {};
  return {
    'textDocument/didOpen': {},
    'textDocument/didChange': { syncKind: sync.change },
    'textDocument/didSave': optionsFor(sync.save),
    'textDocument/didClose': {},
    'textDocument/completion': offered.completionProvider,
    'textDocument/hover': optionsFor(offered.hoverProvider),
    'textDocument/definition': optionsFor(offered.definitionProvider),
    'textDocument/references': optionsFor(offered.referencesProvider),
    'textDocument/rename': optionsFor(offered.renameProvider),
    'textDocument/codeAction': optionsFor(offered.codeActionProvider),
    'textDocument/foldingRange': optionsFor(offered.foldingRangeProvider),
    'textDocument/selectionRange': optionsFor(offered.selectionRangeProvider),
    'textDocument/documentLink': offered.documentLinkProvider,
    'textDocument/semanticTokens': offered.semanticTokensProvider,
    'textDocument/inlayHint': optionsFor(offered.inlayHintProvider),
    'textDocument/codeLens': offered.codeLensProvider,
    // The workspace is reported on by the registration of all other documents.
    'textDocument/diagnostic': offered.diagnosticProvider && {
      ...offered.diagnosticProvider,
      workspaceDiagnostics: false,
    },
  };
}

/**
 * The one document. Its folder is a URI, so that drive letters, slashes of either kind and characters with a meaning in
 * patterns are the client's to compare; of the pattern only the name is left.
 */
function selectorOf({ uri, languageId }: RegisteredDocument): DocumentSelector {
  const parsed = URI.parse(uri);
  return [
    {
      language: languageId,
      scheme: parsed.scheme,
      pattern: {
        baseUri: Utils.dirname(parsed).toString(),
        pattern: literalPattern(Utils.basename(parsed)),
      },
    },
  ];
}

/** A name as a glob pattern that matches nothing else (LSP 3.17, "DocumentFilter"; brackets hold one character). */
function literalPattern(name: string): string {
  return name.replace(/[*?{}[\]]|^\s|\s$/g, '[$&]');
}
