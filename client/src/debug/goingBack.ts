/** Going back at a user's request: finds where that leads, and gives the way up where nobody wants it any longer. */
import type { Journey, JourneyPlace } from '../runtime/journey';
import { type Clock, phasesInARow } from './debugHost';
import type { StopReason, StopRules } from './stopPolicy';
import { placeBefore, stopBefore } from './travel';

/** By one `next`, or to where a breakpoint or an exception would have stopped the run before. */
export type WayBack = 'stepBack' | 'reverseContinue';

/** Where a run is to stand, and why it stops there. */
export interface Destination {
  readonly place: JourneyPlace;
  readonly reason: StopReason;
}

export interface GoingBackOptions {
  readonly journey: Journey;
  readonly clock: Clock;
  /** Asked again at every phase, so that changes hold at once. */
  readonly rules: () => StopRules;
  /** True where the user wants to pause, or the session is over. */
  readonly isGivenUp: () => boolean;
  /** A sentence for the user. */
  readonly onTold: (text: string) => void;
}

/** A way that was given up. */
class GivenUp extends Error {
  override readonly name: string = 'GivenUp';
  readonly at: JourneyPlace;

  constructor(at: JourneyPlace) {
    super('The way back was given up.');
    this.at = at;
  }
}

export class GoingBack {
  readonly #options: GoingBackOptions;
  #wasAsked = false;

  constructor(options: GoingBackOptions) {
    this.#options = options;
  }

  /** True once the user has gone back in this run. */
  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  /**
   * Where a way leads from the place at which the run stands: as far as it was gone, where it is given up. The first
   * time, tells what going back leaves as it is.
   */
  async destination(way: WayBack): Promise<Destination> {
    const { journey, onTold } = this.#options;
    if (!this.#wasAsked) {
      this.#wasAsked = true;
      const { notUndone } = journey;
      if (notUndone !== undefined) onTold(notUndone);
    }
    const { branch, step, index } = journey.position;
    try {
      return await this.#end(way, { branch, step, index });
    } catch (error) {
      if (error instanceof GivenUp) return { place: error.at, reason: { kind: 'pause' } };
      throw error;
    }
  }

  /** @throws GivenUp */
  async #end(way: WayBack, from: JourneyPlace): Promise<Destination> {
    const { journey, clock, rules, isGivenUp } = this.#options;
    let phases = 0;
    const turn = async (at: JourneyPlace) => {
      if (++phases % phasesInARow === 0) await clock.yieldToMessages();
      if (isGivenUp()) throw new GivenUp(at);
    };
    if (way === 'stepBack') {
      const isAtAct = journey.run?.phase === 'act' && journey.run.end === undefined;
      const place = await placeBefore(journey, from, isAtAct, () => turn(from));
      return { place: place ?? from, reason: { kind: place === undefined ? 'start' : 'step' } };
    }
    const stop = rules().isIdle ? undefined : await stopBefore(journey, from, rules, turn);
    return stop ?? { place: { branch: from.branch, step: 0, index: 0 }, reason: { kind: 'start' } };
  }
}
