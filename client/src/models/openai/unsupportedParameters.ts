/**
 * What a model on a server was found not to take: reasoning models refuse temperatures, servers differ in the name of the
 * limit of tokens. Learned from what they answer, kept as long as the process runs, said when it is learned, and
 * recorded with each run from its beginning on.
 */
import type { ServerRefusal } from './serverRefusal';

/** Parameters that requests can do without, with what then happens. */
const dispensable: ReadonlyMap<string, string> = new Map([
  ['temperature', "the model's own temperature applies"],
  ['top_p', "the model's own top_p applies"],
  ['seed', 'replies are sampled anew each time'],
  ['stream_options', 'tokens are counted here unless the server reports them anyway'],
  ['stream', 'replies come as a whole'],
]);

const tokenLimits = ['max_completion_tokens', 'max_tokens'] as const;
export type TokenLimit = (typeof tokenLimits)[number];

/** Between names, as they are recorded. */
const separator = ', ';

/** As a run is recorded without them: `temperature, seed`. */
export function parametersToRecord(names: readonly string[]): string {
  return names.join(separator);
}

/** What a run that was recorded without them does without from its beginning on; others are passed over. */
export function recordedParameters(names: string): readonly string[] {
  return names.split(separator).filter((name) => dispensable.has(name));
}

/** Statuses of a request that is wrong. */
const wrongRequest: ReadonlySet<number | undefined> = new Set([400, 422]);

const refusingWords = /^(unsupported_parameter|unsupported_value|unknown_parameter)$/;
/** Says of what is named before or after it, not of something else in the same text, that it isn't taken. */
const refusingBefore =
  /(verified to|unsupported|n[o']t support|unknown|unrecogni[sz]ed|unexpected|extra (inputs|fields))( (is|are|not|be|permitted|request|keyword|parameters?|values?|arguments?|fields?|inputs?|supplied|for|the|with|this|model|setting|forbidden)\b)*[\s:\W]*(loc\W+body\W+)?$/i;
/**
 * Words and what stands between them share no character, so that a text which says something else is given up at once: a
 * number's sign and point count as between.
 */
const refusingAfter =
  /^\W*((parameter|argument|field|value|is|are|may|must|can|not|be|does|of|\d+|request|this|that|setting|msg|\w*n't)\W+)*(extra (inputs|fields)|supported|support|permitted|allowed|unsupported|unknown|unrecogni[sz]ed|unexpected|strictly positive|only the default)/i;

export class UnsupportedParameters {
  readonly #without = new Set<string>();
  readonly #refusedLimits = new Set<string>();
  #tokenLimit: TokenLimit;

  constructor(tokenLimit: TokenLimit) {
    this.#tokenLimit = tokenLimit;
  }

  /** The parameter in which the limit of tokens is sent. */
  get tokenLimit(): TokenLimit {
    return this.#tokenLimit;
  }

  /** Whether requests do without this parameter. */
  has(parameter: string): boolean {
    return this.#without.has(parameter);
  }

  /** Names of those that requests do without. */
  get names(): readonly string[] {
    return [...this.#without];
  }

  /** Does without parameters, as a recorded run did. */
  add(names: readonly string[]): void {
    for (const name of names) this.#without.add(name);
  }

  /** Requests have a parameter again: that they were without didn't help. */
  forget(parameter: string): void {
    this.#without.delete(parameter);
    if (parameter === 'stream') this.#without.delete('stream_options');
  }

  /** What requests do without and what then happens, a sentence each after the model's name. */
  get sentences(): readonly string[] {
    return this.names.flatMap((name) => {
      const consequence = dispensable.get(name);
      return consequence === undefined ? [] : [`takes no \`${name}\`: it is left out, and ${consequence}.`];
    });
  }

  /**
   * Learns from a refused request how the next one has to look.
   *
   * @param tried what didn't help already
   * @returns undefined where nothing follows from it
   */
  learn(refusal: ServerRefusal, body: object, tried: ReadonlySet<string> = new Set()): Learned | undefined {
    if (!wrongRequest.has(refusal.status)) return undefined;
    // `stream` is sent as false once it is left out: a server that refuses that, too, teaches nothing more.
    const isMeant = (parameter: string) =>
      !tried.has(parameter) &&
      Object.hasOwn(body, parameter) &&
      Reflect.get(body, parameter) !== false &&
      isRefused(parameter, refusal);
    const limit = tokenLimits.find(isMeant);
    if (limit !== undefined) return this.#otherLimit(limit);
    for (const [parameter, consequence] of dispensable) {
      if (!isMeant(parameter)) continue;
      this.#without.add(parameter);
      // A server that can't stream wants nothing said about streams either.
      if (parameter === 'stream') this.#without.add('stream_options');
      return {
        parameter,
        sentence: `takes no \`${parameter}\`: it is left out from now on, and ${consequence}.`,
      };
    }
    return undefined;
  }

  #otherLimit(refused: TokenLimit): Learned | undefined {
    this.#refusedLimits.add(refused);
    const other = tokenLimits.find((limit) => !this.#refusedLimits.has(limit));
    if (other === undefined) return undefined;
    this.#tokenLimit = other;
    return {
      parameter: refused,
      sentence: `takes no \`${refused}\`: the limit is sent as \`${other}\` from now on.`,
    };
  }
}

/** What was learned from a refusal: the end of a sentence after the model's name. */
export interface Learned {
  readonly parameter: string;
  readonly sentence: string;
}

/** By the error's own fields, or, where they don't say, by what its sentence says of the parameter. */
function isRefused(parameter: string, { parameter: field, words, message }: ServerRefusal): boolean {
  const isKind = words.some((word) => refusingWords.test(word));
  if (field !== undefined) {
    const isMeant = field === parameter || field.startsWith(`${parameter}.`);
    return isMeant && (isKind || isSaidOf(parameter, message));
  }
  return isSaidOf(parameter, message) || (isKind && placesOf(parameter, message).length > 0);
}

function isSaidOf(parameter: string, message: string): boolean {
  return placesOf(parameter, message).some((at) => {
    const before = message.slice(Math.max(0, at - nearby), at);
    const after = message.slice(at + parameter.length, at + parameter.length + nearby);
    return refusingBefore.test(before) || refusingAfter.test(after);
  });
}

/** As far from a parameter, in characters, its refusal is said. */
const nearby = 80;

/** Where it stands as a word of its own. */
function placesOf(parameter: string, message: string): readonly number[] {
  return [...message.matchAll(new RegExp(`(?<![\\w.])${parameter}(?!\\w)`, 'g'))].map(({ index }) => index);
}

/** Models that are asked within one process; more are forgotten, oldest first. */
const most = 500;
const known = new Map<string, UnsupportedParameters>();

/** What is known of a model on a server by now. */
export function unsupportedParametersOf(
  baseUrl: string,
  model: string,
  tokenLimit: TokenLimit,
): UnsupportedParameters {
  const key = `${baseUrl} ${model}`;
  const found = known.get(key) ?? new UnsupportedParameters(tokenLimit);
  known.delete(key);
  known.set(key, found);
  for (const oldest of known.keys()) {
    if (known.size <= most) break;
    known.delete(oldest);
  }
  return found;
}
