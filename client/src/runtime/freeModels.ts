/** Which models nobody charges for. */
import { modelStretches } from './acting';
import type { TraceReader } from './traceReader';

/**
 * True for models that cost nothing by their nature: `scripted`, `manual`, `replay`. Of their cost nothing is said, anywhere.
 * Of every other model it is always said, as unknown where nobody knows it: also of servers of the user's own, such as
 * Ollama's, since nobody can tell whether somebody charges for what stands behind an address. A price of 0 in the user's
 * table says that nobody does, and is shown as such.
 *
 * @param fullName as the user typed it
 */
export function isFree(fullName: string): boolean {
  return /^(?:scripted|manual)$|^replay(?::|$)/.test(fullName);
}

/** Whether nobody charges for the model that answers in a step of a recorded run. */
export function isFreeStep(
  { header, branches }: Pick<TraceReader, 'header' | 'branches'>,
  branch: number,
  step: number,
): boolean {
  if (header === undefined) return false;
  const { acting = [] } = branches.find(({ id }) => id === branch) ?? {};
  const answering = modelStretches(header, acting).findLast(({ from }) => from <= step);
  return isFree(answering?.model.name ?? header.model.name);
}
