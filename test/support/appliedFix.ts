/** What becomes of a skill in memory when a fix of the language service is applied. */
import { LineIndex } from '../../schemas/text/position';
import type { Finding, Fix } from '../../server/src/languageService/finding';
import { type SkillWorkspace, skillWorkspace } from './skillWorkspace';

/** A text with replacements that don't overlap. */
export function replaced(text: string, edits: Iterable<{ range: Finding['range']; text: string }>): string {
  const lines = new LineIndex(text);
  const offsets = [...edits].map(({ range, text: replacement }) => ({
    start: lines.offsetAt(range.start),
    end: lines.offsetAt(range.end),
    replacement,
  }));
  offsets.sort((a, b) => b.start - a.start || b.end - a.end);
  let result = text;
  let limit = text.length;
  for (const { start, end, replacement } of offsets) {
    if (end > limit) throw new Error(`Edits overlap at offset ${start}.`);
    result = result.slice(0, start) + replacement + result.slice(end);
    limit = start;
  }
  return result;
}

/** The skill after a fix: its texts changed, its folder renamed. */
export function withFix(
  skill: SkillWorkspace,
  paths: readonly string[],
  fix: Fix,
  settings: Parameters<typeof skillWorkspace>[1] = {},
): SkillWorkspace {
  const files = paths.map((path) => [path, replaced(skill.text(path), fix.edits.get(skill.uri(path)) ?? [])]);
  const renamed = fix.renames?.[0]?.to;
  const name = renamed === undefined ? {} : { name: renamed.slice(renamed.lastIndexOf('/') + 1) };
  return skillWorkspace(Object.fromEntries(files), { ...settings, ...name });
}
