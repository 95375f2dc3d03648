/** Requests to models, for tests that ask one themselves. */

import type { ModelRequest } from '../../client/src/runtime/model';
import { defaultStateSchema } from '../../schemas/state/stateSchema';

/** The first attempt of step 0 at temperature 0, of a skill without state schema and actions; the rest as given. */
export function modelRequest(given: Partial<ModelRequest> & Pick<ModelRequest, 'prompt'>): ModelRequest {
  const expected = { stateSchema: defaultStateSchema(), actions: [], state: {} };
  return { step: 0, attempt: 1, seed: 0, temperature: 0, topP: 1, expected, ...given };
}
