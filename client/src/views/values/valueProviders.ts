/**
 * Values of Σ in the files of the skill that is debugged: inline where VS Code asks for them, which it does for the file
 * of the focused frame, and in hovers over the names that stand for them and over nothing else.
 */
import * as vscode from 'vscode';
import type { SessionTraces, TracedRun } from '../sessionTraces';
import { editorRange, placesIn, type SessionFiles, sessionFiles } from './skillValues';

/** Offers values while sessions of ours run, until the returned object is disposed. */
export function registerValueProviders(traces: SessionTraces): vscode.Disposable {
  const stepped = new vscode.EventEmitter<void>();
  let registered:
    | { readonly files: SessionFiles['files']; readonly providers: vscode.Disposable }
    | undefined;

  async function update(run: TracedRun | undefined): Promise<void> {
    const session = run === undefined || run.ended ? undefined : await sessionFiles(run);
    if (session?.files === registered?.files) return;
    registered?.providers.dispose();
    registered = session && { files: session.files, providers: provide(session, stepped.event) };
  }

  const updateCurrent = () => void update(traces.current);
  updateCurrent();
  return vscode.Disposable.from(
    stepped,
    traces.onDidChangeCurrent(updateCurrent),
    traces.onDidRead(updateCurrent),
    traces.onDidMove((run) => {
      updateCurrent();
      if (run.position?.stopped === true) stepped.fire();
    }),
    { dispose: () => registered?.providers.dispose() },
  );
}

/** For exactly the files of the skill: for others VS Code keeps its own way. */
function provide(session: SessionFiles, stepped: vscode.Event<void>): vscode.Disposable {
  const selector = session.files.map(({ path }) => ({
    scheme: session.folder.scheme,
    pattern: new vscode.RelativePattern(session.folder, path),
  }));
  return vscode.Disposable.from(
    vscode.languages.registerEvaluatableExpressionProvider(selector, {
      async provideEvaluatableExpression(document, position) {
        const { valuePlaceAt } = await import('./valuePlaces');
        const place = valuePlaceAt(await placesIn(document, session), position);
        return place && new vscode.EvaluatableExpression(editorRange(place.range), place.expression);
      },
    }),
    vscode.languages.registerInlineValuesProvider(selector, {
      onDidChangeInlineValues: stepped,
      async provideInlineValues(document, viewPort) {
        const seen = new Set<string>();
        return (await placesIn(document, session)).flatMap(({ range, expression }) => {
          const key = `${range.start.line} ${expression}`;
          const isVisible = viewPort.start.line <= range.end.line && range.start.line <= viewPort.end.line;
          if (!isVisible || seen.has(key)) return [];
          seen.add(key);
          return [new vscode.InlineValueEvaluatableExpression(editorRange(range), expression)];
        });
      },
    }),
  );
}
