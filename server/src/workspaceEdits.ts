/** Changes of the service as the client can apply them: in its spelling of URIs, with the versions they were made for. */
import {
  type DocumentLink,
  type Location,
  type OptionalVersionedTextDocumentIdentifier,
  RenameFile,
  TextDocumentEdit,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import type { ClientFeatures } from './clientFeatures';
import type { Fix } from './languageService/finding';

/** Translates edits for one client. */
export class WorkspaceEdits {
  readonly #features: Pick<ClientFeatures, 'documentChanges' | 'fileRenames'>;
  readonly #clientUri: (uri: string) => string;
  readonly #version: (uri: string) => number | undefined;

  constructor(options: {
    readonly features: Pick<ClientFeatures, 'documentChanges' | 'fileRenames'>;
    readonly clientUri: (uri: string) => string;
    /** The version of an open document; URIs are in normal form. */
    readonly version: (uri: string) => number | undefined;
  }) {
    this.#features = options.features;
    this.#clientUri = options.clientUri;
    this.#version = options.version;
  }

  /** Undefined for a fix that the client can't apply, since it renames files. */
  ofFix({ edits, renames = [] }: Fix): WorkspaceEdit | undefined {
    if (renames.length > 0 && !this.#features.fileRenames) return undefined;
    const texts = new Map(
      [...edits].map(([uri, replacements]) => [
        uri,
        replacements.map(({ range, text }): TextEdit => ({ range, newText: text })),
      ]),
    );
    const edit = this.#ofTexts(texts);
    if (renames.length === 0) return edit;
    // The texts are changed under the names that they have now.
    const moved = renames.map(({ from, to }) => RenameFile.create(this.#clientUri(from), to));
    return { documentChanges: [...(edit.documentChanges ?? []), ...moved] };
  }

  /** An edit of the service, which names documents by normal URIs, with or without versions. */
  ofEdit(edit: WorkspaceEdit): WorkspaceEdit {
    const texts = new Map<string, TextEdit[]>();
    const add = (uri: string, edits: readonly TextEdit[]) =>
      texts.set(uri, [...(texts.get(uri) ?? []), ...edits]);
    for (const [uri, edits] of Object.entries(edit.changes ?? {})) add(uri, edits);
    for (const change of edit.documentChanges ?? []) {
      if (TextDocumentEdit.is(change)) {
        const plain = change.edits.filter((one): one is TextEdit => 'newText' in one);
        add(change.textDocument.uri, plain);
      }
    }
    return this.#ofTexts(texts);
  }

  locations(locations: readonly Location[]): Location[] {
    return locations.map(({ uri, range }) => ({ uri: this.#clientUri(uri), range }));
  }

  links(links: readonly DocumentLink[]): DocumentLink[] {
    return links.map((link) => {
      if (link.target === undefined) return link;
      const [uri = '', ...fragment] = link.target.split('#');
      return { ...link, target: [this.#clientUri(uri), ...fragment].join('#') };
    });
  }

  #ofTexts(texts: ReadonlyMap<string, TextEdit[]>): WorkspaceEdit {
    if (!this.#features.documentChanges) {
      return { changes: Object.fromEntries([...texts].map(([uri, edits]) => [this.#clientUri(uri), edits])) };
    }
    return {
      documentChanges: [...texts].map(([uri, edits]) => {
        const textDocument: OptionalVersionedTextDocumentIdentifier = {
          uri: this.#clientUri(uri),
          version: this.#version(uri) ?? null,
        };
        return TextDocumentEdit.create(textDocument, edits);
      }),
    };
  }
}
