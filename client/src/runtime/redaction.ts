/** Keeps texts out of runs that match patterns of the user's: what a model sees, what is shown, and what a trace holds. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { assertNever } from '../../../schemas/text/assertNever';
import { compilePattern, type SafePattern } from '../../../schemas/text/safePattern';
import { type Environment, EnvironmentFailure, type Outcome } from './environment';
import { type EscapedReading, escapedReadings } from './escapedText';
import { ModelFailure, type ModelNotice } from './model';

/** What stands in the place of a match. */
export const redactedText = '[redacted]';

export interface Redaction {
  /** A text, as it is written and as it reads once its escapes are read; done twice it comes to the same. */
  text(text: string): string;
  /** All texts and numbers in a value, keys included; a number becomes a text. */
  value(value: JsonValue): JsonValue;
}

export type RedactionResult =
  | { readonly ok: true; readonly redaction: Redaction | undefined }
  | { readonly ok: false; readonly message: string };

/**
 * Undefined as the redaction where there is no pattern; a message for the user where one can't be used.
 *
 * @param now in milliseconds
 */
export function createRedaction(patterns: readonly string[], now: () => number): RedactionResult {
  const compiled: SafePattern[] = [];
  for (const source of patterns) {
    if (source === '')
      return { ok: false, message: 'What to redact can\'t be found by "": an empty pattern finds nothing.' };
    const pattern = compilePattern(source);
    if (!pattern.ok)
      return { ok: false, message: `What to redact can't be found by ${shown(source)}: ${pattern.message}` };
    compiled.push(pattern);
  }
  const text = (given: string) =>
    compiled.reduce((left, pattern) => replaced(left, pattern, now), new Readings(given)).text;
  return {
    ok: true,
    redaction: compiled.length === 0 ? undefined : { text, value: (value) => redactedValue(value, text) },
  };
}

function shown(source: string): string {
  return JSON.stringify(source.length > 60 ? `${source.slice(0, 60)}…` : source);
}

/**
 * Some patterns go over all that is left with every search, which takes for ever where they find much in a long text. After so
 * many milliseconds the rest of the text is left out whole.
 */
const patience = 1_000;

function replaced(given: Readings, pattern: SafePattern, now: () => number): Readings {
  const latest = now() + patience;
  let readings = given;
  // What is found in one reading is gone in the next ones.
  for (let reading = 0; ; reading++) {
    const read = readings.at(reading);
    if (read === undefined) return readings;
    const { text } = readings;
    const isShown = shownPlaces(text);
    const parts: string[] = [];
    let from = 0;
    for (const match of pattern.matches(read.text)) {
      const isEmpty = match.start === match.end;
      const { start, end } = isEmpty ? { start: from, end: from } : read.written(match.start, match.end);
      const isTaken = !isEmpty && start >= from && !isShown(start, end);
      if (isTaken) {
        parts.push(text.slice(from, start), redactedText);
        from = end;
      }
      if (now() <= latest) continue;
      parts.push(isTaken ? '' : redactedText);
      return new Readings(parts.join(''));
    }
    if (from > 0) readings = new Readings(parts.join('') + text.slice(from));
  }
}

/** A text as it reads with its escapes read so often, each reading made once, and only where it is asked for. */
class Readings {
  readonly text: string;
  readonly #more: Iterator<EscapedReading>;
  readonly #made: EscapedReading[] = [];

  constructor(text: string) {
    this.text = text;
    this.#more = escapedReadings(text)[Symbol.iterator]();
  }

  /** Undefined where so many aren't there. */
  at(count: number): EscapedReading | undefined {
    while (this.#made.length <= count) {
      const next = this.#more.next();
      if (next.done === true) return undefined;
      this.#made.push(next.value);
    }
    return this.#made[count];
  }
}

/** Tells what lies in the mark of a match: that is nobody's, whatever pattern finds it, so that a redacted text stays as it is. */
function shownPlaces(text: string): (start: number, end: number) => boolean {
  let mark = text.indexOf(redactedText);
  return (start, end) => {
    while (mark >= 0 && mark + redactedText.length < end) mark = text.indexOf(redactedText, mark + 1);
    return mark >= 0 && mark <= start;
  };
}

/** What stands in the place of a number, as it is printed or by its source; undefined for one that stays. */
export function redactedNumber(source: string, { text }: Pick<Redaction, 'text'>): string | undefined {
  const printed = String(Number(source));
  return [printed, source].map(text).find((redacted) => redacted !== source && redacted !== printed);
}

