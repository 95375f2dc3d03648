/** Cancellation as an editor has it, for signals of the platform. Free of VS Code. */

/** What cancels a token of the editor's. */
export interface CancellationSource {
  cancel(): void;
  dispose(): void;
}

/**
 * Cancels a source and disposes of it once a signal is aborted.
 *
 * @returns ends that and disposes of the source, also where it is called again: a signal may outlive many requests
 */
export function cancelWith(source: CancellationSource, signal: AbortSignal): () => void {
  const cancel = () => {
    source.cancel();
    source.dispose();
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return () => {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  };
}

/** The items of a stream; `release` is called once it has ended or failed, or nobody wants more of it. */
export async function* releasedAfter<Item>(
  stream: AsyncIterable<Item>,
  release: () => void,
): AsyncGenerator<Item> {
  try {
    yield* stream;
  } finally {
    release();
  }
}
