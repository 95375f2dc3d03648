/** One client's session: its documents, files, folders and settings, and what follows when one of them changes. */
import {
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  FileChangeType,
  type FileEvent,
  type InitializeParams,
  WatchKind,
  type WorkspaceFolder,
} from 'vscode-languageserver';
import type { Tokenizer } from '../../client/src/runtime/tokens';
import {
  candidateDocumentsMethod,
  type OwnDocuments,
  settingsSection,
} from '../../schemas/messages/messages';
import { skillFileName } from '../../schemas/skill/skillDocument';
import type { ClientFeatures } from './clientFeatures';
import { clientFiles } from './clientFiles';
import { DocumentDiagnostics } from './documentDiagnostics';
import { createLanguageService, type LanguageService } from './languageService/languageService';
import type { EnvironmentCatalogue, Settings } from './languageService/workspace';
import { NamedDocuments } from './namedDocuments';
import { OpenDocuments } from './openDocuments';
import { pause } from './pause';
import { PushedDiagnostics } from './pushedDiagnostics';
import { QuietWork } from './quietWork';
import { Refreshes } from './refreshes';
import { mayShareSkill } from './relatedDocuments';
import type { Requests } from './requests';
import { type ReadOptions, readInitializationOptions, readSettings, sectionOf } from './settings';
import { filesByScheme, type StoredFiles, UnreadableFile } from './storedFiles';
import { isWithin, normalizeUri } from './uris';
import { WorkspaceEdits } from './workspaceEdits';
import { WorkspaceFiles } from './workspaceFiles';
import { type SkillChecker, WorkspaceScan } from './workspaceScan';

export interface SessionOptions {
  readonly connection: Connection;
  readonly files: ReadonlyMap<string, StoredFiles>;
  readonly environments: EnvironmentCatalogue;
  readonly loadTokenizer: () => Promise<Tokenizer>;
  readonly quietTime: number;
  readonly params: InitializeParams;
  readonly features: ClientFeatures;
  readonly requests: Requests;
}

/** How long requests wait for the settings that the client was asked for. */
const settingsDeadline = 3_000;

/** For clients that tell of no changes on disk: how old what was read may be, in milliseconds. */
const lookAgainAfter = 2_000;

/** What may belong to a skill. The server has read few of them, and passes over what is told of the others. */
const watchedFiles = [`**/${skillFileName}`, '**/*.{yaml,yml,json,md,txt}'];

export class Session {
  readonly features: ClientFeatures;
  readonly requests: Requests;
  readonly documents = new OpenDocuments();
  readonly service: LanguageService;
  readonly diagnostics: DocumentDiagnostics;
  readonly edits: WorkspaceEdits;
  readonly scan: WorkspaceScan;
  /** The id of what a client that asks was told last, by URI of the open document. */
  readonly told = new Map<string, string>();
  readonly #connection: Connection;
  readonly #files: WorkspaceFiles;
  readonly #createService: () => LanguageService;
  readonly #pushed: PushedDiagnostics | undefined;
  readonly #named: NamedDocuments;
  readonly #refreshes: Refreshes;
  readonly #quiet: QuietWork;
  readonly #options: ReadOptions;
  #folders: readonly string[];
  #settings: Settings;
  #isWatching = false;
  #settled: Promise<void> = Promise.resolve();
  #lookedAt = 0;

