/** The steps' lines that the page has: pieces of fixed places, fetched as they are needed. */
import type { StepFilter, StepRow } from '../../../schemas/messages/runPanelMessages';

export interface RowPiece {
  readonly rows: readonly StepRow[];
  /** How many steps pass the filter. */
  readonly total: number;
}

export type FetchRows = (query: {
  readonly branch: number;
  readonly filter: StepFilter;
  readonly from: number;
  readonly count: number;
}) => Promise<RowPiece>;

const pieceRows = 100;
const keptPieces = 60;

interface KeptPiece {
  /** Undefined while they come for the first time; those of before while they are fetched again. */
  readonly rows: readonly StepRow[] | undefined;
  readonly fetch: Promise<RowPiece>;
  /** True where it is to be fetched again. */
  readonly stale: boolean;
}

export class Rows {
  readonly #fetch: FetchRows;
  readonly #changed: () => void;
  readonly #pieces = new Map<string, KeptPiece>();
  readonly #totals = new Map<string, number>();

  /** `changed` is called whenever lines have come. */
  constructor(fetch: FetchRows, changed: () => void) {
    this.#fetch = fetch;
    this.#changed = changed;
  }

  /**
   * The run went on: what is at its end is to be fetched again, and so is every list that a filter makes. What there is
   * stays until then, so that a table doesn't lose its place.
   */
  invalidate(): void {
    for (const [key, piece] of this.#pieces) {
      const { rows } = piece;
      if (
        !key.includes(' all ') ||
        rows === undefined ||
        rows.length < pieceRows ||
        rows.some(({ status }) => status === 'running')
      )
        this.#pieces.set(key, { ...piece, stale: true });
    }
  }

  clear(): void {
    this.#pieces.clear();
    this.#totals.clear();
  }

  /** How many steps pass a filter; undefined where that isn't known yet. Without a filter, all do. */
  total(branch: number, filter: StepFilter): number | undefined {
    return this.#totals.get(`${branch} ${filter}`);
  }

  /** The line at a place among those that pass the filter; undefined while it is on its way. */
  at(branch: number, filter: StepFilter, index: number): StepRow | undefined {
    const piece = Math.floor(index / pieceRows);
    return this.#piece(branch, filter, piece).rows?.[index - piece * pieceRows];
  }

  /** The line of a step. */
  async of(branch: number, step: number): Promise<StepRow | undefined> {
    const piece = Math.floor(step / pieceRows);
    const { rows } = await this.#piece(branch, 'all', piece).fetch;
    return rows[step - piece * pieceRows];
  }

  #piece(branch: number, filter: StepFilter, piece: number): KeptPiece {
    const key = `${branch} ${filter} ${piece}`;
    const known = this.#pieces.get(key);
    if (known !== undefined && !known.stale) {
      this.#pieces.delete(key);
      this.#pieces.set(key, known);
      return known;
    }
    const fetch = this.#fetch({ branch, filter, from: piece * pieceRows, count: pieceRows });
    const made: KeptPiece = { rows: known?.rows, fetch, stale: false };
    this.#pieces.delete(key);
    this.#pieces.set(key, made);
    fetch.then(
      ({ rows, total }) => {
        const present = this.#pieces.get(key);
        if (present?.fetch !== fetch) return;
        // What the run has added meanwhile comes with the next fetch; this is newer than what there was.
        this.#pieces.set(key, { ...present, rows });
        this.#totals.set(`${branch} ${filter}`, total);
        for (const oldest of this.#pieces.keys()) {
          if (this.#pieces.size <= keptPieces) break;
          this.#pieces.delete(oldest);
        }
        this.#changed();
      },
      // Whoever fetched has said why; it is asked for again when it is needed again.
      () => this.#pieces.get(key)?.fetch === fetch && this.#pieces.delete(key),
    );
    return made;
  }
}
