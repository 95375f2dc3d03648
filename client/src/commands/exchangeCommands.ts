/** Commands about the exact requests to a model: opening one with its answer, copying it. */
import * as vscode from 'vscode';
import {
  type ExchangeBody,
  isTriedModel,
  type RequestSummary,
} from '../../../schemas/messages/exchangeMessages';
import { ownMember } from '../hosts/ownMember';
import { outcomeText } from '../runtime/failureWords';
import { type ExchangePlace, exchangeScheme, parseExchangeQuery } from '../views/exchanges/exchangeAddress';
import type { ExchangeDocuments } from '../views/exchanges/exchangeDocuments';
import type { ModelDocuments } from '../views/models/modelDocuments';
import type { SessionTraces } from '../views/sessionTraces';
import { stepArgument } from './stepArgument';

export interface ExchangeCommandOptions {
  readonly traces: SessionTraces;
  readonly exchanges: ExchangeDocuments;
  readonly modelDocuments: Pick<ModelDocuments, 'linksOf'>;
}

const openTitle = 'Open Exact Request and Response';

/** The handlers by the identifiers of their commands. */
export function exchangeCommands({ traces, exchanges, modelDocuments }: ExchangeCommandOptions) {
  /** The sample that is meant where the command is run in the text of a tried step; undefined where none is picked. */
  async function sampleAtCursor(): Promise<{ readonly argument: unknown } | undefined> {
    const editor = vscode.window.activeTextEditor;
    const links = editor === undefined ? [] : modelDocuments.linksOf(editor.document.uri);
    if (editor === undefined || links.length === 0) return { argument: undefined };
    const here = links.filter(({ line }) => line === editor.selection.active.line);
    const offered = here.length > 0 ? here : links;
    if (offered.length === 1) return offered[0];
    return vscode.window.showQuickPick(offered, {
      title: openTitle,
      placeHolder: 'Choose a sample',
      matchOnDescription: true,
    });
  }

  /** Which request is meant: of a step, an attempt in Variables, a document, or where the session stands. */
  function placeOf(argument: unknown): ExchangePlace | undefined {
    const uri =
      argument instanceof vscode.Uri
        ? argument
        : argument === undefined
          ? vscode.window.activeTextEditor?.document.uri
          : undefined;
    if (uri?.scheme === exchangeScheme) return parseExchangeQuery(uri.query);
    const session = ownMember(argument, 'sessionId');
    const run = typeof session === 'string' ? traces.runs.find(({ id }) => id === session) : traces.current;
    const place = stepArgument(argument) ?? run?.position;
    if (run === undefined || place === undefined) return undefined;
    return {
      session: run.id,
      branch: place.branch,
      step: place.step,
      ...sampledArgument(argument),
      attempt: attemptArgument(argument),
      request: countArgument(argument, 'request'),
    };
  }

  /** The request that is meant, of several one that is chosen; what keeps it from being shown is said. */
  async function choose(
    argument: unknown,
    title: string,
  ): Promise<{ readonly place: ExchangePlace; readonly body: ExchangeBody } | undefined> {
    const place = placeOf(argument);
    if (place === undefined) {
      void vscode.window.showInformationMessage(
        'There is no run to look at yet. Debug a skill with a model first.',
      );
      return undefined;
    }
    try {
      const body = await exchanges.exchange(place);
      const requests = body.requests.filter(
        ({ attempt }) => place.attempt === undefined || attempt === place.attempt,
      );
      const summary =
        place.request !== undefined || requests.length === 1
          ? body.exchange.summary
          : await pickRequest(requests, title, place.sampled === undefined ? 'Attempt' : 'Sample');
      if (summary === undefined) return undefined;
      const { attempt, request } = summary;
      const chosen = { ...place, branch: body.branch, attempt, request };
      const given = body.exchange.summary;
      const isGiven = given.attempt === attempt && given.request === request;
      return { place: chosen, body: isGiven ? body : await exchanges.exchange(chosen) };
    } catch (error) {
      void vscode.window.showInformationMessage(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  async function copyCommand(argument: unknown, shell: 'posix' | 'powershell'): Promise<void> {
    const chosen = await choose(argument, 'Copy Request');
    if (chosen === undefined) return;
    const { sent } = chosen.body.exchange;
    const { curlCommand, hasCommand, powerShellCommand } = await import('../views/exchanges/requestCommand');
    if (!hasCommand(sent)) {
      void vscode.window.showInformationMessage(
        'This request went to a language model of the editor, which has no address: copy its body instead.',
      );
      return;
    }
    await copy(
      shell === 'posix' ? curlCommand(sent) : powerShellCommand(sent),
      shell === 'posix' ? 'The request as a curl command' : 'The request as a PowerShell command',
    );
  }

  return {
    'skill-state.openExchange': async (argument?: unknown) => {
      const meant = argument === undefined ? await sampleAtCursor() : { argument };
      if (meant === undefined) return;
      const chosen = await choose(meant.argument, openTitle);
      if (chosen !== undefined) await exchanges.open(chosen.place);
    },
    'skill-state.copyRequestAsCurl': (argument?: unknown) => copyCommand(argument, 'posix'),
    'skill-state.copyRequestAsPowerShell': (argument?: unknown) => copyCommand(argument, 'powershell'),
    'skill-state.copyRequestBody': async (argument?: unknown) => {
      const chosen = await choose(argument, 'Copy Request Body');
      if (chosen !== undefined) await copy(chosen.body.exchange.sent.body, "The request's body");
    },
  };
}

/** Milliseconds for which the status bar says what was copied. */
const saidFor = 5_000;

async function copy(text: string, what: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`$(copy) ${what} is in the clipboard.`, saidFor);
}

async function pickRequest(
  requests: readonly RequestSummary[],
  title: string,
  noun: 'Attempt' | 'Sample',
): Promise<RequestSummary | undefined> {
  const items = requests.map((summary) => ({
    label: `${noun} ${summary.attempt}, Request ${summary.request}`,
    description: outcomeText(summary),
    summary,
  }));
  const picked = await vscode.window.showQuickPick(items.reverse(), {
    title,
    placeHolder: 'Choose a request, the last one first',
  });
  return picked?.summary;
}

/** An attempt that is named, or that a variable `attempts[1]` of the debug view is. */
function attemptArgument(argument: unknown): number | undefined {
  const expression = ownMember(ownMember(argument, 'variable'), 'evaluateName');
  const index = typeof expression === 'string' ? /^attempts\[(\d{1,9})\]$/.exec(expression)?.[1] : undefined;
  return index === undefined ? countArgument(argument, 'attempt') : Number(index) + 1;
}

/** A model of a try: `{ sampled: { tried, model } }`. */
function sampledArgument(argument: unknown): Pick<ExchangePlace, 'sampled'> {
  const sampled = ownMember(argument, 'sampled');
  return isTriedModel(sampled) ? { sampled } : {};
}

function countArgument(argument: unknown, name: string): number | undefined {
  const value = ownMember(argument, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
