/** Fixes of findings as quick fixes. */
import {
  type CodeAction,
  CodeActionKind,
  type CodeActionParams,
  type Diagnostic,
} from 'vscode-languageserver';
import type { DocumentDiagnostics } from './documentDiagnostics';
import type { Finding, Fix } from './languageService/finding';
import type { WorkspaceEdits } from './workspaceEdits';

/** The quick fixes for what a client asks; fixes that it can't apply are left out. */
export function codeActionsOf(
  fixes: readonly { readonly finding: Finding; readonly fix: Fix }[],
  { context }: CodeActionParams,
  tools: { readonly edits: WorkspaceEdits; readonly diagnostics: DocumentDiagnostics },
): CodeAction[] {
  if (!wantsQuickFixes(context.only)) return [];
  const actions = new Map<string, CodeAction>();
  for (const { finding, fix } of fixes) {
    const edit = tools.edits.ofFix(fix);
    if (edit === undefined) continue;
    const ours = tools.diagnostics.diagnostic(finding);
    // The client's own object, where it has one: it may carry more than we have sent.
    const diagnostic = context.diagnostics.find((candidate) => isSame(candidate, ours)) ?? ours;
    // One change may mend two findings at once, and is offered once.
    const key = JSON.stringify([fix.title, edit]);
    const known = actions.get(key);
    actions.set(key, {
      title: fix.title,
      kind: CodeActionKind.QuickFix,
      diagnostics: [...(known?.diagnostics ?? []), diagnostic],
      edit,
      ...((fix.preferred === true || known?.isPreferred === true) && { isPreferred: true }),
    });
  }
  return [...actions.values()];
}

/** Kinds are hierarchical: `quickfix` covers `quickfix.some`, and the empty kind everything. */
function wantsQuickFixes(only: readonly string[] | undefined): boolean {
  return only === undefined || only.some((kind) => kind === '' || kind === CodeActionKind.QuickFix);
}

function isSame(a: Diagnostic, b: Diagnostic): boolean {
  return (
    a.code === b.code &&
    a.message === b.message &&
    a.range.start.line === b.range.start.line &&
    a.range.start.character === b.range.start.character
  );
}
