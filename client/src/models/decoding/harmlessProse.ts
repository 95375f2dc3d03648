/** Reasoning as prose of a reply: what would open a fenced block in it is written with apostrophes. */

/** Takes a text piece by piece. */
export class HarmlessProse {
  /** True where only indentation stands on the line so far, so that a fence may begin. */
  #atLineStart = true;
  #isFirst = true;
  /** Backticks at the start of a line, of which it isn't known yet whether they are a fence. */
  #backticks = 0;

  write(text: string): string {
    let result = '';
    for (const character of text) {
      if (character === '`' && this.#atLineStart) {
        this.#backticks++;
        if (this.#backticks === 3) result += "'''";
        else if (this.#backticks > 3) result += "'";
        continue;
      }
      if (this.#backticks > 0) {
        result += this.end();
        this.#atLineStart = false;
      }
      result += character;
      if (character === '\n' || character === '\r') this.#atLineStart = true;
      else if (character !== ' ' && character !== '\t' && !(character === '\ufeff' && this.#isFirst))
        this.#atLineStart = false;
      this.#isFirst = false;
    }
    return result;
  }

  /** What was held back. */
  end(): string {
    const held = this.#backticks < 3 ? '`'.repeat(this.#backticks) : '';
    this.#backticks = 0;
    return held;
  }
}
