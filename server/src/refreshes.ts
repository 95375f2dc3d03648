/** Asks the client to ask again, where it can be asked: what it shows depends on more than the document it is shown in. */
import type { Connection } from 'vscode-languageserver';
import type { ClientFeatures } from './clientFeatures';

export class Refreshes {
  readonly #connection: Connection;
  readonly #can: ClientFeatures['refresh'];
  readonly #complain: (message: string) => void;

  constructor(connection: Connection, can: ClientFeatures['refresh'], complain: (message: string) => void) {
    this.#connection = connection;
    this.#can = can;
    this.#complain = complain;
  }

  diagnostics(): void {
    const { languages } = this.#connection;
    if (this.#can.diagnostics) this.#send('diagnostics', languages.diagnostics.refresh());
  }

  /** Hints and lenses: the bound of Σ, and whether it is shown. */
  bounds(): void {
    const { languages } = this.#connection;
    if (this.#can.inlayHints) this.#send('inlay hints', languages.inlayHint.refresh());
    if (this.#can.codeLenses)
      this.#send('code lenses', this.#connection.sendRequest('workspace/codeLens/refresh'));
  }

  all(): void {
    const { languages } = this.#connection;
    this.diagnostics();
    this.bounds();
    if (this.#can.semanticTokens) this.#send('semantic tokens', languages.semanticTokens.refresh());
  }

  #send(what: string, request: Promise<unknown>): void {
    request.catch((error: unknown) => {
      this.#complain(
        `The client refused to refresh ${what}: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  }
}
