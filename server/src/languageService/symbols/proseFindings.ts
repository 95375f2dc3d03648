/** Where prose and schema disagree: paths that aren't there, fields that no instruction mentions, actions. */
import type { IncludedPage, SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { findInActionCalls, findUnexplainedArguments } from './actionFindings';
import { findInEnvironmentActions } from './environmentActions';
import { findInPaths } from './pathFindings';
import { type ProseProblemCode, proseProblems } from './proseProblems';
import { spansOf } from './skillProse';

export { findUnmentioned } from './unmentionedFields';

/** How many code spans of a page are checked. */
const maxChecked = 20_000;

/** Findings in instructions. */
export async function findInProse(
  page: SkillPage | IncludedPage,
  tools: Tools,
): Promise<readonly Finding<ProseProblemCode>[]> {
  const all = spansOf(page);
  const spans = all.slice(0, maxChecked);
  await tools.pause();
  const lists: (readonly Finding<ProseProblemCode>[])[] = [findInPaths(page, spans)];
  await tools.pause();
  lists.push(findInActionCalls(page, spans));
  const unchecked = all[maxChecked];
  if (unchecked !== undefined) {
    const code = 'skill.unchecked-code-spans';
    const message = `Only the first ${maxChecked} code spans are checked; move those from here on into a file of their own.`;
    const range = page.lines.rangeOf(unchecked.start, unchecked.end);
    lists.push([{ code, severity: proseProblems[code], message, range }]);
  }
  await tools.pause();
  lists.push(findUnexplainedArguments(page));
  await tools.pause();
  lists.push(findInEnvironmentActions(page, tools.environments));
  return lists.flat();
}
