/**
 * What a model on a server was found not to take: reasoning models refuse temperatures, servers differ in the name of the
 * limit of tokens. Learned from what they answer, kept as long as the process runs, and said each time that something is learned.
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

/** Statuses of a request that is wrong. */
const wrongRequest: ReadonlySet<number | undefined> = new Set([400, 422]);

const refusingWords = /^(unsupported_parameter|unsupported_value|unknown_parameter)$/;
const refusingSentence =
  /unsupported|not (be )?supported|n['o]t support|unknown|unrecogni[sz]ed|unexpected|extra (inputs|fields)|not permitted|not allowed|strictly positive|only the default|verified to stream/i;

export class Lessons {
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

  /**
   * Learns from a refused request how the next one has to look.
   *
   * @returns what was learned, the end of a sentence after the model's name; undefined where nothing follows from it
   */
  learn(refusal: ServerRefusal, body: object): string | undefined {
    const { status, words, message } = refusal;
    if (!wrongRequest.has(status)) return undefined;
    if (!words.some((word) => refusingWords.test(word)) && !refusingSentence.test(message)) return undefined;
    // `stream` is sent as false once it is left out: a server that refuses that, too, teaches nothing more.
    const isMeant = (parameter: string) =>
      Object.hasOwn(body, parameter) && Reflect.get(body, parameter) !== false && isNamed(parameter, refusal);
    const limit = tokenLimits.find(isMeant);
    if (limit !== undefined) return this.#otherLimit(limit);
    for (const [parameter, consequence] of dispensable) {
      if (!isMeant(parameter)) continue;
      this.#without.add(parameter);
      // A server that can't stream wants nothing said about streams either.
      if (parameter === 'stream') this.#without.add('stream_options');
      return `takes no \`${parameter}\`: it is left out from now on, and ${consequence}.`;
    }
    return undefined;
  }

  #otherLimit(refused: TokenLimit): string | undefined {
    this.#refusedLimits.add(refused);
    const other = tokenLimits.find((limit) => !this.#refusedLimits.has(limit));
    if (other === undefined) return undefined;
    this.#tokenLimit = other;
    return `takes no \`${refused}\`: the limit is sent as \`${other}\` from now on.`;
  }
}

/** By its field, or, where that is empty, as a word of its own in the message. */
function isNamed(parameter: string, { parameter: field, message }: ServerRefusal): boolean {
  if (field !== undefined) return field === parameter || field.startsWith(`${parameter}.`);
  return new RegExp(`(?<![\\w.])${parameter}(?!\\w)`).test(message);
}

/** Models that are asked within one process; more are forgotten, oldest first. */
const most = 500;
const known = new Map<string, Lessons>();

/** What is known of a model on a server by now. */
export function lessonsOf(baseUrl: string, model: string, tokenLimit: TokenLimit): Lessons {
  const key = `${baseUrl} ${model}`;
  const found = known.get(key) ?? new Lessons(tokenLimit);
  known.delete(key);
  known.set(key, found);
  for (const oldest of known.keys()) {
    if (known.size <= most) break;
    known.delete(oldest);
  }
  return found;
}
