/**
 * What can be wrong with a skill. An `error` is what the Agent Skills standard forbids or what stops a run; a
 * `warning` is probably not meant. Only what leaves the instructions unreadable blocks a run: most skills in the
 * world break some rule of the standard, and those run too.
 */
import type { Severity } from '../text/problem';

interface Rule {
  readonly severity: Severity;
  /** True where a run can't begin. */
  readonly blocksRun?: true;
}

export const skillProblems = {
  /** There is no SKILL.md, or a host can't read it. */
  'skill.unreadable-file': { severity: 'error', blocksRun: true },
  /** The whole file is. */
  'skill.too-large': { severity: 'error', blocksRun: true },
  'skill.missing-front-matter': { severity: 'error' },
  /** No closing `---`: the front matter is taken to end at its first blank line. */
  'skill.unclosed-front-matter': { severity: 'error' },
  'skill.fenced-front-matter': { severity: 'error' },
  /** Blank lines before the opening `---`. */
  'skill.late-front-matter': { severity: 'error' },
  'skill.second-front-matter': { severity: 'warning' },
  /** Longer than anybody reads, or with aliases that multiply: left unread. */
  'skill.large-front-matter': { severity: 'error' },
  'skill.not-a-mapping': { severity: 'error' },
  'skill.syntax': { severity: 'error' },
  'skill.unquoted-colon': { severity: 'error' },
  'skill.tab-indentation': { severity: 'error' },
  'skill.multiple-documents': { severity: 'error' },
  'skill.duplicate-key': { severity: 'error' },
  'skill.unsupported-yaml': { severity: 'error' },
  'skill.inexact-number': { severity: 'warning' },
  'skill.too-deep': { severity: 'error' },
  'skill.nul-character': { severity: 'error' },
  'skill.not-utf-8': { severity: 'warning' },
  /** The standard lists the keys; clients skip others, so this is no error. */
  'skill.unknown-key': { severity: 'warning' },
  /** A key of `metadata` that is nearly one of those that are read. */
  'skill.misspelt-metadata-key': { severity: 'warning' },
  'skill.missing-key': { severity: 'error' },
  'skill.wrong-type': { severity: 'error' },
  'skill.empty-value': { severity: 'error' },
  /** `allowed-tools` with commas: several clients read it so, the standard wants spaces. */
  'skill.comma-separated': { severity: 'warning' },
  'skill.too-long': { severity: 'error' },
  'skill.invalid-name': { severity: 'error' },
  'skill.folder-name': { severity: 'error' },
  'skill.empty-instructions': { severity: 'error', blocksRun: true },
  'skill.duplicate-action': { severity: 'warning' },
  'skill.action-syntax': { severity: 'warning' },
  /** More actions than a model can be told of: those beyond the limit would be rejected without a reason. */
  'skill.too-many-actions': { severity: 'error', blocksRun: true },
  'skill.unknown-terminal-action': { severity: 'warning' },
  /** `metadata.include`, `state-schema` or `initial-state` names a file outside the skill's folder. */
  'skill.outside-folder': { severity: 'error', blocksRun: true },
  /** A file that the front matter names isn't there. */
  'skill.missing-file': { severity: 'error', blocksRun: true },
  /** A state schema or initial state that is passed over for another one beside it. */
  'skill.unused-file': { severity: 'warning' },
  /** `metadata.environment` names none that there is; found when a run begins. */
  'skill.unknown-environment': { severity: 'error', blocksRun: true },
  'skill.not-included': { severity: 'hint' },
  /** True of most skills in the world. */
  'skill.no-state-schema': { severity: 'hint' },
} as const satisfies Record<`skill.${string}`, Rule>;

/** The closed set of what can be wrong with a `SKILL.md` and the files it names. */
export type SkillProblemCode = keyof typeof skillProblems;

/** True where a problem of this code keeps a run from beginning. */
export function skillProblemBlocksRun(code: SkillProblemCode): boolean {
  const rule: Rule = skillProblems[code];
  return rule.blocksRun === true;
}
