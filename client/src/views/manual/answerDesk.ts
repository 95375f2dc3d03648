/** The editors in which a person answers one session: the exact prompt, and beside it the text that is sent as the answer. */
import * as vscode from 'vscode';
import {
  answerRequest,
  checkReplyRequest,
  isReplyCheck,
  type QuestionBody,
  type QuestionClosedBody,
  type ReplyCheck,
} from '../../../../schemas/messages/questionMessages';
import { firstLineShown, problemsIn } from './replyTexts';

/** The scheme of the prompts. */
export const questionScheme = 'skill-state-question';

/** Milliseconds without a key before a reply is checked. */
const checkDelay = 200;

export interface AnswerDeskOptions {
  readonly session: vscode.DebugSession;
  readonly problems: vscode.DiagnosticCollection;
  /** What is shown of the desk has changed: lenses, and which editors may send. */
  readonly onChanged: () => void;
  /** The prompt's document has another text. */
  readonly onPrompt: (uri: vscode.Uri) => void;
}

export class AnswerDesk {
  /** Of the prompt's document, the same for all prompts of the session. */
  readonly promptUri: vscode.Uri;
  readonly #options: AnswerDeskOptions;
  #question: QuestionBody | undefined;
  #prompt = '';
  #answer: vscode.TextDocument | undefined;
  /** What the editor had when it was sent last. */
  #sent: string | undefined;
  #check: ReplyCheck | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The person has closed the editor while a question waited: it comes back when it is asked for. */
  #isDeclined = false;
  /** Whether the editor takes the focus with the next question: the last one wasn't answered elsewhere. */
  #takesFocus = true;
  #isClosing = false;
  /** What is done to editors, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: AnswerDeskOptions) {
    this.#options = options;
    const { id, name } = options.session;
    const path = `/Prompt (${name.replaceAll(/[\\/]+/g, ' ')}).md`;
    this.promptUri = vscode.Uri.from({ scheme: questionScheme, path, query: id });
  }

  get question(): QuestionBody | undefined {
    return this.#question;
  }

  /** The exact prompt of the question that was asked last. */
  get prompt(): string {
    return this.#prompt;
  }

  get answer(): vscode.TextDocument | undefined {
    return this.#answer;
  }

  /** What the run would make of the text; undefined as long as it isn't known. */
  get check(): ReplyCheck | undefined {
    return this.#check;
  }

  get isSent(): boolean {
    return this.#sent !== undefined && this.#sent === this.#answer?.getText();
  }

