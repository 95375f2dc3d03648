/** Whether a name stands in a text by itself, and not as a part of a longer one: `item_1` is not in `item_12`. */

const nameCharacter = /[\p{L}\p{N}_-]/u;

/** True where `token` occurs in `text` with no letter, digit, `_` or `-` next to it. The empty text is no token. */
export function containsToken(text: string, token: string): boolean {
  if (token === '') return false;
  for (let start = text.indexOf(token); start >= 0; start = text.indexOf(token, start + 1)) {
    const end = start + token.length;
    if (!continues(text, start - 1, token.at(0)) && !continues(text, end, token.at(-1))) return true;
  }
  return false;
}

/** True where the character beside the token would make one name with the token's own outer character. */
function continues(text: string, beside: number, outer: string | undefined): boolean {
  const character = text[beside];
  if (character === undefined || outer === undefined) return false;
  return nameCharacter.test(character) && nameCharacter.test(outer);
}
