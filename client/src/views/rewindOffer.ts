/**
 * A debug adapter can't ask questions, so it refuses to change the past of a run whose environment can't be taken back.
 * The extension asks instead: whether to open the run once more in a way that lets it.
 */
import * as vscode from 'vscode';
import { goToRequest, rewindRefusalId } from '../../../schemas/messages/debugMessages';
import { debugType } from '../hosts/launchConfiguration';
import { ownMember } from '../hosts/ownMember';
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
        void ask(run).finally(() => asking.delete(session.id));
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

/** Goes to where the run stood, once the new session has stopped. */
function goBackTo(
  earlier: vscode.DebugSession,
  place: { readonly branch: number; readonly step: number },
): Promise<void> {
  return new Promise((resolve) => {
    const subscription = vscode.debug.onDidChangeActiveStackItem(async (item) => {
      if (item === undefined || item.session.id === earlier.id || item.session.name !== earlier.name) return;
      subscription.dispose();
      try {
        await item.session.customRequest(goToRequest, place);
      } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
      }
      resolve();
    });
  });
}
