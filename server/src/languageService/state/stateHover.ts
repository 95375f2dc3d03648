/** What the schema says of a value in an initial state or in an example. */
import type { Hover } from 'vscode-languageserver-types';
import type { IncludedPage, SkillPage, StatePage, Tools } from '../documents';

/** Undefined where there is nothing to say. */
export async function hoverState(
  _page: StatePage | SkillPage | IncludedPage,
  _offset: number,
  _tools: Tools,
): Promise<Hover | undefined> {
  return undefined;
}
