/** Where prose and schema disagree: paths that aren't there, fields that no instruction mentions, actions. */
import type { IncludedPage, SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { findInActionCalls, findUnexplainedArguments } from './actionFindings';
import { findInEnvironmentActions } from './environmentActions';
import { findInPaths } from './pathFindings';
import type { ProseProblemCode } from './proseProblems';

export { findUnmentioned } from './unmentionedFields';

/** Findings in instructions. */
export async function findInProse(
  page: SkillPage | IncludedPage,
  tools: Tools,
): Promise<readonly Finding<ProseProblemCode>[]> {
  const lists: (readonly Finding<ProseProblemCode>[])[] = [findInPaths(page)];
  await tools.pause();
  lists.push(findInActionCalls(page));
  await tools.pause();
  lists.push(findUnexplainedArguments(page));
  await tools.pause();
  lists.push(findInEnvironmentActions(page, tools.environments));
  return lists.flat();
}
