/** What stops a run counts as an error in `validate`, also where an editor only warns. */
import type { FileProblem } from '../../../schemas/skill/skill';
import type { Finding } from '../../../server/src/languageService/finding';
import type { DefaultProblemCode } from '../../../server/src/languageService/state/defaultFindings';

/** Findings that an editor shows as warnings, since writing the initial state may be the next step; and what a run calls them. */
const warnedOf: ReadonlyMap<string, FileProblem['problem']['code']> = new Map<
  DefaultProblemCode,
  FileProblem['problem']['code']
>([
  ['initial.defaults-do-not-fit', 'initial.does-not-fit'],
  ['initial.defaults-break-invariant', 'state.invariant-of-initial-state'],
]);

/** A finding with the severity that it has for a run. */
export function asForRun(finding: Finding): Finding {
  return warnedOf.has(finding.code) ? { ...finding, severity: 'error' } : finding;
}

/** The refusals of a run that no error among the findings in the skill's files tells of. */
export function untoldRefusals(
  refusals: readonly FileProblem[],
  findings: readonly Finding[],
): readonly FileProblem[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const told = new Set(errors.map(({ code }) => warnedOf.get(code) ?? code));
  // Why a schema can't be used is told in as many words as there are things wrong with it.
  if (errors.some(({ code }) => code.startsWith('state.'))) told.add('state.unusable-schema');
  return refusals.filter(({ problem }) => !told.has(problem.code));
}
