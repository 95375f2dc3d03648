/** The failure of asking for a built-in thing by a name that it doesn't have. */

export class UnknownNameFailure extends Error {
  override readonly name: string = 'UnknownNameFailure';
  /** What was asked for, as in `environment`. */
  readonly subject: string;
  /** The names there are. */
  readonly known: readonly string[];

  /**
   * @param advice What was probably meant, a sentence.
   */
  constructor(subject: string, asked: string, known: readonly string[], advice?: string) {
    const more = advice === undefined ? '' : ` ${advice}`;
    super(`There is no ${subject} "${asked}"; there is ${known.join(', ')}.${more}`);
    this.subject = subject;
    this.known = known;
  }
}
