/** Short texts, kept in a byte or two for each UTF-16 unit and named by numbers. */

const pageUnits = 1 << 16;
/** How many of the texts added last are known again. */
const remembered = 2_048;

/** A pool that grows by pages. Texts that come again soon are kept once. */
export class TextPool {
  readonly #maxLength: number;
  readonly #pages: (Uint8Array | Uint16Array)[] = [];
  readonly #recent = new Map<string, number>();
  #used = pageUnits;

  /** @param maxLength UTF-16 units of a text, at most 255; longer ones are cut off and end with `…` */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The number by which {@link get} gives the text again; never 0. */
  add(text: string): number {
    const short = cutOff(text, this.#maxLength);
    const known = this.#recent.get(short);
    if (known !== undefined) return known;
    const place = this.#write(short);
    if (this.#recent.size >= remembered) this.#recent.clear();
    this.#recent.set(short, place);
    return place;
  }

  /** The text of a number; undefined for 0. */
  get(place: number): string | undefined {
    if (place === 0) return undefined;
    const page = this.#pages[Math.floor((place - 1) / pageUnits)];
    const start = (place - 1) % pageUnits;
    const length = page?.[start] ?? 0;
    return page && String.fromCharCode(...page.subarray(start + 1, start + 1 + length));
  }

  #write(text: string): number {
    const wide = isWide(text);
    // A page is of one kind; what it has left is given up when a text of the other kind comes, which is seldom.
    const fits =
      this.#used + 1 + text.length <= pageUnits && (!wide || this.#pages.at(-1) instanceof Uint16Array);
    if (!fits) {
      this.#pages.push(wide ? new Uint16Array(pageUnits) : new Uint8Array(pageUnits));
      this.#used = 0;
    }
    const page = this.#pages.at(-1);
    if (!page) throw new Error('A page was just added');
    const start = this.#used;
    page[start] = text.length;
    for (let index = 0; index < text.length; index++) page[start + 1 + index] = text.charCodeAt(index);
    this.#used += 1 + text.length;
    return (this.#pages.length - 1) * pageUnits + start + 1;
  }
}

/** The text, or its beginning and `…`; no pair of surrogates is torn. */
export function cutOff(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 2);
  const isTorn = last >= 0xd800 && last < 0xdc00;
  return `${text.slice(0, isTorn ? maxLength - 2 : maxLength - 1)}…`;
}

function isWide(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0xff) return true;
  return false;
}
