/** Turns what a model writes under an encoding into the reply format of the prompt, piece by piece. */
import type { ExpectedReply } from '../../runtime/model';
import type { Encoding } from '../modelSettings';

export interface ReplyDecoder {
  /** Takes the next piece of what the model wrote, and gives the next piece of the reply, which may be empty. */
  write(text: string): string;
  /** The rest of the reply. Called once, when the model has ended, early or not. */
  end(): string;
}

export function createReplyDecoder(_encoding: Encoding, _expected: ExpectedReply): ReplyDecoder {
  return { write: (text) => text, end: () => '' };
}
