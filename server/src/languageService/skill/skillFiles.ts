/** The files of a skill's folder, as completion, links and fixes need them. */
import type { Tools } from '../documents';
import type { SkillModel } from '../skillModels';
import type { Workspace } from '../workspace';

const maxFiles = 500;
const maxDepth = 4;

/** How many files and folders are looked at for those that are wanted. */
const maxEntries = 50_000;

/**
 * Paths of the folder's files, relative to it and sorted; hidden ones and those of packages are left out. Of those that
 * are wanted at most 500, however many others there are.
 */
export async function filesOf(
  model: SkillModel,
  workspace: Workspace,
  isWanted: (path: string) => boolean = () => true,
): Promise<readonly string[]> {
  const files: string[] = [];
  let entries = 0;
  let folders: readonly string[] = [''];
  for (let depth = 0; depth < maxDepth && folders.length > 0; depth++) {
    const deeper: string[] = [];
    for (const folder of folders) {
      const uri = folder === '' ? model.folderUri : model.uriOf(folder);
      for (const { name, isFolder } of await workspace.list(uri)) {
        if (++entries > maxEntries) return files;
        if (name.startsWith('.') || name === 'node_modules') continue;
        const path = folder === '' ? name : `${folder}/${name}`;
        if (isFolder) deeper.push(path);
        else if (isWanted(path)) files.push(path);
        if (files.length === maxFiles) return files;
      }
    }
    folders = deeper.slice(0, maxFiles);
  }
  return files;
}

/**
 * The files to offer for what is typed: all that are wanted, or of too many the ones with the typed text in their path.
 * `leftOut` is called where there are more.
 */
export async function offeredFiles(
  model: SkillModel,
  { workspace, leftOut }: Pick<Tools, 'workspace' | 'leftOut'>,
  isWanted: (path: string) => boolean,
  typed: string | undefined,
): Promise<readonly string[]> {
  const files = await filesOf(model, workspace, isWanted);
  if (files.length < maxFiles || typed === undefined) return files;
  leftOut?.();
  const part = typed.toLowerCase();
  return part === ''
    ? files
    : filesOf(model, workspace, (path) => isWanted(path) && path.toLowerCase().includes(part));
}

/** Says of many paths whether they are there, and lists each folder once. */
export class FileLookup {
  readonly #model: SkillModel;
  readonly #workspace: Workspace;
  readonly #listings = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(model: SkillModel, workspace: Workspace) {
    this.#model = model;
    this.#workspace = workspace;
  }

  /** True for a file or folder that is there; undefined where the folder can't be listed. */
  async has(path: string): Promise<boolean | undefined> {
    // A folder that doesn't even show its SKILL.md is one that isn't listed.
    if (!(await this.#names('')).has('SKILL.md')) return undefined;
    const slash = path.lastIndexOf('/');
    return (await this.#names(path.slice(0, Math.max(0, slash)))).has(path.slice(slash + 1));
  }

  #names(folder: string): Promise<ReadonlySet<string>> {
    let names = this.#listings.get(folder);
    if (names === undefined) {
      const uri = folder === '' ? this.#model.folderUri : this.#model.uriOf(folder);
      names = this.#workspace.list(uri).then((entries) => new Set(entries.map(({ name }) => name)));
      this.#listings.set(folder, names);
    }
    return names;
  }
}
