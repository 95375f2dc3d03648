/** Which documents and files of the workspace are skills. */
import * as vscode from 'vscode';
import { initialStateLanguage, stateSchemaLanguage } from '../languageIds';

/** `skill` is VS Code's own id for SKILL.md; whoever mapped the file to Markdown has it as that. */
const skillLanguages: readonly string[] = ['skill', 'markdown'];

/** How many skills a list offers at most. */
const findLimit = 500;

/** The schemes that are looked at; they are named, so that the old sides of diffs aren't linted. */
export const skillSchemes: readonly string[] = ['file', 'untitled', 'vscode-vfs'];

/** The documents that the language server looks at. Those in JSON keep the editor's own support, and ours is added. */
export const skillSelector = skillSchemes.flatMap((scheme) => [
  ...skillLanguages.map((language) => ({ scheme, language, pattern: '**/SKILL.md' })),
  { scheme, language: stateSchemaLanguage },
  { scheme, language: initialStateLanguage },
  ...['json', 'jsonc'].map((language) => ({
    scheme,
    language,
    pattern: '**/{state.schema,state.initial}.json',
  })),
]);

/** Of these, the documents in languages of ours, for which nobody else has support; in JSON where the editor has none. */
export function ownDocuments({ json }: { readonly json: boolean }): typeof skillSelector {
  const ours = [stateSchemaLanguage, initialStateLanguage, ...(json ? [] : ['json', 'jsonc'])];
  return skillSelector.filter(({ language }) => ours.includes(language));
}

/** Whether a document is a SKILL.md that can be run. */
export function isSkillDocument(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && isSkillPath(document.uri);
}

/** Whether a file is a SKILL.md, wherever it lies. */
export function isSkillPath({ path }: vscode.Uri): boolean {
  return /(^|\/)SKILL\.md$/.test(path);
}

/** The workspace's SKILL.md files, sorted by path. */
export async function findSkills(token?: vscode.CancellationToken): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles('**/SKILL.md', '**/node_modules/**', findLimit, token);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
