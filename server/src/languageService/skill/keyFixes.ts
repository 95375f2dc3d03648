/** Fixes of keys: missing, unknown, misspelt or double ones, and lists in `metadata` that name files and actions. */
import { normalizeRelativePath } from '../../../../schemas/skill/fileMentions';
import { meantKey, metadataKeys, standardKeys } from '../../../../schemas/skill/frontMatterRules';
import { parseSkill } from '../../../../schemas/skill/skillDocument';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { Problem } from '../../../../schemas/text/problem';
import type { SkillPage } from '../documents';
import { type CandidateFix, folderNameOf } from './candidateFix';
import {
  addMetadata,
  addTopLevel,
  applyEdits,
  entryAt,
  frontMatterPart,
  moveUnderMetadata,
  nextLineAt,
  removeEntry,
} from './frontMatterEdits';
import { describedByBody, nameFor } from './skillSummary';
import { yamlScalar } from './skillTexts';

/** Adds a key that every skill needs; both where the front matter is empty. */
export function addMissing(page: SkillPage, key: string): readonly CandidateFix[] {
  const { document } = page;
  const folder = folderNameOf(page);
  const name = nameFor(document, folder);
  const isEmpty = document.source === undefined;
  const lines: string[] = [];
  if ((isEmpty || key === 'name') && name !== undefined) lines.push(`name: ${yamlScalar(name)}`);
  if (isEmpty || key === 'description') lines.push(`description: ${yamlScalar(describedByBody(document))}`);
  const edit = addTopLevel(document, lines, key === 'description' ? 'name' : undefined);
  if (edit === undefined || lines.length === 0) return [];
  const renames = lines.length > 0 && key === 'name' && name !== undefined && name !== folder;
  const what = isEmpty ? 'Add name and description' : key === 'name' ? `Add name: ${name}` : `Add a ${key}`;
  const title = renames ? `${what} and rename the folder` : what;
  return [{ title, edits: [edit], ...(renames ? { folderName: name } : {}), preferred: true }];
}

/** Renames a key that is nearly one of the known, or moves it under `metadata`. */
export function placeUnknown(
  page: SkillPage,
  problem: Problem,
  known: readonly string[],
  names: NamedThings,
): readonly (CandidateFix | undefined)[] {
  const { document } = page;
  const start = page.lines.offsetAt(problem.range.start);
  const entry = entryAt(document, start);
  if (entry === undefined || entry.inMetadata) return [];
  const { key, property } = entry;
  const fixes: (CandidateFix | undefined)[] = [];
  const meant = meantKey(key, known) ?? meantKey(key);
  if (meant !== undefined && document.source?.properties?.has(meant) !== true) {
    const edits = [{ start: property.keyStart, end: property.keyEnd, text: meant }];
    fixes.push({ title: `Write ${meant}`, edits, preferred: true });
  }
  const moved = moveUnderMetadata(document, key);
  if (moved !== undefined && namesWhatThereIs(key, property.node.value, names)) {
    fixes.push({ title: `Move ${key} under metadata`, edits: moved, preferred: meant === undefined });
  }
  fixes.push(moveAll(page, known, names));
  const removal = removeEntry(document, property.keyStart);
  fixes.push(removal && { title: `Remove ${key}`, edits: [removal] });
  return fixes;
}

/** What a text of `metadata` can name. */
export interface NamedThings {
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  readonly environments: readonly string[];
}

/** False for a text that would be read once it stands under this key of `metadata`, and names what isn't there. */
function namesWhatThereIs(key: string, value: unknown, { files, environments }: NamedThings): boolean {
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  switch (key) {
    case 'environment':
      return environments.includes(text.trim());
    case 'state-schema':
    case 'initial-state':
      return files.includes(normalizeRelativePath(text.trim()) ?? '');
    case 'include':
      return text
        .split(/\s+/)
        .every((word) => word === '' || files.includes(normalizeRelativePath(word) ?? ''));
    default:
      return true;
  }
}

const maxMoved = 50;

