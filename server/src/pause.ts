/** How long work lets the server do something else. */
import { setImmediate } from 'node:timers/promises';

/** Turns of the event loop: in the first a message is read, in each of the others one that has been read is answered. */
const turns = 4;

/** Settles once a few messages that have arrived, if any, are answered: changes, cancellations, questions. */
export async function pause(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}
