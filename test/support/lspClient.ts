/**
 * A client of the language server for tests: the server runs in this process over streams in memory, and documents are
 * typed, asked about and changed as an editor does. Waits end on events, with a deadline.
 */
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  type CodeAction,
  type CompletionItem,
  type CompletionList,
  createProtocolConnection,
  type Diagnostic,
  type DocumentDiagnosticReport,
  type Hover,
  type InitializeParams,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Range,
  RenameFile,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentEdit,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { TextDocument, type TextDocumentContentChangeEvent } from 'vscode-languageserver-textdocument';
import { URI } from 'vscode-uri';
import { wiring } from '../../server/src/compose';
import type { StoredFiles } from '../../server/src/storedFiles';
import { serveStreams } from '../../server/src/streamServer';
import { withoutStops } from './acceptedCompletion';

export interface LspClientOptions {
  /** Instead of {@link modernCapabilities}. */
  readonly capabilities?: ClientCapabilities;
  /** Paths or URIs of the workspace's folders. */
  readonly folders?: readonly string[];
  readonly initializationOptions?: unknown;
  /** The answer to `workspace/configuration`; may be changed later by {@link LspClient.configure}. */
  readonly settings?: unknown;
  /** Sources of files instead of the disk. */
  readonly files?: ReadonlyMap<string, StoredFiles>;
  /** Milliseconds until follow-ups of a change; 0 by default, so that tests don't wait. */
  readonly quietTime?: number;
  /** Registers handlers before `initialize` is sent. */
  readonly prepare?: (connection: ProtocolConnection) => void;
}

/** What a modern editor can do, as VS Code has it. */
export const modernCapabilities: ClientCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    codeLens: { refreshSupport: true },
    semanticTokens: { refreshSupport: true },
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
  },
  textDocument: {
    synchronization: { didSave: true },
    diagnostic: { relatedDocumentSupport: true, relatedInformation: true, tagSupport: { valueSet: [1, 2] } },
    completion: {
      completionItem: { snippetSupport: true, documentationFormat: ['markdown', 'plaintext'] },
    },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    codeAction: {
      isPreferredSupport: true,
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['', 'quickfix'] } },
    },
    rename: { prepareSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
  },
};

/** The same without pulling: for clients that diagnostics are pushed to. */
export const pushCapabilities: ClientCapabilities = {
  ...modernCapabilities,
  textDocument: {
    ...Object.fromEntries(
      Object.entries(modernCapabilities.textDocument ?? {}).filter(([name]) => name !== 'diagnostic'),
    ),
    publishDiagnostics: { relatedInformation: true, versionSupport: true },
  },
};

/** How long anything may take before the test fails, in milliseconds. */
const deadline = 20_000;

/** A place in a text: a position, or an offset. */
export type Place = Position | number;

export class LspClient {
  readonly connection: ProtocolConnection;
  readonly initialized: InitializeResult;
  /** What the server was left with: 0, 1. */
  readonly exit: Promise<0 | 1>;
  readonly published: PublishDiagnosticsParams[] = [];
  /** Methods of the requests that the server has sent. */
  readonly asked: { readonly method: string; readonly params: unknown }[] = [];
  readonly log: string[] = [];
  readonly #documents = new Map<string, TextDocument>();
  readonly #waiting = new Set<() => void>();
  #settings: unknown;

