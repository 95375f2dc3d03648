/** Keeps texts out of runs that match patterns of the user's: what a model sees, what is shown, and what a trace holds. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { assertNever } from '../../../schemas/text/assertNever';
import { compilePattern, type SafePattern } from '../../../schemas/text/safePattern';
import { type Environment, EnvironmentFailure, type Outcome } from './environment';
import { ModelFailure, type ModelNotice } from './model';

/** What stands in the place of a match. */
export const redactedText = '[redacted]';

export interface Redaction {
  text(text: string): string;
  /** All texts in a value, keys included. */
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
    const pattern = compilePattern(source);
    if (!pattern.ok)
      return { ok: false, message: `What to redact can't be found by ${shown(source)}: ${pattern.message}` };
    compiled.push(pattern);
  }
  const text = (given: string) => compiled.reduce((left, pattern) => replaced(left, pattern, now), given);
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

function replaced(text: string, pattern: SafePattern, now: () => number): string {
  const latest = now() + patience;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of pattern.matches(text)) {
    if (start !== end) {
      parts.push(text.slice(from, start), redactedText);
      from = end;
    }
    if (now() <= latest) continue;
    parts.push(start === end ? redactedText : '');
    return parts.join('');
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}

/** Values of a run nest no deeper than its limits; an environment's facts may, so depth is no recursion here. */
function redactedValue(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  const whole = Array.isArray(value) ? [] : {};
  const pending: { readonly from: JsonValue; readonly to: Record<string, JsonValue> | JsonValue[] }[] = [
    { from: value, to: whole },
  ];
  const numbered = new KeyNumbers();
  const copy = (item: JsonValue): JsonValue => {
    if (typeof item === 'string') return redact(item);
    if (typeof item !== 'object' || item === null) return item;
    const to = Array.isArray(item) ? [] : {};
    pending.push({ from: item, to });
    return to;
  };
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { from, to } = at;
    if (Array.isArray(from) && Array.isArray(to)) {
      for (const item of from) to.push(copy(item));
    } else if (isJsonObject(from) && !Array.isArray(to)) {
      for (const [key, item] of Object.entries(from)) {
        const own = { value: copy(item), writable: true, enumerable: true, configurable: true };
        Object.defineProperty(to, numbered.free(redact(key), key, to), own);
      }
    }
  }
  return whole;
}

/** Keys of one object that come to the same text are numbered. */
class KeyNumbers {
  readonly #last = new Map<string, number>();

  free(redacted: string, key: string, taken: object): string {
    if (redacted === key) return key;
    let free = redacted;
    while (Object.hasOwn(taken, free)) {
      const number = (this.#last.get(redacted) ?? 1) + 1;
      this.#last.set(redacted, number);
      free = `${redacted} ${number}`;
    }
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

function redactedObject(value: JsonObject, redaction: Redaction): JsonObject {
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
    case 'request':
      return { ...notice, request: { ...notice.request, body: text(notice.request.body) } };
    case 'response':
      return { ...notice, response: { ...notice.response, body: text(notice.response.body) } };
    case 'thinking':
      return { ...notice, text: text(notice.text) };
    case 'retry':
      return { ...notice, failure: { ...notice.failure, message: text(notice.failure.message) } };
    default:
      return assertNever(notice);
  }
}
