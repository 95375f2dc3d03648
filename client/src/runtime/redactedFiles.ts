/** A skill's files without what is to be left out: the skill that runs, and is recorded, is the redacted one. */
import { Lexer } from 'yaml';
import { findFrontMatter } from '../../../schemas/skill/frontMatterBlock';
import { blocksRun, loadSkill, type Skill, type SkillFiles } from '../../../schemas/skill/skill';
import type { Redaction } from './redaction';

export function redactedFiles(files: SkillFiles, redaction: Redaction): SkillFiles {
  return {
    folderName: files.folderName,
    async read(path) {
      const text = await files.read(path);
      return text === undefined ? undefined : redactedFile(path, text, redaction);
    },
  };
}

/** The same skill without what is to be left out; undefined where no skill is left that can be run. */
export async function redactedSkill(skill: Skill, redaction: Redaction): Promise<Skill | undefined> {
  const texts = new Map(skill.files.map(({ path, text }) => [path, text]));
  if ([...texts].every(([path, text]) => redactedFile(path, text, redaction) === text)) return skill;
  const files = { folderName: skill.name, read: async (path: string) => texts.get(path) };
  const redacted = await loadSkill(redactedFiles(files, redaction));
  return redacted.problems.some(blocksRun) ? undefined : redacted;
}

/** The text of one file, by its path. */
export function redactedFile(path: string, text: string, redaction: Redaction): string {
  if (/\.ya?ml$/i.test(path)) return redaction.text(quoted(text, redaction));
  if (!/\.md$/i.test(path)) return redaction.text(text);
  const { yaml } = findFrontMatter(text);
  if (yaml === undefined) return redaction.text(text);
  const { start, end } = yaml;
  return redaction.text(
    `${text.slice(0, start)}${quoted(text.slice(start, end), redaction)}${text.slice(end)}`,
  );
}

/** Marks the lexeme that follows as a scalar without quotes, or as the text of a block. */
const scalarMark = '\u001f';

/**
 * YAML whose plain scalars are redacted and in quotes: `[redacted]` by itself would be a list. What a pattern finds across
 * several scalars is left for the text as a whole.
 */
function quoted(yaml: string, { text }: Redaction): string {
  if (text(yaml) === yaml) return yaml;
  const parts: string[] = [];
  let isScalar = false;
  let isBlock = false;
  for (const lexeme of new Lexer().lex(yaml)) {
    if (lexeme === scalarMark) {
      isScalar = true;
      continue;
    }
    // Marks of documents and of the end of the flow stand for no text.
    if (lexeme === '\u0002' || lexeme === '\u0018') continue;
    const redacted = isScalar && !isBlock ? text(lexeme) : lexeme;
    parts.push(redacted === lexeme ? lexeme : `"${redacted.replace(/["\\]/g, '\\$&')}"`);
    if (isScalar) isBlock = false;
    else if (/^[|>]/.test(lexeme)) isBlock = true;
    isScalar = false;
  }
  return parts.join('');
}
