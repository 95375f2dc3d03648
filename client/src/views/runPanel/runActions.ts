/** What a page wants done outside of it: documents, the debug session, the clipboard, files. */
import * as vscode from 'vscode';
import { goToRequest } from '../../../../schemas/messages/debugMessages';
import type { ExportFormat, PageAction } from '../../../../schemas/messages/runPanelMessages';
import { assertNever } from '../../../../schemas/text/assertNever';
import { traceUri } from '../../hosts/vscode/openTrace';
import type { TraceReader } from '../../runtime/traceReader';
import type { TraceDocuments } from '../documents/traceDocuments';
import { skillFolder } from '../values/skillValues';
import { chooseExport, saveNumbers, savePicture } from './exportRun';
import type { RunPageController } from './runPageController';
import type { ShownRun } from './runSources';
import { type RunText, runTextAddress, runTextScheme } from './runTextAddress';
import { violationsOf } from './stepDetail';

export interface RunActionsOptions {
  readonly documents: TraceDocuments;
}

export class RunActions {
  readonly #documents: TraceDocuments;

  constructor({ documents }: RunActionsOptions) {
    this.#documents = documents;
  }

  /** Rejects with a message for the user. */
  async perform(action: PageAction, shown: ShownRun, page: RunPageController): Promise<void> {
    const { trace, reader } = shown;
    if (reader === undefined) return;
    switch (action.kind) {
      case 'goTo':
        return goTo(action, shown);
      case 'open':
        return this.#open(action, shown);
      case 'openExchange': {
        const { branch, step, attempt, request } = action;
        const place = { sessionId: shown.session?.id, branch, step, attempt, request };
        await vscode.commands.executeCommand('skill-state.openExchange', place);
        return;
      }
      case 'openRule':
        return this.#openRule(action, shown, reader);
      case 'openValue': {
        const { branch, step, change, side } = action;
        return showText({ trace, branch, step, part: { kind: 'value', change, side } });
      }
      case 'diff': {
        const { branch, step } = action;
        return this.#documents.diffStates({ trace, branch, step }, { trace, branch, step: step + 1 });
      }
      case 'tryStep': {
        const { branch, step } = action;
        await vscode.commands.executeCommand('skill-state.tryStep', { branch, step });
        return;
      }
      case 'copy':
        return copy(action, reader);
      case 'export':
        return this.#export(action.branch, shown, page, action.format);
      case 'savePicture':
        return savePicture(trace, action.format, action.data);
      case 'openText': {
        await vscode.commands.executeCommand('vscode.openWith', traceUri(trace), 'default');
        return;
      }
      default:
        return assertNever(action);
    }
  }

  /** Asks for the format where none is given. A picture is made by the page, which then sends it. */
  async #export(
    branch: number,
    { trace, reader }: ShownRun,
    page: RunPageController,
    format: ExportFormat | undefined,
  ): Promise<void> {
    const chosen = format ?? (await chooseExport());
    if (chosen === undefined || reader === undefined) return;
    if (chosen === 'csv') await saveNumbers(trace, reader, branch);
    else page.takePicture(chosen);
  }

  async #open(
    { branch, step, document, attempt }: Extract<PageAction, { kind: 'open' }>,
    { trace }: ShownRun,
  ): Promise<void> {
    if (document === 'action') return showText({ trace, branch, step, part: { kind: 'action' } });
    await this.#documents.open({ trace, branch, step, part: document, attempt });
  }

  /** Opens the rule in the skill's file where it is as it was recorded, else in the recorded text. */
  async #openRule(
    { branch, step, attempt, violation }: Extract<PageAction, { kind: 'openRule' }>,
    { trace, session }: ShownRun,
    reader: TraceReader,
  ): Promise<void> {
    const { attempts } = await reader.step(branch, step);
    const rejection = attempts.find(({ record }) => record.attempt === attempt)?.rejection;
    const location = rejection && violationsOf(rejection)[violation]?.schemaLocation;
    const { rulePlaces } = await import('./rules');
    const place = location === undefined ? undefined : (await rulePlaces(reader, branch, step))(location);
    if (place === undefined) throw new RangeError('The rule stands in no file that the trace has recorded.');
    const { findRecordedFile } = await import('./recordedFile');
    const name = reader.header?.skill.name;
    const file =
      (await findRecordedFile(place, { skill: name, folder: session && skillFolder(session.session) })) ??
      runTextUri({ trace, branch, step, part: { kind: 'file', path: place.path } });
    const line = new vscode.Range(place.line, 0, place.line, 0);
    await vscode.window.showTextDocument(file, { selection: line, preview: true });
  }
}

async function goTo(
  { branch, step }: Extract<PageAction, { kind: 'goTo' }>,
  { session }: ShownRun,
): Promise<void> {
  if (session === undefined || session.ended) return;
  await session.session.customRequest(goToRequest, { branch, step });
}

async function copy(
  { branch, step, what }: Extract<PageAction, { kind: 'copy' }>,
  reader: TraceReader,
): Promise<void> {
  const { intent, commits } = await reader.step(branch, step);
  const text = (): string | undefined => {
    switch (what) {
      case 'action':
        return intent?.action;
      case 'patch': {
        const patches = commits.map(({ patch }) => patch);
        return patches.length === 0
          ? undefined
          : JSON.stringify(patches.length === 1 ? patches[0] : patches, undefined, 2);
      }
      default:
        return assertNever(what);
    }
  };
  const copied = text();
  if (copied === undefined) throw new RangeError(`Step ${step} has no ${what} to copy.`);
  await vscode.env.clipboard.writeText(copied);
}

function runTextUri(text: RunText): vscode.Uri {
  return vscode.Uri.from({ scheme: runTextScheme, ...runTextAddress(text) });
}

async function showText(text: RunText): Promise<void> {
  await vscode.window.showTextDocument(runTextUri(text), { preview: true });
}
