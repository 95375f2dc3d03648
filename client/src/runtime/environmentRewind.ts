/**
 * Keeps an environment where the run stands: notes what it carried out, and takes it back, by a snapshot, or by
 * starting its episode anew and executing the recorded actions again.
 */
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { carryOut } from './effects';
import { type Environment, EnvironmentFailure, type ResetOptions } from './environment';
import { whyChanged } from './redaction';
import { RewindFailure } from './runFailure';
import type { Effect } from './transitionTypes';

/** Where an environment stands: after the outcome of this record's id, or before any. */
export type Standing = number | 'start';

/** What was carried out at some point of a line of history, and what came of it. */
export interface CarriedOut {
  /** The id of its outcome's record. */
  readonly id: number;
  readonly step: number;
  readonly effect: Effect & { readonly type: 'execute' | 'skip' };
  readonly observation: string;
}

/** So many latest snapshots are kept of an environment whose actions can be executed again; of those before, one in so many. */
const keptSnapshots = 64;

export class EnvironmentRewind {
  readonly #environment: Environment;
  readonly #options: ResetOptions;
  readonly #withoutRewind: boolean;
  readonly #snapshots = new Map<Standing, JsonValue>();
  /** The latest snapshots that may be dropped, oldest first. */
  readonly #recent: Standing[] = [];
  #taken = 0;
  #wasStarted = false;
  /** Undefined where nobody has started it yet, or it was left in the middle of something. */
  #standing: Standing | undefined;

  /** @param withoutRewind whether a run may go on in an environment that can't be taken back */
  constructor(environment: Environment, options: ResetOptions, withoutRewind: boolean) {
    this.#environment = environment;
    this.#options = options;
    this.#withoutRewind = withoutRewind;
  }

  /** Whether it can be taken back at all. */
  get canRewind(): boolean {
    const { deterministic, snapshot, restore, standAfter } = this.#environment;
    return deterministic || standAfter !== undefined || (snapshot !== undefined && restore !== undefined);
  }

  /** Starts an episode. */
  async reset(signal: AbortSignal): Promise<{ readonly observation: string; readonly done: boolean }> {
    const first = await this.#environment.reset(this.#options, signal);
    this.#wasStarted = true;
    this.note('start');
    return first;
  }

  /** An environment that can't be taken back stands where a recorded run left it. */
  assume(standing: Standing): void {
    this.#standing = standing;
    this.#wasStarted = true;
  }

  /** The environment was started, or has carried out an action. */
  note(standing: Standing): void {
    this.#standing = standing;
    const { snapshot, restore, deterministic } = this.#environment;
    if (snapshot === undefined || restore === undefined) return;
    this.#snapshots.set(standing, snapshot.call(this.#environment));
    // What can't be executed again needs every snapshot.
    if (!deterministic || this.#taken++ % keptSnapshots === 0) return;
    this.#recent.push(standing);
    const oldest = this.#recent.length > keptSnapshots ? this.#recent.shift() : undefined;
    if (oldest !== undefined) this.#snapshots.delete(oldest);
  }

  /** Something was begun and came to no known end. */
  lose(): void {
    this.#standing = undefined;
  }

  /**
   * Why it can't be taken to where a run stands; undefined where it can, or needn't.
   *
   * @param standing the last outcome before that place
   */
  obstacle(standing: Standing): string | undefined {
    if (this.#standing === standing || this.canRewind || this.#withoutRewind) return undefined;
    return `The environment ${this.#environment.name} can't be taken back, so what it did since then would stay done.`;
  }

  /**
   * Takes the environment to a place, if it isn't there.
   *
   * @param back what was carried out before that place, the latest first, as far as it is asked for
   * @throws RewindFailure where it can't be taken there, and stays where it was; EnvironmentFailure; the signal's reason
   */
  async take(standing: Standing, back: () => AsyncIterable<CarriedOut>, signal: AbortSignal): Promise<void> {
    if (this.#standing === standing) return;
    const { deterministic, standAfter } = this.#environment;
    const pending: CarriedOut[] = [];
    let from: Standing = 'start';
    if (standAfter === undefined) {
      for await (const done of back()) {
        if (this.#snapshots.has(done.id)) {
          from = done.id;
          break;
        }
        pending.push(done);
        if (!deterministic) break;
      }
    }
    const snapshot = this.#snapshots.get(from);
    const isRestored = snapshot !== undefined && (deterministic || pending.length === 0);
    if (standAfter === undefined && !isRestored && !deterministic && !this.#withoutRewind)
      throw new RewindFailure(this.obstacle(standing) ?? this.#withoutSnapshot);
    this.#standing = undefined;
    if (standAfter !== undefined) {
      let observations = 1;
      for await (const _ of back()) observations++;
      standAfter.call(this.#environment, observations);
    } else if (isRestored) {
      this.#environment.restore?.(snapshot);
      await this.#repeat(pending.reverse(), signal);
    } else if (deterministic) {
      await this.#environment.reset(this.#options, signal);
      await this.#repeat(pending.reverse(), signal);
    } else if (!this.#wasStarted) {
      await this.#environment.reset(this.#options, signal);
    }
    this.#wasStarted = true;
    this.#standing = standing;
  }

  /** Why an environment with snapshots can't be taken to a place that it left in another session. */
  get #withoutSnapshot(): string {
    return `The environment ${this.#environment.name} has no snapshot of this place, so it can't be taken here.`;
  }

  async #repeat(actions: readonly CarriedOut[], signal: AbortSignal): Promise<void> {
    for (const { step, effect, observation } of actions) {
      signal.throwIfAborted();
      const outcome = await carryOut(this.#environment, effect, signal);
      if (outcome.observation === observation) continue;
      throw new EnvironmentFailure(
        `The environment ${this.#environment.name} can't be taken back: at step ${step} it answers ${JSON.stringify(outcome.observation)}, and the trace has ${JSON.stringify(observation)}: ${whyChanged(observation)}.`,
      );
    }
  }
}
