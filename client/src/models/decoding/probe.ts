/** Finds out how a server can be held to a format, by trying: which constraint it takes, and whether it keeps to it. */
import { type ModelFailure, type ModelFailureClass, ModelSettingFailure } from '../../runtime/model';
import { listed, shortened } from '../../runtime/quotation';
import type { Encoding, ModelSettings, Placement } from '../modelSettings';
import { probeQuestion } from './probeQuestion';
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

/** For how long a result holds: servers get new versions. */
const longestKept = 14 * 24 * 60 * 60 * 1_000;

/** Failures that no other constraint would get around: the model can't be asked at all. */
const fatal: ReadonlySet<ModelFailureClass> = new Set([
  'authentication',
  'permission',
  'no-such-model',
  'quota',
  'connection',
  'cancelled',
]);
/** Failures after which another request would most likely fail as well. */
const lasting: ReadonlySet<ModelFailureClass> = new Set(['rate-limit', 'timeout']);

/**
 * Tries the placements in order until one is enforced: each with one request, whose prompt asks for something else than
 * the constraint allows.
 *
 * @throws ModelFailure where the model can't be asked at all; the signal's reason
 */
export async function probeDecoding(prober: Prober, now: number, signal: AbortSignal): Promise<ProbeResult> {
  const tries: ProbeTry[] = [];
  for (const placement of prober.placements) {
    signal.throwIfAborted();
    const question = probeQuestion(placement, now);
    const answer = await prober.ask(placement, question.prompt, question.constraint, signal);
    if (!answer.ok && fatal.has(answer.failure.class)) throw answer.failure;
    const one = { encoding: placement.encoding, placement: placement.placement };
    if (!answer.ok) {
      const outcome = answer.failure.class === 'bad-request' ? 'refused' : 'unanswered';
      tries.push({ ...one, outcome, detail: shortened(answer.failure.message, maxDetail) });
      if (lasting.has(answer.failure.class)) break;
      continue;
    }
    const judged = question.judge(answer.text);
    tries.push({ ...one, ...judged });
    if (judged.outcome === 'enforced') break;
  }
  const chosen = tries.find(({ outcome }) => outcome === 'enforced');
  return {
    encoding: chosen?.encoding ?? 'free',
    placement: chosen?.placement,
    explanation: explanationOf(prober, tries),
    tries,
    at: now,
  };
}

const maxDetail = 300;

/** True where a result may be kept: every way that would have been preferred was answered for. */
export function isConclusive({ tries }: ProbeResult): boolean {
  return tries.length > 0 && tries.every(({ outcome }) => outcome !== 'unanswered');
}

function explanationOf({ server }: Prober, tries: readonly ProbeTry[]): string {
  if (tries.length === 0) return `Nothing is known that would hold replies of ${server} to a format.`;
  const chosen = tries.find(({ outcome }) => outcome === 'enforced');
  const others = tries.filter((one) => one !== chosen).map(outcomeText);
  const rest = others.length === 0 ? '' : ` ${capitalized(listed(others, 'and', 4))}.`;
  if (chosen !== undefined) return `${server} keeps replies to ${wayText(chosen)}.${rest}`;
  const isOpen = tries.some(({ outcome }) => outcome === 'unanswered');
  const kept = isOpen ? ' It is tried again next time.' : '';
  return `${server} keeps replies to no format, so they are free.${rest}${kept}`;
}

const encodingNames: Readonly<Record<Encoding, string>> = {
  free: 'nothing',
  'json-schema': 'a JSON Schema',
  operations: 'a JSON Schema of operations',
  grammar: 'a grammar',
};

function wayText({ encoding, placement }: Pick<ProbeTry, 'encoding' | 'placement'>): string {
  return placement === encoding ? encodingNames[encoding] : `${encodingNames[encoding]} (${placement})`;
}

function outcomeText(one: ProbeTry): string {
  const way = wayText(one);
  switch (one.outcome) {
    case 'enforced':
      return `${way} is kept to`;
    case 'ignored':
      return `${way} is taken and not kept to`;
    case 'refused':
      return `${way} is refused`;
    case 'unanswered':
      return `${way} got no answer`;
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * What a run recorded, else what the settings say, else what is known of the server, else what a probe finds.
 *
 * @throws ModelSettingFailure where the server can't be held to what the settings say; ModelFailure where it can't be asked; the
 *   signal's reason
 */
export async function chooseDecoding({
  settings,
  prober,
  store,
  now,
  signal,
}: DecodingChoice): Promise<ChosenDecoding> {
  const { encoding, placement, decoding = 'auto' } = settings;
  if (encoding !== undefined) {
    const ways = prober.placements.filter((way) => way.encoding === encoding);
    const way = ways.find((one) => placement === undefined || one.placement === placement);
    const explanation = 'The run was recorded so.';
    return { encoding, placement: placement ?? way?.placement, dialect: way?.dialect, explanation };
  }
  if (decoding === 'free') return { encoding: 'free', explanation: 'It is set so.' };
  const known = await store?.get(prober.server, prober.model);
  if (decoding !== 'auto') return chosenBySetting(prober, decoding, known?.tries ?? []);
  const kept = known === undefined ? undefined : keptChoice(prober, known, now);
  if (kept !== undefined) return kept;
  const result = await probeDecoding(prober, now, signal);
  if (isConclusive(result)) await store?.set(prober.server, prober.model, result);
  return choiceOf(prober, result);
}

/** A kept result, as long as it isn't too old and names a way that there still is. */
function keptChoice(prober: Prober, result: ProbeResult, now: number): ChosenDecoding | undefined {
  if (now - result.at > longestKept || result.at > now) return undefined;
  const choice = choiceOf(prober, result);
  return choice.encoding === 'free' || choice.dialect !== undefined ? choice : undefined;
}

function choiceOf(prober: Prober, { encoding, placement, explanation }: ProbeResult): ChosenDecoding {
  if (encoding === 'free' || placement === undefined) return { encoding: 'free', explanation };
  const way = prober.placements.find((one) => one.encoding === encoding && one.placement === placement);
  return { encoding, placement, dialect: way?.dialect, explanation };
}

/** The encoding is settled; of several ways to ask for it one that the server is known to keep to comes first. */
function chosenBySetting(
  { server, placements }: Prober,
  encoding: Exclude<Encoding, 'free'>,
  tries: readonly ProbeTry[],
): ChosenDecoding {
  const ways = placements.filter((way) => way.encoding === encoding);
  const outcomeOf = ({ placement }: ProbePlacement): ProbeOutcome | undefined =>
    tries.find((one) => one.encoding === encoding && one.placement === placement)?.outcome;
  const way =
    ways.find((one) => outcomeOf(one) === 'enforced') ??
    ways.find((one) => outcomeOf(one) !== 'refused') ??
    ways[0];
  if (way === undefined) {
    const message = `${server} can't be held to ${encoding}: choose another decoding, such as auto.`;
    throw new ModelSettingFailure(message);
  }
  const tried = tries.find((one) => one.encoding === encoding && one.placement === way.placement);
  const isKept = tried === undefined || tried.outcome === 'enforced';
  const explanation = isKept ? 'It is set so.' : `It is set so, though ${outcomeText(tried)}.`;
  return { encoding, placement: way.placement, dialect: way.dialect, explanation };
}
