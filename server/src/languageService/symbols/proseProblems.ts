/** What can be wrong between instructions, schema and environment. */
import type { Severity } from '../../../../schemas/text/problem';

export const proseProblems = {
  /** A code span that is meant as a path of the state, and isn't in the schema. */
  'skill.unknown-state-path': 'warning',
  /** The same where it may mean something else: a short word, or a member of a value that nothing else speaks of. */
  'skill.doubtful-state-path': 'hint',
  /** A code span that is meant as an action, by a name that is nearly a declared one's. */
  'skill.misspelt-action': 'warning',
  /** A code span that is meant as a declared action, with other arguments than declared. */
  'skill.action-arguments': 'warning',
  /** An argument of an action that nothing else in the instructions or the state speaks of. */
  'skill.unexplained-argument': 'hint',
  /** A declared action that the skill's environment doesn't know. */
  'skill.unknown-environment-action': 'warning',
  /** A declared action that takes other arguments in the skill's environment. */
  'skill.environment-action-arguments': 'warning',
  /** Actions of the skill's environment that aren't declared. */
  'skill.undeclared-environment-action': 'information',
  /** From here on code spans are not checked: there are too many. */
  'skill.unchecked-code-spans': 'information',
  /** A field of the state that no instruction mentions. */
  'state.unmentioned-field': 'hint',
} as const satisfies Record<`skill.${string}` | `state.${string}`, Severity>;

export type ProseProblemCode = keyof typeof proseProblems;