  /** A question waits. @param opens whether its editors are opened */
  ask(question: QuestionBody, opens: boolean): void {
    this.#question = question;
    if (question.prompt !== undefined) {
      this.#prompt = question.prompt;
      this.#options.onPrompt(this.promptUri);
    }
    this.#options.onChanged();
    if (opens && !this.#isDeclined) this.#then(() => this.#show(this.#takesFocus));
    this.#checkSoon();
  }

  /** Opens the editors of the question that waits, and goes to the answer's. */
  show(): Promise<void> {
    this.#isDeclined = false;
    return this.#then(() => this.#show(true));
  }

  /** A question waits no longer. */
  closed({ id, how }: QuestionClosedBody): void {
    if (id !== this.#question?.id) return;
    this.#question = undefined;
    this.#takesFocus = how === 'withdrawn' || this.isSent;
    this.#forgetCheck();
    if (how === 'withdrawn') this.#then(() => this.#putAway());
    else this.#options.onChanged();
  }

  /** The session is over: a text that was not sent stays open, as what it is, an untitled text. */
  async end(): Promise<void> {
    this.#question = undefined;
    this.#forgetCheck();
    await this.#then(() => this.#putAway());
    this.#answer = undefined;
    this.#options.onChanged();
  }

  /** Sends the text as the answer. What keeps it from being sent is said. */
  async send(): Promise<void> {
    const question = this.#question;
    const text = this.#answer?.getText() ?? '';
    if (question === undefined || text.trim() === '') {
      void vscode.window.showInformationMessage(
        question === undefined ? 'Nobody waits for an answer now.' : 'Write or paste the answer first.',
      );
      return;
    }
    const before = this.#sent;
    this.#sent = text;
    try {
      const args = { id: question.id, text: text.replaceAll('\r\n', '\n') };
      await this.#options.session.customRequest(answerRequest, args);
    } catch (error) {
      this.#sent = before;
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** A document has changed. */
  edited(document: vscode.TextDocument): void {
    if (document === this.#answer) this.#checkSoon();
    else if (document.uri.toString() === this.promptUri.toString()) this.#revealInPrompt();
  }

  /** A document was closed. */
  left(document: vscode.TextDocument): void {
    if (document !== this.#answer) return;
    this.#options.problems.delete(document.uri);
    this.#answer = undefined;
    this.#isDeclined ||= !this.#isClosing && this.#question !== undefined;
    this.#options.onChanged();
  }

  #then(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    });
    return this.#work;
  }

  async #show(takesFocus: boolean): Promise<void> {
    const question = this.#question;
    if (question === undefined) return;
    if (question.kind === 'reply') await this.#showPrompt();
    if (this.#answer === undefined)
      this.#answer = await vscode.workspace.openTextDocument({ language: 'markdown', content: '' });
    // A reply that was sent stands in the trace; one that was rejected is there to be put right.
    const isRetry = (question.attempt ?? 1) > 1;
    if (this.isSent && !isRetry) await replaceText(this.#answer, '');
    const shown = editorOf(this.#answer.uri);
    const prompt = question.kind === 'reply' ? editorOf(this.promptUri) : undefined;
    const beside = prompt?.viewColumn === undefined ? vscode.ViewColumn.Active : prompt.viewColumn + 1;
    const hadFocus = vscode.window.activeTextEditor?.document === this.#answer;
    const editor = await vscode.window.showTextDocument(this.#answer, {
      viewColumn: shown?.viewColumn ?? beside,
      preview: false,
      preserveFocus: !takesFocus && !hadFocus,
    });
    if (isRetry && this.isSent) {
      const { document } = editor;
      const end = document.lineAt(document.lineCount - 1).range.end;
      editor.selection = new vscode.Selection(new vscode.Position(0, 0), end);
    }
    this.#options.onChanged();
  }

  async #showPrompt(): Promise<void> {
    if (editorOf(this.promptUri) === undefined) {
      await vscode.window.showTextDocument(this.promptUri, {
        viewColumn: vscode.ViewColumn.One,
        preview: false,
        preserveFocus: true,
      });
    }
    this.#revealInPrompt();
  }

  #revealInPrompt(): void {
    const line = firstLineShown(this.#prompt, this.#question?.attempt ?? 1);
    editorOf(this.promptUri)?.revealRange(
      new vscode.Range(line, 0, line, 0),
      vscode.TextEditorRevealType.AtTop,
    );
  }

  /** Closes what nobody needs any more; a text that was not sent stays. */
  async #putAway(): Promise<void> {
    if (this.#question !== undefined) return;
    this.#isClosing = true;
    try {
      const answer = this.#answer;
      if (answer !== undefined && (this.isSent || answer.getText().trim() === '')) {
        // An untitled text that is empty is closed without a question.
        await replaceText(answer, '');
        await closeTabs(answer.uri);
      }
      await closeTabs(this.promptUri);
    } finally {
      this.#isClosing = false;
      this.#options.onChanged();
    }
  }

  #checkSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#checkNow(), checkDelay);
  }

  async #checkNow(): Promise<void> {
    const document = this.#answer;
    const question = this.#question;
    if (document === undefined || question?.kind !== 'reply') return;
    const { version } = document;
    const text = document.getText().replaceAll('\r\n', '\n');
    let check: ReplyCheck | undefined;
    try {
      const body: unknown =
        text.trim() === ''
          ? undefined
          : await this.#options.session.customRequest(checkReplyRequest, { text });
      check = isReplyCheck(body) ? body : undefined;
    } catch {
      // The question was withdrawn meanwhile, or the session is over: there is nothing to hold the text against.
    }
    const isCurrent =
      document === this.#answer && question === this.#question && version === document.version;
    if (!isCurrent) return;
    this.#check = check;
    const shown = check === undefined ? [] : problemsIn(text, check);
    this.#options.problems.set(document.uri, shown.map(diagnosticOf));
    this.#options.onChanged();
  }

  #forgetCheck(): void {
    clearTimeout(this.#timer);
    this.#check = undefined;
    if (this.#answer !== undefined) this.#options.problems.delete(this.#answer.uri);
  }
}

function diagnosticOf({
  range: { start, end },
  message,
  code,
  severity,
}: ReturnType<typeof problemsIn>[number]): vscode.Diagnostic {
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const { DiagnosticSeverity } = vscode;
  const level = severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning;
  const diagnostic = new vscode.Diagnostic(range, message, level);
  diagnostic.source = 'SKILL.state';
  diagnostic.code = code;
  return diagnostic;
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
}

async function replaceText(document: vscode.TextDocument, text: string): Promise<void> {
  if (document.getText() === text) return;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
}

async function closeTabs(uri: vscode.Uri): Promise<void> {
  const isOf = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isOf);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
