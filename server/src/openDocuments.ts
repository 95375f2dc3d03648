/** The documents that are open in the client: by their URI in normal form, answered in the client's own spelling. */
import { type Connection, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { normalizeUri } from './uris';

/** What happens to open documents; URIs are in normal form. */
export interface DocumentListener {
  opened(uri: string): void;
  changed(uri: string): void;
  saved(uri: string): void;
  /** `spelling` is the client's own of the URI. */
  closed(uri: string, spelling: string): void;
}

export class OpenDocuments {
  readonly #documents = new TextDocuments(TextDocument);
  /** The client's spellings by the normal form, the latest last: a document may be open under two of them. */
  readonly #spellings = new Map<string, readonly string[]>();
  #changes = 0;

  /** Follows the client's documents; a URI that is none is passed over and told to `complain`. */
  listen(connection: Connection, listener: DocumentListener, complain: (message: string) => void): void {
    const told = (uri: string, tell: (normal: string) => void) => {
      try {
        tell(normalizeUri(uri));
      } catch (error) {
        complain(
          `The document ${uri} is passed over: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    };
    const opened = new WeakSet<TextDocument>();
    this.#documents.onDidOpen(({ document }) => {
      this.#changes++;
      opened.add(document);
      told(document.uri, (uri) => {
        this.#spellings.set(uri, [...this.#others(uri, document.uri), document.uri]);
        listener.opened(uri);
      });
    });
    this.#documents.onDidChangeContent(({ document }) => {
      // Opening is told as a change too.
      if (opened.delete(document)) return;
      this.#changes++;
      told(document.uri, (uri) => listener.changed(uri));
    });
    this.#documents.onDidSave(({ document }) => told(document.uri, (uri) => listener.saved(uri)));
    this.#documents.onDidClose(({ document }) => {
      this.#changes++;
      told(document.uri, (uri) => {
        const others = this.#others(uri, document.uri);
        if (others.length === 0) this.#spellings.delete(uri);
        else this.#spellings.set(uri, others);
        listener.closed(uri, document.uri);
      });
    });
    this.#documents.listen(connection);
  }

  /** How often any document was opened, changed or closed. */
  get changes(): number {
    return this.#changes;
  }

  get(uri: string): TextDocument | undefined {
    const spelling = this.#spellings.get(uri)?.at(-1);
    return spelling === undefined ? undefined : this.#documents.get(spelling);
  }

  text(uri: string): string | undefined {
    return this.get(uri)?.getText();
  }

  version(uri: string): number | undefined {
    return this.get(uri)?.version;
  }

  /** The URI as the client writes it where it has the document open. */
  clientUri(uri: string): string {
    return this.#spellings.get(uri)?.at(-1) ?? uri;
  }

  /** URIs in normal form. */
  uris(): readonly string[] {
    return [...this.#spellings.keys()];
  }

  #others(uri: string, spelling: string): readonly string[] {
    return (this.#spellings.get(uri) ?? []).filter((one) => one !== spelling);
  }
}
