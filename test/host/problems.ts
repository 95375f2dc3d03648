/** What the Problems view has: our findings and those of VS Code itself. */
import * as vscode from 'vscode';
import { until } from './waiting';

/** The event after which they are looked at again. */
export const problemsChanged = [vscode.languages.onDidChangeDiagnostics];

/** Our findings in a document. */
export function ours(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'skill-state');
}

/** What others report there. */
export function theirs(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source !== 'skill-state');
}

/** Their codes, sorted. */
export function codesOf(diagnostics: readonly vscode.Diagnostic[]): string[] {
  return diagnostics.map(({ code }) => String(typeof code === 'object' ? code.value : code)).sort();
}

/** Waits until exactly these errors and warnings of ours are shown. */
export function shows(uri: vscode.Uri, expected: readonly string[]): Promise<true> {
  const serious = () => ours(uri).filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
  return until(`the problems ${expected.join(', ') || 'none'}`, problemsChanged, () =>
    JSON.stringify(codesOf(serious())) === JSON.stringify([...expected].sort()) ? true : undefined,
  ).catch((cause: unknown) => {
    const all = vscode.languages
      .getDiagnostics(uri)
      .map(({ source, code, severity, range, message }) =>
        JSON.stringify({ source, code, severity, range, message }),
      );
    throw new Error(`${String(cause)}; there are:\n${all.join('\n')}`);
  });
}

/** Waits for a finding with this code. */
export function finding(uri: vscode.Uri, code: string): Promise<vscode.Diagnostic> {
  return until(code, problemsChanged, () => ours(uri).find((one) => codesOf([one])[0] === code));
}

/** Waits until there is none with this code. */
export function noFinding(uri: vscode.Uri, code: string): Promise<true> {
  return until(`no ${code}`, problemsChanged, () => !codesOf(ours(uri)).includes(code) || undefined);
}
