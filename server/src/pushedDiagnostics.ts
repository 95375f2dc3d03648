/** Diagnostics for clients that don't ask for them: sent when a document has been quiet for a moment, never for an old version. */
import type { Connection } from 'vscode-languageserver';
import type { DocumentDiagnostics, Report } from './documentDiagnostics';
import { FindingsCancelled } from './languageService/findingRuns';
import type { OpenDocuments } from './openDocuments';

export class PushedDiagnostics {
  readonly #connection: Pick<Connection, 'sendDiagnostics'>;
  readonly #documents: OpenDocuments;
  readonly #diagnostics: DocumentDiagnostics;
  /** What was sent last, by URI. */
  readonly #sent = new Map<string, { readonly version: number; readonly resultId: string }>();

  constructor(options: {
    readonly connection: Pick<Connection, 'sendDiagnostics'>;
    readonly documents: OpenDocuments;
    readonly diagnostics: DocumentDiagnostics;
  }) {
    this.#connection = options.connection;
    this.#documents = options.documents;
    this.#diagnostics = options.diagnostics;
  }

  /** Checks documents, in their order, and sends what has changed. */
  async check(uris: readonly string[]): Promise<void> {
    for (const uri of uris) await this.#check(uri);
  }

  /** Takes a closed document's diagnostics back. */
  closed(uri: string, clientUri: string): void {
    if (this.#sent.delete(uri)) void this.#connection.sendDiagnostics({ uri: clientUri, diagnostics: [] });
  }

  async #check(uri: string): Promise<void> {
    const version = this.#documents.version(uri);
    if (version === undefined) return;
    const report = await this.#report(uri, version);
    if (report === undefined) return;
    const { items, resultId } = report;
    const sent = this.#sent.get(uri);
    if (sent?.version === version && sent.resultId === resultId) return;
    this.#sent.set(uri, { version, resultId });
    const clientUri = this.#documents.clientUri(uri);
    await this.#connection.sendDiagnostics({ uri: clientUri, version, diagnostics: items });
  }

  /** Undefined for a document that was changed or closed meanwhile: whoever did that has it checked anew. */
  async #report(uri: string, version: number): Promise<Report | undefined> {
    const isOutdated = () => this.#documents.version(uri) !== version;
    const cancellation = {
      get isCancellationRequested() {
        return isOutdated();
      },
    };
    try {
      const report = await this.#diagnostics.report(uri, cancellation);
      return isOutdated() ? undefined : report;
    } catch (error) {
      if (error instanceof FindingsCancelled) return undefined;
      throw error;
    }
  }
}
