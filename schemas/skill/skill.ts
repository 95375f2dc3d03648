/** A skill as it is run: `SKILL.md`, the files it includes, its state schema and its initial state, read through a host. */
import type { JsonObject } from '../json/jsonValue';
import { type InitialStateProblemCode, initialStateOf, loadInitialState } from '../state/initialState';
import { type ReadSchemaFile, readReferencedFiles, readSchemaFile } from '../state/schemaFiles';
import { initialStateProblems, stateSchemaProblems } from '../state/stateProblems';
import {
  defaultStateSchema,
  loadStateSchema,
  type StateSchema,
  type StateSchemaProblemCode,
} from '../state/stateSchema';
import { normalizeText, trimBlankLines } from '../text/plainText';
import type { Range } from '../text/position';
import type { Problem, Severity } from '../text/problem';
import type { TextFile } from '../text/sourceFile';
import { maxDeclaredActions } from './actionList';
import { type ActionSignature, parseActions } from './actionSignature';
import { normalizeRelativePath } from './fileMentions';
import { separationAdvice } from './frontMatterRules';
import {
  checkFolderName,
  maxSkillLength,
  parseSkill,
  type SkillDocument,
  skillFileName,
} from './skillDocument';
import { type SkillProblemCode, skillProblemBlocksRun, skillProblems } from './skillProblems';

/** Reads files of one skill folder; paths are relative to it, with `/` between segments. */
export interface SkillFiles {
  /** The folder's own name, which `name` in the front matter has to equal. */
  readonly folderName: string;
  /** The text, or undefined where there is no such file. Other failures reject with an Error that says which file. */
  read(path: string): Promise<string | undefined>;
}

/** A file that took part in the run, recorded with it. */
export interface SkillFile {
  readonly path: string;
  /** A `state-schema-part` is a file that the state schema's references lead to. */
  readonly role: 'skill' | 'include' | 'state-schema' | 'state-schema-part' | 'initial-state';
  readonly text: string;
}

/** The closed set of what can be wrong with a skill and its files. */
export type SkillFileProblemCode = SkillProblemCode | StateSchemaProblemCode | InitialStateProblemCode;

/** A problem and the file it is in. */
export interface FileProblem {
  readonly path: string;
  readonly problem: Problem<SkillFileProblemCode>;
}

export interface Skill {
  /** `name` in the front matter, or the folder's where there is none. */
  readonly name: string;
  readonly document: SkillDocument;
  /** P: the instructions, followed by each included file after a blank line. */
  readonly instructions: string;
  readonly stateSchema: StateSchema;
  /** Σ_0. */
  readonly initialState: JsonObject;
  /** Of the body and of included files; empty where the skill declares none, and then any string is an action. */
  readonly actions: readonly ActionSignature[];
  /** `metadata.environment`, the environment to run in when none is asked for. */
  readonly environment: string | undefined;
  /** `metadata.terminal-actions`: names of the actions whose acceptance ends the run. */
  readonly terminalActions: readonly string[];
  readonly files: readonly SkillFile[];
  /**
   * Everything found, errors first. Most errors are breaches of the standard and don't keep a skill from running;
   * `blocksRun` says which do: those that leave the instructions, the state schema or the initial state unreadable.
   */
  readonly problems: readonly FileProblem[];
}

/** Where a state schema and an initial state are looked for when `metadata` names none, in this order. */
export const stateSchemaNames = ['state.schema.yaml', 'state.schema.yml', 'state.schema.json'] as const;
export const initialStateNames = ['state.initial.yaml', 'state.initial.yml', 'state.initial.json'] as const;

/** True where a skill with this problem can't be run. */
export function blocksRun({ problem: { code } }: FileProblem): boolean {
  if (Object.hasOwn(skillProblems, code)) return skillProblemBlocksRun(code as SkillProblemCode);
  const severities: Readonly<Record<string, Severity>> = { ...stateSchemaProblems, ...initialStateProblems };
  return severities[code] === 'error';
}

/** How bad a problem is for a run: what doesn't keep it from beginning is no error there. */
export function severityForRun(found: FileProblem): Severity {
  const { severity } = found.problem;
  return severity === 'error' && !blocksRun(found) ? 'warning' : severity;
}

