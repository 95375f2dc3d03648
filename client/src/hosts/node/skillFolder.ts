/** A skill's files on disk, read as the formats ask for them: by paths relative to the folder, never outside it. */
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { SkillFiles } from '../../../../schemas/skill/skill';

/** A file or folder that could not be used. `message` says which and why. */
export class FileFailure extends Error {
  override readonly name: string = 'FileFailure';
  /** True where what the user named isn't there, or isn't what it should be. */
  readonly missing: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly missing?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.missing = options.missing ?? codeOf(options.cause) === 'ENOENT';
  }
}

/** The largest file that is read: no skill needs more, and a mistaken path must not fill the memory. */
const maxFileBytes = 32 * 1024 * 1024;

/**
 * The folder of a skill, from its own path or that of its SKILL.md.
 *
 * @returns the absolute path.
 * @throws FileFailure where there is no such folder or no SKILL.md in it.
 */
export async function findSkillFolder(path: string): Promise<string> {
  const absolute = resolve(path);
  const information = await stat(absolute).catch(missingIsUndefined(path));
  if (!information)
    throw new FileFailure(`There is no skill at ${path}: the path doesn't exist.`, { missing: true });
  const folder = information.isDirectory() ? absolute : dirname(absolute);
  if (!information.isDirectory() && basename(absolute) !== 'SKILL.md') {
    throw new FileFailure(
      `${path} is no skill: name a folder with a SKILL.md in it, or the SKILL.md itself.`,
      { missing: true },
    );
  }
  const skill = await stat(join(folder, 'SKILL.md')).catch(missingIsUndefined(join(path, 'SKILL.md')));
  if (!skill?.isFile()) throw new FileFailure(`There is no SKILL.md in ${path}.`, { missing: true });
  return folder;
}

/** The files of a skill folder; links that lead out of it are refused. */
export function createSkillFiles(folder: string): SkillFiles {
  return {
    folderName: basename(folder),
    async read(path) {
      const absolute = join(folder, path);
      if (isOutside(folder, absolute)) throw new FileFailure(`${path} lies outside the skill's folder.`);
      const information = await stat(absolute).catch(missingIsUndefined(path));
      if (!information) return undefined;
      if (!information.isFile()) throw new FileFailure(`${path} is not a file.`);
      if (information.size > maxFileBytes)
        throw new FileFailure(`${path} has ${information.size} bytes; at most ${maxFileBytes} are read.`);
      if (isOutside(await realpath(folder), await realpath(absolute))) {
        throw new FileFailure(`${path} is a link that leads outside the skill's folder.`);
      }
      const bytes = await readFile(absolute).catch((cause: unknown) => {
        throw new FileFailure(`${path} can't be read: ${reasonOf(cause)}.`, { cause });
      });
      return decode(bytes, path);
    },
  };
}

/** In bytes: no text that a person or a program writes by hand is longer. */
const longestText = 256_000_000;

/**
 * The text of any file that the user named, which may be a pipe, or one that never ends.
 *
 * @param most bytes of it
 * @throws FileFailure where it can't be read, is longer, or isn't UTF-8.
 */
export async function readTextFile(path: string, most: number = longestText): Promise<string> {
  const bytes = await readUpTo(path, most).catch((cause: unknown) => {
    throw new FileFailure(`${path} can't be read: ${reasonOf(cause)}.`, { cause });
  });
  if (bytes.length > most)
    throw new FileFailure(`${path} is longer than ${most / 1_000_000} MB: is another file meant?`);
  return decode(bytes, path);
}

/** A file's bytes, or one more of them than there may be. */
async function readUpTo(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const pieces: Buffer[] = [];
    for await (const piece of file.createReadStream({ end: most, autoClose: false })) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await file.close();
  }
}

/** The code of an operating system's error, such as `ENOENT`; undefined for any other. */
export function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** What the operating system said, without its code and call. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const known: Readonly<Record<string, string>> = {
    ENOENT: "it doesn't exist",
    EACCES: 'permission denied',
    EPERM: 'not permitted',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is not a folder',
    EEXIST: 'it exists already',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    ENAMETOOLONG: 'its name is too long',
    ELOOP: 'its links lead in a circle',
  };
  return known[codeOf(cause) ?? ''] ?? cause.message;
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    // The byte order mark is kept: the parsers report it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new FileFailure(`${path} is not UTF-8 text.`, { cause });
  }
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function missingIsUndefined(path: string) {
  return (cause: NodeJS.ErrnoException): undefined => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new FileFailure(`${path} can't be read: ${reasonOf(cause)}.`, { cause });
  };
}
