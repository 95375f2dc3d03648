/** A format's problems as LSP's diagnostics. Pure. */
import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver-types';
import type { Problem, Severity } from '../../../schemas/text/problem';

/** Whom editors name as the origin of a diagnostic. */
export const diagnosticSource = 'skill-state';

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** Ranges need no translation: both count from 0, in UTF-16 code units. */
export function toDiagnostic({ code, severity, message, range }: Problem): Diagnostic {
  return { code, severity: severities[severity], message, range, source: diagnosticSource };
}
