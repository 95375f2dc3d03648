/**
 * A skill as the editor has it now: its `SKILL.md`, state schema, initial state and included files, found from any of
 * them. What hasn't changed since it was last asked for is not read again.
 */
import { URI, Utils } from 'vscode-uri';
import { normalizeRelativePath } from '../../../schemas/skill/fileMentions';
import { initialStateNames, loadSkill, type Skill, stateSchemaNames } from '../../../schemas/skill/skill';
import { parseSkill, skillFileName } from '../../../schemas/skill/skillDocument';
import { type LoadedInitialState, loadInitialState } from '../../../schemas/state/initialState';
import {
  type ReadSchemaFile,
  type ReferencedFile,
  readReferencedFiles,
  readSchemaFile,
} from '../../../schemas/state/schemaFiles';
import { loadStateSchema, type StateSchema } from '../../../schemas/state/stateSchema';
import type { TextFile } from '../../../schemas/text/sourceFile';
import { Readings } from './readings';
import type { Workspace } from './workspace';

/** What a document is to its skill. */
export type DocumentKind = 'skill' | 'state-schema' | 'initial-state' | 'include';

/** A skill folder and what is in it. */
export interface SkillModel {
  /** Without a slash at its end. */
  readonly folderUri: string;
  readonly skillUri: string;
  readonly skill: Skill;
  /** The URI of a path relative to the folder. */
  uriOf(path: string): string;
  /** The path of a URI relative to the folder; undefined for what lies outside of it. */
  pathOf(uri: string): string | undefined;
}

/** A document and the skill that it belongs to; a schema or an initial state may stand alone. */
export interface LocatedDocument {
  readonly uri: string;
  readonly text: string;
  readonly kind: DocumentKind;
  readonly model: SkillModel | undefined;
  /** For a schema that is not its skill's own, such as a part of it: the files that it refers to. */
  readonly referenced?: readonly ReferencedFile[];
}

/** How many folders above a document are looked at for the `SKILL.md` that names it. */
const maxParents = 4;

/** Finds and keeps skills. One instance serves a whole workspace. */
export class SkillModels {
  readonly #workspace: Workspace;
  readonly #skills = new Readings<ReturnType<typeof parseSkill>>();
  readonly #schemas = new Readings<StateSchema>();
  readonly #schemaFiles = new Readings<ReadSchemaFile>();
  readonly #states = new Readings<LoadedInitialState>();
  /** By folder, since the last change of anything. */
  readonly #models = new Map<string, Promise<SkillModel | undefined>>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** To be called whenever any file or open document may have changed: what is asked for next is read anew. */
  changed(): void {
    this.#models.clear();
  }

  /** The document and its skill; undefined for a document that is none of a skill's, or isn't there. */
  async locate(uri: string): Promise<LocatedDocument | undefined> {
    const name = Utils.basename(URI.parse(uri));
    if (name === skillFileName) {
      const model = await this.modelOf(Utils.dirname(URI.parse(uri)));
      return model && { uri, text: model.skill.document.text, kind: 'skill', model };
    }
    const found = await this.#findNaming(uri);
    const kind = found?.kind ?? kindByName(name);
    if (kind === undefined) return undefined;
    const text = await this.#workspace.read(uri);
    if (text === undefined) return undefined;
    const located: LocatedDocument = { uri, text, kind, model: found?.model };
    if (kind !== 'state-schema' || ownSchema(located) !== undefined) return located;
    return { ...located, referenced: await this.#readReferenced(located) };
  }

  /**
   * The text of a state schema, told by its name or by `metadata` alone: whoever types in one waits for no reading of
   * it. Undefined for other documents, and for a part of a schema, which only the schema itself names.
   */
  async schemaText(uri: string): Promise<string | undefined> {
    const document = URI.parse(uri);
    const isSchema =
      kindByName(Utils.basename(document)) === 'state-schema' || (await this.#isNamedAsSchema(document));
    return isSchema ? this.#workspace.read(uri) : undefined;
  }

  async #isNamedAsSchema(document: URI): Promise<boolean> {
    let folder = document;
    for (let level = 0; level < maxParents; level++) {
      const parent = Utils.dirname(folder);
      if (parent.path === folder.path) return false;
      folder = parent;
      const skillUri = Utils.joinPath(folder, skillFileName).toString();
      const text = await this.#readable(skillUri);
      if (text === undefined) continue;
      const { metadata } = this.#skills.get(skillUri, text, () => parseSkill(text));
      const named = normalizeRelativePath(metadata.get('state-schema')?.trim() ?? '');
      if (named !== undefined && Utils.joinPath(folder, ...named.split('/')).path === document.path)
        return true;
    }
    return false;
  }

  /** The schema that a located document holds, with the files that it refers to. */
  schemaOf(located: LocatedDocument): StateSchema {
    const { uri, text, referenced, model } = located;
    const path = schemaPath(located);
    const isPart = model?.skill.files.some((file) => file.path === path && file.role === 'state-schema-part');
    return ownSchema(located) ?? this.stateSchema(uri, { path, text }, referenced, isPart);
  }

  /** The skill in a folder; undefined where there is no `SKILL.md`. */
  async modelOf(folder: URI): Promise<SkillModel | undefined> {
    const key = folder.toString();
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const model = this.#load(folder);
    this.#models.set(key, model);
    model.catch(() => {
      if (this.#models.get(key) === model) this.#models.delete(key);
    });
    return model;
  }

  /** The schema in a text, read once for as long as it and the files that it refers to stay the same. */
  stateSchema(
    key: string,
    file: TextFile,
    referenced: readonly ReferencedFile[] = [],
    isPart = false,
  ): StateSchema {
    const others = referenced.map((one) => `${one.path}\0${one.kind === 'read' ? one.text : one.kind}`);
    return this.#schemas.get(`${key}\n${file.path}\n${isPart}`, [file.text, ...others].join('\0'), () =>
      loadStateSchema(file, referenced, isPart),
    );
  }

  /**
   * The skill in a folder; undefined too where its `SKILL.md` can't be read. That is a finding of the `SKILL.md`, and what
   * lies beside or below it stands alone.
   */
  async #readableModel(folder: URI): Promise<SkillModel | undefined> {
    try {
      return await this.modelOf(folder);
    } catch (error) {
      const text = await this.#readable(Utils.joinPath(folder, skillFileName).toString());
      if (text === undefined) return undefined;
      throw error;
    }
  }

