/** yaml-language-server, the peer of the language server; the product knows nothing of it. */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionList, Diagnostic, Position } from 'vscode-languageserver-types';
import { requireFromPeer } from './peerPackage';

/** What is compared with: the last line that runs on Node 20. */
export const yamlLanguageServerVersion = '1.25.0';

/** As much of the package's service as the measure uses. */
export interface YamlLanguageService {
  configure(settings: {
    readonly validate: boolean;
    readonly completion: boolean;
    readonly schemas: readonly {
      readonly uri: string;
      readonly fileMatch: readonly string[];
      readonly schema: unknown;
    }[];
  }): void;
  doValidation(document: TextDocument, isKubernetes: boolean): Promise<readonly Diagnostic[]>;
  doComplete(document: TextDocument, position: Position, isKubernetes: boolean): Promise<CompletionList>;
}

/**
 * Makes its service for documents that are draft-07 schemas; nothing is fetched.
 *
 * @throws Unavailable when npm can't install it
 */
export function loadYamlLanguageServer(log: (line: string) => void): {
  readonly service: YamlLanguageService;
  createDocument(uri: string, version: number, text: string): TextDocument;
} {
  const require = requireFromPeer(
    {
      title: 'yaml-language-server',
      version: yamlLanguageServerVersion,
      folder: `yaml-language-server-${yamlLanguageServerVersion}`,
      dependencies: { 'yaml-language-server': yamlLanguageServerVersion },
    },
    log,
  );
  const { getLanguageService } = require('yaml-language-server') as {
    getLanguageService(parameters: object): YamlLanguageService;
  };
  const { SettingsState } = require('yaml-language-server/out/server/src/yamlSettings') as {
    SettingsState: new () => object;
  };
  const { TextDocument: documents } = require('vscode-languageserver-textdocument') as {
    TextDocument: { create(uri: string, languageId: string, version: number, text: string): TextDocument };
  };
  const draft07: unknown = require('ajv/dist/refs/json-schema-draft-07.json');
  const nowhere = () => undefined;
  const service = getLanguageService({
    // A document's own `$schema` asks for it once more.
    schemaRequestService: async () => JSON.stringify(draft07),
    workspaceContext: { resolveRelativePath: (path: string) => path },
    connection: { onRequest: nowhere, sendNotification: nowhere, console: { error: nowhere, log: nowhere } },
    telemetry: { send: nowhere, sendError: nowhere, sendTrack: nowhere },
    yamlSettings: new SettingsState(),
    clientCapabilities: {},
  });
  service.configure({
    validate: true,
    completion: true,
    schemas: [
      {
        uri: 'http://json-schema.org/draft-07/schema#',
        fileMatch: ['*.schema.yaml'],
        schema: draft07,
      },
    ],
  });
  return {
    service,
    createDocument: (uri, version, text) => documents.create(uri, 'yaml', version, text),
  };
}
