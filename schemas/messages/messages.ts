/**
 * What the language server and its client say to each other beyond the Language Server Protocol: options at the start,
 * settings, files of schemes that only the client can read, and documents that only the server knows to be a skill's. Any
 * editor may leave all of it out.
 */

/** The `initializationOptions` of a client that knows the server. What is missing is false. */
export interface InitializationOptions {
  /** What the editor does itself, so that the server leaves it. */
  readonly builtIn?: {
    /** It completes, hovers and checks JSON by JSON Schema. */
    readonly json?: boolean;
    /** It completes and checks the front matter of `SKILL.md`. */
    readonly skill?: boolean;
  };
  /**
   * The documents that nobody else formats or outlines, where there are others: both are registered for these alone, so
   * that the editor doesn't ask which formatter to take and shows each symbol once. Without it, for every document.
   */
  readonly ownDocuments?: readonly OwnDocuments[];
  /** True where the client answers `readFileMethod` and `readFolderMethod`. */
  readonly files?: boolean;
}

/** A filter as the protocol's `DocumentFilter` is one. */
export interface OwnDocuments {
  readonly language: string;
  readonly scheme?: string;
  readonly pattern?: string;
}

/** The section of the settings; a client's values are under it. */
export const settingsSection = 'skill-state';

/** The values of the section; what is missing or of another type has its default. */
export interface ClientSettings {
  /** Whose front matter keys are known; without it `standard`. */
  readonly profile?: 'standard' | 'vscode' | 'claude';
  /** Where the bound of Σ is shown; without it as inlay hints. */
  readonly stateBound?: 'inlayHints' | 'codeLenses' | 'off';
}

/** Request of the server: a file's text. Rejects with a message for the user where it is there but can't be read. */
export const readFileMethod = 'skill-state/readFile';

export interface ReadFileParams {
  readonly uri: string;
}

/** Null where there is no such file. */
export type ReadFileResult = { readonly text: string } | null;

/** Request of the server: what is in a folder. */
export const readFolderMethod = 'skill-state/readFolder';

export interface ReadFolderParams {
  readonly uri: string;
}

/** Sorted by name; empty where the folder can't be listed. */
export interface ReadFolderResult {
  readonly entries: readonly { readonly name: string; readonly isFolder: boolean }[];
}

/**
 * Notification of the client: the open documents that it doesn't send since neither name nor language says that they
 * belong to a skill, sent anew whenever they change. Which of them a skill names or includes only the server knows. It
 * registers `textDocument/didOpen` and what else it does with such a document for its path and language alone, by
 * `client/registerCapability`, and takes that back when the skill names it no more or it leaves the list. The client has to
 * take these registrations, with relative patterns in document filters (LSP 3.18); else nothing follows.
 */
export const candidateDocumentsMethod = 'skill-state/candidateDocuments';

export interface CandidateDocumentsParams {
  readonly documents: readonly CandidateDocument[];
}

/** As `didOpen` would name it. */
export interface CandidateDocument {
  readonly uri: string;
  readonly languageId: string;
}
