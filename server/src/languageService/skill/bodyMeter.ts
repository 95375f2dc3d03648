/** How long the instructions are, beside what the standard recommends: 500 lines and 5,000 tokens at most. */
import type { Tokenizer } from '../../../../client/src/runtime/tokens';
import type { SkillPage, Tools } from '../documents';
import type { Finding } from '../finding';

const maxLines = 500;
const maxTokens = 5_000;

/** Counts long texts by paragraphs and keeps the counts, so that typing costs one paragraph. */
class ParagraphTokens {
  readonly #counts = new Map<string, number>();
  #kept = 0;

  count(tokenizer: Tokenizer, text: string): number {
    let tokens = 0;
    // Tokenizers cut behind line breaks before a text as well, so the sum is that of the whole.
    for (const paragraph of text.split(/(?<=\n\n)(?=\S)/)) {
      let known = this.#counts.get(paragraph);
      if (known === undefined) {
        known = tokenizer.count(paragraph);
        if (this.#kept > maxKeptLength) {
          this.#counts.clear();
          this.#kept = 0;
        }
        this.#counts.set(paragraph, known);
        this.#kept += paragraph.length;
      }
      tokens += known;
    }
    return tokens;
  }
}

/** How many UTF-16 units of counted paragraphs are kept. */
const maxKeptLength = 1_000_000;

const paragraphs = new ParagraphTokens();

/** The tokens of a text; undefined where there is no token table. */
export async function tokensOf(text: string, tools: Tools): Promise<number | undefined> {
  if (text === '') return 0;
  let tokenizer: Tokenizer;
  try {
    tokenizer = await tools.tokenizer();
  } catch {
    return undefined; // counts are an extra
  }
  return paragraphs.count(tokenizer, text);
}

/** A hint on instructions that are longer than recommended. */
export async function measureBody(
  page: SkillPage,
  tools: Tools,
): Promise<readonly Finding<'skill.long-body'>[]> {
  const { instructions, firstInstructionLine } = page.document;
  const lines = instructions.split('\n').length;
  // A token has a byte at least: whoever opens a short text doesn't wait for the token table.
  const tokens = hasMoreBytes(instructions, maxTokens) ? await tokensOf(instructions, tools) : 0;
  const excess: string[] = [];
  if (lines > maxLines) excess.push(`${lines} lines, where ${maxLines} are recommended`);
  if (tokens !== undefined && tokens > maxTokens) {
    excess.push(`${thousands(tokens)} tokens, where ${thousands(maxTokens)} are recommended`);
  }
  if (excess.length === 0) return [];
  const message = `The instructions have ${excess.join(', and ')}; move what is rarely needed into files of its own.`;
  const start = { line: firstInstructionLine, character: 0 };
  const end = page.lines.positionAt(
    page.lines.offsetAt({ line: firstInstructionLine + 1, character: 0 }) - 1,
  );
  const range = { start, end: end.line === start.line ? end : start };
  return [{ code: 'skill.long-body', severity: 'hint', message, range }];
}

/** Whether a text has more than so many bytes in UTF-8. */
function hasMoreBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Two units of a surrogate pair are four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes > limit;
}

/** `12,345` */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
