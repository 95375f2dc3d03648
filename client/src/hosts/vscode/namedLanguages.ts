/** Gives YAML files that a skill names as its state schema or initial state our languages, once each. */
import * as vscode from 'vscode';
import { readText } from './fileRequests';
import { isSkillPath, skillSchemes } from './skillFiles';

/**
 * Switches such documents when they are opened, and when the SKILL.md that names them is saved. Who switches one back
 * keeps it so.
 */
export function switchNamedLanguages(log: vscode.LogOutputChannel): vscode.Disposable {
  const switched = new Set<string>();

  async function check(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    if (document.languageId !== 'yaml' || !skillSchemes.includes(document.uri.scheme) || switched.has(key))
      return;
    const language = await languageOf(document.uri);
    if (language === undefined || document.isClosed || switched.has(key)) return;
    switched.add(key);
    await vscode.languages.setTextDocumentLanguage(document, language);
  }

  const checkSafely = (document: vscode.TextDocument): void => {
    check(document).catch((error: unknown) => {
      log.warn(`The language of ${document.uri.path} could not be set: ${String(error)}`);
    });
  };
  const checkAll = (): void => {
    for (const document of vscode.workspace.textDocuments) checkSafely(document);
  };
  checkAll();
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(checkSafely),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (isSkillPath(document.uri)) checkAll();
    }),
  );
}

async function languageOf(uri: vscode.Uri): Promise<string | undefined> {
  // Parsing Markdown and YAML is loaded when it is first needed.
  const { languageBySkill, maxParents } = await import('../namedFiles');
  const segments = uri.path.split('/');
  for (let level = 1; level <= maxParents && level < segments.length; level++) {
    const path = segments.slice(-level).join('/');
    const skill = uri.with({ path: [...segments.slice(0, -level), 'SKILL.md'].join('/') });
    // A skill that can't be read names nothing; the server says what is wrong with it.
    const text = await readText(skill).catch(() => undefined);
    const language = text === undefined ? undefined : languageBySkill(text, path);
    if (language !== undefined) return language;
  }
  return undefined;
}
