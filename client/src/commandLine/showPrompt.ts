/** `skill-state prompt`: the exact prompt for a state and an observation, with its token split. */
import { basename } from 'node:path';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { loadInitialState } from '../../../schemas/state/initialState';
import { printable } from '../../../schemas/text/printable';
import { loadRunnableSkill } from '../hosts/node/openRun';
import { FileFailure, findSkillFolder, readTextFile } from '../hosts/node/skillFolder';
import { loadTokenizer } from '../models/o200kTokenizer';
import { previewPrompt, splitText } from '../runtime/promptPreview';
import type { ExitCode, Terminal } from './terminal';

export interface ShowPromptFlags {
  /** By default the skill's initial state. */
  readonly state?: string;
  readonly observation?: string;
  readonly json?: boolean;
}

/** Prints the prompt to standard output and its split to standard error; `--json` has both in one object. */
export async function showPrompt(
  path: string,
  flags: ShowPromptFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const skill = await loadRunnableSkill(await findSkillFolder(path));
  const state = flags.state === undefined ? skill.initialState : await readState(flags.state);
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

async function readState(path: string): Promise<JsonObject> {
  const { state, problems } = loadInitialState({ path: basename(path), text: await readTextFile(path) });
  const error = problems.find(({ severity }) => severity === 'error');
  if (error) throw new FileFailure(`${path}:${error.range.start.line + 1}: ${error.message}`);
  if (!state) throw new FileFailure(`${path} holds no state: a state is an object.`);
  return state;
}
