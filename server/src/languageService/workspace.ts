/** What the language service asks of its host: texts and folders by URI, and nothing that knows of disks or protocols. */

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Reads a workspace. Every URI is in the form that `vscode-uri` prints. */
export interface Workspace {
  /**
   * The text of a file: as the editor has it where it is open, else as it is stored. Undefined where there is no such
   * file. Any other failure rejects with an Error whose message says which file and why, for the user to read.
   */
  read(uri: string): Promise<string | undefined>;
  /** What is in a folder, sorted by name; empty where it can't be listed. */
  list(folderUri: string): Promise<readonly FolderEntry[]>;
  /** Every `SKILL.md` of the workspace. */
  findSkills(): Promise<readonly string[]>;
}

/** Asked between pieces of work; LSP's cancellation tokens are of this shape. */
export interface Cancellation {
  readonly isCancellationRequested: boolean;
}

/** A cancellation of what nobody cancels. */
export const neverCancelled: Cancellation = { isCancellationRequested: false };

/** The environments that can be named, and what they declare; the composition roots know them. */
export interface EnvironmentCatalogue {
  readonly names: readonly string[];
  /** Signatures of the actions that an environment knows; undefined for one that takes any or isn't known. */
  actionsOf(name: string): readonly string[] | undefined;
}

/** How the service judges and what it leaves to the editor. */
export interface Settings {
  /** Whose keys of the front matter are known: the standard's six, or those of a client besides. */
  readonly profile: 'standard' | 'vscode' | 'claude';
  /** Where the bound of Σ is shown. */
  readonly stateBound: 'inlayHints' | 'codeLenses' | 'off';
  /** True where the editor has JSON support of its own: completion, hover and checks by JSON Schema are left to it. */
  readonly builtInJson: boolean;
  /** True where the editor completes front matter itself, as VS Code does in `SKILL.md`. */
  readonly builtInSkill: boolean;
}

export const defaultSettings: Settings = {
  profile: 'standard',
  stateBound: 'inlayHints',
  builtInJson: false,
  builtInSkill: false,
};
