/**
 * What our client and our language server say to each other beyond the protocol: reading files of schemes that the
 * server can't read itself (`vscode-vfs`, `untitled`, …), and what the client sends when it starts the server.
 */

/** A request from the server to the client: the stored text of a file. Sent only where {@link ClientOptions.files} is true. */
export const readFileMethod = 'skill-state/readFile';

/** A request from the server to the client: what is in a folder. Likewise. */
export const readFolderMethod = 'skill-state/readFolder';

export interface ReadFileParams {
  readonly uri: string;
}

/**
 * `text` with its byte order mark, if it has one. Neither key: there is no such file. `error`: the file is there and can't
 * be read; one sentence for the user that names the file and says why, as of bytes that are not UTF-8.
 */
export interface ReadFileResult {
  readonly text?: string;
  readonly error?: string;
}

export interface ReadFolderParams {
  readonly uri: string;
}

/** An entry of a folder; links count as what they lead to. */
export interface ReadFolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Empty for a folder that isn't there or can't be listed. */
export interface ReadFolderResult {
  readonly entries: readonly ReadFolderEntry[];
}

/** `initializationOptions` of our client. Other editors may leave all of it out. */
export interface ClientOptions {
  /** What the editor does itself in the same documents, so that the server leaves it out. */
  readonly builtIn?: {
    /** Completion, hover and checks of JSON by its JSON Schema. */
    readonly json?: boolean;
    /** Completion, hover and checks of the front matter of `SKILL.md`. */
    readonly skill?: boolean;
  };
  /** True where the client answers {@link readFileMethod} and {@link readFolderMethod}. */
  readonly files?: boolean;
  /** For editors without `workspace/configuration`: the settings that {@link settingsSection} has elsewhere. */
  readonly settings?: SettingValues;
}

/** The section that the server asks `workspace/configuration` for. */
export const settingsSection = 'skill-state';

/** The settings of that section; what is missing or unknown counts as the default. */
export interface SettingValues {
  readonly profile?: 'standard' | 'vscode' | 'claude';
  readonly stateBound?: 'inlayHints' | 'codeLenses' | 'off';
}
