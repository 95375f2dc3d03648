/** Tells the server of open documents that a skill may name or include: what it registers for them, it gets. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import {
  type CandidateDocument,
  type CandidateDocumentsParams,
  candidateDocumentsMethod,
} from '../../../../schemas/messages/messages';
import { skillSchemes, skillSelector } from './skillFiles';

/** Schemas and states in JSON, and instructions. YAML of a skill has languages of ours, by which it is selected. */
const candidateLanguages: ReadonlySet<string> = new Set(['json', 'jsonc', 'markdown', 'plaintext']);

/** Tells of them now and whenever they change, until the returned object is disposed. The client has to run. */
export function tellCandidates(client: LanguageClient, log: vscode.LogOutputChannel): vscode.Disposable {
  let told = '[]';
  const tell = (): void => {
    const params: CandidateDocumentsParams = { documents: candidates(client) };
    const key = JSON.stringify(params.documents);
    if (key === told || !client.isRunning()) return;
    told = key;
    client.sendNotification(candidateDocumentsMethod, params).catch((error: unknown) => {
      log.warn(`The server could not be told of open documents: ${String(error)}`);
    });
  };
  tell();
  return vscode.Disposable.from(
    // A server that was started anew after a crash has been told nothing.
    client.onDidChangeState(() => {
      if (!client.isRunning()) return;
      told = '[]';
      tell();
    }),
    // A changed language is told as closing and opening.
    vscode.workspace.onDidOpenTextDocument(tell),
    vscode.workspace.onDidCloseTextDocument(tell),
  );
}

function candidates(client: LanguageClient): CandidateDocument[] {
  return vscode.workspace.textDocuments
    .filter(
      (document) =>
        !document.isClosed &&
        !document.isUntitled &&
        candidateLanguages.has(document.languageId) &&
        skillSchemes.includes(document.uri.scheme) &&
        vscode.languages.match(skillSelector, document) === 0,
    )
    .map(({ uri, languageId }) => ({ uri: client.code2ProtocolConverter.asUri(uri), languageId }));
}