/** Values of a run nest no deeper than its limits; an environment's facts may, so depth is no recursion here. */
function redactedValue(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value !== 'object' || value === null) return redactedScalar(value, redact);
  const whole = Array.isArray(value) ? [] : {};
  const pending: { readonly from: JsonValue; readonly to: Record<string, JsonValue> | JsonValue[] }[] = [
    { from: value, to: whole },
  ];
  const copy = (item: JsonValue): JsonValue => {
    if (typeof item !== 'object' || item === null) return redactedScalar(item, redact);
    const to = Array.isArray(item) ? [] : {};
    pending.push({ from: item, to });
    return to;
  };
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { from, to } = at;
    if (Array.isArray(from) && Array.isArray(to)) {
      for (const item of from) to.push(copy(item));
    } else if (isJsonObject(from) && !Array.isArray(to)) {
      const keys = new RedactedKeys();
      for (const [key, item] of Object.entries(from)) {
        const own = { value: copy(item), writable: true, enumerable: true, configurable: true };
        Object.defineProperty(to, keys.free(redact(key), key), own);
      }
    }
  }
  return whole;
}

function redactedScalar(
  value: string | number | boolean | null,
  text: (text: string) => string,
): string | number | boolean | null {
  if (typeof value === 'string') return text(value);
  return typeof value === 'number' ? (redactedNumber(String(value), { text }) ?? value) : value;
}

/** Keys of one object; where a redacted one comes to the same text as another, it is numbered. */
export class RedactedKeys {
  readonly #last = new Map<string, number>();
  /** Each key, and whether something was left out of it. */
  readonly #taken = new Map<string, boolean>();

  /** What `key` becomes, of which `redacted` is left. A key that is there twice of itself stays so. */
  free(redacted: string, key: string): string {
    const isRedacted = redacted !== key;
    let free = redacted;
    while (isRedacted ? this.#taken.has(free) : this.#taken.get(free) === true) {
      const number = (this.#last.get(redacted) ?? 1) + 1;
      this.#last.set(redacted, number);
      free = `${redacted} ${number}`;
    }
    this.#taken.set(free, isRedacted);
    return free;
  }
}

/** An environment of which nothing enters the run that is to be left out. */
export function redactedEnvironment(environment: Environment, redaction: Redaction): Environment {
  const told = (outcome: Outcome): Outcome => ({
    ...outcome,
    observation: redaction.text(outcome.observation),
    ...(outcome.facts && { facts: redactedObject(outcome.facts, redaction) }),
  });
  const failing = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof EnvironmentFailure ? withoutSecrets(error, redaction) : error;
    }
  };
  const own: Partial<Environment> = {
    reset: (options, signal) =>
      failing(async () => {
        const first = await environment.reset(options, signal);
        return { ...first, observation: redaction.text(first.observation) };
      }),
    execute: (action, signal) => failing(async () => told(await environment.execute(action, signal))),
    skip: (reason, signal) => failing(async () => told(await environment.skip(reason, signal))),
    ...(environment.truth && {
      truth: () => redactedObject(environment.truth?.() ?? {}, redaction),
    }),
  };
  // Everything else is the environment's own.
  return new Proxy(environment, {
    get(target, name) {
      const value = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

export function redactedObject(value: JsonObject, redaction: Redaction): JsonObject {
  const redacted = redaction.value(value);
  return isJsonObject(redacted) ? redacted : {};
}

function withoutSecrets(failure: EnvironmentFailure, { text }: Redaction): EnvironmentFailure {
  return new EnvironmentFailure(text(failure.message), { cause: failure.cause });
}

/** Why a world tells another observation than is recorded, the rest of a sentence about it. */
export function whyChanged(recorded: string): string {
  return recorded.includes(redactedText)
    ? 'the recorded run left something out, so go on with the same patterns of what is redacted'
    : 'it has changed since';
}

/** The same failure, told without what is to be left out. */
export function redactedFailure(failure: ModelFailure, { text }: Redaction): ModelFailure {
  const { class: failureClass, retryable, retryAfter, cause } = failure;
  return new ModelFailure(text(failure.message), { class: failureClass, retryable, retryAfter, cause });
}

/** What is told of a request, without what is to be left out. */
export function redactedNotice<Notice extends ModelNotice>(notice: Notice, { text }: Redaction): Notice {
  switch (notice.type) {
    case 'request': {
      const { url, headers, body } = notice.request;
      const request = {
        ...notice.request,
        url: redactedUrl(url, text),
        headers: redactedHeaders(headers, text),
        body: text(body),
      };
      // What came so far may end in the middle of what is to be left out, where no pattern finds it.
      return { ...notice, request, received: undefined };
    }
    case 'response': {
      const { headers, body } = notice.response;
      const response = { ...notice.response, headers: redactedHeaders(headers, text), body: text(body) };
      return { ...notice, response };
    }
    case 'thinking':
      return { ...notice, text: text(notice.text) };
    case 'retry':
      return { ...notice, failure: { ...notice.failure, message: text(notice.failure.message) } };
    default:
      return assertNever(notice);
  }
}

/** A part of it that is found only once its percent signs are read takes all of it along. */
function redactedUrl(url: string, text: (text: string) => string): string {
  const redacted = text(url);
  const read = withoutPercents(redacted);
  return text(read) === read ? redacted : redactedText;
}

/** RFC 3986, section 2.1; bytes that are no UTF-8 stay as they are. */
function withoutPercents(url: string): string {
  return url.replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}

function redactedHeaders(
  headers: Readonly<Record<string, string>>,
  text: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, text(value)]));
}
