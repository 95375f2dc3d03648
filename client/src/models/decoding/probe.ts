/** Finds out how a server can be held to a format, by trying: which constraint it takes, and whether it keeps to it. */
import type { ModelFailure } from '../../runtime/model';
import type { Encoding, ModelSettings, Placement } from '../modelSettings';
import type { Dialect, ReplyConstraint } from './replyConstraint';

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

/** One way in which a server may take a constraint. */
export interface ProbePlacement {
  readonly encoding: Exclude<Encoding, 'free'>;
  readonly placement: Placement;
  readonly dialect: Dialect;
}

export type ProbeAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: ModelFailure };

/** How a provider asks a server under a constraint. */
export interface Prober {
  /** The origin, or whatever names the server; with `model` the key under which the result is kept. */
  readonly server: string;
  readonly model: string;
  /** In order of preference. */
  readonly placements: readonly ProbePlacement[];
  /** One small request, without retries. @throws the signal's reason */
  ask(
    placement: ProbePlacement,
    prompt: string,
    constraint: ReplyConstraint,
    signal: AbortSignal,
  ): Promise<ProbeAnswer>;
}

/** What a model is held to, and why. */
export interface ChosenDecoding {
  readonly encoding: Encoding;
  /** Undefined with `free`. */
  readonly placement?: Placement | undefined;
  readonly dialect?: Dialect | undefined;
  /** A sentence or two for the user. */
  readonly explanation: string;
}

export interface DecodingChoice {
  readonly settings: Pick<ModelSettings, 'encoding' | 'placement' | 'decoding'>;
  readonly prober: Prober;
  readonly store?: ProbeStore | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Tries the placements in order until one is enforced. @throws the signal's reason */
export async function probeDecoding(
  _prober: Prober,
  now: number,
  _signal: AbortSignal,
): Promise<ProbeResult> {
  return { encoding: 'free', placement: undefined, explanation: 'Nothing was tried.', tries: [], at: now };
}

/** What the settings say, what is known of the server, or what a probe finds. @throws the signal's reason */
export async function chooseDecoding({ settings, prober }: DecodingChoice): Promise<ChosenDecoding> {
  const { decoding } = settings;
  const encoding = settings.encoding ?? (decoding === undefined || decoding === 'auto' ? 'free' : decoding);
  const found = prober.placements.find((placement) => placement.encoding === encoding);
  if (found === undefined) return { encoding: 'free', explanation: 'Nothing was tried.' };
  return {
    encoding,
    placement: settings.placement ?? found.placement,
    dialect: found.dialect,
    explanation: 'Nothing was tried.',
  };
}
