/** Which documents and files of the workspace are skills. */
import * as vscode from 'vscode';

/** `skill` is VS Code's own id for SKILL.md; whoever mapped the file to Markdown has it as that. */
const skillLanguages: readonly string[] = ['skill', 'markdown'];

/** How many skills a list offers at most. */
const findLimit = 500;

/** The documents that the language server looks at. Schemes are named so that the old sides of diffs aren't linted. */
export const skillSelector = ['file', 'untitled', 'vscode-vfs'].flatMap((scheme) => [
  ...skillLanguages.map((language) => ({ scheme, language, pattern: '**/SKILL.md' })),
  { scheme, language: 'skill-state-schema' },
]);

/** Whether a document is a SKILL.md that can be run. */
export function isSkillDocument(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && /(^|\/)SKILL\.md$/.test(document.uri.path);
}

/** The workspace's SKILL.md files, sorted by path. */
export async function findSkills(token?: vscode.CancellationToken): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles('**/SKILL.md', '**/node_modules/**', findLimit, token);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
