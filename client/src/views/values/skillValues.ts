/** The values of Σ that the files of a session's skill name, as those files are in the editor. */
import * as vscode from 'vscode';
import type { RecordedFile } from '../../../../schemas/trace/trace';
import { isAbsolutePath, skillFolderOf } from '../../hosts/launchConfiguration';
import type { TracedRun } from '../sessionTraces';
import type { ValuePlace } from './valuePlaces';

/** The files of a session's skill on disk. */
export interface SessionFiles {
  readonly folder: vscode.Uri;
  readonly name: string;
  readonly files: readonly RecordedFile[];
}

/** The files that a run goes by, where its session says in which folder they lie; undefined until the trace does. */
export async function sessionFiles(run: TracedRun): Promise<SessionFiles | undefined> {
  const { reader, session, position } = run;
  const folder = skillFolder(session);
  if (reader?.header === undefined || folder === undefined) return undefined;
  const { recordedFiles } = await import('../documents/traceTexts');
  const files = recordedFiles(reader, position?.branch ?? 0, position?.step ?? 0);
  return files && { folder, name: reader.header.skill.name, files };
}

/** The folder of the skill that a session was started with. */
export function skillFolder({ configuration, workspaceFolder }: vscode.DebugSession): vscode.Uri | undefined {
  const { skill } = configuration;
  if (typeof skill !== 'string' || skill === '') return undefined;
  const folder = skillFolderOf(skill);
  if (isAbsolutePath(folder)) return vscode.Uri.file(folder);
  const base = workspaceFolder ?? vscode.workspace.workspaceFolders?.[0];
  return base && vscode.Uri.joinPath(base.uri, ...folder.split(/[\\/]/));
}

/** The recorded file that a document is. */
export function fileOf({ folder, files }: SessionFiles, uri: vscode.Uri): RecordedFile | undefined {
  return files.find(({ path }) => sameFile(vscode.Uri.joinPath(folder, ...path.split('/')), uri));
}

/** Whether a document lies in the skill's folder: it may have become a file of the skill. */
export function liesIn({ folder }: SessionFiles, uri: vscode.Uri): boolean {
  const { fsPath } = uri;
  return (
    uri.scheme === folder.scheme &&
    fsPath.startsWith(folder.fsPath) &&
    /^[\\/]/.test(fsPath.slice(folder.fsPath.length))
  );
}

function sameFile(a: vscode.Uri, b: vscode.Uri): boolean {
  return a.scheme === b.scheme && a.fsPath === b.fsPath;
}

const known = new WeakMap<
  vscode.TextDocument,
  { version: number; places: readonly ValuePlace[]; files: SessionFiles['files'] }
>();

/** The names in a document that stand for values of Σ; none in a document that is no file of the skill. */
export async function placesIn(
  document: vscode.TextDocument,
  session: SessionFiles,
): Promise<readonly ValuePlace[]> {
  const file = fileOf(session, document.uri);
  if (file === undefined) return [];
  const { version } = document;
  const before = known.get(document);
  if (before?.version === version && before.files === session.files) return before.places;
  const places = await findPlaces(file, document.getText(), session);
  known.set(document, { version, places, files: session.files });
  return places;
}

async function findPlaces(
  file: RecordedFile,
  text: string,
  { name, files }: SessionFiles,
): Promise<readonly ValuePlace[]> {
  const [{ recordedSkill }, { loadStateSchema }, { proseValuePlaces, schemaValuePlaces }] = await Promise.all(
    [
      import('../../runtime/recordedSkill'),
      import('../../../../schemas/state/stateSchema'),
      import('./valuePlaces'),
    ],
  );
  const { stateSchema } = await recordedSkill(name, files);
  switch (file.role) {
    case 'skill':
    case 'include':
      return proseValuePlaces(text, stateSchema);
    case 'state-schema':
    case 'state-schema-part':
      if (text === file.text) return schemaValuePlaces(stateSchema, file.path);
      // An edited part alone doesn't say where its values are.
      return file.role === 'state-schema'
        ? schemaValuePlaces(loadStateSchema({ path: file.path, text }))
        : [];
    case 'initial-state':
      return [];
  }
}

/** A range of the formats as VS Code has it: both count from 0. */
export function editorRange({ start, end }: ValuePlace['range']): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