  private constructor(
    connection: ProtocolConnection,
    exit: Promise<0 | 1>,
    initialized: InitializeResult,
    observed: Observed,
  ) {
    this.connection = connection;
    this.exit = exit;
    this.initialized = initialized;
    this.#settings = observed.settings;
    observed.settingsNow = () => this.#settings;
    this.published = observed.published;
    this.asked = observed.asked;
    this.log = observed.log;
    observed.notice = () => {
      for (const wake of [...this.#waiting]) wake();
    };
  }

  /** Starts a server and shakes hands with it. */
  static async start(options: LspClientOptions = {}): Promise<LspClient> {
    const { connection, exit } = startServerHere(options);
    const observed = observe(connection, options.settings);
    options.prepare?.(connection);
    connection.listen();
    const params: InitializeParams = {
      processId: process.pid,
      rootUri: null,
      capabilities: options.capabilities ?? modernCapabilities,
      workspaceFolders: (options.folders ?? []).map((folder) => ({ uri: folderUri(folder), name: folder })),
      ...(options.initializationOptions !== undefined && {
        initializationOptions: options.initializationOptions,
      }),
    };
    const initialized: InitializeResult = await connection.sendRequest('initialize', params);
    await connection.sendNotification('initialized', {});
    return new LspClient(connection, exit, initialized, observed);
  }

  request<Result>(method: string, params?: unknown): Promise<Result> {
    return params === undefined
      ? this.connection.sendRequest<Result>(method)
      : this.connection.sendRequest<Result>(method, params);
  }

  notify(method: string, params?: unknown): Promise<void> {
    return params === undefined
      ? this.connection.sendNotification(method)
      : this.connection.sendNotification(method, params);
  }

  async open(uri: string, text: string, languageId = languageOf(uri)): Promise<void> {
    const document = TextDocument.create(uri, languageId, 1, text);
    this.#documents.set(uri, document);
    await this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  async close(uri: string): Promise<void> {
    this.#documents.delete(uri);
    await this.notify('textDocument/didClose', { textDocument: { uri } });
  }

  async save(uri: string): Promise<void> {
    await this.notify('textDocument/didSave', { textDocument: { uri } });
  }

  /** The text as the client has it. */
  text(uri: string): string {
    return this.#document(uri).getText();
  }

  version(uri: string): number {
    return this.#document(uri).version;
  }

  /** Replaces parts of a document; each change is made after those before it, as LSP has it. */
  async change(uri: string, changes: readonly TextDocumentContentChangeEvent[]): Promise<void> {
    const document = this.#document(uri);
    const version = document.version + 1;
    TextDocument.update(document, [...changes], version);
    await this.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: changes,
    });
  }

  /** Replaces the whole text. */
  async setText(uri: string, text: string): Promise<void> {
    await this.change(uri, [{ text }]);
  }

  /**
   * Types a text at a place, a key (a code point) at a time, each as a change of its own. `afterKey` is awaited with
   * the position behind each.
   */
  async type(
    uri: string,
    place: Place,
    text: string,
    afterKey?: (position: Position, key: string) => Promise<void>,
  ): Promise<Position> {
    let offset = this.offset(uri, place);
    for (const key of text) {
      const start = this.#document(uri).positionAt(offset);
      await this.change(uri, [{ range: { start, end: start }, text: key }]);
      offset += key.length;
      await afterKey?.(this.#document(uri).positionAt(offset), key);
    }
    return this.#document(uri).positionAt(offset);
  }

  position(uri: string, place: Place): Position {
    return typeof place === 'number' ? this.#document(uri).positionAt(place) : place;
  }

  offset(uri: string, place: Place): number {
    return typeof place === 'number' ? place : this.#document(uri).offsetAt(place);
  }

  /** The position of the first place where a text occurs, or of its end. */
  find(uri: string, part: string, { end = false }: { readonly end?: boolean } = {}): Position {
    const offset = this.text(uri).indexOf(part);
    if (offset === -1) throw new Error(`${uri} has no ${JSON.stringify(part)}.`);
    return this.#document(uri).positionAt(offset + (end ? part.length : 0));
  }

  pull(uri: string, previousResultId?: string): Promise<DocumentDiagnosticReport> {
    return this.request('textDocument/diagnostic', {
      textDocument: { uri },
      ...(previousResultId !== undefined && { previousResultId }),
    });
  }

  async diagnostics(uri: string): Promise<readonly Diagnostic[]> {
    const report = await this.pull(uri);
    return report.kind === 'full' ? report.items : [];
  }

  async codes(uri: string): Promise<readonly string[]> {
    return (await this.diagnostics(uri)).map(({ code }) => String(code));
  }

  async completion(uri: string, place: Place): Promise<readonly CompletionItem[]> {
    const list = await this.request<CompletionList | CompletionItem[] | null>('textDocument/completion', {
      textDocument: { uri },
      position: this.position(uri, place),
    });
    return Array.isArray(list) ? list : (list?.items ?? []);
  }

  hover(uri: string, place: Place): Promise<Hover | null> {
    return this.request('textDocument/hover', {
      textDocument: { uri },
      position: this.position(uri, place),
    });
  }

  async codeActions(
    uri: string,
    range: Range,
    diagnostics: readonly Diagnostic[] = [],
  ): Promise<CodeAction[]> {
    const found = await this.request<CodeAction[] | null>('textDocument/codeAction', {
      textDocument: { uri },
      range,
      context: { diagnostics },
    });
    return found ?? [];
  }

  rename(uri: string, place: Place, newName: string): Promise<WorkspaceEdit | null> {
    return this.request('textDocument/rename', {
      textDocument: { uri },
      position: this.position(uri, place),
      newName,
    });
  }

  /** Accepts a completion at a place, as an editor does: its edit, or its text instead of the word before the place. */
  async accept(uri: string, place: Place, item: CompletionItem): Promise<void> {
    const position = this.position(uri, place);
    const written = item.textEdit?.newText ?? item.insertText ?? item.label;
    const newText = item.insertTextFormat === 2 ? withoutStops(written) : written;
    const range = rangeOf(item.textEdit) ?? this.#wordBefore(uri, position);
    await this.applyTextEdits(uri, [{ range, newText }, ...(item.additionalTextEdits ?? [])]);
  }

  /** Applies edits that were all made for the text as it is. */
  async applyTextEdits(uri: string, edits: readonly TextEdit[]): Promise<void> {
    await this.setText(uri, TextDocument.applyEdits(this.#document(uri), [...edits]));
  }

  /** Applies an edit to the open documents; the files that it renames are returned. */
  async applyEdit(edit: WorkspaceEdit): Promise<readonly { readonly from: string; readonly to: string }[]> {
    const renames: { from: string; to: string }[] = [];
    for (const [uri, edits] of Object.entries(edit.changes ?? {})) await this.applyTextEdits(uri, edits);
    for (const change of edit.documentChanges ?? []) {
      if (RenameFile.is(change)) renames.push({ from: change.oldUri, to: change.newUri });
      if (!TextDocumentEdit.is(change)) continue;
      const { uri, version } = change.textDocument;
      if (version !== null && version !== this.version(uri)) {
        throw new Error(
          `The edit of ${uri} is for version ${version}, which is ${this.version(uri)} by now.`,
        );
      }
      await this.applyTextEdits(
        uri,
        change.edits.filter((one): one is TextEdit => 'newText' in one),
      );
    }
    return renames;
  }

  /** Changes the settings, as a user does. */
  async configure(settings: unknown): Promise<void> {
    this.#settings = settings;
    await this.notify('workspace/didChangeConfiguration', { settings: { 'skill-state': settings } });
  }

  /** The diagnostics that were pushed last for a document, once `accept` takes them. */
  publishedFor(
    uri: string,
    accept: (params: PublishDiagnosticsParams) => boolean = () => true,
  ): Promise<PublishDiagnosticsParams> {
    return this.until(`diagnostics of ${uri}`, () => {
      const last = this.published.filter((params) => params.uri === uri).at(-1);
      return last !== undefined && accept(last) ? last : undefined;
    });
  }

  /** Waits until the server has sent a request of a method `count` times. */
  askedFor(method: string, count = 1): Promise<unknown> {
    return this.until(`${count} × ${method}`, () => {
      const found = this.asked.filter((request) => request.method === method);
      return found.length >= count ? (found[count - 1]?.params ?? null) : undefined;
    });
  }

  /** Waits for what messages of the server bring about. */
  until<Value>(what: string, look: () => Value | undefined): Promise<Value> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        reject(new Error(`No ${what} within ${deadline / 1000} s.\n${this.log.join('\n')}`));
      }, deadline);
      const wake = () => {
        const value = look();
        if (value === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(value);
      };
      this.#waiting.add(wake);
      wake();
    });
  }

