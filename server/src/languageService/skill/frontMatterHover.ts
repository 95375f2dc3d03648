/** What the front matter's keys mean. */
import type { Hover } from 'vscode-languageserver-types';
import type { SkillPage, Tools } from '../documents';

/** Undefined where there is nothing to say. */
export async function hoverFrontMatter(
  _page: SkillPage,
  _offset: number,
  _tools: Tools,
): Promise<Hover | undefined> {
  return undefined;
}
