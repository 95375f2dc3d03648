/** Fixes of where the front matter stands: missing, late, fenced, never closed, indented with tabs. */
import { findFrontMatter } from '../../../../schemas/skill/frontMatterBlock';
import { parseSkill } from '../../../../schemas/skill/skillDocument';
import type { SkillPage } from '../documents';
import { type CandidateFix, folderNameOf } from './candidateFix';
import { frontMatterPart, lineEndOf, nextLineAt, type OffsetEdit } from './frontMatterEdits';
import { describedByBody, nameFor } from './skillSummary';
import { yamlScalar } from './skillTexts';

/** Behind a byte order mark. */
function textStart(text: string): number {
  return text.startsWith('\uFEFF') ? 1 : 0;
}

/** `name: …` and `description: …`, and the folder's new name where its own can't be the skill's. */
function requiredLines(page: SkillPage): { lines: string[]; folderName?: string } {
  const folder = folderNameOf(page);
  const name = nameFor(page.document, folder);
  const description = `description: ${yamlScalar(describedByBody(page.document))}`;
  if (name === undefined) return { lines: [description] };
  const lines = [`name: ${yamlScalar(name)}`, description];
  return name === folder ? { lines } : { lines, folderName: name };
}

export function insertFrontMatter(page: SkillPage): readonly CandidateFix[] {
  const { text } = page;
  const at = textStart(text);
  const eol = lineEndOf(text);
  const opened = parseSkill(`---${eol}${text.slice(at)}`);
  if (opened.name !== undefined || opened.description !== undefined) {
    const title = 'Begin the front matter with ---';
    return [{ title, edits: [{ start: at, end: at, text: `---${eol}` }], preferred: true }];
  }
  const { lines, folderName } = requiredLines(page);
  const block = ['---', ...lines, '---', ''].join(eol);
  // A file in which only the opening line is written yet.
  const isOpened = /^---[ \t]*$/.test(text.slice(at));
  const edits = isOpened
    ? [{ start: at, end: text.length, text: block }]
    : [{ start: at, end: at, text: text.length > at ? block + eol : block }];
  const renamed = folderName === undefined ? {} : { folderName };
  const title = `Insert front matter${folderName === undefined ? '' : ` and rename the folder to ${folderName}`}`;
  return [{ title, edits, ...renamed, preferred: true }];
}

export function closeFrontMatter(page: SkillPage): CandidateFix {
  const { text } = page;
  const eol = lineEndOf(text);
  const part = frontMatterPart(page.document);
  const title = 'Close the front matter with ---';
  if (part !== undefined) {
    const endsLine = /[\r\n]$/.test(text.slice(part.start - 1, part.end));
    // `...` ends a document in YAML, but no front matter.
    const dots = /^\.\.\.(?=[ \t]*(?:[\r\n]|$))/.test(text.slice(part.end, part.end + 1_000));
    if (dots) {
      const edits = [{ start: part.end, end: part.end + 3, text: '---' }];
      return { title, edits, preferred: true };
    }
    return {
      title,
      edits: [{ start: part.end, end: part.end, text: `${endsLine ? '' : eol}---${eol}` }],
      preferred: true,
    };
  }
  const at = nextLineAt(text, findFrontMatter(text).at.start);
  const { lines, folderName } = requiredLines(page);
  const edits = [{ start: at, end: at, text: [...lines, '---', ''].join(eol) }];
  return { title, edits, ...(folderName === undefined ? {} : { folderName }), preferred: true };
}

export function removeLinesBefore(page: SkillPage): CandidateFix {
  const start = textStart(page.text);
  const end = findFrontMatter(page.text).at.start;
  return {
    title: 'Remove the lines before the front matter',
    edits: [{ start, end, text: '' }],
    preferred: true,
  };
}

export function removeFence(page: SkillPage): CandidateFix {
  const { text } = page;
  const block = findFrontMatter(text);
  const edits: OffsetEdit[] = [{ start: textStart(text), end: nextLineAt(text, block.at.start), text: '' }];
  if (block.bodyEnd < text.length) {
    edits.push({ start: block.bodyEnd, end: nextLineAt(text, block.bodyEnd), text: '' });
  } else if (block.yaml !== undefined) {
    const closing = nextLineAt(text, block.yaml.end);
    if (closing < block.bodyStart) edits.push({ start: closing, end: block.bodyStart, text: '' });
  }
  return { title: 'Remove the code fence', edits, preferred: true };
}

/** Each tab of an indentation becomes two spaces. */
export function replaceTabs(page: SkillPage): CandidateFix | undefined {
  const part = frontMatterPart(page.document);
  if (part === undefined) return undefined;
  const edits: OffsetEdit[] = [];
  for (let line = part.start; line < part.end; line = nextLineAt(page.text, line)) {
    const indentation = /^[ \t]*/.exec(page.text.slice(line, part.end))?.[0] ?? '';
    if (!indentation.includes('\t')) continue;
    edits.push({ start: line, end: line + indentation.length, text: indentation.replaceAll('\t', '  ') });
  }
  return { title: 'Indent with spaces', edits, preferred: true };
}

export function removeNuls({ text }: SkillPage): CandidateFix {
  const start = text.indexOf('\0');
  const end = text.lastIndexOf('\0') + 1;
  const edits = [{ start, end, text: text.slice(start, end).replaceAll('\0', '') }];
  return { title: 'Remove NUL characters', edits, preferred: true };
}
