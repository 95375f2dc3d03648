/** Completion of the front matter's keys and values. */
import type { CompletionItem } from 'vscode-languageserver-types';
import type { SkillPage, Tools } from '../documents';

/** Undefined where the offset is not in the front matter. */
export async function completeFrontMatter(
  _page: SkillPage,
  _offset: number,
  _tools: Tools,
): Promise<readonly CompletionItem[] | undefined> {
  return undefined;
}
