/** Files of the scheme `file`, read by Node: UTF-8, of a size that makes sense, and none through links out of their skill. */
import type { Stats } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { URI } from 'vscode-uri';
import { skillFileName } from '../../schemas/skill/skillDocument';
import { maxFileBytes, type StoredEntry, type StoredFiles, UnreadableFile } from './storedFiles';

export const diskFiles: StoredFiles = { read, stamp, list };

async function read(uri: string): Promise<string | undefined> {
  const path = URI.parse(uri).fsPath;
  const name = basename(path);
  const failure = (reason: string, cause?: unknown) =>
    new UnreadableFile(uri, `${name} ${reason}`, { cause });
  try {
    const information = await stat(path);
    if (!information.isFile())
      throw failure(`can't be read: it is ${information.isDirectory() ? 'a folder' : 'no file'}.`);
    const refuseLarge = ({ size }: Stats) => {
      if (size > maxFileBytes) throw failure(`has ${size} bytes; at most ${maxFileBytes} are read.`);
    };
    refuseLarge(information);
    if (await leadsOutside(path)) throw failure("is a link that leads outside the skill's folder.");
    return decode(await readUnlessLarge(path, refuseLarge), () => failure('is not UTF-8 text.'));
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw failure(`can't be read: ${reasonOf(error)}.`, error);
  }
}

/**
 * The bytes of a file that may have grown since it was looked at.
 *
 * @param refuseLarge throws where it has become too large
 */
async function readUnlessLarge(path: string, refuseLarge: (information: Stats) => void): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    refuseLarge(await file.stat());
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function decode(bytes: Uint8Array, failure: () => UnreadableFile): string {
  try {
    // The byte order mark is kept: the parsers report it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure();
  }
}

/**
 * Whether a path leads, by a link to the file or to a folder on the way, out of every skill that it lies in; where it
 * lies in none, out of its own folder.
 */
async function leadsOutside(path: string): Promise<boolean> {
  const real = await realpath(path);
  if (real === path) return false;
  const own = dirname(path);
  let isInSkill = false;
  for (let folder = own, parent = dirname(own); ; folder = parent, parent = dirname(folder)) {
    if (await exists(join(folder, skillFileName))) {
      isInSkill = true;
      if (isInside(await realpath(folder), real)) return false;
    }
    if (parent === folder) break;
  }
  return isInSkill || !isInside(await realpath(own), real);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function stamp(uri: string): Promise<string | undefined> {
  const information = await stat(URI.parse(uri).fsPath).catch(() => undefined);
  return information === undefined ? 'missing' : stampOf(information);
}

function stampOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`;
}

async function list(folderUri: string): Promise<readonly StoredEntry[]> {
  const folder = URI.parse(folderUri).fsPath;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry): Promise<StoredEntry> => {
      const { name } = entry;
      if (!entry.isSymbolicLink()) return { name, isFolder: entry.isDirectory() };
      const path = join(folder, name);
      const information = await stat(path).catch(() => undefined);
      if (!information?.isDirectory()) return { name, isFolder: false };
      const target = await realpath(path).catch(() => undefined);
      return { name, isFolder: true, ...(target !== undefined && { target: URI.file(target).toString() }) };
    }),
  );
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The code of an operating system's error, such as `ENOENT`. */
function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

function reasonOf(cause: unknown): string {
  const known: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EPERM: 'not permitted',
    ENAMETOOLONG: 'its name is too long',
    ELOOP: 'its links lead in a circle',
  };
  return known[codeOf(cause) ?? ''] ?? (cause instanceof Error ? cause.message : String(cause));
}
