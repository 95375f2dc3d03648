/** Progress that is shown only where something takes its time. */
import * as vscode from 'vscode';

/** Milliseconds until it is. */
const delay = 2_000;

/**
 * Does something that may take long. After two seconds a notification says so, and lets it be cancelled.
 *
 * @param title what is being done, such as `Comparing runs`
 * @param work is told by the signal that it was cancelled
 */
export async function withLateProgress<Result>(
  title: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const cancelled = new AbortController();
  const result = work(cancelled.signal);
  const timer = setTimeout(() => {
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_progress, token) => {
        token.onCancellationRequested(() => cancelled.abort(new Error(`${title}: cancelled.`)));
        return result.then(
          () => undefined,
          () => undefined,
        );
      },
    );
  }, delay);
  try {
    return await result;
  } finally {
    clearTimeout(timer);
  }
}
