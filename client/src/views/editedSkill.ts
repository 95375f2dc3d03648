/**
 * Notices when the skill of a running session was edited, which the session itself leaves alone: offers once to go on
 * with it, and says so in the status of its files as long as it is so.
 */
import * as vscode from 'vscode';
import { editedRequest, isEditedBody } from '../../../schemas/messages/debugMessages';
import { contextKeys } from '../hosts/contextKeys';
import { showError } from '../hosts/vscode/showError';
import type { SessionTraces, TracedRun } from './sessionTraces';
import { liesIn, type SessionFiles, sessionFiles } from './values/skillValues';

/** The command that goes on with the edited skill. */
const continueCommand = 'skill-state.continueWithEditedSkill';

/** Watches until the returned object is disposed. */
export function watchEditedSkill(traces: SessionTraces): vscode.Disposable {
  const offered = new Set<string>();
  let status: vscode.LanguageStatusItem | undefined;

  async function check(run: TracedRun | undefined): Promise<void> {
    const session = run === undefined || run.ended ? undefined : await sessionFiles(run);
    // Another run may be looked at by now, which is asked about by itself.
    if (run !== traces.current) return;
    if (run === undefined || session === undefined) return show(undefined, undefined, []);
    const files = await editedFiles(run);
    if (run !== traces.current || run.ended) return;
    show(run, session, files);
    if (files.length === 0 || offered.has(run.id)) return;
    offered.add(run.id);
    await offer(run, files);
  }

  async function checkAfterSaving(uri: vscode.Uri): Promise<void> {
    const run = traces.current;
    const session = run === undefined || run.ended ? undefined : await sessionFiles(run);
    if (session !== undefined && liesIn(session, uri)) await check(run);
  }

  function show(
    run: TracedRun | undefined,
    session: SessionFiles | undefined,
    files: readonly string[],
  ): void {
    const isEdited = run !== undefined && session !== undefined && files.length > 0;
    void vscode.commands.executeCommand('setContext', contextKeys.skillIsEdited, isEdited);
    status?.dispose();
    status = undefined;
    if (!isEdited) return;
    const selector = session.files.map(({ path }) => ({
      scheme: session.folder.scheme,
      pattern: new vscode.RelativePattern(session.folder, path),
    }));
    status = vscode.languages.createLanguageStatusItem('skill-state.editedSkill', selector);
    status.name = 'Edited Skill';
    status.text = 'Edited since the run began';
    status.detail = `The session goes on with the recorded text of ${files.join(', ')}.`;
    status.severity = vscode.LanguageStatusSeverity.Warning;
    status.command = { command: continueCommand, title: `Continue with It from Step ${stepOf(run)}` };
  }

  return vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      checkAfterSaving(uri).catch(showError);
    }),
    traces.onDidChangeCurrent((run) => {
      check(run).catch(showError);
    }),
    traces.onDidMove((run) => {
      // After a step, another one is where it would be continued; after a fork, nothing is edited any more.
      if (status !== undefined && run === traces.current && run.position?.stopped === true)
        check(run).catch(showError);
    }),
    { dispose: () => status?.dispose() },
  );
}

/** The files that the session has otherwise; none where it can't say so. */
async function editedFiles({ session }: TracedRun): Promise<readonly string[]> {
  try {
    const body: unknown = await session.customRequest(editedRequest);
    return isEditedBody(body) ? body.files : [];
  } catch {
    // The session is ending, or still starting: there is nothing to go on with.
    return [];
  }
}

async function offer(run: TracedRun, files: readonly string[]): Promise<void> {
  const action = `Continue with the Edited Skill from Step ${stepOf(run)}`;
  const answer = await vscode.window.showInformationMessage(
    `${files.join(', ')} ${files.length === 1 ? 'has' : 'have'} changed since the run began. The session goes on with the recorded text.`,
    action,
  );
  if (answer === action) await vscode.commands.executeCommand(continueCommand);
}

function stepOf({ position }: TracedRun): number {
  return position?.step ?? 0;
}
