/** A prober that says when it begins to ask. */
import type { Prober } from '../decoding/probe';
import type { ModelResources } from '../modelResources';

export type ProbeTold = ModelResources['onProbe'];

/** The prober, which tells once that the server is asked: with the first question, not where all is known. */
export function announced(tell: ProbeTold, prober: Prober): Prober {
  if (tell === undefined) return prober;
  let isTold = false;
  return {
    ...prober,
    ask(...question) {
      if (!isTold) tell(prober.server, prober.model);
      isTold = true;
      return prober.ask(...question);
    },
  };
}
