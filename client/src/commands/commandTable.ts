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
} as const satisfies Readonly<Record<string, CommandDeclaration>>;

export type CommandId = keyof typeof commandTable;
