/** DAP sources: files as they are on disk, and, by `sourceReference`, texts that are in no file or no longer. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Skill } from '../../../schemas/skill/skill';
import { failures } from './errors';
import type { SkillPaths } from './skillPaths';
import type { MimeType, Place, RunDocument } from './stackFrames';

/** How many texts are kept for clients that ask for them later. */
const keptDocuments = 200;

/** Gives each text of a session its number; across runs, since clients keep what they have fetched by number. */
export class DocumentStore {
  readonly #documents = new Map<number, RunDocument>();
  readonly #references = new Map<string, number>();
  #next = 1;

  /** A new run begins, whose texts go by the same names. */
  forgetNames(): void {
    this.#references.clear();
  }

  reference(document: RunDocument): number {
    const known = this.#references.get(document.key);
    if (known !== undefined && this.#documents.get(known)?.text === document.text) return known;
    const reference = this.#next++;
    this.#references.set(document.key, reference);
    this.#documents.set(reference, document);
    for (const [oldest, { key }] of this.#documents) {
      if (this.#documents.size <= keptDocuments) break;
      this.#documents.delete(oldest);
      if (this.#references.get(key) === oldest) this.#references.delete(key);
    }
    return reference;
  }

  /** @throws RequestFailure for a text that is not kept any more. */
  text(reference: number): RunDocument {
    const document = this.#documents.get(reference);
    if (document === undefined) throw failures.unknownSource(reference);
    return document;
  }
}

/** The sources of one run. */
export class RunSources {
  readonly #skill: () => Skill;
  readonly #paths: () => SkillPaths | undefined;
  readonly #documents: DocumentStore;
  readonly #readText: (path: string) => Promise<string | undefined>;
  readonly #changed = new Set<string>();

  constructor({
    skill,
    paths,
    documents,
    readText,
  }: {
    /** The skill of the branch on which the run stands. */
    readonly skill: () => Skill;
    /** Of its files; undefined where nobody knows where they are. */
    readonly paths: () => SkillPaths | undefined;
    readonly documents: DocumentStore;
    /** The text a file has now; undefined where it is gone. */
    readonly readText: (path: string) => Promise<string | undefined>;
  }) {
    this.#skill = skill;
    this.#paths = paths;
    this.#documents = documents;
    this.#readText = readText;
    documents.forgetNames();
  }

  /** Compares the skill's files with what the run began with; what is found holds until it is asked again. */
  async refresh(): Promise<void> {
    if (this.#paths() === undefined) return;
    for (const { path } of this.#skill().files) {
      if ((await this.currentText(path)) === this.#recorded(path)) this.#changed.delete(path);
      else this.#changed.add(path);
    }
  }

  /** The files that are others now than the run has them, as of the last {@link refresh}. */
  get changed(): readonly string[] {
    return this.#skill()
      .files.map(({ path }) => path)
      .filter((path) => this.#changed.has(path));
  }

  /** The text that a file has now; undefined where it can't be read any more. */
  async currentText(path: string): Promise<string | undefined> {
    try {
      return await this.#readText(path);
    } catch {
      return undefined;
    }
  }

  /** A file that was changed since, as of the last {@link refresh}, is given by the text that the run has of it. */
  of(place: Place): DebugProtocol.Source {
    if (place.kind === 'document') return this.#document(place.document, 'part of this run');
    const paths = this.#paths();
    const recorded = this.#recorded(place.path);
    if (paths !== undefined && (recorded === undefined || !this.#changed.has(place.path)))
      return fileSource(paths.absolute(place.path));
    const name = place.path.slice(place.path.lastIndexOf('/') + 1);
    const key = `${recordedFile}${place.path}`;
    return this.#document(
      { key, name: `${name} (as the run began)`, text: recorded ?? '', mimeType: mimeTypeOf(name) },
      'as the run began',
    );
  }

  #document(document: RunDocument, origin: string): DebugProtocol.Source {
    return { name: document.name, sourceReference: this.#documents.reference(document), origin };
  }

  #recorded(path: string): string | undefined {
    return this.#skill().files.find((file) => file.path === path)?.text;
  }
}

const recordedFile = 'file ';

/** The file of the skill whose recorded text a document is; undefined for any other. */
export function recordedFileOf({ key }: RunDocument): string | undefined {
  return key.startsWith(recordedFile) ? key.slice(recordedFile.length) : undefined;
}

/** A file as it is on disk, by its absolute path as the client writes it. */
export function fileSource(path: string): DebugProtocol.Source {
  return { name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1), path };
}

function mimeTypeOf(fileName: string): MimeType {
  if (/\.md$/i.test(fileName)) return 'text/x-markdown';
  if (/\.ya?ml$/i.test(fileName)) return 'text/x-yaml';
  return /\.json$/i.test(fileName) ? 'application/json' : 'text/plain';
}
