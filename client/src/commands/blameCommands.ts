/** Commands about one value of Σ: who wrote it, and its JSON Pointer. */
import * as vscode from 'vscode';
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import { blameRequest, isBlameBody } from '../../../schemas/messages/debugMessages';
import { ownMember } from '../hosts/ownMember';
import type { BlameEntry } from '../runtime/blame';
import { askWhoWrote } from '../views/blame/askWhoWrote';
import type { ToldWrite } from '../views/blame/blameTexts';
import { parseDocumentQuery, traceScheme } from '../views/documents/traceDocument';
import type { TraceDocuments } from '../views/documents/traceDocuments';
import type { SessionTraces, TracedRun } from '../views/sessionTraces';
import { expressionPath, parseStatePath } from '../views/steps/stepFilter';
import { type StepPlace, stepArgument } from './stepArgument';

/** The longest value that a list shows, in UTF-16 units. */
const valueLength = 200;

/** The handlers by the identifiers of their commands. */
export function blameCommands({
  traces,
  documents,
}: {
  readonly traces: SessionTraces;
  readonly documents: TraceDocuments;
}) {
  /** Goes where a session can go; else shows what the step changed. */
  async function show(trace: string | undefined, place: StepPlace): Promise<void> {
    if (trace === undefined || trace === traces.current?.tracePath) {
      await vscode.commands.executeCommand('skill-state.openStep', place);
      return;
    }
    await documents.diffStates({ trace, ...place }, { trace, branch: place.branch, step: place.step + 1 });
  }

  /** @param step t: the value is that of Σ_t */
  async function whoWrotePath(trace: string, place: StepPlace, path: JsonPath): Promise<void> {
    const { blame } = await import('../runtime/blame');
    const reader = await documents.reader(trace);
    const name = `${formatPointer(path) || 'the state'} of Σ_${place.step}`;
    const write = await askWhoWrote(name, told(blame(reader, { ...place, path })));
    if (write !== undefined && write.by !== 'initial')
      await show(trace, { branch: place.branch, step: write.step });
  }

  return {
    'skill-state.whoWrote': async (argument?: unknown) => {
      const variable = variableArgument(argument);
      const run = variable?.sessionId === undefined ? traces.current : runOf(traces, variable.sessionId);
      const expression = variable?.expression ?? (await askExpression(run));
      if (expression === undefined) return;
      if (run === undefined) return noRun();
      if (run.ended) {
        const path = parseStatePath(expression);
        const { tracePath, position } = run;
        if (path === undefined || tracePath === undefined) return noRun();
        return whoWrotePath(tracePath, { branch: position?.branch ?? 0, step: lastState(run) }, path);
      }
      const branch = run.position?.branch ?? 0;
      const write = await askWhoWrote(expression, asked(run, expression));
      if (write !== undefined && write.by !== 'initial') await show(undefined, { branch, step: write.step });
    },
    'skill-state.whoWroteInStep': async (argument?: unknown) => {
      const run = traces.current;
      const place = stepArgument(argument);
      if (run?.tracePath === undefined || run.reader === undefined || place === undefined) return noRun();
      const { changedKeys } = run.reader.summary(place.branch, place.step);
      const key = changedKeys.length === 1 ? changedKeys[0] : await pickKey(changedKeys);
      if (key === undefined) return;
      return whoWrotePath(run.tracePath, { ...place, step: place.step + 1 }, [key]);
    },
    'skill-state.whoWroteLine': async () => {
      const editor = vscode.window.activeTextEditor;
      const document = editor?.document;
      const shown = document?.uri.scheme === traceScheme ? parseDocumentQuery(document.uri.query) : undefined;
      if (editor === undefined || document === undefined || shown?.part !== 'state') {
        void vscode.window.showInformationMessage(
          'Put the cursor on a line of a recorded state, as a comparison of states shows it.',
        );
        return;
      }
      const { pathOfLine } = await import('../views/documents/pathOfLine');
      const path = pathOfLine(
        document.getText(),
        document.offsetAt(lineContent(document, editor.selection.active)),
      );
      return whoWrotePath(shown.trace, { branch: shown.branch, step: shown.step }, path);
    },
    'skill-state.copyPointer': async (argument?: unknown) => {
      const path = expressionPath(variableArgument(argument)?.expression ?? '');
      if (path === undefined) {
        void vscode.window.showInformationMessage(
          'This variable is no part of the state, so it has no JSON Pointer.',
        );
        return;
      }
      await vscode.env.clipboard.writeText(formatPointer(path.slice(1)));
    },
  };
}

/** What the Variables view hands to its menus' commands: the session and the variable, as the protocol has it. */
function variableArgument(
  argument: unknown,
): { readonly sessionId: string | undefined; readonly expression: string | undefined } | undefined {
  const variable = ownMember(argument, 'variable');
  const expression = ownMember(variable, 'evaluateName') ?? ownMember(argument, 'expression');
  const sessionId = ownMember(argument, 'sessionId');
  if (typeof expression !== 'string') return undefined;
  return { expression, sessionId: typeof sessionId === 'string' ? sessionId : undefined };
}

function runOf(traces: SessionTraces, sessionId: string): TracedRun | undefined {
  return traces.runs.find(({ id }) => id === sessionId);
}

function noRun(): void {
  void vscode.window.showInformationMessage(
    'There is no run to look at yet. Debug a skill or a trace first.',
  );
}

function lastState({ reader, position }: TracedRun): number {
  return reader?.branches.find(({ id }) => id === (position?.branch ?? 0))?.steps ?? 0;
}

async function askExpression(run: TracedRun | undefined): Promise<string | undefined> {
  if (run === undefined) {
    noRun();
    return undefined;
  }
  return vscode.window.showInputBox({
    title: 'Who Wrote This: Path of the State',
    placeHolder: 'state.inventory.shelf_1',
    validateInput: (text) =>
      parseStatePath(text) === undefined ? 'Write a path such as state.inventory.shelf_1.' : undefined,
  });
}

async function pickKey(keys: readonly string[]): Promise<string | undefined> {
  const picked = await vscode.window.showQuickPick([...keys], {
    title: 'Who Wrote This',
    placeHolder: 'Choose one of the values that the step wrote',
  });
  return picked;
}

/** The position of a line's first character that is no space. */
function lineContent(document: vscode.TextDocument, { line }: vscode.Position): vscode.Position {
  return new vscode.Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
}

async function* told(entries: AsyncIterable<BlameEntry>): AsyncGenerator<ToldWrite> {
  for await (const entry of entries) {
    const { value, ...others } = entry;
    yield { ...others, value: value === undefined ? undefined : excerpt(JSON.stringify(value)) };
  }
}

/** The session's own answer, which knows also what the present step has written. */
async function* asked({ session }: TracedRun, expression: string): AsyncGenerator<ToldWrite> {
  const body: unknown = await session.customRequest(blameRequest, { expression });
  if (!isBlameBody(body)) throw new Error('the debug adapter gave an answer that is none');
  yield* body.entries;
}

function excerpt(text: string): string {
  return text.length > valueLength ? `${text.slice(0, valueLength)}…` : text;
}
