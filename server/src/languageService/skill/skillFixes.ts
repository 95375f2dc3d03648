/** Which fixes a finding in a `SKILL.md` has. */
import type { ClientProfile } from '../../../../schemas/skill/clientKeys';
import { normalizeRelativePath } from '../../../../schemas/skill/fileMentions';
import frontMatterSchema from '../../../../schemas/skill/frontMatter.schema.json';
import type { SkillFileProblemCode } from '../../../../schemas/skill/skill';
import type { Problem } from '../../../../schemas/text/problem';
import type { SkillPage } from '../documents';
import type { Fix } from '../finding';
import {
  closeFrontMatter,
  insertFrontMatter,
  removeFence,
  removeLinesBefore,
  removeNuls,
  replaceTabs,
} from './blockFixes';
import { type CandidateFix, offered } from './candidateFix';
import { clientKeyOf, knownKeys } from './clientFindings';
import { entryAt } from './frontMatterEdits';
import {
  addMissing,
  addToInclude,
  type NamedThings,
  nearestPath,
  placeUnknown,
  removeDuplicate,
  renameMetadataKey,
  replaceWord,
} from './keyFixes';
import type { SkillPageProblemCode } from './skillPageProblems';
import {
  fillEmpty,
  makeText,
  nameFixes,
  quoteColon,
  quoteLine,
  quoteNumber,
  separateTools,
  shortenText,
} from './valueFixes';

/** The names that a misspelt one is compared with; files are looked up only where a finding is about them. */
export interface KnownNames extends NamedThings {
  readonly profile: ClientProfile;
}

/** The fixes of a finding; `ordinal` counts the findings of the same code before it, in the order of the loader. */
export function fixesOf(
  problem: Problem<SkillFileProblemCode | SkillPageProblemCode>,
  ordinal: number,
  page: SkillPage,
  known: KnownNames,
): readonly Fix[] {
  return offered(problem, page, known.profile, candidatesFor(problem, ordinal, page, known));
}

function candidatesFor(
  problem: Problem<SkillFileProblemCode | SkillPageProblemCode>,
  ordinal: number,
  page: SkillPage,
  known: KnownNames,
): Iterable<CandidateFix | undefined> {
  switch (problem.code) {
    case 'skill.missing-front-matter':
      return insertFrontMatter(page);
    case 'skill.unclosed-front-matter':
      return [closeFrontMatter(page)];
    case 'skill.late-front-matter':
      return [removeLinesBefore(page)];
    case 'skill.fenced-front-matter':
      return [removeFence(page)];
    case 'skill.tab-indentation':
      return [replaceTabs(page)];
    case 'skill.nul-character':
      return [removeNuls(page)];
    case 'skill.syntax':
      return quoteLine(page, problem);
    case 'skill.unquoted-colon':
      return quoteColon(page, problem);
    case 'skill.inexact-number':
    case 'skill.unsupported-yaml':
      return quoteNumber(page, problem);
    case 'skill.duplicate-key':
      return removeDuplicate(page, problem);
    case 'skill.missing-key': {
      const has = (key: string) => page.document.source?.properties?.has(key) === true;
      const missing = frontMatterSchema.required.filter((key) => !has(key))[ordinal];
      return missing === undefined ? [] : addMissing(page, missing);
    }
    case 'skill.unknown-key':
      return placeUnknown(page, problem, knownKeys(known.profile), known);
    case 'skill.misspelt-metadata-key':
      return renameMetadataKey(page, problem, known);
    case 'skill.wrong-type':
      return makeText(page, problem);
    case 'skill.comma-separated':
      return separateTools(page, problem);
    case 'skill.empty-value':
      return fillEmpty(page, problem);
    case 'skill.too-long':
      return shortenText(page, problem);
    case 'skill.invalid-name':
    case 'skill.folder-name':
      return nameFixes(page);
    case 'skill.not-included':
      return [includeMention(page, problem)];
    case 'skill.missing-file':
      return replaceMissingFile(page, problem, known.files, ordinal);
    case 'skill.broken-link':
      return replaceLink(page, problem, known.files);
    case 'skill.unknown-terminal-action': {
      const names = [...new Set(page.model.skill.actions.map(({ name }) => name))];
      // Where the skill declares none, only commas are found fault with.
      const isUnknown = (word: string) => (names.length === 0 ? word.includes(',') : !names.includes(word));
      const unknown = wordsOf(page, 'terminal-actions').filter(isUnknown)[ordinal];
      return unknown === undefined ? [] : replaceWord(page, 'terminal-actions', unknown, names);
    }
    case 'skill.unknown-environment':
      return replaceWord(page, 'environment', page.model.skill.environment ?? '', known.environments);
    case 'skill.client-value':
      return mendClientValue(page, problem, known.profile);
    default:
      return [];
  }
}

function wordsOf(page: SkillPage, key: string): readonly string[] {
  return (page.document.metadata.get(key) ?? '').split(/\s+/).filter((word) => word !== '');
}

function includeMention(page: SkillPage, problem: Problem): CandidateFix | undefined {
  const { start } = problem.range;
  const mention = page.document.mentions.find(
    ({ range }) => range.start.line === start.line && range.start.character === start.character,
  );
  return mention && addToInclude(page, mention.path);
}

function replaceMissingFile(
  page: SkillPage,
  problem: Problem,
  files: readonly string[],
  ordinal: number,
): readonly (CandidateFix | undefined)[] {
  const entry = entryAt(page.document, page.lines.offsetAt(problem.range.start));
  if (entry?.inMetadata !== true) return [];
  const missing = wordsOf(page, entry.key)
    .map((word) => normalizeRelativePath(word) ?? word)
    .filter((word) => !page.model.skill.files.some(({ path }) => path === word));
  // The files of `include` are read before all others.
  const word = missing[entry.key === 'include' ? ordinal : 0];
  return word === undefined ? [] : replaceWord(page, entry.key, word, files);
}

function replaceLink(
  page: SkillPage,
  problem: Problem,
  files: readonly string[],
): readonly (CandidateFix | undefined)[] {
  const start = page.lines.offsetAt(problem.range.start);
  const end = page.lines.offsetAt(problem.range.end);
  const written = page.text.slice(start, end);
  const near = nearestPath(normalizeRelativePath(written.split(/[?#]/, 1)[0] ?? '') ?? written, files);
  if (near === undefined || /[\s()<>]/.test(near)) return [];
  const fragment = /[?#].*$/.exec(written)?.[0] ?? '';
  return [{ title: `Write ${near}`, edits: [{ start, end, text: near + fragment }], preferred: true }];
}

/** What a client takes instead: each choice, or the flag without quotes. */
function mendClientValue(
  page: SkillPage,
  problem: Problem,
  profile: ClientProfile,
): readonly (CandidateFix | undefined)[] {
  const entry = entryAt(page.document, page.lines.offsetAt(problem.range.start));
  const key = entry && clientKeyOf(profile, entry.key);
  if (entry === undefined || key === undefined) return [];
  const { node } = entry.property;
  if (node.start === node.end || typeof node.value === 'object') return [];
  const put = (text: string, preferred = false): CandidateFix => ({
    title: `Write ${text}`,
    edits: [{ start: node.start, end: node.end, text }],
    preferred,
  });
  if (key.value.kind === 'choice') return key.value.choices.map((choice) => put(choice));
  if (key.value.kind !== 'flag') return [];
  const isTrue = /^(?:true|yes|on|1)$/i.test(String(node.value));
  const isFalse = /^(?:false|no|off|0)$/i.test(String(node.value));
  return [put('true', isTrue), put('false', isFalse)];
}
