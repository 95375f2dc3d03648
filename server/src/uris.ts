/** URIs in the one form that the language service knows. */
import { URI } from 'vscode-uri';

/**
 * A client's URI as `vscode-uri` prints it: `file:///C:/a b` and `file:///c%3A/a%20b` are the same file.
 *
 * @throws Error where it is no URI.
 */
export function normalizeUri(uri: string): string {
  return URI.parse(uri).toString();
}

/** True for a folder's own URI and for everything below it; both in normal form. */
export function isWithin(uri: string, folderUri: string): boolean {
  const folder = folderUri.replace(/\/$/, '');
  return uri === folder || uri.startsWith(`${folder}/`);
}
