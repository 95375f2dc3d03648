/**
 * Files that are a skill's schema or initial state under another name, and our languages for them. Free of VS Code, and
 * loaded late.
 */

import { stateSchemaNames } from '../../../schemas/skill/skill';
import { parseSkill } from '../../../schemas/skill/skillDocument';
import { readReferencedFiles } from '../../../schemas/state/schemaFiles';
import { normalizeRelativePath } from '../../../schemas/text/relativePath';
import { initialStateLanguage, stateSchemaLanguage } from './languageIds';

/** How many folders above a file are looked at for the `SKILL.md` that it belongs to. */
export const maxParents = 4;

/** The text of a file relative to the skill's folder, undefined where there is none; rejects where it can't be read. */
export type ReadSkillFile = (path: string) => Promise<string | undefined>;

/**
 * The language that a skill gives a file by naming it in `metadata`, or by references of its schema that lead there;
 * undefined where it does neither.
 *
 * @param path of the file relative to the skill's folder, with `/` between segments
 */
export async function languageBySkill(
  skillText: string,
  path: string,
  read: ReadSkillFile,
): Promise<string | undefined> {
  const { metadata } = parseSkill(skillText);
  const named = (key: string) => normalizeRelativePath((metadata.get(key) ?? '').trim());
  const namedSchema = named('state-schema');
  if (namedSchema === path) return stateSchemaLanguage;
  if (named('initial-state') === path) return initialStateLanguage;
  const schema = await firstFile(namedSchema ? [namedSchema] : stateSchemaNames, read);
  if (schema === undefined) return undefined;
  const parts = await readReferencedFiles(schema, read);
  return parts.some((part) => part.kind === 'read' && part.path === path) ? stateSchemaLanguage : undefined;
}

/** What can't be read leads nowhere; the server says what is wrong with it. */
async function firstFile(
  paths: readonly string[],
  read: ReadSkillFile,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  for (const path of paths) {
    const text = await read(path).catch(() => undefined);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}
