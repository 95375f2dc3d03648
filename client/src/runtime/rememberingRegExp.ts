/** The engine for ajv's patterns: the safe one, which remembers its answers, since Σ' mostly consists of Σ's strings. */
import { type RegExpLike, safeRegExp } from '../../../schemas/text/safePattern';

/** How many answers one pattern remembers, and how long a text may be to be remembered. */
const maxRemembered = 5_000;
const maxTextLength = 200;

export const rememberingRegExp: { (source: string, flags: string): RegExpLike; code: string } = Object.assign(
  (source: string, flags: string): RegExpLike => {
    const pattern = safeRegExp(source, flags);
    const answers = new Map<string, boolean>();
    return {
      test(text) {
        const known = answers.get(text);
        if (known !== undefined) return known;
        const answer = pattern.test(text);
        if (text.length <= maxTextLength) {
          if (answers.size >= maxRemembered) answers.clear();
          answers.set(text, answer);
        }
        return answer;
      },
      toString: () => pattern.toString(),
    };
  },
  { code: 'rememberingRegExp' },
);
