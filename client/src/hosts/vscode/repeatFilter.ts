/** Leaves out of our diagnostics what VS Code shows already, and brings it back once VS Code doesn't any more. */
import * as vscode from 'vscode';
import type { LanguageClient, Middleware } from 'vscode-languageclient/node';
import { settingsSection } from '../../../../schemas/messages/messages';
import { withoutRepeats } from '../withoutRepeats';

/** The source of our diagnostics, and only of ours. */
const source = 'skill-state';

/** The setting that shows everything, within the section. */
const repeatSetting = 'diagnostics.repeatBuiltIn';

/** What the server found in a document, and what of it is shown. */
interface Reported {
  readonly uri: vscode.Uri;
  readonly all: readonly vscode.Diagnostic[];
  shown: readonly vscode.Diagnostic[];
}

export interface RepeatFilter extends vscode.Disposable {
  readonly middleware: Pick<Middleware, 'provideDiagnostics' | 'handleDiagnostics'>;
  /** Keeps what is shown in step with VS Code's own diagnostics, until this is disposed. */
  watch(client: LanguageClient): void;
}

/** @param kinds the client's names for kinds of reports; handed in since its module is loaded late */
export function createRepeatFilter({
  kinds,
}: {
  readonly kinds: typeof import('vscode-languageclient/node').vsdiag.DocumentDiagnosticReportKind;
}): RepeatFilter {
  const pulled = new Map<string, Reported>();
  const pushed = new Map<string, Reported>();
  const subscriptions: vscode.Disposable[] = [];

  return {
    middleware: {
      async provideDiagnostics(document, previousResultId, token, next) {
        const uri = document instanceof vscode.Uri ? document : document.uri;
        const report = await next(document, previousResultId, token);
        if (!report) return report;
        const key = uri.toString();
        if (report.kind === kinds.full) {
          const shown = filtered(uri, report.items);
          pulled.set(key, { uri, all: report.items, shown });
          return { ...report, items: shown };
        }
        const known = pulled.get(key);
        const shown = known && filtered(uri, known.all);
        if (known === undefined || shown === undefined || areSame(known.shown, shown)) return report;
        known.shown = shown;
        return { kind: kinds.full, resultId: report.resultId, items: shown };
      },
      handleDiagnostics(uri, diagnostics, next) {
        const shown = filtered(uri, diagnostics);
        if (diagnostics.length === 0) pushed.delete(uri.toString());
        else pushed.set(uri.toString(), { uri, all: diagnostics, shown });
        next(uri, shown);
      },
    },

    watch(client) {
      const update = (uris: readonly vscode.Uri[]) => {
        let pull = false;
        for (const uri of uris) {
          const byPush = pushed.get(uri.toString());
          if (byPush !== undefined) {
            const shown = filtered(uri, byPush.all);
            if (!areSame(byPush.shown, shown)) {
              byPush.shown = shown;
              client.diagnostics?.set(uri, shown);
            }
          }
          const byPull = pulled.get(uri.toString());
          pull ||= byPull !== undefined && !areSame(byPull.shown, filtered(uri, byPull.all));
        }
        // The pulled ones belong to the client: it asks again, and the middleware answers anew.
        if (pull) client.getFeature('textDocument/diagnostic')?.refresh();
      };
      subscriptions.push(
        vscode.languages.onDidChangeDiagnostics(({ uris }) => update(uris)),
        vscode.workspace.onDidChangeConfiguration((event) => {
          if (!event.affectsConfiguration(`${settingsSection}.${repeatSetting}`)) return;
          update([...pulled.values(), ...pushed.values()].map(({ uri }) => uri));
        }),
        vscode.workspace.onDidCloseTextDocument(({ uri }) => pulled.delete(uri.toString())),
      );
    },

    dispose() {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function filtered(uri: vscode.Uri, ours: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  if (vscode.workspace.getConfiguration(settingsSection, uri).get(repeatSetting) === true) return [...ours];
  const theirs = vscode.languages.getDiagnostics(uri).filter((other) => other.source !== source);
  return withoutRepeats(ours, theirs);
}

/** Whether two selections of the same findings are equal. */
function areSame(a: readonly vscode.Diagnostic[], b: readonly vscode.Diagnostic[]): boolean {
  return a.length === b.length && a.every((diagnostic, index) => diagnostic === b[index]);
}
