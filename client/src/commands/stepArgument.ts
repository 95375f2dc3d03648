/** Which step a command is for: a node of the Steps tree, or what a link, key binding or test names. Free of VS Code. */
import { ownMember } from '../hosts/ownMember';

export interface StepPlace {
  readonly branch: number;
  readonly step: number;
}

/** The step of a tree's node or of `{ branch, step }`; undefined for anything else. `branch` is 0 where it is left out. */
export function stepArgument(argument: unknown): StepPlace | undefined {
  const step = ownMember(argument, 'step');
  if (!isCount(step)) return undefined;
  const branch = ownMember(argument, 'branch') ?? ownMember(ownMember(argument, 'list'), 'branch') ?? 0;
  return isCount(branch) ? { branch, step } : undefined;
}

/** A step of a trace: `{ trace, branch, step }`. */
export function tracedStepArgument(argument: unknown): (StepPlace & { readonly trace: string }) | undefined {
  const place = stepArgument(argument);
  const trace = ownMember(argument, 'trace');
  return place !== undefined && typeof trace === 'string' ? { ...place, trace } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
