/** Where the references of a state schema lead: by the names in its text, or by paths to the files of its bundle. */
import { formatPointer, parsePointer } from '../json/jsonPointer';
import { propertyAt, type SourceNode, type SourceProperty } from '../text/sourceTree';
import { bundlePointer, filesKeyword, splitBundlePointer } from './schemaBundle';
import { fileTargetOf, type ReferencedFile } from './schemaFiles';
import { dialectUris } from './schemaKeywords';
import { resolveUri, splitFragment } from './schemaUri';
import type { StateSchemaProblemCode } from './stateProblems';
import type { Dialect } from './stateSchema';

/** The schema's own file, and those that references lead to. */
export interface IndexedFiles {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly referenced: readonly ReferencedFile[];
}

/** What a reference leads to. */
export type Resolution =
  | {
      readonly kind: 'found';
      readonly pointer: string;
      readonly target: SourceProperty;
      readonly base: string;
    }
  /** Another dialect's meta-schema, or a file that has its own error. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'problem'; readonly code: StateSchemaProblemCode; readonly message: string };

/** The root of a file of the bundle. */
export interface FileRoot {
  readonly property: SourceProperty;
  readonly pointer: string;
  /** The URI that references in it are resolved against. */
  readonly base: string;
}

/** The base of a schema without `$id`; no text can name it. */
export const anonymousBase = 'skill-state:/state-schema';

/** The names in a schema's text, as far as they have been registered, and what references to them lead to. */
export class SchemaReferences {
  readonly #root: SourceNode;
  readonly #dialect: Dialect;
  readonly #files: IndexedFiles;
  readonly #referenced: ReadonlyMap<string, ReferencedFile>;
  /** The pointers of subschemas by their URIs. */
  readonly #pointers = new Map<string, string>([[anonymousBase, '']]);
  /** What each file's own references are resolved against, by the pointer of its root. */
  readonly #fileBases = new Map<string, string>([['', anonymousBase]]);

  constructor(root: SourceNode, dialect: Dialect, files: IndexedFiles) {
    this.#root = root;
    this.#dialect = dialect;
    this.#files = files;
    this.#referenced = new Map(files.referenced.map((file) => [file.path, file]));
  }

  /** Every file is checked as a schema, whatever of it references lead to. */
  fileRoots(): FileRoot[] {
    const roots: FileRoot[] = [];
    for (const path of this.#root.properties?.get(filesKeyword)?.node.properties?.keys() ?? []) {
      const pointer = bundlePointer(path);
      const property = propertyAt(this.#root, [filesKeyword, path]);
      if (property === undefined || !this.#referenced.has(path)) continue;
      const base = `${anonymousBase}/${roots.length}`;
      this.#pointers.set(base, pointer);
      this.#fileBases.set(pointer, base);
      roots.push({ property, pointer, base });
    }
    return roots;
  }

  /** True for the place that the bundle puts its files at. */
  holdsFiles(pointer: string, keyword: string): boolean {
    return keyword === filesKeyword && pointer === '' && this.#referenced.size > 0;
  }

  /** The base that a root's `$id` gives to the references of its file. */
  enterRoot(pointer: string, base: string): void {
    if (this.#fileBases.has(pointer)) this.#fileBases.set(pointer, base);
  }

  /** Gives a name to a subschema; the pointer of another one that has it already, if there is one. */
  register(uri: string, pointer: string): string | undefined {
    const other = this.#pointers.get(uri);
    if (other === undefined) this.#pointers.set(uri, pointer);
    return other === pointer ? undefined : other;
  }

  /** Where a reference would lead that is written in the root of a file, or of the schema itself without one. */
  resolveIn(reference: string, file: string | undefined): string | undefined {
    const pointer = file === undefined ? '' : bundlePointer(file);
    const found = this.resolve(reference, pointer, this.#fileBases.get(pointer) ?? anonymousBase);
    return found.kind === 'found' ? found.pointer : undefined;
  }

  /** @param from the pointer of the subschema that has the reference, or of its file */
  resolve(reference: string, from: string, base: string): Resolution {
    const { resource, fragment } = splitFragment(resolveUri(reference, base));
    const resourcePointer = this.#pointers.get(resource);
    if (resourcePointer === undefined) {
      return resource === dialectUris[this.#dialect]
        ? { kind: 'elsewhere' }
        : this.#resolveFile(reference, splitBundlePointer(from).path ?? this.#files.path);
    }
    return (
      this.#targetIn(resourcePointer, resource, fragment) ?? {
        kind: 'problem',
        code: 'state.unresolved-reference',
        message: `leads to ${JSON.stringify(reference)}, which is not in this file.`,
      }
    );
  }

  #targetIn(resourcePointer: string, base: string, fragment: string): Resolution | undefined {
    const isPointer = fragment === '' || fragment.startsWith('/');
    const pointer = isPointer ? resourcePointer + fragment : this.#pointers.get(`${base}#${fragment}`);
    const path = pointer === undefined ? undefined : parsePointer(pointer);
    const target = path === undefined ? undefined : propertyAt(this.#root, path);
    if (path === undefined || target === undefined) return undefined;
    return { kind: 'found', pointer: formatPointer(path), target, base };
  }

  /** A reference that no name in the text answers to may be the path of a file. */
  #resolveFile(reference: string, from: string): Resolution {
    const written = JSON.stringify(reference);
    const target = fileTargetOf(reference, from);
    if (target.kind === 'other') {
      const code = 'state.external-reference';
      const message = `leads to ${written}, and nothing is fetched; copy that schema to $defs, or to a YAML or JSON file in the skill's folder.`;
      return { kind: 'problem', code, message };
    }
    if (target.kind === 'outside') {
      const code = 'state.external-reference';
      const message = `leads to ${written}, outside of the skill's folder; copy that file into the folder.`;
      return { kind: 'problem', code, message };
    }
    const code = 'state.unresolved-reference';
    const { path, fragment } = target;
    const file = path === this.#files.path ? undefined : this.#referenced.get(path);
    if (path !== this.#files.path && file?.kind !== 'read') {
      const message =
        file?.kind === 'unreadable'
          ? `leads to ${written}, which can't be read: ${file.reason}.`
          : `leads to ${written}, and there is no file ${path} in the skill's folder; write it, or correct the path.`;
      return { kind: 'problem', code, message };
    }
    const pointer = file === undefined ? '' : bundlePointer(path);
    const base = this.#fileBases.get(pointer);
    // A file that can't be read as YAML or JSON says so itself.
    if (base === undefined) return { kind: 'elsewhere' };
    return (
      this.#targetIn(pointer, base, fragment) ?? {
        kind: 'problem',
        code,
        message: `leads to ${written}, and there is no such place in ${path}.`,
      }
    );
  }
}
