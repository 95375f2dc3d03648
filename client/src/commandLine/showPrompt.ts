/** `skill-state prompt`: the exact prompt for a state and an observation, with its token split. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import { printable } from '../../../schemas/text/printable';
import { loadRunnableSkill } from '../hosts/node/runnableSkill';
import { findSkillFolder } from '../hosts/node/skillFolder';
import { loadTokenizer } from '../models/o200kTokenizer';
import { defaultRunOptions } from '../runtime/options';
import { previewPrompt, splitText } from '../runtime/promptPreview';
import { createStateValidator } from '../runtime/validation';
import { readStateFile } from './stateFile';
import type { ExitCode, Terminal } from './terminal';

export interface ShowPromptFlags {
  /** By default the skill's initial state. */
  readonly state?: string;
  readonly observation?: string;
  readonly json?: boolean;
}

/**
 * Prints the prompt to standard output and its split to standard error; `--json` has both in one object. What keeps a
 * run from such a state is told, and the prompt shown all the same.
 */
export async function showPrompt(
  path: string,
  flags: ShowPromptFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const skill = await loadRunnableSkill(await findSkillFolder(path));
  const state = flags.state === undefined ? skill.initialState : await readStateFile(flags.state);
  for (const misfit of misfitsOf(state, skill)) terminal.stderr.write(printable(`${misfit}\n`));
  const preview = previewPrompt(
    { instructions: skill.instructions, state, observation: flags.observation ?? '' },
    await loadTokenizer(),
  );
  const { text } = preview.prompt;
  if (flags.json) {
    const { tokens, tokenizer } = preview;
    terminal.stdout.write(printable(`${JSON.stringify({ prompt: text, tokens, tokenizer })}\n`));
    return 0;
  }
  // To a file or another program it goes to the letter.
  terminal.stdout.write(terminal.stdout.isTTY ? printable(`${text}\n`) : text);
  terminal.stderr.write(`${splitText(preview)}\n`);
  return 0;
}

function misfitsOf(state: JsonObject, { stateSchema }: Skill): readonly string[] {
  const { checkInitial } = createStateValidator(stateSchema, defaultRunOptions.limits);
  return checkInitial(state).map(
    ({ pointer, message }) => `No run has this state, at ${pointer || 'its root'}: ${message}`,
  );
}
