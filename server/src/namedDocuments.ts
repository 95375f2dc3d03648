/**
 * Documents that belong to a skill only because it names or includes them: of those that the client has open and doesn't
 * send, each such one is registered by itself, for as long as the skill says so.
 */
import {
  type Connection,
  RegistrationRequest,
  type Unregistration,
  UnregistrationRequest,
} from 'vscode-languageserver';
import type { CandidateDocument } from '../../schemas/messages/messages';
import type { ClientFeatures } from './clientFeatures';
import { type RegisteredDocument, registrationsOf } from './documentRegistrations';
import type { DocumentKind } from './languageService/skillModels';
import { normalizeUri } from './uris';

export interface NamedDocumentsOptions {
  readonly connection: Pick<Connection, 'sendRequest'>;
  readonly features: ClientFeatures;
  /** What a document is to the skill that names it; undefined where none does. */
  readonly kindOf: (uri: string) => Promise<DocumentKind | undefined>;
  /** Whether the client sends a document. */
  readonly isOpen: (uri: string) => boolean;
  /** Runs what must not fail the server. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>;
}

/** How many documents are looked at; nobody has more open. */
const maxCandidates = 2_000;

export class NamedDocuments {
  readonly #options: NamedDocumentsOptions;
  /** Language ids by URI in normal form. */
  #candidates: ReadonlyMap<string, string> = new Map();
  readonly #registered = new Map<string, RegisteredDocument>();
  /** One after the other, so that nothing is registered twice. */
  #running: Promise<void> = Promise.resolve();

  constructor(options: NamedDocumentsOptions) {
    this.#options = options;
  }

  /** Takes what the client sent as `CandidateDocumentsParams`, all of them anew. Settles when it has been answered for. */
  setCandidates(params: unknown): Promise<void> {
    const before = this.#candidates;
    this.#candidates = new Map(candidatesIn(params).map(({ uri, languageId }) => [uri, languageId]));
    return this.#update((uri) => before.get(uri) !== this.#candidates.get(uri));
  }

  /** To be called when skills may have changed, with the documents that these changes may matter to. */
  changed(isTouched: (uri: string) => boolean): Promise<void> {
    return this.#update(isTouched);
  }

  #update(isDue: (uri: string) => boolean): Promise<void> {
    // Who can't be asked has nothing to look at, and pays nothing.
    if (!this.#options.features.documentRegistrations.has('textDocument/didOpen')) return Promise.resolve();
    const due = [...new Set([...this.#registered.keys(), ...this.#candidates.keys()])].filter(isDue);
    if (due.length === 0) return this.#running;
    this.#running = this.#running.then(() => this.#options.attempt(() => this.#register(due)));
    return this.#running;
  }

  async #register(due: readonly string[]): Promise<void> {
    const { connection, features } = this.#options;
    const gone: Unregistration[] = [];
    const come: RegisteredDocument[] = [];
    for (const uri of due) {
      const known = this.#registered.get(uri);
      const wanted = await this.#wanted(uri);
      if (known?.kind === wanted?.kind && known?.languageId === wanted?.languageId) continue;
      if (known !== undefined) {
        gone.push(...registrationsOf(known, features).map(({ id, method }) => ({ id, method })));
        this.#registered.delete(uri);
      }
      if (wanted !== undefined) come.push(wanted);
    }
    if (gone.length > 0) await connection.sendRequest(UnregistrationRequest.type, { unregisterations: gone });
    if (come.length === 0) return;
    const registrations = come.flatMap((document) => registrationsOf(document, features));
    await connection.sendRequest(RegistrationRequest.type, { registrations });
    for (const document of come) this.#registered.set(document.uri, document);
  }

  /** As what a document is to be registered; undefined for one that isn't. */
  async #wanted(uri: string): Promise<RegisteredDocument | undefined> {
    const languageId = this.#candidates.get(uri);
    if (languageId === undefined) return undefined;
    // What the client sends by itself would be sent twice.
    if (!this.#registered.has(uri) && this.#options.isOpen(uri)) return undefined;
    const kind = await this.#options.kindOf(uri);
    return kind === undefined || kind === 'skill' ? undefined : { uri, languageId, kind };
  }
}

/** What is well-formed of it. */
function candidatesIn(params: unknown): CandidateDocument[] {
  const given: unknown = record(params).documents;
  if (!Array.isArray(given)) return [];
  return given.slice(0, maxCandidates).flatMap((candidate: unknown) => {
    const { uri, languageId } = record(candidate);
    if (typeof uri !== 'string' || typeof languageId !== 'string') return [];
    try {
      return [{ uri: normalizeUri(uri), languageId }];
    } catch {
      return []; // no URI, so no file of a skill
    }
  });
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
