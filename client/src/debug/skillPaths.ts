/** Absolute paths of a skill's files, as clients write them, and paths relative to its folder, as the skill has them. */
import { posix, win32 } from 'node:path';

/** The two ways of writing paths. */
export type PathStyle = 'posix' | 'windows';

/** The style of the machine that this runs on. */
const nativeStyle: PathStyle = process.platform === 'win32' ? 'windows' : 'posix';

/** A text that is the same for every way of writing a path: on Windows case and separators make no difference. */
export function pathKey(path: string, style: PathStyle = nativeStyle): string {
  return style === 'windows'
    ? win32.normalize(path).replaceAll('\\', '/').toLowerCase()
    : posix.normalize(path);
}

export class SkillPaths {
  readonly #folder: string;
  readonly #style: PathStyle;
  readonly #relative: ReadonlyMap<string, string>;

  /**
   * @param folder the skill's folder, absolute
   * @param files the skill's files, relative to it
   */
  constructor(folder: string, files: readonly string[], style: PathStyle = nativeStyle) {
    this.#folder = folder;
    this.#style = style;
    this.#relative = new Map(files.map((file) => [pathKey(this.absolute(file), style), file]));
  }

  /** The absolute path of a file of the skill. */
  absolute(file: string): string {
    return (this.#style === 'windows' ? win32 : posix).join(this.#folder, file);
  }

  /** Which file of the skill an absolute path means; undefined where none. */
  relative(path: string): string | undefined {
    return this.#relative.get(pathKey(path, this.#style));
  }
}
