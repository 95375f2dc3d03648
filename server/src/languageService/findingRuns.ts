/**
 * Findings by document: found once for all who ask, one finder after the other with pauses between them, and no longer
 * than somebody wants them.
 */
import type { Finding } from './finding';
import { type Cancellation, neverCancelled } from './workspace';

/** Finds what is wrong in a document; undefined for one that isn't checked. `pause` is awaited between pieces of work. */
export type FindAll = (uri: string, pause: () => Promise<void>) => Promise<readonly Finding[] | undefined>;

/** Nobody wants what was asked for any more: the request was cancelled, or is about a text that has changed. */
export class FindingsCancelled extends Error {
  override readonly name: string = 'FindingsCancelled';
  constructor() {
    super('Nobody waits for these findings any more.');
  }
}

type Outcome =
  | { readonly kind: 'found'; readonly findings: readonly Finding[] | undefined }
  /** Something has changed meanwhile, or nobody wanted the findings. */
  | { readonly kind: 'stopped' };

interface Run {
  /** Who waits; nobody once the outcome is there. */
  readonly waiting: Set<Cancellation>;
  isOutdated: boolean;
  outcome: Promise<Outcome>;
}

/** Rejects a pause, and so ends what is found in between. */
class Stopped extends Error {}

export class FindingRuns {
  readonly #find: FindAll;
  readonly #pause: () => Promise<void>;
  readonly #runs = new Map<string, Run>();

  /** @param pause lets the host do something else before it settles */
  constructor(find: FindAll, pause: () => Promise<void>) {
    this.#find = find;
    this.#pause = pause;
  }

  /** To be called when anything has changed that findings depend on: what is being found begins anew. */
  changed(): void {
    for (const run of this.#runs.values()) run.isOutdated = true;
    this.#runs.clear();
  }

  /**
   * The findings of a document as it is.
   *
   * @param cancellation looked at between finders. Where all who wait have cancelled, finding ends
   * @throws FindingsCancelled where it ended for that
   */
  async get(
    uri: string,
    cancellation: Cancellation = neverCancelled,
  ): Promise<readonly Finding[] | undefined> {
    for (;;) {
      const run = this.#runs.get(uri) ?? this.#start(uri);
      run.waiting.add(cancellation);
      const outcome = await run.outcome;
      run.waiting.delete(cancellation);
      if (outcome.kind === 'found') return outcome.findings;
      if (cancellation.isCancellationRequested) throw new FindingsCancelled();
    }
  }

  #start(uri: string): Run {
    const run: Run = { waiting: new Set(), isOutdated: false, outcome: Promise.resolve({ kind: 'stopped' }) };
    run.outcome = this.#complete(uri, run);
    this.#runs.set(uri, run);
    return run;
  }

  async #complete(uri: string, run: Run): Promise<Outcome> {
    const pause = async () => {
      await this.#pause();
      if (run.isOutdated || [...run.waiting].every((one) => one.isCancellationRequested)) throw new Stopped();
    };
    try {
      return { kind: 'found', findings: await this.#find(uri, pause) };
    } catch (error) {
      if (this.#runs.get(uri) === run) this.#runs.delete(uri);
      if (error instanceof Stopped) return { kind: 'stopped' };
      throw error;
    }
  }
}