  /** Ends the server as the protocol has it, and gives its exit code. */
  async stop(): Promise<0 | 1> {
    await this.request('shutdown');
    await this.notify('exit');
    const code = await this.exit;
    this.connection.dispose();
    return code;
  }

  #document(uri: string): TextDocument {
    const document = this.#documents.get(uri);
    if (document === undefined) throw new Error(`${uri} is not open.`);
    return document;
  }

  #wordBefore(uri: string, position: Position): Range {
    const line = this.text(uri).split(/\r\n?|\n/)[position.line] ?? '';
    const [word = ''] = /[\w$-]*$/.exec(line.slice(0, position.character)) ?? [];
    return { start: { line: position.line, character: position.character - word.length }, end: position };
  }
}

/** What the server has sent, and who is told of it. */
interface Observed {
  readonly published: PublishDiagnosticsParams[];
  readonly asked: { readonly method: string; readonly params: unknown }[];
  readonly log: string[];
  readonly settings: unknown;
  settingsNow: () => unknown;
  notice: () => void;
}

/** Requests of the server that are taken note of and agreed to. */
const agreedRequests = [
  'client/registerCapability',
  'client/unregisterCapability',
  'window/workDoneProgress/create',
  'workspace/diagnostic/refresh',
  'workspace/inlayHint/refresh',
  'workspace/codeLens/refresh',
  'workspace/semanticTokens/refresh',
];

