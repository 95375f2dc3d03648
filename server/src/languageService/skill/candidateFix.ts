/** Fixes of a `SKILL.md` before they are offered: only those that bring no new error are. */
import { URI, Utils } from 'vscode-uri';
import type { ClientProfile } from '../../../../schemas/skill/clientKeys';
import {
  checkFolderName,
  parseSkill,
  type SkillDocument,
  type SkillProblemCode,
} from '../../../../schemas/skill/skillDocument';
import type { Problem } from '../../../../schemas/text/problem';
import type { SkillPage } from '../documents';
import type { Fix } from '../finding';
import { underProfile } from './clientFindings';
import { applyEdits, type OffsetEdit } from './frontMatterEdits';

/** A change of the page, with offsets. */
export interface CandidateFix {
  readonly title: string;
  readonly edits: readonly OffsetEdit[];
  /** The skill's folder gets this name. */
  readonly folderName?: string;
  readonly preferred?: boolean;
}

/** The name of the skill's folder. */
export function folderNameOf(page: SkillPage): string {
  return Utils.basename(URI.parse(page.model.folderUri));
}

/** The candidates that mend the problem and bring no new error, as fixes. */
export function offered(
  problem: Problem,
  page: SkillPage,
  profile: ClientProfile,
  candidates: Iterable<CandidateFix | undefined>,
): readonly Fix[] {
  const fixes: Fix[] = [];
  const problemsOf = (document: SkillDocument, folderName: string): readonly Problem[] => {
    const folder = checkFolderName(document, folderName);
    const found = folder === undefined ? document.problems : [...document.problems, folder];
    return found.filter((each) => underProfile<string>(each, document, profile) !== undefined);
  };
  const before = problemsOf(page.document, folderNameOf(page));
  const mended = ({ edits, folderName }: CandidateFix): boolean => {
    if (edits.length === 0 && folderName === undefined) return false;
    const document = parseSkill(applyEdits(page.text, edits));
    return mends(problem, before, problemsOf(document, folderName ?? folderNameOf(page)));
  };
  for (const candidate of candidates) {
    if (candidate !== undefined && mended(candidate)) fixes.push(fixOf(page, candidate));
  }
  return fixes;
}

/** Until these are mended the rest of the front matter is not looked at, so that others may come to light. */
const hiding: ReadonlySet<string> = new Set<SkillProblemCode>([
  'skill.syntax',
  'skill.tab-indentation',
  'skill.unquoted-colon',
  'skill.multiple-documents',
  'skill.missing-front-matter',
]);

/** What only a look into the folder or at a client tells: no text shows that it is mended. */
const outside: ReadonlySet<string> = new Set([
  'skill.missing-file',
  'skill.not-included',
  'skill.unknown-terminal-action',
  'skill.unknown-environment',
  'skill.outside-folder',
  'skill.client-value',
  'skill.broken-link',
]);

function mends(problem: Problem, before: readonly Problem[], after: readonly Problem[]): boolean {
  const [were, are] = [counts(before), counts(after)];
  const isMended = outside.has(problem.code) || (are.get(problem.code) ?? 0) < (were.get(problem.code) ?? 0);
  const errors = after.filter(({ severity, code }) => severity === 'error' && isComparable(problem, code));
  return isMended && errors.every(({ code }) => (are.get(code) ?? 0) <= (were.get(code) ?? 0));
}

function isComparable(problem: Problem, code: string): boolean {
  return !hiding.has(problem.code) || hiding.has(code);
}

/** How often each code occurs. */
function counts(problems: readonly Problem[]): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const { code } of problems) counted.set(code, (counted.get(code) ?? 0) + 1);
  return counted;
}

function fixOf(page: SkillPage, { title, edits, folderName, preferred }: CandidateFix): Fix {
  const replacements = edits.map(({ start, end, text }) => ({
    range: page.lines.rangeOf(start, end),
    text,
  }));
  const from = page.model.folderUri;
  const to =
    folderName === undefined
      ? undefined
      : Utils.joinPath(Utils.dirname(URI.parse(from)), folderName).toString();
  return {
    title,
    edits: new Map(replacements.length === 0 ? [] : [[page.uri, replacements]]),
    ...(to === undefined ? {} : { renames: [{ from, to }] }),
    ...(preferred === true ? { preferred } : {}),
  };
}
