/** Looks through folders for skills, past what belongs to package managers and version control. */
import { URI, Utils } from 'vscode-uri';
import { initialStateNames, stateSchemaNames } from '../../schemas/skill/skill';
import { skillFileName } from '../../schemas/skill/skillDocument';
import type { Cancellation } from './languageService/workspace';
import type { StoredFiles } from './storedFiles';
import { isWithin } from './uris';

/** What a search has found: URIs in the order of their paths. */
export interface FoundFiles {
  readonly skills: readonly string[];
  /** State schemas and initial states by their usual names, in folders without a `SKILL.md`. */
  readonly loose: readonly string[];
}

export interface SearchOptions {
  /** URIs of real folders; links that lead anywhere else are not followed. */
  readonly linkRoots?: readonly string[];
  /** What the searched folder is without links in its path; what lies in it is met without following links. */
  readonly realFolder?: string;
  readonly cancellation?: Cancellation;
}

/** Folders that are never searched: what is in them was written elsewhere. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git', '.hg', '.svn']);

/** How many folders are listed at once. */
const listedAtOnce = 16;

/** How many folders are searched; a workspace with more is a mistake, or a trap. */
const maxFolders = 200_000;

const looseNames: ReadonlySet<string> = new Set([...stateSchemaNames, ...initialStateNames]);

/**
 * Searches a folder and everything below it. A link to a folder is followed where it leads out of the searched folder
 * and into one of `linkRoots`, so that links in circles end and none leads astray.
 */
export async function searchFolder(
  files: StoredFiles,
  folderUri: string,
  options: SearchOptions = {},
): Promise<FoundFiles> {
  const { linkRoots = [], realFolder = folderUri, cancellation } = options;
  const skills: string[] = [];
  const loose: string[] = [];
  const followed = new Set<string>();
  const queue = [folderUri];
  let searched = 0;
  while (searched < Math.min(queue.length, maxFolders) && cancellation?.isCancellationRequested !== true) {
    const batch = queue.slice(searched, searched + listedAtOnce);
    searched += batch.length;
    const lists = await Promise.all(batch.map((folder) => files.list(folder)));
    for (const [index, entries] of lists.entries()) {
      const folder = URI.parse(batch[index] ?? folderUri);
      const uriOf = (name: string) => Utils.joinPath(folder, name).toString();
      const plain = entries.filter(({ isFolder }) => !isFolder).map(({ name }) => name);
      if (plain.includes(skillFileName)) skills.push(uriOf(skillFileName));
      else loose.push(...plain.filter((name) => looseNames.has(name)).map(uriOf));
      for (const { name, isFolder, target } of entries) {
        if (!isFolder || skippedFolders.has(name)) continue;
        if (target !== undefined) {
          const isAllowed = linkRoots.some((root) => isWithin(target, root)) && !isWithin(target, realFolder);
          if (!isAllowed || followed.has(target)) continue;
          followed.add(target);
        }
        queue.push(uriOf(name));
      }
    }
  }
  return { skills: skills.sort(), loose: loose.sort() };
}