function observe(connection: ProtocolConnection, settings: unknown): Observed {
  const observed: Observed = {
    published: [],
    asked: [],
    log: [],
    settings,
    settingsNow: () => settings,
    notice: () => undefined,
  };
  connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
    observed.published.push(params);
    observed.notice();
  });
  connection.onNotification('window/logMessage', ({ message }: { readonly message: string }) => {
    observed.log.push(message);
    observed.notice();
  });
  connection.onRequest('workspace/configuration', ({ items }: { readonly items: readonly unknown[] }) => {
    observed.asked.push({ method: 'workspace/configuration', params: { items } });
    observed.notice();
    return items.map(() => observed.settingsNow() ?? null);
  });
  for (const method of agreedRequests) {
    connection.onRequest(method, (params: unknown) => {
      observed.asked.push({ method, params });
      observed.notice();
      return null;
    });
  }
  return observed;
}

/** A server in this process and the client's end of its streams; nothing is sent yet. */
export function startServerHere({
  files,
  quietTime = 0,
}: Pick<LspClientOptions, 'files' | 'quietTime'> = {}): {
  readonly connection: ProtocolConnection;
  readonly exit: Promise<0 | 1>;
  /** What the server reads, for bytes that are no messages. */
  readonly input: PassThrough;
  readonly output: PassThrough;
} {
  const input = new PassThrough();
  const output = new PassThrough();
  const exit = serveStreams({ input, output, ...wiring, quietTime, ...(files && { files }) });
  const connection = createProtocolConnection(
    new StreamMessageReader(output),
    new StreamMessageWriter(input),
  );
  return { connection, exit, input, output };
}

/** The URI of a path; what is a URI already stays. */
export function folderUri(pathOrUri: string): string {
  return /^[a-z][\w+.-]+:/i.test(pathOrUri) ? pathOrUri : URI.parse(pathToFileURL(pathOrUri).href).toString();
}

/** VS Code's ids, which say nothing to the server. */
function languageOf(uri: string): string {
  if (uri.endsWith('/SKILL.md')) return 'skill';
  if (uri.endsWith('.json')) return 'json';
  return /\.ya?ml$/.test(uri) ? 'yaml' : 'markdown';
}

function rangeOf(edit: CompletionItem['textEdit']): Range | undefined {
  if (edit === undefined) return undefined;
  return 'range' in edit ? edit.range : edit.replace;
}
