/** Completion inside code spans: paths of the state and names of actions. */
import type { CompletionItem } from 'vscode-languageserver-types';
import type { IncludedPage, SkillPage, Tools } from '../documents';

/** Undefined where the offset is in no code span. */
export async function completeProse(
  _page: SkillPage | IncludedPage,
  _offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[] | undefined> {
  return undefined;
}
