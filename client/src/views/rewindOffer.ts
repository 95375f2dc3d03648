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
  // Listened for before it starts: it may stop before VS Code says that it has started.
  const opened = watchOpened(session.id);
  try {
    const isStarted = await vscode.debug.startDebugging(session.workspaceFolder, {
      ...session.configuration,
      [openedAgainFor]: session.id,
      replay: tracePath,
      forkWithoutRewind: true,
      stopOnEntry: true,
    });
    const again = isStarted ? await opened.stopped : undefined;
    await again?.customRequest(goToRequest, { branch, step });
  } finally {
    opened.dispose();
  }
}

/** Tells in the configuration of a session which one it was opened again for: others may have its name. */
const openedAgainFor = '__openedAgainFor';

/** The session that is opened again for an earlier one, once it has stopped; undefined where it ends before. */
function watchOpened(
  earlier: string,
): vscode.Disposable & { readonly stopped: Promise<vscode.DebugSession | undefined> } {
  const isOpened = ({ configuration }: vscode.DebugSession) => configuration[openedAgainFor] === earlier;
  const subscriptions: vscode.Disposable[] = [];
  const stopped = new Promise<vscode.DebugSession | undefined>((resolve) => {
    subscriptions.push(
      vscode.debug.onDidChangeActiveStackItem((item) => {
        if (item !== undefined && isOpened(item.session)) resolve(item.session);
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        if (isOpened(session)) resolve(undefined);
      }),
    );
  });
  return { stopped, dispose: () => vscode.Disposable.from(...subscriptions).dispose() };
}
