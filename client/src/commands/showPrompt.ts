/** *Show Prompt…*: the exact prompt that a state and an observation would give, with what each part costs. */
import * as vscode from 'vscode';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import { activeSkill, currentText, openSkill, pickSkill } from '../hosts/vscode/openSkill';
import { isSkillPath } from '../hosts/vscode/skillFiles';
import type { PromptDocuments } from '../views/promptDocuments';
import { fileArgument, textAnswer, uriAnswer } from './commandArguments';

const title = 'Show Prompt';

/** Asks for skill, state and observation, as far as they aren't answered, and opens the prompt. */
export async function showPrompt(argument: unknown, documents: PromptDocuments): Promise<void> {
  const file = fileArgument(argument) ?? uriAnswer(argument, 'skill');
  const skillUri = file && isSkillPath(file) ? file : ((await activeSkill()) ?? (await pickSkill(title)));
  if (skillUri === undefined) return;
  const [{ blocksRun }, skill] = await Promise.all([
    import('../../../schemas/skill/skill'),
    openSkill(skillUri),
  ]);
  const blocking = skill.problems.find(blocksRun);
  if (blocking !== undefined) {
    void vscode.window.showWarningMessage(`${blocking.path}: ${blocking.problem.message}`);
    if (skill.instructions === '') return;
  }
  const state = await chooseState(argument, skill);
  if (state === undefined) return;
  const observation =
    textAnswer(argument, 'observation') ??
    (await vscode.window.showInputBox({
      title: `${title}: Observation`,
      prompt: 'The latest observation. It may be empty.',
      ignoreFocusOut: true,
    }));
  if (observation === undefined) return;
  const [{ previewPrompt }, { loadTokenizer }] = await Promise.all([
    import('../runtime/promptPreview'),
    import('../models/o200kTokenizer'),
  ]);
  const { instructions, name } = skill;
  await documents.open(name, previewPrompt({ instructions, state, observation }, await loadTokenizer()));
}

type StateSource = vscode.QuickPickItem & { readonly source: 'initial' | 'file' | 'text' };

async function chooseState(argument: unknown, skill: Skill): Promise<JsonObject | undefined> {
  const written = textAnswer(argument, 'state');
  if (written === 'initial') return skill.initialState;
  if (written !== undefined) return readState(written, 'state.json');
  const initialFile = skill.files.find(({ role }) => role === 'initial-state');
  const items: StateSource[] = [
    {
      label: 'Initial State',
      description: initialFile?.path ?? "the schema's defaults",
      source: 'initial',
    },
    { label: 'State File…', description: 'YAML or JSON', source: 'file' },
    { label: 'Written State…', description: 'JSON in a line', source: 'text' },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: `${title}: State`,
    placeHolder: 'Choose the state that the prompt holds',
    ignoreFocusOut: true,
  });
  switch (picked?.source) {
    case undefined:
      return undefined;
    case 'initial':
      return skill.initialState;
    case 'file':
      return stateFile();
    case 'text':
      return writtenState();
  }
}

async function stateFile(): Promise<JsonObject | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: `${title}: State`,
    filters: { States: ['yaml', 'yml', 'json'] },
  });
  const uri = chosen?.[0];
  if (uri === undefined) return undefined;
  return readState((await currentText(uri)) ?? '', uri.path);
}

async function writtenState(): Promise<JsonObject | undefined> {
  const { loadInitialState } = await import('../../../schemas/state/initialState');
  const text = await vscode.window.showInputBox({
    title: `${title}: State`,
    prompt: 'A JSON object.',
    placeHolder: '{"inventory":{"shelf_0":"item_1"}}',
    ignoreFocusOut: true,
    validateInput: (value) => loadInitialState({ path: 'state.json', text: value }).problems[0]?.message,
  });
  return text === undefined ? undefined : readState(text, 'state.json');
}

/** The state in a text; what is wrong with it is said. */
async function readState(text: string, path: string): Promise<JsonObject | undefined> {
  const { loadInitialState } = await import('../../../schemas/state/initialState');
  const { state, problems } = loadInitialState({ path, text });
  const error = problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return state;
  void vscode.window.showErrorMessage(`${path}, line ${error.range.start.line + 1}: ${error.message}`);
  return undefined;
}
