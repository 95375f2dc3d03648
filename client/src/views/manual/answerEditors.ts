/** Lets a person answer for the models and environments `manual` in editors; the debug console takes answers as before. */
import * as vscode from 'vscode';
import { settingsSection } from '../../../../schemas/messages/messages';
import {
  isQuestion,
  isQuestionClosed,
  questionClosedEvent,
  questionEvent,
} from '../../../../schemas/messages/questionMessages';
import { contextKeys } from '../../hosts/contextKeys';
import { debugType } from '../../hosts/launchConfiguration';
import { AnswerDesk, questionScheme } from './answerDesk';
import { questionText, rulesText, verdictText } from './replyTexts';

/** What a window shows of a prompt that is opened again: nobody has it any more. */
const outlived = 'The session that asked is over.';

/** What sends an answer, unless the user has bound another key. */
const sendKey = process.platform === 'darwin' ? 'Cmd+Enter' : 'Ctrl+Enter';

/** The setting that lets the editors open by themselves. */
const setting = 'answerInEditor';

export interface AnswerEditors extends vscode.Disposable {
  /** Sends what an editor has; the active one's, or that of the question that waits. */
  send(uri: vscode.Uri | undefined): Promise<void>;
  /** The prompt that a document shows or is written for; undefined for any other. */
  promptOf(uri: vscode.Uri | undefined): string | undefined;
  /** Opens the editors of the question that waits. */
  show(): Promise<void>;
}

/** Opens editors as questions come until it is disposed. */
export function createAnswerEditors(): AnswerEditors {
  const desks = new Map<string, AnswerDesk>();
  const problems = vscode.languages.createDiagnosticCollection('skill-state.answers');
  const lensesChanged = new vscode.EventEmitter<void>();
  const promptChanged = new vscode.EventEmitter<vscode.Uri>();

  function deskOf(session: vscode.DebugSession): AnswerDesk {
    const known = desks.get(session.id);
    if (known !== undefined) return known;
    const desk = new AnswerDesk({
      session,
      problems,
      onChanged: changed,
      onPrompt: (uri) => promptChanged.fire(uri),
    });
    desks.set(session.id, desk);
    return desk;
  }

  function changed(): void {
    const waiting = [...desks.values()].filter(({ question }) => question !== undefined);
    const answers = waiting.flatMap(({ answer }) => (answer === undefined ? [] : [answer.uri.toString()]));
    const { questionIsOpen, answersWait } = contextKeys;
    void vscode.commands.executeCommand('setContext', questionIsOpen, waiting.length > 0);
    void vscode.commands.executeCommand('setContext', answersWait, answers);
    lensesChanged.fire();
  }

  /** The desk of a document; without one, that of the active editor or session, or whichever waits. */
  function deskAt(uri: vscode.Uri | undefined): AnswerDesk | undefined {
    const all = [...desks.values()];
    const has = (text: string | undefined) => (desk: AnswerDesk) =>
      text !== undefined && [desk.answer?.uri, desk.promptUri].some((one) => one?.toString() === text);
    if (uri !== undefined) return all.find(has(uri.toString()));
    const active = vscode.debug.activeDebugSession;
    return (
      all.find(has(vscode.window.activeTextEditor?.document.uri.toString())) ??
      [active && desks.get(active.id), ...all].find((desk) => desk?.question !== undefined)
    );
  }

  const subscriptions = vscode.Disposable.from(
    problems,
    lensesChanged,
    promptChanged,
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType) return;
      if (event === questionEvent && isQuestion(body)) {
        const opens = vscode.workspace.getConfiguration(settingsSection).get(setting, true);
        deskOf(session).ask(body, opens);
      } else if (event === questionClosedEvent && isQuestionClosed(body)) {
        desks.get(session.id)?.closed(body);
      }
    }),
    vscode.debug.onDidTerminateDebugSession((session) => {
      const desk = desks.get(session.id);
      if (desk !== undefined) void desk.end().then(() => desks.delete(session.id));
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      for (const desk of desks.values()) desk.edited(document);
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      for (const desk of desks.values()) desk.left(document);
    }),
    vscode.workspace.registerTextDocumentContentProvider(questionScheme, {
      onDidChange: promptChanged.event,
      provideTextDocumentContent: ({ query }) => desks.get(query)?.prompt ?? outlived,
    }),
    vscode.languages.registerCodeLensProvider([{ scheme: 'untitled' }, { scheme: questionScheme }], {
      onDidChangeCodeLenses: lensesChanged.event,
      provideCodeLenses: ({ uri }) => {
        const desk = deskAt(uri);
        return desk === undefined ? [] : lensesOf(desk, uri);
      },
    }),
  );

  return {
    async send(uri) {
      const desk = deskAt(uri);
      if (desk !== undefined) await desk.send();
      else void vscode.window.showInformationMessage('Nobody waits for an answer now.');
    },
    promptOf: (uri) => deskAt(uri)?.prompt,
    async show() {
      const desk = deskAt(undefined);
      if (desk?.question !== undefined) await desk.show();
      else void vscode.window.showInformationMessage('Nobody waits for an answer now.');
    },
    dispose() {
      subscriptions.dispose();
    },
  };
}

function lensesOf(desk: AnswerDesk, uri: vscode.Uri): vscode.CodeLens[] {
  const start = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command = '') =>
    new vscode.CodeLens(start, { title, command, arguments: command === '' ? [] : [uri] });
  const { question, check, isSent } = desk;
  const isReply = question?.kind === 'reply';
  const rules = question && rulesText(question);
  if (uri.scheme === questionScheme)
    return [
      lens(isReply ? question.title : 'Answered'),
      lens('$(copy) Copy Prompt', 'skill-state.copyPrompt'),
    ];
  return [
    lens(questionText(question, isSent)),
    ...(question === undefined ? [] : [lens(`$(send) Send (${sendKey})`, 'skill-state.sendReply')]),
    // Before the last one: a narrow editor cuts the end off.
    ...(check === undefined ? [] : [lens(verdictText(check))]),
    ...(rules === undefined ? [] : [lens(rules)]),
    ...(isReply ? [lens('$(copy) Copy Prompt', 'skill-state.copyPrompt')] : []),
  ];
}
