/** Work that waits until nothing has happened for a moment, so that it doesn't run for every key. */

export interface QuietWorkOptions {
  /** In milliseconds. */
  readonly quietTime: number;
  /** Gets everything that was added since it ran last; runs are never at the same time. */
  readonly work: (uris: ReadonlySet<string>) => Promise<void>;
}

export class QuietWork {
  readonly #options: QuietWorkOptions;
  #uris = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(options: QuietWorkOptions) {
    this.#options = options;
  }

  /** Adds a document. `atOnce` doesn't wait: nobody is typing. */
  add(uri: string, { atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (this.#ended) return;
    this.#uris.add(uri);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), atOnce ? 0 : this.#options.quietTime);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #run(): void {
    this.#running = this.#running.then(async () => {
      const uris = this.#uris;
      this.#uris = new Set();
      if (uris.size > 0 && !this.#ended) await this.#options.work(uris);
    });
  }
}