/** How the texts of a skill are read; whoever loads it at every keystroke keeps what hasn't changed. */
export interface SkillReaders {
  readonly parseSkill: typeof parseSkill;
  readonly readSchemaFile: (file: TextFile) => ReadSchemaFile;
  readonly loadStateSchema: typeof loadStateSchema;
  readonly loadInitialState: typeof loadInitialState;
}

const plainReaders: SkillReaders = { parseSkill, readSchemaFile, loadStateSchema, loadInitialState };

/** Loads a skill. Problems of any kind are data; only the host's own bugs reject. */
export async function loadSkill(files: SkillFiles, readers: SkillReaders = plainReaders): Promise<Skill> {
  return new SkillLoader(files, readers).load();
}

/** How many mentioned files are looked for, for the hint that they are not included. */
const maxMentionLookups = 50;

class SkillLoader {
  readonly #host: SkillFiles;
  readonly #readers: SkillReaders;
  readonly #files: SkillFile[] = [];
  readonly #problems: FileProblem[] = [];

  constructor(host: SkillFiles, readers: SkillReaders) {
    this.#host = host;
    this.#readers = readers;
  }

  async load(): Promise<Skill> {
    const start: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const text = await this.#read(skillFileName, 'skill', start);
    const document = this.#readers.parseSkill(text ?? '');
    if (text === undefined) {
      this.#reportMissingSkill(start);
    } else {
      for (const problem of document.problems) this.#problems.push({ path: skillFileName, problem });
      const folder = checkFolderName(document, this.#host.folderName);
      if (folder !== undefined) this.#problems.push({ path: skillFileName, problem: folder });
    }
    const included = await this.#readIncluded(document);
    const instructions = [
      document.instructions,
      ...included.map((file) => trimBlankLines(normalizeText(file.text))),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
    const actions = this.#actions(document, included);
    const stateSchema = await this.#loadStateSchema(document);
    const initialState = await this.#loadInitialState(document, stateSchema);
    await this.#hintAtMentions(document, included);
    const terminalActions = words(document.metadata.get('terminal-actions'));
    this.#checkTerminalActions(document, terminalActions, actions);
    return {
      name: document.name ?? this.#host.folderName,
      document,
      instructions,
      stateSchema,
      initialState,
      actions,
      environment: document.metadata.get('environment')?.trim() || undefined,
      terminalActions,
      files: this.#files,
      problems: sorted(this.#problems),
    };
  }

  #report(code: SkillProblemCode, message: string, range: Range): void {
    this.#problems.push({
      path: skillFileName,
      problem: { code, severity: skillProblems[code].severity, message, range },
    });
  }

  #reportMissingSkill(range: Range): void {
    if (this.#problems.length > 0) return; // the host has said why it can't be read
    const message = `There is no ${skillFileName} in ${this.#host.folderName}; a skill is a folder with that file.`;
    this.#report('skill.unreadable-file', message, range);
  }

