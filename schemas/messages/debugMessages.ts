/**
 * What the debug adapter and a client that knows it say to each other beyond the Debug Adapter Protocol: where the run
 * stands as it goes, its branches, and the requests that go back in it. Any client may leave all of it out.
 */
import {
  type Guard,
  type Guarded,
  isCount,
  isFiniteNumber,
  isFlag,
  isText,
  listOf,
  objectOf,
  oneOf,
  optional,
} from './shape';

/** A request to the model failed, and is made again after a while. */
const isRequestWait = objectOf({
  /** Why, in a few words: `rate limited`. */
  words: isText,
  /** How long is waited from the moment at which it failed. */
  milliseconds: isFiniteNumber,
  /** The number of the request that is made then, from 1, in its attempt. */
  request: isCount,
  /** How many requests an attempt may make; left out where nobody knows. */
  of: optional(isCount),
});
export type RequestWait = Guarded<typeof isRequestWait>;

/** Event: where the run stands. Sent at every stop and, while it runs, at most every 100 ms. */
export const stepEvent = 'skill-state/step';

export const isStepProgress = objectOf({
  /** t, counted from 0. */
  step: isCount,
  /** The branch on whose line of history the run stands. */
  branch: isCount,
  /** The phase that comes next. */
  phase: oneOf('observe', 'prompt', 'generate', 'parse', 'validate', 'merge', 'act'),
  /** False where the run stands in the past, or in a record that nothing can be added to. */
  live: isFlag,
  stopped: isFlag,
  /** What is waited for; left out where nothing is. */
  waiting: optional(isRequestWait),
  /** The trace, absolute; left out where none is written or read. */
  tracePath: optional(isText),
  /** The size of Σ as it is now, in bytes of UTF-8. */
  stateBytes: isCount,
  /**
   * The tokens so far on this line of history, and whether providers counted them (`reported`), somebody estimated them, or
   * the one some and the other the others (`mixed`).
   */
  tokens: objectOf({
    total: isFiniteNumber,
    source: oneOf('reported', 'estimated', 'mixed'),
    /** How many of them are estimated; left out where none or all are. */
    estimated: optional(isFiniteNumber),
    /** How many of those the extension counted that has the model; left out where none. */
    byExtension: optional(isFiniteNumber),
  }),
  /**
   * US dollars so far, with `atLeast` where what some requests cost is unknown: at least 0 says that all of it is. `atMost`
   * is what it can be then, where somebody knows. Left out where nothing was asked, and of models that cost nothing by
   * their nature.
   */
  cost: optional(objectOf({ dollars: isFiniteNumber, atLeast: isFlag, atMost: optional(isFiniteNumber) })),
});
export type StepProgress = Guarded<typeof isStepProgress>;

/** Event: a branch began. Its body has all branches. */
export const branchesEvent = 'skill-state/branches';

/** Where a branch leaves another one: at this step, or in the midst of it. */
const isBranchParent = objectOf({ branch: isCount, step: isCount });

const isBranchesBody = objectOf({
  branches: listOf(objectOf({ id: isCount, parent: optional(isBranchParent) })),
});
export type BranchesBody = Guarded<typeof isBranchesBody>;

/**
 * Event: the run is over for good and the session with it; sent before `exited`. `outcome` is `completed`, `capped`,
 * `stopped` or `cancelled`.
 */
export const endedEvent = 'skill-state/ended';

/**
 * Request: goes to a step of a branch, to its start (`observe`, which is meant where nothing is said) or to just before
 * its action (`act`). The adapter then stops with the reason `goto`.
 */
export const goToRequest = 'skill-state/goTo';

export const isGoToArguments = objectOf({
  branch: isCount,
  step: isCount,
  phase: optional(oneOf('observe', 'act')),
});
export type GoToArguments = Guarded<typeof isGoToArguments>;

/**
 * Request without arguments: a new branch at the start of the step in which the run stands, with the skill's files as
 * they are on disk now. Refused, with a message for the user, where that skill can't run or Σ_t does not fit its schema.
 */
export const forkWithEditedSkillRequest = 'skill-state/forkWithEditedSkill';

/** The answer to {@link forkWithEditedSkillRequest}: the new branch and the step at whose start it begins. */
const isForkBody = objectOf({ branch: isCount, step: isCount });
export type ForkBody = Guarded<typeof isForkBody>;

/**
 * The id of the error with which requests are refused that would begin a branch in an environment that can't be taken
 * back; the launch attribute `forkWithoutRewind` lets them.
 */
export const rewindRefusalId = 3009;

/** Request without arguments: which of the skill's files are now others than the run has them. */
export const editedRequest = 'skill-state/edited';

export const isEditedBody = objectOf({
  /** Relative to the skill's folder, `/` between segments; files that are gone or new are among them. */
  files: listOf(isText),
});
export type EditedBody = Guarded<typeof isEditedBody>;

/** Request: which steps wrote what stands at a path of Σ. */
export const blameRequest = 'skill-state/blame';

const isBlameArguments = objectOf({
  /** As in the debug console: `state.inventory.shelf_3`. */
  expression: isText,
});
export type BlameArguments = Guarded<typeof isBlameArguments>;

/** Any JSON value: whatever came out of a message is one. */
const isJson: Guard<unknown> = (value): value is unknown => value !== undefined;

export const isBlameEntry = objectOf({
  step: isCount,
  /** Left out where no attempt wrote it. */
  attempt: optional(isCount),
  by: oneOf('model', 'environment', 'user', 'initial'),
  /** `set`, `deleted`, `replaced array`, …: what became of the path. */
  change: isText,
  /** The value as it was left, shortened; left out where it was deleted. */
  value: optional(isText),
  /** The patch, or the part of it that matters, shortened. */
  patch: optional(isJson),
  action: optional(isText),
  /** O_t, shortened. */
  observation: optional(isText),
  /** Whether an accepted action, the environment or the user confirmed it. */
  confirmed: isFlag,
  /** The step since which it is proposed only. */
  proposedSince: optional(isCount),
});
export type BlameEntry = Guarded<typeof isBlameEntry>;

export const isBlameBody = objectOf({
  /** Newest first. */
  entries: listOf(isBlameEntry),
  /** The same for a person, a line an entry. */
  texts: listOf(isText),
  /** True where older entries were left out. */
  more: isFlag,
});
export type BlameBody = Guarded<typeof isBlameBody>;
