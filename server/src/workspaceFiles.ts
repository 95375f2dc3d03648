/** The workspace as the language service sees it: open documents over stored files, which are kept until they change. */
import type { Cancellation, FolderEntry, Workspace } from './languageService/workspace';
import { searchFolder } from './skillSearch';
import type { StoredFiles } from './storedFiles';
import { isWithin } from './uris';

/** What a workspace is made of. */
export interface WorkspaceFilesOptions {
  readonly stored: StoredFiles;
  /** The text of an open document, by its URI in normal form. */
  readonly openText: (uri: string) => string | undefined;
  /** True for a file whose changes are told to {@link WorkspaceFiles.invalidate}; others are looked at anew. */
  readonly isWatched: (uri: string) => boolean;
  /** URIs in normal form of the folders that are searched for skills. */
  readonly folders: () => readonly string[];
}

type Outcome = { readonly text: string | undefined } | { readonly error: unknown };

interface KeptText {
  readonly outcome: Promise<Outcome>;
  /** Set once the text is there: undefined where nothing tells of changes. */
  readonly stamp: string | undefined;
  size: number;
  /** Set once it is known that the text can't be read. */
  hasFailed: boolean;
}

/** How many UTF-16 code units of stored texts are kept. */
const maxKeptLength = 32 * 1024 * 1024;

/** What a text costs besides its characters, so that missing files don't pile up either. */
const costOfEntry = 200;

export class WorkspaceFiles implements Workspace {
  readonly #options: WorkspaceFilesOptions;
  readonly #texts = new Map<string, KeptText>();
  #length = 0;
  /** Folders that somebody has listed: what depends on them changes with what comes and goes in them. */
  readonly #listed = new Set<string>();
  /** Of a search that was broken off: undefined. */
  #skills: Promise<readonly string[] | undefined> | undefined;

  constructor(options: WorkspaceFilesOptions) {
    this.#options = options;
  }

  async read(uri: string): Promise<string | undefined> {
    const open = this.#options.openText(uri);
    if (open !== undefined) return open;
    const outcome = await this.#stored(uri);
    if ('error' in outcome) throw outcome.error;
    return outcome.text;
  }

  async list(folderUri: string): Promise<readonly FolderEntry[]> {
    this.#listed.add(folderUri.replace(/\/$/, ''));
    return this.#options.stored.list(folderUri);
  }

  /** With a cancelled search: what was found until then, or nothing. */
  async findSkills(cancellation?: Cancellation): Promise<readonly string[]> {
    const folders = this.#options.folders();
    const isWatched = folders.every((folder) => this.#options.isWatched(folder));
    // What another has begun may have been broken off by them.
    const known = isWatched ? await this.#skills : undefined;
    if (known !== undefined) return known;
    const search = this.#search(folders, cancellation);
    const whole = search.then((found) =>
      cancellation?.isCancellationRequested === true ? undefined : found,
    );
    this.#skills = whole;
    const forget = () => {
      if (this.#skills === whole) this.#skills = undefined;
    };
    whole.then((found) => found ?? forget(), forget);
    return search;
  }

  /**
   * To be called when a stored file or folder has changed, come or gone.
   *
   * @returns false where nobody has asked for it, so that nothing can follow from the change
   */
  invalidate(uri: string): boolean {
    const forgotten = this.#texts.has(uri)
      ? [uri]
      : [...this.#texts.keys()].filter((known) => isWithin(known, uri));
    for (const known of forgotten) this.#forget(known);
    return forgotten.length > 0;
  }

  /** True where somebody has listed the folder of a file or folder that has come or gone. */
  isListed(uri: string): boolean {
    return this.#listed.has(uri.slice(0, uri.lastIndexOf('/')));
  }

  /** To be called when skills may have come or gone. */
  forgetSkills(): void {
    this.#skills = undefined;
  }

  async #search(folders: readonly string[], cancellation?: Cancellation): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const folder of folders) {
      const { skills } = await searchFolder(this.#options.stored, folder, {
        ...(cancellation && { cancellation }),
      });
      for (const skill of skills) found.add(skill);
    }
    return [...found].sort();
  }

  async #stored(uri: string): Promise<Outcome> {
    let known = this.#texts.get(uri);
    if (known?.hasFailed === true) {
      // Nobody tells when a right was given or a connection is back.
      this.#forget(uri);
      known = undefined;
    }
    if (known !== undefined) {
      // The stamp is awaited after the text: whoever asks meanwhile shares the reading.
      const outcome = await known.outcome;
      if (this.#options.isWatched(uri)) return outcome;
      const stamp = await this.#options.stored.stamp(uri);
      const still = this.#texts.get(uri);
      if (still === undefined) return this.#load(uri, stamp).outcome;
      if (stamp !== undefined && still.stamp === stamp) return still.outcome;
      if (still !== known) return still.outcome;
      this.#forget(uri);
      return this.#load(uri, stamp).outcome;
    }
    if (this.#options.isWatched(uri)) return this.#load(uri, undefined).outcome;
    const stamp = await this.#options.stored.stamp(uri);
    return (this.#texts.get(uri) ?? this.#load(uri, stamp)).outcome;
  }

  /** @param stamp Taken before the text, so that a change in between is noticed. */
  #load(uri: string, stamp: string | undefined): KeptText {
    const outcome = this.#options.stored.read(uri).then(
      (text): Outcome => ({ text }),
      (error: unknown): Outcome => ({ error }),
    );
    const kept: KeptText = { outcome, stamp, size: costOfEntry, hasFailed: false };
    this.#texts.set(uri, kept);
    this.#length += kept.size;
    void outcome.then((settled) => {
      kept.hasFailed = 'error' in settled;
      if (this.#texts.get(uri) !== kept || !('text' in settled)) return;
      const { length } = settled.text ?? '';
      kept.size += length;
      this.#length += length;
      for (const oldest of this.#texts.keys()) {
        if (this.#length <= maxKeptLength || oldest === uri) break;
        this.#forget(oldest);
      }
    });
    return kept;
  }

  #forget(uri: string): void {
    const kept = this.#texts.get(uri);
    if (kept === undefined) return;
    this.#texts.delete(uri);
    this.#length -= kept.size;
  }
}