  async #readable(uri: string): Promise<string | undefined> {
    return this.#workspace.read(uri).catch(() => undefined);
  }

  #readReferenced(located: LocatedDocument): Promise<readonly ReferencedFile[]> {
    const { uri, text, model } = located;
    const folder = Utils.dirname(URI.parse(uri));
    const uriOf = (path: string) =>
      model?.uriOf(path) ?? Utils.joinPath(folder, ...path.split('/')).toString();
    return readReferencedFiles(
      { path: schemaPath(located), text },
      (path) => this.#workspace.read(uriOf(path)),
      (file) => this.#schemaFile(uriOf(file.path), file),
    );
  }

  #schemaFile(key: string, file: TextFile): ReadSchemaFile {
    return this.#schemaFiles.get(`${key}\n${file.path}`, file.text, () => readSchemaFile(file));
  }

  /** The state in a text, likewise. */
  initialState(key: string, file: TextFile): LoadedInitialState {
    return this.#states.get(`${key}\n${file.path}`, file.text, () => loadInitialState(file));
  }

  async #findNaming(uri: string): Promise<{ model: SkillModel; kind: DocumentKind } | undefined> {
    let folder = URI.parse(uri);
    for (let level = 0; level < maxParents; level++) {
      const parent = Utils.dirname(folder);
      if (parent.path === folder.path) return undefined;
      folder = parent;
      const model = await this.#readableModel(folder);
      if (model === undefined) continue;
      const kind = kindIn(model, uri);
      if (kind !== undefined) return { model, kind };
      // A file beside the SKILL.md that bears the name of another kind's is that skill's, used or not.
      if (level === 0 && kindByName(Utils.basename(URI.parse(uri))) !== undefined) return undefined;
    }
    return undefined;
  }

  async #load(folder: URI): Promise<SkillModel | undefined> {
    const uriOf = (path: string) => Utils.joinPath(folder, ...path.split('/')).toString();
    const skillUri = uriOf(skillFileName);
    if ((await this.#workspace.read(skillUri)) === undefined) return undefined;
    const skill = await loadSkill(
      {
        folderName: Utils.basename(folder),
        read: (path) => this.#workspace.read(uriOf(path)),
      },
      {
        parseSkill: (text) => this.#skills.get(skillUri, text, () => parseSkill(text)),
        readSchemaFile: (file) => this.#schemaFile(uriOf(file.path), file),
        loadStateSchema: (file, referenced) => this.stateSchema(uriOf(file.path), file, referenced),
        loadInitialState: (file) => this.initialState(uriOf(file.path), file),
      },
    );
    const prefix = `${folder.path.replace(/\/$/, '')}/`;
    return {
      folderUri: folder.toString(),
      skillUri,
      skill,
      uriOf,
      pathOf(uri) {
        const other = URI.parse(uri);
        if (other.scheme !== folder.scheme || other.authority !== folder.authority) return undefined;
        return other.path.startsWith(prefix) ? other.path.slice(prefix.length) : undefined;
      },
    };
  }
}

/** The schema of the document's skill, where the document is that schema. */
function ownSchema(located: LocatedDocument): StateSchema | undefined {
  const schema = located.model?.skill.stateSchema;
  const isOwn =
    schema?.origin === 'file' && schema.path === schemaPath(located) && schema.text === located.text;
  return isOwn ? schema : undefined;
}

/** Relative to the skill's folder; of a schema without a skill the name. */
function schemaPath({ uri, model }: LocatedDocument): string {
  return model?.pathOf(uri) ?? Utils.basename(URI.parse(uri));
}

/** What a document is to a skill; undefined where the skill doesn't read it. */
function kindIn(model: SkillModel, uri: string): DocumentKind | undefined {
  const path = model.pathOf(uri);
  if (path === undefined) return undefined;
  const role = model.skill.files.find((file) => file.path === path)?.role;
  if (role !== undefined) return role === 'state-schema-part' ? 'state-schema' : role;
  // Named, but the text couldn't be read a moment ago.
  const { metadata } = model.skill.document;
  if (normalizeRelativePath(metadata.get('state-schema') ?? '') === path) return 'state-schema';
  if (normalizeRelativePath(metadata.get('initial-state') ?? '') === path) return 'initial-state';
  return undefined;
}

function kindByName(name: string): DocumentKind | undefined {
  if ((stateSchemaNames as readonly string[]).includes(name)) return 'state-schema';
  return (initialStateNames as readonly string[]).includes(name) ? 'initial-state' : undefined;
}