/** Moves every unknown key, where there are several. */
function moveAll(page: SkillPage, known: readonly string[], names: NamedThings): CandidateFix | undefined {
  const part = frontMatterPart(page.document);
  if (part === undefined) return undefined;
  const unknown = [...(page.document.source?.properties ?? [])].filter(
    ([key]) => !standardKeys.includes(key) && !known.includes(key),
  );
  if (unknown.length < 2 || unknown.length > maxMoved) return undefined;
  if (!unknown.every(([key, { node }]) => namesWhatThereIs(key, node.value, names))) return undefined;
  // Without the instructions, which would be read anew for every key.
  let document = parseSkill(page.text.slice(0, nextLineAt(page.text, part.end)));
  for (const [key] of unknown) {
    const edits = moveUnderMetadata(document, key);
    if (edits === undefined) return undefined;
    document = parseSkill(applyEdits(document.text, edits));
  }
  const after = frontMatterPart(document);
  if (after === undefined) return undefined;
  const text = document.text.slice(after.start, after.end);
  return { title: `Move all ${unknown.length} unknown keys under metadata`, edits: [{ ...part, text }] };
}

export function renameMetadataKey(
  page: SkillPage,
  problem: Problem,
  names: NamedThings,
): readonly CandidateFix[] {
  const start = page.lines.offsetAt(problem.range.start);
  const entry = entryAt(page.document, start);
  const meant = entry && nearestName(entry.key, metadataKeys);
  if (entry === undefined || meant === undefined || page.document.metadata.has(meant)) return [];
  if (!namesWhatThereIs(meant, entry.property.node.value, names)) return [];
  const edits = [{ start: entry.property.keyStart, end: entry.property.keyEnd, text: meant }];
  return [{ title: `Write ${meant}`, edits, preferred: true }];
}

export function removeDuplicate(page: SkillPage, problem: Problem): readonly (CandidateFix | undefined)[] {
  const start = page.lines.offsetAt(problem.range.start);
  const edit = removeEntry(page.document, start);
  const key = page.text.slice(start, page.lines.offsetAt(problem.range.end));
  return [edit && { title: `Remove this ${key}`, edits: [edit], preferred: true }];
}

/** Adds a file that the instructions mention to `metadata.include`. */
export function addToInclude(page: SkillPage, path: string): CandidateFix | undefined {
  if (/\s/.test(path)) return undefined; // white space separates paths
  const title = `Add ${path} to metadata.include`;
  const { document } = page;
  const included = document.source?.properties?.get('metadata')?.node.properties?.get('include');
  if (included === undefined) {
    const edit = addMetadata(document, 'include', yamlScalar(path));
    return edit && { title, edits: [edit], preferred: true };
  }
  const { node } = included;
  if (typeof node.value !== 'string' || node.start === node.end) return undefined;
  const text = yamlScalar([...node.value.split(/\s+/), path].filter((part) => part !== '').join(' '));
  return { title, edits: [{ start: node.start, end: node.end, text }], preferred: true };
}

/** Fixes of a word in a text of `metadata` that names nothing there is: the nearest there is, or none. */
export function replaceWord(
  page: SkillPage,
  key: string,
  word: string,
  known: readonly string[],
): readonly (CandidateFix | undefined)[] {
  const entry = page.document.source?.properties?.get('metadata')?.node.properties?.get(key);
  const value = entry?.node.value;
  if (entry === undefined || typeof value !== 'string') return [];
  const words = value.split(/\s+/).filter((part) => part !== '');
  const { start, end } = entry.node;
  const put = (title: string, next: readonly string[], preferred = false): CandidateFix => ({
    title,
    edits: [{ start, end, text: yamlScalar(next.join(' ')) }],
    preferred,
  });
  const fixes: (CandidateFix | undefined)[] = [];
  const apart = value.split(/[\s,]+/).filter((part) => part !== '');
  if (value.includes(',') && apart.every((part) => known.includes(part))) {
    fixes.push(put('Separate by spaces', apart, true));
  }
  const isMeant = (part: string) => part === word || normalizeRelativePath(part) === word;
  const near = nearestPath(word, known);
  if (near !== undefined && !words.includes(near)) {
    fixes.push(
      put(
        `Write ${near}`,
        words.map((part) => (isMeant(part) ? near : part)),
        true,
      ),
    );
  }
  const rest = words.filter((part) => !isMeant(part));
  if (rest.length > 0) fixes.push(put(`Remove ${word}`, rest));
  else {
    const removal = removeEntry(page.document, entry.keyStart);
    fixes.push(removal && { title: `Remove ${key}`, edits: [removal] });
  }
  return fixes;
}

/** The file that a path was meant to name: one of the same name elsewhere, else one whose path is nearly the same. */
export function nearestPath(path: string, known: readonly string[]): string | undefined {
  const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1).toLowerCase();
  const sameName = known.filter((file) => nameOf(file) === nameOf(path));
  return sameName.length === 1 ? sameName[0] : nearestName(path, known);
}
