/** Texts as front matter has them: scalars on one line, texts within a limit. */
import { isYamlWord } from '../../../../schemas/text/yamlWords';
import { quoted, yamlScalarText } from '../yamlScalar';

/** What YAML 1.1 readers take for a number of theirs: dates, times in base 60. */
const numeric = /^(?:\d{4}-\d\d?-\d\d?.*|[-+]?[\d_.:]+)$/;

/** A text as it can stand behind `key: ` in block style: as it is where any YAML reader takes it for that text, else in quotes. */
export function yamlScalar(text: string): string {
  return isYamlWord(text) || numeric.test(text) ? quotedScalar(text) : yamlScalarText(text, false);
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
