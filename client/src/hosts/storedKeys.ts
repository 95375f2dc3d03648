/** API keys by the origin that they go to: kept by the editor, else of the environment, else asked for. Free of VS Code. */
import { isApiKey } from '../models/http/apiKey';
import type { KeyOwner, KeySource } from '../models/modelResources';
import { serviceOrigins } from '../models/services';
import { orAborted } from '../runtime/orAborted';

/** Where secrets are kept; VS Code's SecretStorage is one. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
  keys(): PromiseLike<readonly string[]>;
}

export interface StoredKeysOptions {
  readonly secrets: SecretStore;
  /** The variables of the environment; by default none. */
  readonly environment?: KeySource | undefined;
  /**
   * Asks a person for a key; undefined where they give none.
   *
   * @param isRefused whether the one that there was has not been taken
   * @throws the signal's reason
   */
  ask(origin: string, isRefused: boolean, signal: AbortSignal): Promise<string | undefined>;
}

export interface StoredKeys extends KeySource {
  /**
   * For who looks by the way at servers that nobody chose: nobody is asked, a server gets no key before it asked for one, and
   * a key of the environment goes to the service that it is for alone.
   */
  readonly silent: KeySource;
  /** Whether there is a key without asking anybody. */
  has(owner: KeyOwner): Promise<boolean>;
  /** The origins that keys are stored for. */
  origins(): Promise<readonly string[]>;
  set(origin: string, key: string): Promise<void>;
  remove(origin: string): Promise<void>;
}

/** The title of the command that sets keys, as messages name it. */
const setCommand = 'Skill: Set API Key…';

const prefix = 'key:';

/** Where keys of the hosted services are to be had. */
const keyPages: ReadonlyMap<string, string> = new Map<string, string>([
  [serviceOrigins.openai, 'https://platform.openai.com/api-keys'],
  [serviceOrigins.gemini, 'https://aistudio.google.com/apikey'],
]);

/** The page where a service gives keys; undefined for one that isn't known. */
export function keyPageOf(origin: string): string | undefined {
  return keyPages.get(origin);
}

/** Why a text is no key, for who types it; undefined for one that may be. */
export function keyProblem(text: string): string | undefined {
  const key = text.trim();
  if (key === '') return 'Paste the key, or press Escape to go on without one.';
  return isApiKey(key)
    ? undefined
    : 'A key is one word without blanks, line ends or special characters: copy it alone.';
}

/** The keys that there are. A key that was refused counts no more, until the window is opened again or it is set anew. */
export function createStoredKeys({ secrets, environment, ask }: StoredKeysOptions): StoredKeys {
  /** By origin: the keys that were not taken; none where one was wanted and there was none. */
  const refused = new Map<string, Set<string>>();
  /** Who asks while the question is open gets its answer. */
  const asked = new Map<string, Promise<string | undefined>>();
  const nameOf = (origin: string) => `${prefix}${origin}`;

  /** @param isChosen whether somebody chose the server */
  async function known(owner: KeyOwner, signal: AbortSignal, isChosen = true): Promise<string | undefined> {
    const bad = refused.get(owner.origin);
    const stored = await secrets.get(nameOf(owner.origin));
    signal.throwIfAborted();
    if (stored !== undefined && !bad?.has(stored)) return stored;
    const variable = await environment?.get({ ...owner, required: owner.required && isChosen }, signal);
    return variable !== undefined && !bad?.has(variable) ? variable : undefined;
  }

  /** The answer to one question for all who ask at the same time. */
  async function asking(owner: KeyOwner, signal: AbortSignal): Promise<string | undefined> {
    const open = asked.get(owner.origin);
    if (open === undefined) {
      const question = askFor(owner, signal).finally(() => asked.delete(owner.origin));
      asked.set(owner.origin, question);
      return question;
    }
    try {
      return await orAborted(open, signal);
    } catch {
      signal.throwIfAborted();
      // Whoever asked has gone, and the question with them.
      return asking(owner, signal);
    }
  }

  async function askFor({ origin }: KeyOwner, signal: AbortSignal): Promise<string | undefined> {
    // A server that was asked without a key refused none.
    const isRefused = (refused.get(origin)?.size ?? 0) > 0;
    const key = (await ask(origin, isRefused, signal))?.trim();
    if (key !== undefined) await keys.set(origin, key);
    return key;
  }

  const advice = ({ origin }: KeyOwner) => `Set a key for ${origin} by the command "${setCommand}".`;

  async function noteRefusal({ origin }: KeyOwner, key: string | undefined): Promise<void> {
    const bad = refused.get(origin) ?? new Set();
    if (key !== undefined) bad.add(key);
    refused.set(origin, bad);
  }

  const keys: StoredKeys = {
    async get(owner, signal) {
      signal.throwIfAborted();
      const { origin } = owner;
      const key = await known(owner, signal);
      // A server that needs none is asked about only once it wanted one.
      return key === undefined && (owner.required || refused.has(origin)) ? asking(owner, signal) : key;
    },
    silent: {
      get: async (owner, signal) => (owner.required ? known(owner, signal, false) : undefined),
      advice,
      refused: noteRefusal,
    },
    advice,
    refused: noteRefusal,
    has: async (owner) => (await known(owner, new AbortController().signal)) !== undefined,
    origins: async () =>
      (await secrets.keys())
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
        .sort(),
    async set(origin, key) {
      await secrets.store(nameOf(origin), key);
      const bad = refused.get(origin);
      bad?.delete(key);
      if (bad?.size === 0) refused.delete(origin);
    },
    async remove(origin) {
      await secrets.delete(nameOf(origin));
    },
  };
  return keys;
}
