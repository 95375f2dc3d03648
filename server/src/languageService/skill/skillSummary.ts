/** Texts for keys that are missing, taken from what the skill says already. */

import { textBlocks } from '../../../../schemas/skill/markdownBlocks';
import type { SkillDocument } from '../../../../schemas/skill/skillDocument';
import { kebabCase } from '../../../../schemas/skill/skillName';
import { shortened } from './skillTexts';

/** What stands for a description where the instructions say nothing yet. */
export const describedByNothing = 'What this skill does, and when to use it.';

/** Enough for a paragraph; the rest of a long body is not looked through for it. */
const maxLookedAt = 10_000;

/** A description: the first paragraph of the instructions, else their first heading, else a placeholder. */
export function describedByBody(document: SkillDocument, maxCharacters = 1024): string {
  const { text, lines, bodyRange } = document;
  const start = lines.offsetAt(bodyRange.start);
  const body = text.slice(start, Math.min(lines.offsetAt(bodyRange.end), start + maxLookedAt));
  const blocks = textBlocks(body.replace(/^\uFEFF/, ''));
  const paragraph = blocks.find(({ kind, content }) => kind === 'paragraph' && plainText(content) !== '');
  const heading = blocks.find(({ kind, content }) => kind === 'heading' && plainText(content) !== '');
  const found = plainText((paragraph ?? heading)?.content ?? '');
  return found === '' ? describedByNothing : shortened(found, maxCharacters);
}

/** A name that the standard allows: the folder's, else the first heading's. */
export function nameFor(document: SkillDocument, folderName: string): string | undefined {
  const heading = () => {
    const start = document.lines.offsetAt(document.bodyRange.start);
    const blocks = textBlocks(document.text.slice(start, start + maxLookedAt));
    return kebabCase(plainText(blocks.find(({ kind }) => kind === 'heading')?.content ?? ''));
  };
  return kebabCase(folderName) ?? heading();
}

/** Markdown without its marks, on one line. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/[\p{Cc}\uFFFD\s]+/gu, ' ')
    .trim();
}
