/** Completion in initial states and in a skill's JSON examples, by the state schema. */
import type { CompletionItem } from 'vscode-languageserver-types';
import type { IncludedPage, SkillPage, StatePage, Tools } from '../documents';

export async function completeState(
  _page: StatePage,
  _offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[]> {
  return [];
}

/** Undefined where the offset is in no example. */
export async function completeExample(
  _page: SkillPage | IncludedPage,
  _offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[] | undefined> {
  return undefined;
}
