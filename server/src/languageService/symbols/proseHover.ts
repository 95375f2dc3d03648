/** What a code span names: a field of the state or an action. */
import type { Hover } from 'vscode-languageserver-types';
import type { IncludedPage, SkillPage, Tools } from '../documents';

/** Undefined where there is nothing to say. */
export async function hoverProse(
  _page: SkillPage | IncludedPage,
  _offset: number,
  _tools: Tools,
): Promise<Hover | undefined> {
  return undefined;
}
