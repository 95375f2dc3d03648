/** The key for one server: where it comes from, whether it can be one, and that nobody sees it. */
import { ModelFailure } from '../../runtime/model';
import type { KeyOwner, KeySource } from '../modelResources';
import { apiKeyFault, isApiKey } from './apiKey';
import type { SecretFilter } from './secretFilter';

export interface ServerKeyOptions extends Pick<KeyOwner, 'provider' | 'origin'> {
  /** How messages name the server. */
  readonly title: string;
  /** Whether requests can't be made without one; a server may ask for one later. */
  readonly isRequired: boolean;
  readonly keys: KeySource | undefined;
  /** Learns the key. */
  readonly secrets: SecretFilter;
  /** What else a text can be than a key, the rest of a sentence. */
  otherThanKey?(key: string): string | undefined;
}

export class ServerKey {
  readonly #options: ServerKeyOptions;
  #isRequired: boolean;

  constructor(options: ServerKeyOptions) {
    this.#options = options;
    this.#isRequired = options.isRequired;
  }

  /** What to do about a missing or refused key, a sentence. */
  get advice(): string {
    return this.#options.keys?.advice(this.#owner) ?? 'There is nowhere to take one from.';
  }

  /**
   * The key as it is now; undefined where there is none and none is required.
   *
   * @throws ModelFailure where there is none, or a text that can't be one; the signal's reason
   */
  async get(signal: AbortSignal): Promise<string | undefined> {
    const { title, secrets, otherThanKey } = this.#options;
    const key = await this.#given(signal);
    const options = { class: 'authentication', retryable: false } as const;
    if (key === '') {
      if (!this.#isRequired) return undefined;
      throw new ModelFailure(`A key for ${title} is needed. ${this.advice}`, options);
    }
    const fault = isApiKey(key) ? otherThanKey?.(key) : apiKeyFault(key);
    if (fault !== undefined) {
      await this.refused(key);
      const message = `What was given as key for ${title} is none: ${fault}. ${this.advice}`;
      throw new ModelFailure(message, options);
    }
    secrets.add(key);
    return key;
  }

  /** Tells where it came from that a key wasn't taken. */
  async refused(key: string | undefined): Promise<void> {
    await this.#options.keys?.refused?.(this.#owner, key);
  }

  /** The server asked for a key: whether there is one now. @throws the signal's reason */
  async isFound(signal: AbortSignal): Promise<boolean> {
    this.#isRequired = true;
    const isFound = (await this.#given(signal)) !== '';
    this.#isRequired = isFound;
    return isFound;
  }

  get #owner(): KeyOwner {
    const { provider, origin } = this.#options;
    return { provider, origin, required: this.#isRequired };
  }

  /** Empty where there is none. */
  async #given(signal: AbortSignal): Promise<string> {
    const key = await this.#options.keys?.get(this.#owner, signal);
    signal.throwIfAborted();
    return key?.trim() ?? '';
  }
}
