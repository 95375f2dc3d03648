/** What is found in a `SKILL.md` besides the problems that loading the skill reports. */
import type { Severity } from '../../../../schemas/text/problem';

export const skillPageProblems = {
  /** The value of a key that only a client knows is none that it takes. */
  'skill.client-value': 'warning',
  /** A Markdown link to a file that isn't in the folder. */
  'skill.broken-link': 'warning',
  /** Longer than the standard recommends. */
  'skill.long-body': 'hint',
} as const satisfies Record<`skill.${string}`, Severity>;

export type SkillPageProblemCode = keyof typeof skillPageProblems;
