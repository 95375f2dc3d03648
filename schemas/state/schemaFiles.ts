/**
 * The files that a state schema's references lead to: found in its text and read through a host, before anything is
 * made of them. Only files inside the skill's folder are; nothing is fetched.
 */
import { normalizeRelativePath } from '../text/relativePath';
import { parseSourceFile, type TextFile } from '../text/sourceFile';
import type { SourceDocument, SourceNode } from '../text/sourceTree';
import { splitFragment } from './schemaUri';

/** A file that references lead to, by its path relative to the skill's folder. */
export type ReferencedFile =
  | ReadSchemaFile
  | { readonly kind: 'missing'; readonly path: string }
  | {
      readonly kind: 'unreadable';
      readonly path: string;
      /** Why, as a clause without a full stop. */
      readonly reason: string;
    };

export interface ReadSchemaFile extends TextFile {
  readonly kind: 'read';
  readonly source: SourceDocument;
  /** Paths of the files that its own references lead to. */
  readonly references: readonly string[];
}

/** How many files a schema may be spread over, besides its own. */
export const maxReferencedFiles = 50;

/** How many UTF-16 units they may have together. */
const maxReferencedLength = 2_000_000;

/** Where a reference leads that is no name in its own file. */
export type FileTarget =
  | { readonly kind: 'file'; readonly path: string; readonly fragment: string }
  /** A relative path that leaves the skill's folder. */
  | { readonly kind: 'outside' }
  /** A URL, or a name that is no YAML or JSON file's. */
  | { readonly kind: 'other' };

/** The file that a reference in the file `from` names, by its path; `$id` has no say in it. */
export function fileTargetOf(reference: string, from: string): FileTarget {
  const { resource, fragment } = splitFragment(reference);
  const name = decoded(resource);
  if (!/\.(?:ya?ml|json)$/i.test(name) || /^[a-z][a-z0-9+.-]*:/i.test(resource)) return { kind: 'other' };
  if (name.startsWith('//')) return { kind: 'other' };
  const folder = from.slice(0, from.lastIndexOf('/') + 1);
  const path = name.startsWith('/') ? undefined : normalizeRelativePath(folder + name);
  return path === undefined ? { kind: 'outside' } : { kind: 'file', path, fragment };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % stands for itself
  }
}

/** Reads one file; whoever loads a skill at every keystroke keeps what hasn't changed. */
export function readSchemaFile({ path, text }: TextFile): ReadSchemaFile {
  const source = parseSourceFile({ path, text });
  return { kind: 'read', path, text, source, references: source.root ? referencesIn(source.root, path) : [] };
}

/** A reference that does not begin with `#`. */
const fileReference = /\$(?:dynamicR|r)ef["']?\s*:\s*(?:["']\s*)?[^#\s"']/;

/**
 * Reads every file that a schema refers to, directly or through others, each once. Cycles are fine.
 *
 * @param read the text of a path relative to the skill's folder; undefined where there is no such file. Other failures
 * reject with an Error that says which file
 * @param readFile what {@link readSchemaFile} does
 */
export async function readReferencedFiles(
  schema: TextFile,
  read: (path: string) => Promise<string | undefined>,
  readFile: (file: TextFile) => ReadSchemaFile = readSchemaFile,
): Promise<readonly ReferencedFile[]> {
  // Most schemas are one file and are not to be read twice.
  if (!fileReference.test(schema.text)) return [];
  const found = new Map<string, ReferencedFile>();
  const pending = [...readFile(schema).references];
  let length = 0;
  let count = 0;
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    if (path === schema.path || found.has(path)) continue;
    if (count >= maxReferencedFiles || length > maxReferencedLength) {
      const reason = `the schema refers to more than ${maxReferencedFiles} files, or to too long ones; join them`;
      found.set(path, { kind: 'unreadable', path, reason });
      if (found.size > 2 * maxReferencedFiles) break;
      continue;
    }
    count++;
    const file = await readOne(path, read, readFile);
    found.set(path, file);
    if (file.kind !== 'read') continue;
    length += file.text.length;
    pending.push(...file.references);
  }
  return [...found.values()];
}

async function readOne(
  path: string,
  read: (path: string) => Promise<string | undefined>,
  readFile: (file: TextFile) => ReadSchemaFile,
): Promise<ReferencedFile> {
  try {
    const text = await read(path);
    return text === undefined ? { kind: 'missing', path } : readFile({ path, text });
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    return { kind: 'unreadable', path, reason };
  }
}

/** Wherever a reference may count; one in an example is followed for nothing, which does no harm. */
function referencesIn(root: SourceNode, path: string): string[] {
  const paths = new Set<string>();
  const seen = new Set<unknown>();
  const pending: SourceNode[] = [root];
  // Appended to while it is read.
  for (const node of pending) {
    const content = node.properties ?? node.items;
    if (content === undefined || seen.has(content)) continue;
    seen.add(content);
    for (const keyword of ['$ref', '$dynamicRef']) {
      const written = node.properties?.get(keyword)?.node.value;
      const target = typeof written === 'string' ? fileTargetOf(written, path) : undefined;
      if (target?.kind === 'file' && target.path !== path && paths.size < 2 * maxReferencedFiles)
        paths.add(target.path);
    }
    for (const item of node.items ?? []) pending.push(item);
    for (const property of node.properties?.values() ?? []) pending.push(property.node);
  }
  return [...paths];
}
