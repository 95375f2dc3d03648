/** Names that package.json and the code have in common: of context keys for `when` clauses, and of views. Free of VS Code. */

/** The id of the Steps tree. */
export const stepsViewId = 'skill-state.steps';

/** Context keys by what they say. */
export const contextKeys = {
  /** The extension has been woken up: there is a skill about. */
  isAwake: 'skill-state.isAwake',
  /** There is a run to show. */
  hasRun: 'skill-state.hasRun',
  /** The session of that run can be asked to go somewhere. */
  isRunning: 'skill-state.isRunning',
  /** The Steps tree leaves steps out. */
  stepsAreFiltered: 'skill-state.stepsAreFiltered',
  /** The Steps tree shows where the session stands. */
  stepsFollow: 'skill-state.stepsFollow',
  /** A step waits to be compared with another one. */
  stepIsSelected: 'skill-state.stepIsSelected',
  /** The skill of the running session was edited since. */
  skillIsEdited: 'skill-state.skillIsEdited',
} as const;
