/** The one table of the extension's commands; a test compares it with package.json. Free of VS Code, for that test. */

/** A command as it is contributed. */
export interface CommandDeclaration {
  readonly title: string;
  /** A codicon, for commands that appear as buttons. */
  readonly icon?: string;
}

/** Every command by its identifier; all belong to the category "Skill". */
export const commandTable = {
  'skill-state.newSkill': { title: 'New Skill…', icon: '$(new-file)' },
  'skill-state.createSample': { title: 'Create Sample Skill…' },
  'skill-state.inferStateSchema': { title: 'Infer State Schema…' },
  'skill-state.showPrompt': { title: 'Show Prompt…', icon: '$(comment-discussion)' },
  'skill-state.run': { title: 'Run', icon: '$(run)' },
  'skill-state.debug': { title: 'Debug', icon: '$(debug-alt)' },
  'skill-state.showLog': { title: 'Show Log' },
  'skill-state.openStep': { title: 'Go to Step' },
  'skill-state.goToStep': { title: 'Go to Step…', icon: '$(target)' },
  'skill-state.diffStep': { title: 'Compare with Previous State', icon: '$(diff)' },
  'skill-state.diffSteps': { title: 'Compare States of Steps…' },
  'skill-state.selectStepForCompare': { title: 'Select for Compare' },
  'skill-state.compareWithSelectedStep': { title: 'Compare with Selected' },
  'skill-state.openPrompt': { title: 'Open Prompt' },
  'skill-state.openReply': { title: 'Open Reply' },
  'skill-state.openObservation': { title: 'Open Observation' },
  'skill-state.copyAction': { title: 'Copy Action' },
  'skill-state.restartStep': { title: 'Restart Step from Here' },
  'skill-state.tryStep': { title: 'Try This Step…', icon: '$(beaker)' },
  'skill-state.openExchange': { title: 'Open Exact Request and Response' },
  'skill-state.copyRequestAsCurl': { title: 'Copy Request as curl' },
  'skill-state.copyRequestAsPowerShell': { title: 'Copy Request for PowerShell' },
  'skill-state.copyRequestBody': { title: 'Copy Request Body' },
  'skill-state.sendReply': { title: 'Send Reply', icon: '$(send)' },
  'skill-state.copyPrompt': { title: 'Copy Prompt', icon: '$(copy)' },
  'skill-state.answerInEditor': { title: 'Answer in an Editor' },
  'skill-state.filterSteps': { title: 'Filter Steps…', icon: '$(filter)' },
  'skill-state.clearStepsFilter': { title: 'Show All Steps', icon: '$(filter-filled)' },
  'skill-state.followSession': { title: 'Follow the Session in Steps', icon: '$(pin)' },
  'skill-state.stopFollowing': { title: 'Stop Following the Session in Steps', icon: '$(pinned)' },
  'skill-state.whoWrote': { title: 'Show Who Wrote This' },
  'skill-state.whoWroteInStep': { title: 'Who Wrote This' },
  'skill-state.whoWroteLine': { title: 'Show Who Wrote the Value of This Line' },
  'skill-state.copyPointer': { title: 'Copy as JSON Pointer' },
  'skill-state.debugTrace': { title: 'Debug This Trace', icon: '$(debug-alt)' },
  'skill-state.compareRuns': { title: 'Compare Runs…', icon: '$(git-compare)' },
  'skill-state.continueWithEditedSkill': { title: 'Continue with the Edited Skill' },
  'skill-state.openRunPanel': { title: 'Open Run Panel', icon: '$(graph)' },
  'skill-state.openRunInEditor': { title: 'Open Run in Editor', icon: '$(link-external)' },
  'skill-state.exportRun': { title: 'Export Run…', icon: '$(export)' },
  'skill-state.openTraceAsText': { title: 'Open Trace as Text', icon: '$(go-to-file)' },
  'skill-state.chooseModel': { title: 'Choose Model…' },
  'skill-state.listModels': { title: 'List Models' },
  'skill-state.probeModel': { title: 'Probe Model…' },
  'skill-state.setApiKey': { title: 'Set API Key…' },
  'skill-state.removeApiKey': { title: 'Remove API Key…' },
} as const satisfies Readonly<Record<string, CommandDeclaration>>;

export type CommandId = keyof typeof commandTable;
