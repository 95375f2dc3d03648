/** Everything that is found in a state schema. */

import { stateBound, unboundedPlaces } from '../../../../schemas/state/stateBound';
import type { Severity } from '../../../../schemas/text/problem';
import type { SchemaPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { findInDefaults } from '../state/defaultFindings';
import { deletionProblems, findDeletionConflicts } from './deletionConflicts';
import { findInInvariants, invariantProblems } from './invariantFindings';
import { findMergeHazards, hazardProblems } from './mergeHazards';
import { fixesOfProblem, mayHaveFixes } from './problemFixes';
import { findProviderKeywords, providerProblems } from './providerSupport';
import { type SchemaContext, schemaContextOf } from './schemaContext';
import { boundProblems, findUnbounded } from './unboundedFindings';

/** What is found in a schema that can be used; what keeps it from being used is in `stateSchemaProblems`. */
export const schemaFindingProblems = {
  ...boundProblems,
  ...deletionProblems,
  ...hazardProblems,
  ...invariantProblems,
  ...providerProblems,
} as const satisfies Record<`state.${string}`, Severity>;

/** Findings with their fixes; the service sorts them. */
export async function findInSchema(page: SchemaPage, tools: Tools): Promise<readonly Finding[]> {
  const context = schemaContextOf(page);
  const { problems } = page.schema;
  const loading = problems.map(
    (problem): Finding =>
      mayHaveFixes(problem) ? { ...problem, fixes: () => fixesOfProblem(context, problem) } : problem,
  );
  // What follows from a schema that is wrong itself would only hide that.
  if (problems.some(({ severity }) => severity === 'error')) return loading;
  const hazards = await findHazards(context, tools);
  return [...loading, ...hazards, ...(await findInDefaults(page, tools))];
}

async function findHazards(
  context: SchemaContext,
  tools: Tools,
): Promise<readonly Finding<keyof typeof schemaFindingProblems>[]> {
  // What a part of a schema leaves open may be bounded where it is referred to, and is found there if not.
  const unbounded = context.schema.isPart ? [] : unboundedPlaces(stateBound(context.schema).root);
  const reported = new Set(unbounded.map(({ pointer, missing }) => `${pointer} ${missing}`));
  const finders = [
    () => findUnbounded(context, unbounded),
    () => findDeletionConflicts(context),
    () => findMergeHazards(context, reported),
    () => findInInvariants(context),
    () => findProviderKeywords(context),
  ];
  const found: (readonly Finding<keyof typeof schemaFindingProblems>[])[] = [];
  for (const find of finders) {
    await tools.pause();
    found.push(find());
  }
  await tools.pause();
  return found.flat();
}
