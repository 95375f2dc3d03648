/** The phase that is under way: it can be awaited, left alone while the run is looked at, and brought to an end. */
import type { PhaseReport } from '../runtime/execution';
import type { Journey } from '../runtime/journey';
import type { PhasePlace } from './stopPolicy';

/** What a phase came to. */
export type Settled = { readonly report: PhaseReport } | { readonly error: unknown };

/** The user does not want to wait any longer. */
export class Unawaited extends Error {
  override readonly name: string = 'Unawaited';
}

export class PhaseUnderWay {
  readonly #journey: Journey;
  readonly #onFailed: (error: unknown) => void;
  #abort = new AbortController();
  #pending: { readonly work: Promise<PhaseReport>; readonly place: PhasePlace } | undefined;
  /** Set while a phase is awaited: ends the waiting, not the phase. */
  #interrupt: (() => void) | undefined;

  /** @param onFailed told why a phase failed, or was aborted, whether it is awaited or not */
  constructor(journey: Journey, onFailed: (error: unknown) => void) {
    this.#journey = journey;
    this.#onFailed = onFailed;
  }

  /** Where the phase began; undefined where none is under way. */
  get place(): PhasePlace | undefined {
    return this.#pending?.place;
  }

  /** Aborted with whatever is under way. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the waiting for the phase; it goes on. */
  interrupt(): void {
    this.#interrupt?.();
  }

  /** Aborts the phase, if one is under way, and whatever begins later. Settles when it has come to rest. */
  async abort(reason: string): Promise<void> {
    const work = this.#pending?.work.catch(() => undefined);
    this.#abort.abort(new DOMException(reason, 'AbortError'));
    this.interrupt();
    await work;
  }

  /**
   * Carries out the next phase, or waits for the one under way; undefined where the waiting was interrupted.
   *
   * @param place where it begins
   * @throws whatever made the phase fail
   */
  async next(place: PhasePlace): Promise<PhaseReport | undefined> {
    this.#pending ??= { work: this.#begin(), place };
    const { work } = this.#pending;
    try {
      const report = await new Promise<PhaseReport | undefined>((resolve, reject) => {
        this.#interrupt = () => resolve(undefined);
        work.then(resolve, reject);
      });
      if (report !== undefined) this.#pending = undefined;
      return report;
    } catch (error) {
      this.#pending = undefined;
      throw error;
    } finally {
      this.#interrupt = undefined;
    }
  }

  /**
   * Brings the phase to an end: a request is aborted, of an action the outcome is awaited, unless a person is asked for
   * it. Undefined where nothing is left of it.
   *
   * @throws Unawaited where the waiting was interrupted: the phase is still under way
   */
  async settle(): Promise<Settled | undefined> {
    const pending = this.#pending;
    if (pending === undefined) return undefined;
    if (this.#journey.run?.phase !== 'act' || this.#journey.mayGiveUpActions) {
      this.#abort.abort(new DOMException('The run went elsewhere.', 'AbortError'));
      this.#abort = new AbortController();
      // A reply that came all the same is in the run already; that it was aborted is no failure.
      const settled = await settledOf(pending.work);
      this.#pending = undefined;
      return 'report' in settled ? settled : undefined;
    }
    const interrupted = new Promise<never>((_, reject) => {
      this.#interrupt = () => reject(new Unawaited());
    });
    try {
      const settled = await Promise.race([settledOf(pending.work), interrupted]);
      this.#pending = undefined;
      return settled;
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** What a phase that was left alone comes to; undefined where somebody else took it over meanwhile. */
  async outcome(isStillAlone: () => boolean): Promise<Settled | undefined> {
    const pending = this.#pending;
    if (pending === undefined) return undefined;
    const settled = await settledOf(pending.work);
    if (this.#pending !== pending || !isStillAlone()) return undefined;
    this.#pending = undefined;
    return settled;
  }

  #begin(): Promise<PhaseReport> {
    const work = this.#journey.advance(this.#abort.signal);
    work.catch(this.#onFailed);
    return work;
  }
}

async function settledOf(work: Promise<PhaseReport>): Promise<Settled> {
  try {
    return { report: await work };
  } catch (error) {
    return { error };
  }
}
