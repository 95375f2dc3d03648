/** Which models nobody charges for. */
import { type Cost, isUnknown } from '../../../schemas/text/spending';
import { type ActingChange, modelStretches } from './acting';
import type { TraceBranch, TraceReader } from './traceReader';

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
  const answering = modelStretches(header, actingOn(branches, branch)).findLast(({ from }) => from <= step);
  return isFree(answering?.model.name ?? header.model.name);
}

/**
 * What the steps of a branch before one cost, those left out that models answered for which nobody charges.
 *
 * @returns undefined where nobody charges for any of them
 */
export function chargedCost(
  reader: Pick<TraceReader, 'header' | 'branches' | 'totals' | 'bins'>,
  branch: number,
  steps: number,
): Cost | undefined {
  const { header, branches } = reader;
  const whole = reader.totals(branch, steps);
  if (header === undefined) return whole;
  const stretches = modelStretches(header, actingOn(branches, branch)).filter(
    ({ from }) => from === 0 || from < steps,
  );
  if (!stretches.some(({ model }) => isFree(model.name))) return whole;
  if (stretches.every(({ model }) => isFree(model.name))) return isUnknown(whole) ? undefined : whole;
  let sum: Cost = { cost: 0, knownCost: 0, costAtMost: 0 };
  for (const [index, { from, model }] of stretches.entries()) {
    const to = stretches[index + 1]?.from ?? steps;
    for (const bin of reader.bins(branch, from, to, 1))
      if (!isFree(model.name) || !isUnknown(bin)) sum = costsTogether(sum, bin);
  }
  return sum;
}

function costsTogether(one: Cost, other: Cost): Cost {
  const added = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined ? undefined : a + b;
  return {
    cost: added(one.cost, other.cost),
    knownCost: one.knownCost + other.knownCost,
    costAtMost: added(one.costAtMost, other.costAtMost),
  };
}

/** Who acts along a branch's line, where others than those of the run record do. */
function actingOn(branches: readonly TraceBranch[], branch: number): readonly ActingChange[] {
  // Most traces have lost no branch, and there may be many.
  const found = branches[branch]?.id === branch ? branches[branch] : branches.find(({ id }) => id === branch);
  return found?.acting ?? [];
}
