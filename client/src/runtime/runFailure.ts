/** Why a run can't start or go on. */
import type { InitialViolation } from './validation';

/** A run that can't start or go on as asked. `message` is for the user. */
export class RunFailure extends Error {
  override readonly name: string = 'RunFailure';
}

/** An environment that can't be taken where the run stands, which `forkWithoutRewind` makes go on all the same. */
export class RewindFailure extends RunFailure {
  override readonly name: string = 'RewindFailure';
}

/** A run that can't start with the skill's Σ_0. Hosts that know the skill's files say where it is mended instead. */
export class InitialStateFailure extends RunFailure {
  override readonly name: string = 'InitialStateFailure';
  readonly violations: readonly [InitialViolation, ...InitialViolation[]];

  constructor(violations: readonly [InitialViolation, ...InitialViolation[]]) {
    super(`The initial state does not fit the state schema: ${violations[0].message}`);
    this.violations = violations;
  }
}
