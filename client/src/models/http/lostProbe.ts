/** A question of a probe whose connection was lost: asked once more, as long as its server is there. */
import { ModelFailure } from '../../runtime/model';
import type { ProbeAnswer } from '../decoding/probe';

/**
 * Asks a question of a probe, once more where the connection is lost while the server can be reached: then it was this
 * question, or chance. A connection that is lost again is given as a failure that says nothing of the server as a whole.
 *
 * @param ask throws what any request would meet
 * @param look throws where the server can't be reached
 * @throws what `look` does; what `ask` does, unless it is a lost connection
 */
export async function askedTwice(
  ask: () => Promise<ProbeAnswer>,
  look: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  for (let isAgain = false; ; isAgain = true) {
    const lost = await ask().then(
      (answer) => (answer.ok || answer.failure.class !== 'connection' ? answer : answer.failure),
      (error: unknown) => {
        if (error instanceof ModelFailure && error.class === 'connection') return error;
        throw error;
      },
    );
    if (!(lost instanceof ModelFailure)) return lost;
    signal.throwIfAborted();
    // Certificates and addresses are as wrong at the second time.
    if (!lost.retryable) throw lost;
    if (isAgain) {
      const { message, cause } = lost;
      const failure = new ModelFailure(message, { class: 'server-error', retryable: true, cause });
      return { ok: false, failure };
    }
    try {
      await look();
    } catch (error) {
      signal.throwIfAborted();
      // Any answer at all shows that it is there.
      if (!(error instanceof ModelFailure)) throw error;
      if (error.class === 'connection' || error.class === 'timeout') throw error;
    }
  }
}
