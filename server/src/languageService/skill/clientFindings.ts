/** Front matter as the chosen client judges it: keys that it knows besides the standard's, and their values. */
import {
  type ClientKey,
  type ClientProfile,
  clientOf,
  clientsKnowing,
  clientValueMistake,
} from '../../../../schemas/skill/clientKeys';
import { meantKey, standardKeys } from '../../../../schemas/skill/frontMatterRules';
import type { FrontMatterEntry, SkillDocument } from '../../../../schemas/skill/skillDocument';
import type { Position } from '../../../../schemas/text/position';
import type { Problem } from '../../../../schemas/text/problem';
import type { SkillPage } from '../documents';
import type { Finding } from '../finding';

/** The keys that are known under a profile. */
export function knownKeys(profile: ClientProfile): readonly string[] {
  return [...standardKeys, ...(clientOf(profile)?.keys ?? []).map(({ key }) => key)];
}

/** A key of a profile's client; undefined for one of the standard's and for unknown ones. */
export function clientKeyOf(profile: ClientProfile, key: string): ClientKey | undefined {
  return clientOf(profile)?.keys.find((known) => known.key === key);
}

const indexed = new WeakMap<SkillDocument, ReadonlyMap<string, FrontMatterEntry>>();

/** Top-level entries by where their key and their value begin. */
function entriesByPlace(document: SkillDocument): ReadonlyMap<string, FrontMatterEntry> {
  const known = indexed.get(document);
  if (known !== undefined) return known;
  const entries = new Map<string, FrontMatterEntry>();
  for (const entry of document.entries) {
    entries.set(placeKey(entry.valueRange.start), entry);
    entries.set(placeKey(entry.keyRange.start), entry);
  }
  indexed.set(document, entries);
  return entries;
}

function placeKey({ line, character }: Position): string {
  return `${line}:${character}`;
}

/** The standard's finding as the profile sees it; undefined where the client allows what it is about. */
export function underProfile<Code extends string>(
  problem: Problem<Code>,
  document: SkillDocument,
  profile: ClientProfile,
): Problem<Code> | undefined {
  if (problem.code === 'skill.comma-separated' && clientOf(profile)?.takesToolLists === true)
    return undefined;
  if (problem.code !== 'skill.unknown-key' && problem.code !== 'skill.wrong-type') return problem;
  const entry = entriesByPlace(document).get(placeKey(problem.range.start));
  if (entry === undefined) return problem;
  if (problem.code === 'skill.unknown-key') {
    if (clientKeyOf(profile, entry.key) !== undefined) return undefined;
    return { ...problem, message: unknownKeyMessage(entry.key, profile) ?? problem.message };
  }
  const isToolList =
    problem.code === 'skill.wrong-type' &&
    entry.key === 'allowed-tools' &&
    Array.isArray(entry.value) &&
    entry.value.every((tool) => typeof tool === 'string');
  return isToolList && clientOf(profile)?.takesToolLists === true ? undefined : problem;
}

/** Names the clients that know a key; undefined where none does and the standard's own words fit. */
function unknownKeyMessage(key: string, profile: ClientProfile): string | undefined {
  const written = JSON.stringify(key);
  const client = clientOf(profile);
  const whose = client === undefined ? 'the standard' : `the standard or of ${client.title}`;
  const knowing = clientsKnowing(key);
  if (knowing.length > 0) {
    const names = knowing.map(({ title }) => title).join(' and ');
    const profiles = knowing.map((known) => known.profile).join(' or ');
    const verb = knowing.length === 1 ? 'knows' : 'know';
    return `${written} is no key of ${whose}, but ${names} ${verb} it; put it under metadata, or choose the profile ${profiles}.`;
  }
  if (client === undefined) return undefined;
  const meant = meantKey(key, knownKeys(profile));
  if (meant !== undefined) return `${written} is no key of ${whose}; write ${meant}.`;
  return `${written} is no key of ${whose}; put it under metadata.`;
}

/** Values of a client's own keys that it doesn't take. */
export function findClientValues(
  page: SkillPage,
  profile: ClientProfile,
): readonly Finding<'skill.client-value'>[] {
  const client = clientOf(profile);
  if (client === undefined) return [];
  const findings: Finding<'skill.client-value'>[] = [];
  for (const entry of page.document.entries) {
    const known = clientKeyOf(profile, entry.key);
    const mistake = known && clientValueMistake(known.value, entry.value);
    if (mistake === undefined) continue;
    const message = `For ${client.title}, ${entry.key} ${mistake}.`;
    findings.push({ code: 'skill.client-value', severity: 'warning', message, range: placeOf(entry) });
  }
  return findings;
}

/** An empty value shows at its key. */
function placeOf({ keyRange, valueRange }: FrontMatterEntry) {
  const { start, end } = valueRange;
  return start.line === end.line && start.character === end.character ? keyRange : valueRange;
}
