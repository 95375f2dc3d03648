/**
 * Values of Σ behind the lines that name them, in those visible editors with files of the skill for which VS Code asks
 * for no inline values: all but the one of the focused frame.
 */
import * as vscode from 'vscode';
import { printableLine } from '../../../../schemas/text/printable';
import { ownMember } from '../../hosts/ownMember';
import type { SessionTraces } from '../sessionTraces';
import { evaluatedValues } from './evaluatedValues';
import { fileOf, placesIn, type SessionFiles, sessionFiles } from './skillValues';
import type { ValuePlace } from './valuePlaces';

/** The longest text behind a line, in UTF-16 units. */
const lineLength = 150;

/** How many values are evaluated for one editor at most. */
const maxValues = 200;

/** Milliseconds that changes of what is visible are gathered for. */
const updateDelay = 100;

/** Shows the values until the returned object is disposed. */
export function createValueDecorations(traces: SessionTraces): vscode.Disposable {
  const decoration = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor('editor.inlineValuesForeground'),
      backgroundColor: new vscode.ThemeColor('editor.inlineValuesBackground'),
      margin: '0 0 0 1em',
    },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  /** The stop for which values were shown last; what is evaluated for an earlier one comes too late. */
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;

  const clear = () => {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(decoration, []);
  };

  async function update(): Promise<void> {
    const mine = ++turn;
    const frame = vscode.debug.activeStackItem;
    const run = frame && traces.of(frame.session);
    const isOff = vscode.workspace.getConfiguration('debug').get('inlineValues') === 'off';
    if (!(frame instanceof vscode.DebugStackFrame) || run === undefined || run.ended || isOff) return clear();
    const isWanted = () => mine === turn;
    const session = await sessionFiles(run);
    if (!isWanted()) return;
    if (session === undefined) return clear();
    const focused = await frameFile(frame);
    if (!isWanted()) return;
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const isOurs = fileOf(session, document.uri) !== undefined && document.uri.path !== focused;
      const shown = isOurs ? await valuesIn(editor, session, frame, isWanted) : [];
      if (!isWanted()) return;
      editor.setDecorations(decoration, shown);
    }
  }

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), updateDelay);
  };
  return vscode.Disposable.from(
    decoration,
    vscode.debug.onDidChangeActiveStackItem(later),
    vscode.window.onDidChangeVisibleTextEditors(later),
    vscode.window.onDidChangeTextEditorVisibleRanges(later),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('debug.inlineValues')) later();
    }),
    traces.onDidChangeCurrent(later),
    { dispose: () => clearTimeout(timer) },
  );
}

/** The URI's path of the file in which a frame stands; undefined where it is in none. */
async function frameFile({
  session,
  threadId,
  frameId,
}: vscode.DebugStackFrame): Promise<string | undefined> {
  try {
    const body: unknown = await session.customRequest('stackTrace', { threadId, startFrame: 0, levels: 20 });
    const frames = ownMember(body, 'stackFrames');
    const frame = Array.isArray(frames)
      ? frames.find((one: unknown) => ownMember(one, 'id') === frameId)
      : undefined;
    const path = ownMember(ownMember(frame, 'source'), 'path');
    if (typeof path !== 'string') return undefined;
    // To a window that is not where the files are, VS Code tells paths as URIs.
    return (/^[a-z][a-z\d+.-]+:\/\//i.test(path) ? vscode.Uri.parse(path) : vscode.Uri.file(path)).path;
  } catch {
    // The run has gone on meanwhile: this stop's values are not wanted any more.
    return undefined;
  }
}

async function valuesIn(
  editor: vscode.TextEditor,
  session: SessionFiles,
  frame: vscode.DebugStackFrame,
  isWanted: () => boolean,
): Promise<readonly vscode.DecorationOptions[]> {
  const { document, visibleRanges } = editor;
  const visible = (await placesIn(document, session))
    .filter(({ range }) =>
      visibleRanges.some(({ start, end }) => start.line <= range.end.line && range.start.line <= end.line),
    )
    .slice(0, maxValues);
  const values = await evaluateAll(visible, frame, isWanted);
  const byLine = new Map<number, string[]>();
  for (const { range, expression } of visible) {
    const value = values.get(expression);
    if (value === undefined || range.end.line >= document.lineCount) continue;
    const texts = byLine.get(range.end.line) ?? [];
    byLine.set(range.end.line, texts);
    const text = `${expression} = ${value}`;
    if (!texts.includes(text)) texts.push(text);
  }
  return [...byLine].map(([line, texts]) => ({
    range: document.lineAt(line).range.with({ start: document.lineAt(line).range.end }),
    renderOptions: { after: { contentText: cut(texts.join(', ')) } },
  }));
}

/** The values as the debugger shows them. */
function evaluateAll(
  places: readonly ValuePlace[],
  { session, frameId }: vscode.DebugStackFrame,
  isWanted: () => boolean,
): Promise<ReadonlyMap<string, string>> {
  const evaluate = async (expression: string) => {
    const body: unknown = await session.customRequest('evaluate', { expression, frameId, context: 'watch' });
    const result = ownMember(body, 'result');
    return typeof result === 'string' ? result : undefined;
  };
  return evaluatedValues(
    places.map(({ expression }) => expression),
    evaluate,
    isWanted,
  );
}

function cut(text: string): string {
  const line = printableLine(text);
  return line.length > lineLength ? `${line.slice(0, lineLength - 1)}…` : line;
}
