/** `SKILL.md` as a document: front matter after the Agent Skills standard (agentskills.io/specification), then instructions. */
import type { Problem } from '../text/problem';
import type { Range } from '../text/position';
import type { ActionSignature } from './actionSignature';

/** One key of the front matter, with its value as YAML reads it. */
export interface FrontMatterEntry {
  readonly key: string;
  readonly keyRange: Range;
  readonly value: unknown;
  readonly valueRange: Range;
  /** The entries of a mapping value (as under `metadata`), else empty. */
  readonly entries: readonly FrontMatterEntry[];
}

/** A file that the body mentions by a link or a code span, relative to the skill's folder. */
export interface FileMention {
  readonly path: string;
  readonly range: Range;
}

/** Everything that the text of one `SKILL.md` says, however broken it is. */
export interface SkillDocument {
  readonly text: string;
  readonly entries: readonly FrontMatterEntry[];
  /** The YAML text between the two `---` lines; undefined where there is no front matter. */
  readonly frontMatterRange: Range | undefined;
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** `metadata` as a map of strings; entries of other types are left out and reported. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Everything after the front matter, as written. */
  readonly bodyRange: Range;
  /** P without included files: the body with LF line ends, outer blank lines trimmed. */
  readonly instructions: string;
  /** 0-based line of the first line of the instructions in `text`. */
  readonly firstInstructionLine: number;
  readonly actions: readonly ActionSignature[];
  readonly mentions: readonly FileMention[];
  readonly problems: readonly Problem<SkillProblemCode>[];
}

/** The closed set of what can be wrong in a `SKILL.md`. (Extended by the parser's author as rules land.) */
export type SkillProblemCode = `skill.${string}`;
