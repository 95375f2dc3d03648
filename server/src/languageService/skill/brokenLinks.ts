/** Markdown links of a `SKILL.md` to files of the skill that aren't there. */
import type { SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';
import { FileLookup } from './skillFiles';

const maxLookups = 200;

/** Placeholders such as `<name>`, `{id}`, `$1`, `*` and `...` name no single file. */
const isTemplate = /[<>{}$*|]|\.\.\./;

/** `example.com/a.html`: a site that lacks its https. */
const isSite = /^(?:www\.|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|gov|edu)(?:\/|$))/i;

/** Warnings at the targets of such links; what may be meant otherwise is passed over. */
export async function findBrokenLinks(
  page: SkillPage,
  tools: Tools,
): Promise<readonly Finding<'skill.broken-link'>[]> {
  const candidates = page.document.allMentions.filter(
    ({ kind, path }) =>
      kind === 'link' && /\.\w{1,10}$/.test(path) && !isTemplate.test(path) && !isSite.test(path),
  );
  if (candidates.length === 0) return [];
  const lookup = new FileLookup(page.model, tools.workspace);
  const findings: Finding<'skill.broken-link'>[] = [];
  for (const { path, range } of candidates.slice(0, maxLookups)) {
    if ((await lookup.has(path)) !== false) continue;
    const message = `There is no file ${path} in the skill's folder; mend the link or add the file.`;
    findings.push({ code: 'skill.broken-link', severity: 'warning', message, range });
  }
  return findings;
}
