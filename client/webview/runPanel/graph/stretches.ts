/** The bars that the page has: pieces of fixed places, fetched as they come into view and kept for panning back. */
import type { GraphBin } from '../../../../schemas/messages/runPanelMessages';
import { stepsPerBar, type Viewport } from './viewport';

/** Bars without holes over what is shown, and the tokens before them. */
export interface Stretch {
  readonly bins: readonly GraphBin[];
  readonly before: number;
}

/** Asks for the steps from `from` up to `to` in bars of `size` steps. */
export type FetchBins = (query: {
  readonly branch: number;
  readonly from: number;
  readonly to: number;
  readonly size: number;
}) => Promise<Stretch>;

/** Bars of a piece. */
const pieceBars = 256;
/** Pieces that are kept: some 16,000 bars. */
const keptPieces = 64;
const leastBarWidth = 4;

type Piece =
  | { readonly state: 'fetching' }
  | {
      readonly state: 'there';
      readonly stretch: Stretch;
      /** Up to which step it was fetched: a piece at the end of a run that goes on is fetched again. */
      readonly to: number;
      readonly stale: boolean;
    };

export class Stretches {
  readonly #fetch: FetchBins;
  readonly #changed: () => void;
  readonly #pieces = new Map<string, Piece>();
  #last: { readonly branch: number; readonly stretch: Stretch } | undefined;
  #generation = 0;

  /** `changed` is called whenever bars have come. */
  constructor(fetch: FetchBins, changed: () => void) {
    this.#fetch = fetch;
    this.#changed = changed;
  }

  /** What was fetched may be wrong: it is drawn until it has been fetched again. */
  invalidate(): void {
    this.#generation += 1;
    for (const [key, piece] of this.#pieces) {
      if (piece.state === 'fetching') this.#pieces.delete(key);
      else this.#pieces.set(key, { ...piece, stale: true });
    }
  }

  /** The run is another one. */
  clear(): void {
    this.#generation += 1;
    this.#pieces.clear();
    this.#last = undefined;
  }

  /**
   * The bars to draw. While some are on their way these are the last ones that were whole, though their steps may lie
   * elsewhere: drawn in the new view they are what a picture that is zoomed would show.
   */
  visible(branch: number, view: Viewport, steps: number, pixels: number): Stretch {
    const size = stepsPerBar(view, pixels, leastBarWidth);
    const span = size * pieceBars;
    const end = Math.min(view.to, steps);
    const found: Stretch[] = [];
    let whole = true;
    for (let from = Math.floor(Math.max(view.from, 0) / span) * span; from < end; from += span) {
      const stretch = this.#piece({ branch, from, to: Math.min(from + span, steps), size });
      if (stretch === undefined) whole = false;
      else found.push(stretch);
    }
    if (whole) {
      this.#last = {
        branch,
        stretch: { bins: found.flatMap(({ bins }) => bins), before: found[0]?.before ?? 0 },
      };
    }
    return this.#last?.branch === branch ? this.#last.stretch : { bins: [], before: 0 };
  }

  /** The bars to draw, waited for. */
  whole(branch: number, view: Viewport, steps: number, pixels: number): Promise<Stretch> {
    const size = stepsPerBar(view, pixels, leastBarWidth);
    const from = Math.floor(Math.max(view.from, 0) / size) * size;
    const to = Math.min(Math.ceil(view.to / size) * size, steps);
    return this.#fetch({ branch, from: Math.min(from, to), to, size });
  }

  #piece(query: Parameters<FetchBins>[0]): Stretch | undefined {
    const key = `${query.branch} ${query.size} ${query.from}`;
    const piece = this.#pieces.get(key);
    if (piece !== undefined) {
      this.#pieces.delete(key);
      this.#pieces.set(key, piece);
    }
    if (piece?.state === 'fetching') return undefined;
    if (piece === undefined || piece.stale || piece.to < query.to) {
      // While a piece is fetched again, the one that is there is drawn.
      void this.#fetchPiece(key, query, piece);
    }
    return piece?.stretch;
  }

  async #fetchPiece(key: string, query: Parameters<FetchBins>[0], before: Piece | undefined): Promise<void> {
    const generation = this.#generation;
    if (before?.state === 'there') this.#pieces.set(key, { ...before, to: query.to, stale: false });
    else this.#pieces.set(key, { state: 'fetching' });
    try {
      const stretch = await this.#fetch(query);
      if (generation !== this.#generation) return;
      this.#pieces.set(key, { state: 'there', stretch, to: query.to, stale: false });
      for (const oldest of this.#pieces.keys()) {
        if (this.#pieces.size <= keptPieces) break;
        this.#pieces.delete(oldest);
      }
      this.#changed();
    } catch {
      // Why it failed was said to the user by who asked; with the next change of the run it is asked for again.
      if (generation === this.#generation) this.#pieces.delete(key);
    }
  }
}
