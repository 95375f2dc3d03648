/** What is wrong in an initial state, against its schema. */
import type { StatePage, Tools } from '../documents';
import type { Finding } from '../finding';

export async function findInState(page: StatePage, _tools: Tools): Promise<readonly Finding[]> {
  return page.state.problems;
}
