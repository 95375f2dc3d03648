/** Gives YAML files that are a skill's state schema, a part of it, or its initial state our languages, once each. */
import * as vscode from 'vscode';
import { currentText } from './openSkill';
import { skillSchemes, skillSelector } from './skillFiles';

/**
 * Switches such documents when they are opened, and when the SKILL.md or the schema that leads to them is saved. Who switches one back
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
      if (vscode.languages.match(skillSelector, document) > 0) checkAll();
    }),
  );
}

async function languageOf(uri: vscode.Uri): Promise<string | undefined> {
  // Parsing Markdown and YAML is loaded when it is first needed.
  const { languageBySkill, maxParents } = await import('../namedFiles');
  const segments = uri.path.split('/');
  for (let level = 1; level <= maxParents && level < segments.length; level++) {
    const path = segments.slice(-level).join('/');
    const inFolder = (name: string) => uri.with({ path: [...segments.slice(0, -level), name].join('/') });
    // A skill that can't be read names nothing; the server says what is wrong with it.
    const text = await currentText(inFolder('SKILL.md')).catch(() => undefined);
    if (text === undefined) continue;
    const language = await languageBySkill(text, path, (name) => currentText(inFolder(name)));
    if (language !== undefined) return language;
  }
  return undefined;
}