  /** Reads a file and notes it as part of the skill. `range` is where a failure is reported in SKILL.md. */
  async #read(path: string, role: SkillFile['role'], range: Range): Promise<string | undefined> {
    let text: string | undefined;
    try {
      text = await this.#host.read(path);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#report('skill.unreadable-file', message, range);
      return undefined;
    }
    if (text !== undefined) this.#files.push({ path, role, text });
    return text;
  }

  /** Reads a file that `metadata` names; what is wrong with the path or the file is reported at the key's value. */
  async #readNamed(document: SkillDocument, key: string, written: string, role: SkillFile['role']) {
    const range = metadataWordRange(document, key, written);
    const path = normalizeRelativePath(written);
    if (path === undefined) {
      const message = `metadata.${key} names ${JSON.stringify(written)}; name a file inside the skill's folder, by a relative path with / between folders.`;
      this.#report('skill.outside-folder', message, range);
      return undefined;
    }
    const before = this.#problems.length;
    const text = await this.#read(path, role, range);
    if (text !== undefined) return { path, text };
    if (this.#problems.length === before) {
      const all = document.metadata.get(key) ?? '';
      const advice = written.includes(',') && role === 'include' ? `; ${commaAdvice(key, all)}` : '.';
      const message = `metadata.${key} names ${JSON.stringify(written)}, and there is no such file in the skill's folder${advice}`;
      this.#report('skill.missing-file', message, range);
    }
    return undefined;
  }

  async #readFirst(names: readonly string[], role: SkillFile['role']) {
    const before = this.#problems.length;
    for (const path of names) {
      const text = await this.#read(path, role, {
        start: { line: 0, character: 0 },
        end: { line: 0, character: 0 },
      });
      // What can't be read is there, and no other file takes its place.
      if (this.#problems.length > before) return undefined;
      if (text === undefined) continue;
      await this.#reportUnused(names.slice(names.indexOf(path) + 1), path);
      return { path, text };
    }
    return undefined;
  }

  /** Whoever edits a file that is passed over would wonder why nothing changes. */
  async #reportUnused(names: readonly string[], used: string): Promise<void> {
    const code = 'skill.unused-file';
    const range: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    for (const path of names) {
      if (!(await this.#exists(path))) continue;
      const message = `${path} is not read, because ${used} is; keep one of them.`;
      this.#problems.push({
        path,
        problem: { code, severity: skillProblems[code].severity, message, range },
      });
    }
  }

  async #readIncluded(document: SkillDocument): Promise<SkillFile[]> {
    const included: SkillFile[] = [];
    const paths = words(document.metadata.get('include')).map((path) => normalizeRelativePath(path) ?? path);
    let length = 0;
    for (const written of new Set(paths)) {
      const file = await this.#readNamed(document, 'include', written, 'include');
      if (file === undefined) continue;
      length += file.text.length;
      if (length > maxSkillLength) {
        const message = `The included files have more than ${maxSkillLength} characters together; leave out ${written}, or shorten it.`;
        this.#report('skill.too-large', message, metadataRange(document, 'include'));
        break;
      }
      included.push({ ...file, role: 'include' });
    }
    return included;
  }

  /** Those of the body and of the included files, up to their limit. */
  #actions(document: SkillDocument, included: readonly SkillFile[]): readonly ActionSignature[] {
    const actions = [...document.actions];
    for (const file of included) {
      for (const action of this.#actionsOf(file)) {
        if (actions.length >= maxDeclaredActions) {
          const message = `Only the first ${maxDeclaredActions} actions of a skill are read, and ${file.path} declares others; declare fewer, with arguments for what differs.`;
          this.#report('skill.too-many-actions', message, metadataRange(document, 'include'));
          return actions;
        }
        actions.push(action);
      }
    }
    return actions;
  }

  #actionsOf({ path, text }: SkillFile): readonly ActionSignature[] {
    const declared = parseActions({ text, file: path });
    for (const problem of declared.problems) this.#problems.push({ path, problem });
    return declared.actions;
  }

  async #loadStateSchema(document: SkillDocument): Promise<StateSchema> {
    const named = document.metadata.get('state-schema')?.trim();
    const before = this.#problems.length;
    const file = named
      ? await this.#readNamed(document, 'state-schema', named, 'state-schema')
      : await this.#readFirst(stateSchemaNames, 'state-schema');
    if (file === undefined) {
      // One that can't be read has been told of.
      if (!named && this.#problems.length === before) {
        const message = `There is no ${stateSchemaNames[0]}: the state may be any small object. Write one to say what it holds.`;
        this.#report('skill.no-state-schema', message, nameRange(document));
      }
      return defaultStateSchema();
    }
    const referenced = await readReferencedFiles(
      file,
      (path) => this.#host.read(path),
      this.#readers.readSchemaFile,
    );
    const schema = this.#readers.loadStateSchema(file, referenced);
    for (const problem of schema.problems) this.#problems.push({ path: file.path, problem });
    for (const one of referenced) {
      if (one.kind === 'read')
        this.#files.push({ path: one.path, role: 'state-schema-part', text: one.text });
    }
    for (const { path, problems } of schema.parts) {
      for (const problem of problems) this.#problems.push({ path, problem });
    }
    return schema;
  }

  async #loadInitialState(document: SkillDocument, schema: StateSchema): Promise<JsonObject> {
    const named = document.metadata.get('initial-state')?.trim();
    const file = named
      ? await this.#readNamed(document, 'initial-state', named, 'initial-state')
      : await this.#readFirst(initialStateNames, 'initial-state');
    if (file === undefined) return initialStateOf(schema);
    const { state, problems } = this.#readers.loadInitialState(file);
    for (const problem of problems) this.#problems.push({ path: file.path, problem });
    return state ?? {};
  }

  /** A body that tells the model to read a file which isn't part of P sends it looking for what it can't see. */
  async #hintAtMentions(document: SkillDocument, included: readonly SkillFile[]): Promise<void> {
    const known = new Set([skillFileName, ...included.map(({ path }) => path)]);
    // A SKILL.md deeper down is a skill of its own, and a path with spaces can't be listed.
    const candidates = document.mentions.filter(
      ({ path }) =>
        !known.has(path) &&
        /^\S+\.(?:md|mdx|markdown|txt)$/i.test(path) &&
        !path.endsWith(`/${skillFileName}`),
    );
    for (const { path, range } of candidates.slice(0, maxMentionLookups)) {
      if (!(await this.#exists(path))) continue;
      const message = `${path} is mentioned here but is not part of the instructions; add it to metadata.include if the model needs it.`;
      this.#report('skill.not-included', message, range);
    }
  }

  async #exists(path: string): Promise<boolean> {
    try {
      return (await this.#host.read(path)) !== undefined;
    } catch {
      return false; // only a hint depends on it
    }
  }

  #checkTerminalActions(
    document: SkillDocument,
    names: readonly string[],
    actions: readonly ActionSignature[],
  ): void {
    const key = 'terminal-actions';
    for (const name of names) {
      if (actions.some((action) => action.name === name)) continue;
      const hasComma = name.includes(',');
      // Where the skill declares none, any other name may be an action.
      if (actions.length === 0 && !hasComma) continue;
      const advice = hasComma ? `; ${commaAdvice(key, document.metadata.get(key) ?? '')}` : '.';
      const message = `metadata.${key} names ${JSON.stringify(name)}, which is not a declared action${advice}`;
      this.#report('skill.unknown-terminal-action', message, metadataWordRange(document, key, name));
    }
  }
}

