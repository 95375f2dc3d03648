/**
 * A debug adapter can't ask questions, so it refuses to change the past of a run whose environment can't be taken back.
 * The extension asks instead: whether to open the run once more in a way that lets it.
 */
import * as vscode from 'vscode';
import { goToRequest, rewindRefusalId } from '../../../schemas/messages/debugMessages';
import { debugType } from '../hosts/launchConfiguration';
import { ownMember } from '../hosts/ownMember';
import { showError } from '../hosts/vscode/showError';
import type { SessionTraces, TracedRun } from './sessionTraces';

/** Offers it until the returned object is disposed. */
export function offerForksWithoutRewind(traces: SessionTraces): vscode.Disposable {
  /** Sessions in which the question stands open. */
  const asking = new Set<string>();
  return vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
    createDebugAdapterTracker: (session) => ({
      onDidSendMessage(message: unknown) {
        if (!isRewindRefusal(message) || asking.has(session.id)) return;
        const run = traces.of(session);
        if (run === undefined) return;
        asking.add(session.id);
        ask(run)
          .catch(showError)
          .finally(() => asking.delete(session.id));
      },
    }),
  });
}

function isRewindRefusal(message: unknown): boolean {
  return (
    ownMember(message, 'type') === 'response' &&
    ownMember(message, 'success') === false &&
    ownMember(ownMember(ownMember(message, 'body'), 'error'), 'id') === rewindRefusalId
  );
}

async function ask({ session, tracePath, position }: TracedRun): Promise<void> {
  if (tracePath === undefined || position === undefined) return;
  const { branch, step } = position;
  const action = 'Open Again and Allow It';
  const answer = await vscode.window.showWarningMessage(
    'What the environment did since then can not be undone.',
    {
      modal: true,
      detail:
        'The run can be opened again from its trace so that branches may begin in the past all the same. What was done in the environment stays done, and a branch goes on from there.',
    },
    action,
  );
  if (answer !== action) return;
  await vscode.debug.stopDebugging(session);
  const isStarted = await vscode.debug.startDebugging(session.workspaceFolder, {
    ...session.configuration,
    replay: tracePath,
    forkWithoutRewind: true,
    stopOnEntry: true,
  });
  if (isStarted) await goBackTo(session, { branch, step });
}

/** Goes to where the run stood, once the new session has stopped; nowhere where it ends before. */
function goBackTo(
  earlier: vscode.DebugSession,
  place: { readonly branch: number; readonly step: number },
): Promise<void> {
  const isNew = ({ id, name }: vscode.DebugSession) => id !== earlier.id && name === earlier.name;
  return new Promise((resolve, reject) => {
    const subscriptions = vscode.Disposable.from(
      vscode.debug.onDidChangeActiveStackItem((item) => {
        if (item === undefined || !isNew(item.session)) return;
        subscriptions.dispose();
        item.session.customRequest(goToRequest, place).then(resolve, reject);
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        if (!isNew(session)) return;
        subscriptions.dispose();
        resolve();
      }),
    );
  });
}
