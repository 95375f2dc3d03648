/** Names that package.json and the code have in common: of context keys for `when` clauses, and of views. Free of VS Code. */

/** The id of the Steps tree. */
export const stepsViewId = 'skill-state.steps';

/** The id of the Run view in the panel. */
export const runViewId = 'skill-state.run';

/** The type of the same in an editor, and of the editor of trace files. */
export const runEditorType = 'skill-state.runEditor';
export const traceEditorType = 'skill-state.trace';

/** Context keys by what they say. */
export const contextKeys = {
  /** The extension has been woken up: there is a skill about. */
  isAwake: 'skill-state.isAwake',
  /** There is a run to show. */
  hasRun: 'skill-state.hasRun',
  /** The user asked for the Run view, though there may be no run. */
  runIsWanted: 'skill-state.runIsWanted',
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
  /** A person is asked to answer for a model or an environment. */
  questionIsOpen: 'skill-state.questionIsOpen',
  /** The URIs of the texts that can be sent as an answer. */
  answersWait: 'skill-state.answersWait',
} as const;