function words(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

/** For a list that was written with commas. */
function commaAdvice(key: string, text: string): string {
  return separationAdvice(
    key,
    text.split(/[\s,]+/).filter((part) => part !== ''),
  );
}

/** The place of a value in `metadata`, else that of a finding about the whole skill. */
export function metadataRange(document: SkillDocument, key: string): Range {
  const metadata = document.entries.find((entry) => entry.key === 'metadata');
  return metadata?.entries.find((entry) => entry.key === key)?.valueRange ?? nameRange(document);
}

/** Where a word of such a value stands; the value where the word isn't written as it is read. */
function metadataWordRange(document: SkillDocument, key: string, word: string): Range {
  const range = metadataRange(document, key);
  const { text, lines } = document;
  const start = lines.offsetAt(range.start);
  const value = text.slice(start, lines.offsetAt(range.end));
  for (let at = value.indexOf(word); at !== -1 && word !== ''; at = value.indexOf(word, at + 1)) {
    const isWhole =
      /^[\s"']?$/.test(value.charAt(at - 1)) && /^[\s"']?$/.test(value.charAt(at + word.length));
    if (isWhole) return lines.rangeOf(start + at, start + at + word.length);
  }
  return range;
}

/** Where a finding about the whole skill shows: its name, or the first line. */
function nameRange(document: SkillDocument): Range {
  const name = document.entries.find((entry) => entry.key === 'name');
  return name?.keyRange ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
}

const severityOrder: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

function sorted(problems: readonly FileProblem[]): FileProblem[] {
  return [...problems].sort(
    (a, b) => severityOrder.indexOf(a.problem.severity) - severityOrder.indexOf(b.problem.severity),
  );
}
