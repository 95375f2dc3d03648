/** The files that a `SKILL.md` names, in metadata and in its text, as links. */
import type { DocumentLink } from 'vscode-languageserver-types';
import type { SkillPage, Tools } from '../documents';
import { filesInMetadata } from './metadataWords';
import { FileLookup } from './skillFiles';

const maxLinks = 500;

/** Links to files that exist, in the order of the text. Markdown links are left to editors that follow them. */
export async function linksInSkill(page: SkillPage, tools: Tools): Promise<readonly DocumentLink[]> {
  const { document, model } = page;
  const named = filesInMetadata(document).map(({ path, start, end }) => ({
    path,
    range: page.lines.rangeOf(start, end),
  }));
  // VS Code's own Markdown support links them in SKILL.md.
  const mentioned = document.allMentions.filter(
    ({ kind }) => kind === 'code' || !tools.settings.builtInSkill,
  );
  const lookup = new FileLookup(model, tools.workspace);
  const links: DocumentLink[] = [];
  for (const { path, range } of [...named, ...mentioned].slice(0, maxLinks)) {
    if ((await lookup.has(path)) === true) links.push({ range, target: model.uriOf(path), tooltip: path });
  }
  return links;
}
