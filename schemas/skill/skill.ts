/** A skill as it is run: `SKILL.md`, the files it includes, its state schema and its initial state, read through a host. */
import type { JsonObject } from '../json/jsonValue';
import type { StateSchema } from '../state/stateSchema';
import type { Problem } from '../text/problem';
import type { ActionSignature } from './actionSignature';
import type { SkillDocument } from './skillDocument';

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
  readonly role: 'skill' | 'include' | 'state-schema' | 'initial-state';
  readonly text: string;
}

/** A problem and the file it is in. */
export interface FileProblem {
  readonly path: string;
  readonly problem: Problem;
}

export interface Skill {
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
  /** Everything found, errors first. A skill with errors can't be run. */
  readonly problems: readonly FileProblem[];
}
