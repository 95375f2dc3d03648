/** The model that is a person, or a file of replies. */
import type { Asker } from '../runtime/asker';
import { type Model, ModelFailure } from '../runtime/model';

/** Each answer is the text of one reply. When there are no more the model fails, and asking again won't help. */
export function createManualModel({ asker }: { readonly asker: Asker }): Model {
  return {
    name: 'manual',
    async *generate({ prompt, step, attempt }, signal) {
      const title = attempt === 1 ? `Reply to step ${step}?` : `Reply to step ${step}, attempt ${attempt}?`;
      const answer = await asker.ask({ kind: 'reply', title, step, attempt, prompt }, signal);
      signal.throwIfAborted();
      if (answer === undefined) {
        const message = `There is no reply left for step ${step}, attempt ${attempt}: give one more and resume.`;
        throw new ModelFailure(message, { class: 'no-reply', retryable: false });
      }
      yield { type: 'text', text: answer };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}
