/** Paths inside a skill's folder, as its files write them. */

/**
 * A relative path with `/` between segments and without `.` and `..`. Undefined where it is absolute, leaves the
 * folder, names no file or isn't portable (a backslash, a drive, a NUL).
 */
export function normalizeRelativePath(path: string): string | undefined {
  if (path === '' || path.startsWith('/') || path.endsWith('/') || /[\\\0]|^[a-z]:/i.test(path))
    return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length === 0 ? undefined : segments.join('/');
}