  constructor({ connection, params, features, requests, ...options }: SessionOptions) {
    this.#connection = connection;
    this.features = features;
    this.requests = requests;
    this.#options = readInitializationOptions(params.initializationOptions);
    this.#folders = this.#normalized(foldersOf(params));
    const { documents } = this;
    const arrived = (uri: string) => this.#storedChanged([{ uri, type: FileChangeType.Changed }]);
    this.#files = new WorkspaceFiles({
      stored: filesByScheme(
        options.files,
        this.#options.files ? clientFiles(connection, { arrived }) : undefined,
      ),
      openText: (uri) => documents.text(uri),
      isWatched: (uri) => this.#isWatched(uri),
      folders: () => this.#folders,
    });
    this.#settings = readSettings(undefined, this.#options);
    const { environments, loadTokenizer } = options;
    this.#createService = () =>
      createLanguageService({
        workspace: this.#files,
        environments,
        loadTokenizer,
        settings: this.#settings,
        pause,
      });
    this.service = this.#createService();
    const clientUri = (uri: string) => documents.clientUri(uri);
    const version = (uri: string) => documents.version(uri);
    const complain = (message: string) => requests.complain(message);
    this.diagnostics = new DocumentDiagnostics({ service: this.service, features, clientUri });
    this.edits = new WorkspaceEdits({ features, clientUri, version });
    this.scan = new WorkspaceScan({
      findSkills: (cancellation) => this.#files.findSkills(cancellation),
      checkerFor: (skill) => this.#checkerFor(skill),
      quietTime: options.quietTime,
      version,
      clientUri,
      normalize: normalizeUri,
      createProgress: features.workDoneProgress
        ? () => connection.window.createWorkDoneProgress()
        : undefined,
      complain,
    });
    this.#pushed = features.pullsDiagnostics
      ? undefined
      : new PushedDiagnostics({ connection, documents, diagnostics: this.diagnostics });
    this.#named = new NamedDocuments({
      connection,
      features,
      kindOf: (uri) =>
        this.service.kindOf(uri).catch((error: unknown) => {
          if (error instanceof UnreadableFile) return undefined;
          throw error;
        }),
      isOpen: (uri) => version(uri) !== undefined,
      attempt: (work) => requests.attempt('Registering documents', work),
    });
    this.#refreshes = new Refreshes(connection, features.refresh, complain);
    this.#quiet = new QuietWork({
      quietTime: options.quietTime,
      work: (uris) => requests.attempt('Checking documents', () => this.#followUp(uris)),
    });
    this.#listen(complain);
  }

  /** The client is ready to be asked: for settings, and to tell of changes. */
  initialized(): void {
    const { features } = this;
    if (features.configuration) this.#settled = this.#fetchSettings();
    void this.requests.attempt('Registration', () => this.#register());
    if (features.workspaceFolders) {
      this.#connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(this.#normalized(removed));
        this.#folders = [
          ...new Set([...this.#folders.filter((folder) => !gone.has(folder)), ...this.#normalized(added)]),
        ];
        this.#files.forgetSkills();
        this.#anythingChanged();
      });
    }
  }

  /** What formatting and the outline are registered for alone; empty where they are for every document. */
  get ownDocuments(): readonly OwnDocuments[] {
    return this.#options.ownDocuments;
  }

  /** Settles once the client's settings are known; requests are answered by them. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** To be called before a question about a document: what nobody tells of is looked at again now and then. */
  lookAgain(uri: string): void {
    if (this.#isWatched(uri)) return;
    const now = Date.now();
    if (now - this.#lookedAt < lookAgainAfter) return;
    this.#lookedAt = now;
    this.#unwatchedChanged();
  }

  end(): void {
    this.#quiet.end();
    this.scan.end();
  }

  #isWatched(uri: string): boolean {
    return this.#isWatching && this.#folders.some((folder) => isWithin(uri, folder));
  }

  #normalized(folders: readonly Pick<WorkspaceFolder, 'uri'>[]): readonly string[] {
    return folders.flatMap(({ uri }) => {
      try {
        return [normalizeUri(uri)];
      } catch {
        this.requests.complain(`The workspace folder ${uri} is passed over: it is no URI.`);
        return [];
      }
    });
  }

  /** The session's own service where the skill is being edited; else one that is dropped with what it has read. */
  #checkerFor(skill: string): SkillChecker {
    const folder = skill.slice(0, skill.lastIndexOf('/'));
    const isEdited = this.documents.uris().some((uri) => isWithin(uri, folder));
    const service = isEdited ? this.service : this.#createService();
    return {
      files: () =>
        service.skillFiles(skill).catch((error: unknown) => {
          if (error instanceof UnreadableFile) return [skill];
          throw error;
        }),
      diagnostics: isEdited ? this.diagnostics : this.diagnostics.of(service),
    };
  }

  #listen(complain: (message: string) => void): void {
    const connection = this.#connection;
    this.documents.listen(
      connection,
      {
        opened: (uri) => {
          this.#changed(uri);
          this.#quiet.add(uri, { atOnce: true });
        },
        changed: (uri) => {
          this.#changed(uri);
          this.#quiet.add(uri);
        },
        saved: (uri) => {
          this.#files.invalidate(uri);
          if (this.#isWatched(uri)) return;
          this.#unwatchedChanged();
          this.#quiet.add(uri, { atOnce: true });
        },
        closed: (uri, spelling) => {
          this.told.delete(uri);
          this.#pushed?.closed(uri, spelling);
          // What was not saved is gone.
          this.#files.invalidate(uri);
          this.#changed(uri);
          this.#quiet.add(uri, { atOnce: true });
        },
      },
      complain,
    );
    connection.onNotification(candidateDocumentsMethod, (params: unknown) =>
      this.#named.setCandidates(params),
    );
    connection.onDidChangeWatchedFiles(({ changes }) => this.#storedChanged(changes));
    const events = (uris: readonly string[], type: FileChangeType) =>
      this.#storedChanged(uris.map((uri) => ({ uri, type })));
    connection.workspace.onDidCreateFiles(({ files }) =>
      events(
        files.map(({ uri }) => uri),
        FileChangeType.Created,
      ),
    );
    connection.workspace.onDidDeleteFiles(({ files }) =>
      events(
        files.map(({ uri }) => uri),
        FileChangeType.Deleted,
      ),
    );
    connection.workspace.onDidRenameFiles(({ files }) => {
      this.#files.forgetSkills();
      events(
        files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]),
        FileChangeType.Deleted,
      );
    });
    connection.onDidChangeConfiguration(({ settings }) => {
      this.#settled = this.features.configuration
        ? this.#fetchSettings()
        : this.#configure(sectionOf(settings, settingsSection));
    });
  }

  async #fetchSettings(): Promise<void> {
    const asked = this.#connection.workspace.getConfiguration(settingsSection).then(
      (section: unknown) => this.#configure(section),
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.requests.complain(`The client gave no settings: ${reason}`);
      },
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, settingsDeadline);
    });
    await Promise.race([asked, late]);
    clearTimeout(timer);
  }

  async #configure(section: unknown): Promise<void> {
    const settings = readSettings(section, this.#options);
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    this.#settings = settings;
    this.service.configure(settings);
    this.#anythingChanged();
  }

  async #register(): Promise<void> {
    const { client } = this.#connection;
    if (this.features.configurationRegistration) {
      await client.register(DidChangeConfigurationNotification.type, { section: settingsSection });
    }
    if (this.ownDocuments.length > 0) {
      const documentSelector = [...this.ownDocuments];
      const { formattingRegistration, symbolRegistration } = this.features;
      if (formattingRegistration) await client.register(DocumentFormattingRequest.type, { documentSelector });
      if (symbolRegistration) await client.register(DocumentSymbolRequest.type, { documentSelector });
    }
    if (!this.features.watchedFiles) return;
    await client.register(DidChangeWatchedFilesNotification.type, {
      watchers: [
        ...watchedFiles.map((globPattern) => ({ globPattern })),
        // Links lead to files of any kind; and of a folder that is deleted only the folder itself is told.
        { globPattern: '**/*', kind: WatchKind.Create | WatchKind.Delete },
      ],
    });
    this.#isWatching = true;
    // Nobody has told of what changed since it was read.
    for (const folder of this.#folders) this.#files.invalidate(folder);
    this.#files.forgetSkills();
    this.service.changed();
  }

  #storedChanged(changes: readonly FileEvent[]): void {
    for (const { uri: written, type } of changes) {
      const [uri] = this.#normalized([{ uri: written }]);
      if (uri === undefined) continue;
      const isSkill = uri.endsWith(`/${skillFileName}`);
      const hasMoved = type !== FileChangeType.Changed;
      const isKnown = this.#files.invalidate(uri) || (hasMoved && this.#files.isListed(uri));
      if (isSkill || (isKnown && type === FileChangeType.Deleted)) this.#files.forgetSkills();
      if (!isSkill && !isKnown) continue;
      this.#changed(uri);
      this.#quiet.add(uri);
    }
  }

  #changed(uri: string | undefined): void {
    this.service.changed();
    this.scan.changed(uri);
  }

  /** What nobody tells of may have changed. Where folders are watched that is none of what the scan looks through. */
  #unwatchedChanged(): void {
    this.service.changed();
    if (!this.#isWatching) this.scan.changed();
  }

  #anythingChanged(): void {
    this.#changed(undefined);
    this.#refreshes.all();
    if (this.#pushed) for (const uri of this.documents.uris()) this.#quiet.add(uri, { atOnce: true });
  }

  /** What follows from changes once they have come to rest: other documents of the same skill may have changed with them. */
  async #followUp(uris: ReadonlySet<string>): Promise<void> {
    await this.#settled;
    const isTouched = (one: string) => [...uris].some((uri) => one === uri || mayShareSkill(one, uri));
    void this.#named.changed(isTouched);
    const open = this.documents.uris();
    const touched = open.filter(isTouched);
    await this.#pushed?.check(touched);
    const others = touched.filter((one) => uris.size > 1 || !uris.has(one));
    if (others.length === 0) return;
    this.#refreshes.bounds();
    if (await this.#hasStale(others)) this.#refreshes.diagnostics();
  }

  /** Whether a client that asks shows diagnostics that have changed since. Those found now answer its next question. */
  async #hasStale(uris: readonly string[]): Promise<boolean> {
    for (const uri of uris) {
      const told = this.told.get(uri);
      if (told === undefined) continue;
      const { resultId } = await this.diagnostics.report(uri);
      if (resultId !== told) return true;
    }
    return false;
  }
}

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): readonly Pick<WorkspaceFolder, 'uri'>[] {
  if (workspaceFolders) return workspaceFolders;
  return typeof rootUri === 'string' ? [{ uri: rootUri }] : [];
}
