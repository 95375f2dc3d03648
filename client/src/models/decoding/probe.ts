/** Finds out how a server can be held to a format, by trying: which constraint it takes, and whether it keeps to it. */
import type { Encoding, Placement } from '../modelSettings';

/** What came of one try. `unanswered`: the server failed in a way that says nothing about constraints. */
export type ProbeOutcome = 'enforced' | 'ignored' | 'refused' | 'unanswered';

export interface ProbeTry {
  readonly encoding: Encoding;
  readonly placement: Placement;
  readonly outcome: ProbeOutcome;
  /** What the server answered, shortened; a sentence for the user. */
  readonly detail: string;
}

/** What is known of a model on a server. */
export interface ProbeResult {
  readonly encoding: Encoding;
  /** Undefined with `free`. */
  readonly placement: Placement | undefined;
  /** Why this one was chosen, a sentence or two for the user. */
  readonly explanation: string;
  readonly tries: readonly ProbeTry[];
  /** When it was tried, in milliseconds since 1970. */
  readonly at: number;
}

/** Keeps results by server and model. A store that can't be read counts as an empty one; what can't be written is said once. */
export interface ProbeStore {
  get(server: string, model: string): Promise<ProbeResult | undefined>;
  set(server: string, model: string, result: ProbeResult): Promise<void>;
}
