/** *Infer State Schema…*: a schema with bounds from states that were seen, or from a recorded run. */
import * as vscode from 'vscode';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { stateSchemaLanguage } from '../hosts/languageIds';
import { traceSuffix } from '../hosts/launchConfiguration';
import {
  activeSkill,
  currentText,
  exists,
  folderOf,
  pickSkill,
  skillBeside,
} from '../hosts/vscode/openSkill';
import { traceBytes } from '../hosts/vscode/openTrace';
import { fileArgument, uriAnswer } from './commandArguments';

const title = 'Infer State Schema';

/** How many traces are offered at most. */
const maxTraces = 20;

/** Asks for states or a trace, infers the schema, and writes it beside its skill's `SKILL.md`. */
export async function inferStateSchema(argument: unknown): Promise<void> {
  const given = fileArgument(argument) ?? uriAnswer(argument, 'states');
  const sources = given !== undefined && isSource(given) ? [given] : await chooseSources();
  const [first] = sources ?? [];
  if (sources === undefined || first === undefined) return;
  const samples = await readSamples(sources);
  if (samples === undefined) return;
  const { inferStateSchema: infer } = await import('../../../schemas/state/inferSchema');
  const series = sources.length === 1 && first.path.endsWith(traceSuffix);
  const inferred = infer(samples, { series });
  if (!inferred.ok) {
    void vscode.window.showErrorMessage(inferred.message);
    return;
  }
  const skill = (await skillBeside(first)) ?? (await activeSkill()) ?? (await pickSkill(`${title}: Skill`));
  await show(inferred.yaml, skill);
}

function isSource({ path }: vscode.Uri): boolean {
  return path.endsWith(traceSuffix) || /\.(?:ya?ml|json)$/i.test(path);
}

type Source = vscode.QuickPickItem & { readonly uri: vscode.Uri | undefined };

/** The open state, a trace of the workspace, or files that the user chooses. */
async function chooseSources(): Promise<readonly vscode.Uri[] | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const traces = await vscode.workspace.findFiles(`**/*${traceSuffix}`, '**/node_modules/**', maxTraces);
  const items: Source[] = [
    ...(active !== undefined && /(^|\/)state\.initial\.(?:ya?ml|json)$/.test(active.path)
      ? [
          {
            label: vscode.workspace.asRelativePath(active),
            description: 'the open initial state',
            uri: active,
          },
        ]
      : []),
    ...traces.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), description: 'trace', uri })),
    { label: 'Choose Files…', description: 'states in YAML or JSON, or traces', uri: undefined },
  ];
  const picked =
    items.length === 1
      ? items[0]
      : await vscode.window.showQuickPick(items, {
          title,
          placeHolder: 'Choose what the schema is inferred from',
        });
  if (picked === undefined || picked.uri !== undefined) return picked?.uri && [picked.uri];
  return vscode.window.showOpenDialog({
    title,
    canSelectMany: true,
    openLabel: 'Infer',
    filters: { 'States and Traces': ['yaml', 'yml', 'json', 'jsonl'] },
  });
}

/** Every state of the files; undefined, after the reason was said, where one of them holds none. */
async function readSamples(sources: readonly vscode.Uri[]): Promise<readonly JsonObject[] | undefined> {
  const [{ statesOfTrace }, { loadInitialState }] = await Promise.all([
    import('../runtime/traceStates'),
    import('../../../schemas/state/initialState'),
  ]);
  const samples: JsonObject[] = [];
  for (const uri of sources) {
    const name = vscode.workspace.asRelativePath(uri);
    try {
      if (uri.path.endsWith(traceSuffix)) {
        const trace = await statesOfTrace(await traceBytes(uri));
        if (trace === undefined) throw new Error('it is no trace, since its first line is not a run record.');
        for (const state of trace.states) samples.push(state);
        continue;
      }
      const { state, problems } = loadInitialState({ path: uri.path, text: (await currentText(uri)) ?? '' });
      const error = problems.find(({ severity }) => severity === 'error');
      if (error !== undefined) throw new Error(`line ${error.range.start.line + 1}: ${error.message}`);
      if (state !== undefined) samples.push(state);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(`No schema can be inferred from ${name}: ${reason}`);
      return undefined;
    }
  }
  return samples;
}

/** Writes the schema where its skill looks for it; one that is there is replaced only if the user wants it. */
async function show(yaml: string, skill: vscode.Uri | undefined): Promise<void> {
  if (skill === undefined) return openUntitled(yaml);
  const candidates = await schemaPlaces(skill);
  const there = await Promise.all(candidates.map(exists));
  const known = candidates[there.indexOf(true)];
  if (known !== undefined) {
    const replace = known.path.endsWith('.json') ? [] : ['Replace'];
    const answer = await vscode.window.showWarningMessage(
      `${vscode.workspace.asRelativePath(known)} exists already.`,
      { modal: true, detail: 'The inferred schema can be opened as a new document instead.' },
      'Open as New Document',
      ...replace,
    );
    if (answer === 'Open as New Document') await openUntitled(yaml);
    if (answer === 'Replace') await replaceText(known, yaml);
    return;
  }
  const [target] = candidates;
  if (target === undefined || target.path.endsWith('.json')) return openUntitled(yaml);
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(yaml));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(
      `The schema could not be written, so it is open as a new document: ${reason}`,
    );
    return openUntitled(yaml);
  }
  await vscode.window.showTextDocument(target, { preview: false });
}

/** Where a skill looks for its schema: what its metadata names, else the usual names in their order. */
async function schemaPlaces(skill: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const [{ stateSchemaNames }, { normalizeRelativePath }, { parseSkill }] = await Promise.all([
    import('../../../schemas/skill/skill'),
    import('../../../schemas/skill/fileMentions'),
    import('../../../schemas/skill/skillDocument'),
  ]);
  const named = parseSkill((await currentText(skill)) ?? '')
    .metadata.get('state-schema')
    ?.trim();
  const path = named ? normalizeRelativePath(named) : undefined;
  return (path === undefined ? stateSchemaNames : [path]).map((name) =>
    vscode.Uri.joinPath(folderOf(skill), ...name.split('/')),
  );
}

/** The document stays unsaved, so that undo brings the old schema back. */
async function replaceText(uri: vscode.Uri, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: false });
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
}

async function openUntitled(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: stateSchemaLanguage, content });
  await vscode.window.showTextDocument(document, { preview: false });
}
