/** Texts as front matter has them: scalars on one line, names after the standard, texts within a limit. */
import { quoted, yamlScalarText } from '../yamlScalar';

/** What YAML 1.1 readers take for something else than a text: booleans, dates, times in base 60. */
const ambiguous = /^(?:y|n|yes|no|on|off|\d{4}-\d\d?-\d\d?.*|[-+]?[\d_.:]+)$/i;

/** A text as it can stand behind `key: ` in block style: as it is where any YAML reader takes it for that text, else in quotes. */
export function yamlScalar(text: string): string {
  return ambiguous.test(text) ? quotedScalar(text) : yamlScalarText(text, false);
}

/** A text in quotes: single ones where that spares escapes. */
export function quotedScalar(text: string): string {
  return quoted(text, undefined);
}

/** A text of at most so many characters, cut at the end of a sentence, else of a word, else where it has to be. */
export function shortened(text: string, maxCharacters: number): string {
  const characters = [...text];
  if (characters.length <= maxCharacters) return text;
  const head = characters.slice(0, maxCharacters).join('');
  const next = characters[maxCharacters] ?? '';
  const sentences = [...head.matchAll(/[.!?。！？]["')\]]*(?=\s)/gu)];
  const last = sentences.at(-1);
  const sentenceEnd = /[.!?。！？]["')\]]*$/u.test(head) && /\s/.test(next) ? head.length : endOf(last);
  if (sentenceEnd >= head.length / 2) return head.slice(0, sentenceEnd);
  const room = characters.slice(0, maxCharacters - 1).join('');
  const wordEnd = room.search(/\s+\S*$/u);
  return `${wordEnd > room.length / 2 ? room.slice(0, wordEnd) : room}…`;
}

function endOf(match: RegExpMatchArray | undefined): number {
  return match?.index === undefined ? 0 : match.index + match[0].length;
}

/** A name after the standard: `My Skill_2` becomes `my-skill-2`. Undefined where nothing is left of it. */
export function kebabCase(name: string): string | undefined {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1-$2')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  if (words === null) return undefined;
  const joined = words.join('-');
  if (joined.length <= maxNameLength) return joined;
  const cut = joined.slice(0, maxNameLength + 1).replace(/-[^-]*$/, '');
  return (cut.length <= maxNameLength ? cut : joined.slice(0, maxNameLength)).replace(/-+$/, '');
}

const maxNameLength = 64;

/** True for a name as the standard wants it. */
export function isStandardName(name: string): boolean {
  return name.length <= maxNameLength && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}
