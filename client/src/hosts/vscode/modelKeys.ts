/** API keys in VS Code's secret storage, typed into a box that shows none of it. */
import * as vscode from 'vscode';
import type { KeySource } from '../../models/modelResources';
import { isLoopback } from '../../models/services';
import { createStoredKeys, keyPageOf, keyProblem, type StoredKeys } from '../storedKeys';

/** @param environment the keys of the environment's variables */
export function createModelKeys(secrets: vscode.SecretStorage, environment?: KeySource): StoredKeys {
  return createStoredKeys({
    secrets,
    environment,
    ask: (origin, isRefused, signal) =>
      askForKey(
        origin,
        isRefused ? `${origin} did not take the key that it was given. Paste another one.` : undefined,
        signal,
      ),
  });
}

/**
 * Asks for the key of a service.
 *
 * @param why what is said above the box; by default what the key is for
 * @returns undefined where none is given
 * @throws the signal's reason
 */
export function askForKey(
  origin: string,
  why: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  const page = keyPageOf(origin);
  box.title = `API Key for ${origin}`;
  box.prompt = `${why ?? `Paste your API key for ${origin}.`} It is kept in VS Code's secret storage and sent nowhere else.`;
  box.placeholder = 'API key';
  box.password = true;
  box.ignoreFocusOut = true;
  if (page !== undefined) {
    box.buttons = [{ iconPath: new vscode.ThemeIcon('link-external'), tooltip: `Get a key at ${page}` }];
    box.prompt += ` Keys are to be had at ${page}.`;
  }
  if (origin.startsWith('http:') && !isLoopback(origin))
    box.prompt += ' The way there is not encrypted: others can read the key on it.';
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let key: string | undefined;
    const abort = () => {
      reject(signal.reason);
      box.hide();
    };
    signal.addEventListener('abort', abort, { once: true });
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidTriggerButton(() => page !== undefined && vscode.env.openExternal(vscode.Uri.parse(page)));
    box.onDidAccept(() => {
      const problem = keyProblem(box.value);
      box.validationMessage = problem;
      if (problem !== undefined) return;
      key = box.value.trim();
      box.hide();
    });
    box.onDidHide(() => {
      signal.removeEventListener('abort', abort);
      resolve(key);
      box.dispose();
    });
    box.show();
  });
}
