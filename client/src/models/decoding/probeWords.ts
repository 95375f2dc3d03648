/** How encodings and what came of a probe read. */
import type { Encoding } from '../modelSettings';
import type { ProbeOutcome } from './probe';

export const encodingWords: Readonly<Record<Encoding, string>> = {
  free: 'as the prompt asks, held to nothing',
  'json-schema': 'one JSON object by a schema, reasoning first',
  operations: 'one JSON object by a schema, the patch as a list of set and delete',
  grammar: 'prose and the fenced block, held to them by a grammar',
};

export const outcomeWords: Readonly<Record<ProbeOutcome, string>> = {
  enforced: 'kept to it',
  ignored: 'took it, and did not keep to it',
  refused: 'refused it',
  unanswered: 'did not answer',
};
