/** The text of a JSON string that arrives piece by piece, without its quotes. */

const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/**
 * Decodes escapes as they come. What is no escape of JSON is taken for the character itself: the text is for people to
 * read, and nothing depends on it.
 */
export class JsonStringText {
  /** A backslash and what has come of its escape. */
  #escape = '';

  /** Takes one character that isn't the closing quote; gives the text that is complete. */
  write(character: string): string {
    if (this.#escape === '') {
      if (character !== '\\') return character;
      this.#escape = character;
      return '';
    }
    const begun = this.#escape + character;
    if (begun.length === 2 && character !== 'u') {
      this.#escape = '';
      return escapes.get(character) ?? character;
    }
    if (begun.length > 2 && !/^[\da-fA-F]$/.test(character)) {
      this.#escape = '';
      return begun.slice(1);
    }
    this.#escape = begun.length === 6 ? '' : begun;
    return begun.length === 6 ? String.fromCharCode(Number.parseInt(begun.slice(2), 16)) : '';
  }
}
