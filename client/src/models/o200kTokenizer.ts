/** Token estimates by OpenAI's o200k_base encoding. */
import type { Tokenizer } from '../runtime/tokens';

/** Byte pair encoding takes quadratic time over one long word (200,000 × `a`: a minute), so long texts are counted in chunks. */
const chunkLength = 1_000;

/** Nothing in a prompt is a command to the tokenizer: `<|endoftext|>` is counted as the text it is. */
const noSpecialTokens = { disallowedSpecial: new Set<string>() };

const name = 'o200k_base';

/** A tokenizer for what may never have to be counted. */
export interface LateTokenizer extends Tokenizer {
  /** Has to settle before something is counted; rejects where the table is missing. */
  load(): Promise<void>;
}

/** The same tokenizer as {@link loadTokenizer} gives, whose table is loaded only when it is needed. */
export function createLateTokenizer(): LateTokenizer {
  let loaded: Tokenizer | undefined;
  return {
    name,
    async load() {
      loaded ??= await loadTokenizer();
    },
    count(text) {
      if (loaded === undefined) throw new Error('The tokenizer has not been loaded');
      return loaded.count(text);
    },
  };
}

/** Loads the table (about 2.7 MB) at the first call; rejects where it is missing. */
export async function loadTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import('./o200kTable');
  return {
    name,
    count: (text) => {
      let tokens = 0;
      for (let start = 0; start < text.length; ) {
        const end = chunkEnd(text, start);
        tokens += countTokens(text.slice(start, end), noSpecialTokens);
        start = end;
      }
      return tokens;
    },
  };
}

/** The end of the chunk that starts at `start`, never between the halves of a surrogate pair. */
function chunkEnd(text: string, start: number): number {
  const end = start + chunkLength;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
