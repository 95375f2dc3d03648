/**
 * How many tokens a state takes at its bound: an estimate. A sample of each largest part is counted once (made by its
 * pattern, else of plain words) and multiplied. Bytes are a bound, tokens are not: a text of control characters has as
 * many bytes as the bound says and more tokens than words have.
 */
import type { Bound, BoundPart } from './stateBound';

/** Estimates the bounds of one tokenizer; what was counted is kept. */
export class BoundTokens {
  readonly #count: (text: string) => number;
  readonly #texts = new Map<string, number>();
  readonly #bounds = new WeakMap<Bound, number>();

  /** `count` counts the tokens of a text. */
  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  /** The tokens of a value at its bound; of what is bounded, where it isn't. */
  of(bound: Bound): number {
    const known = this.#bounds.get(bound);
    if (known !== undefined) return known;
    const tokens = this.#estimate(bound);
    this.#bounds.set(bound, tokens);
    return tokens;
  }

  #estimate({ scalar, bytes, parts }: Bound): number {
    if (scalar !== undefined && Number.isFinite(bytes)) {
      const { text, scale } = scalar.sample();
      return Math.ceil(this.#tokens(text) * scale);
    }
    return Math.ceil(parts.reduce((sum, part) => sum + this.#entry(part), 1));
  }

  #entry(part: BoundPart): number {
    const { count, value } = part;
    if (!Number.isFinite(count)) return 0;
    const key = part.keySample();
    const before = key === undefined ? '' : `${JSON.stringify(key)}:`;
    const sample = Number.isFinite(value.bytes) ? value.scalar?.sample() : undefined;
    if (sample?.scale === 1) return count * this.#tokens(`${before}${sample.text},`);
    return count * (this.#tokens(before) + this.of(value) + 1);
  }

  #tokens(text: string): number {
    if (text === '') return 0;
    let tokens = this.#texts.get(text);
    if (tokens === undefined) {
      tokens = this.#count(text);
      if (this.#texts.size > 5_000) this.#texts.clear();
      this.#texts.set(text, tokens);
    }
    return tokens;
  }
}
