/** The exact requests of sessions as read-only documents, with what came back. */
import * as vscode from 'vscode';
import {
  type ExchangeArguments,
  type ExchangeBody,
  exchangeRequest,
  isExchangeBody,
  isStepRequests,
  type RequestSummary,
  type StepRequests,
  stepRequestsRequest,
} from '../../../../schemas/messages/exchangeMessages';
import { debugType } from '../../hosts/launchConfiguration';
import { onDocumentClosed } from '../../hosts/vscode/closedDocuments';
import type { SessionTraces } from '../sessionTraces';
import { type ExchangePlace, exchangeAddress, exchangeScheme, parseExchangeQuery } from './exchangeAddress';

export interface ExchangeDocuments extends vscode.Disposable {
  /** A request with its answer. @throws Error whose message says to a user why there is none */
  exchange(place: ExchangePlace): Promise<ExchangeBody>;
  /** What is kept of a step's requests; nothing where the session is gone. */
  requests(place: Pick<ExchangePlace, 'session' | 'branch' | 'step'>): Promise<readonly RequestSummary[]>;
  /** Opens a request with its answer. */
  open(place: ExchangePlace): Promise<void>;
  /** Keeps the requests of a session that is over. */
  readonly keep: (session: string, exchanges: KeptExchanges) => void;
}

/** What answers for the requests of a session once it is over. */
interface KeptExchanges {
  exchange(which: ExchangeArguments): ExchangeBody;
  requests(place: Pick<ExchangeArguments, 'branch' | 'step'>): StepRequests;
}

/** Serves the documents until it is disposed. */
export function createExchangeDocuments(traces: SessionTraces): ExchangeDocuments {
  /** By the ids of the sessions that are over; until another one begins, as with their steps. */
  const ended = new Map<string, KeptExchanges>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  /** The documents whose request was under way when they were written. */
  const unfinished = new Set<string>();

  async function exchange({
    session,
    sampled,
    attempt,
    request,
    ...step
  }: ExchangePlace): Promise<ExchangeBody> {
    const which = { ...step, sampled, attempt, request };
    const kept = ended.get(session);
    if (kept !== undefined) return kept.exchange(which);
    const run = traces.runs.find(({ id }) => id === session);
    if (run === undefined || run.ended)
      throw new Error('The session is over and another one has begun: its requests are not kept any more.');
    const body: unknown = await run.session.customRequest(exchangeRequest, which);
    if (!isExchangeBody(body)) throw new Error('The session answered with something else than a request.');
    return body;
  }

  async function requests({
    session,
    ...place
  }: Parameters<ExchangeDocuments['requests']>[0]): Promise<readonly RequestSummary[]> {
    const kept = ended.get(session);
    if (kept !== undefined) return kept.requests(place).requests;
    const run = traces.runs.find(({ id }) => id === session);
    if (run === undefined || run.ended) return [];
    const body: unknown = await run.session.customRequest(stepRequestsRequest, place);
    if (!isStepRequests(body)) throw new Error('The session answered with something else than requests.');
    return body.requests;
  }

  const subscriptions = vscode.Disposable.from(
    changed,
    vscode.debug.onDidStartDebugSession(({ type }) => {
      if (type === debugType) ended.clear();
    }),
    vscode.workspace.registerTextDocumentContentProvider(exchangeScheme, {
      onDidChange: changed.event,
      async provideTextDocumentContent(uri) {
        const place = parseExchangeQuery(uri.query);
        if (place === undefined) throw new Error('This address names no request.');
        const [body, { exchangeText }] = await Promise.all([exchange(place), import('./exchangeText')]);
        if (body.exchange.summary.outcome === 'under-way') unfinished.add(uri.toString());
        else unfinished.delete(uri.toString());
        return exchangeText(body);
      },
    }),
    onDocumentClosed(({ uri }) => unfinished.delete(uri.toString())),
    traces.onDidMove(({ id }) => {
      for (const text of unfinished) {
        const uri = vscode.Uri.parse(text, true);
        if (parseExchangeQuery(uri.query)?.session === id) changed.fire(uri);
      }
    }),
  );

  return {
    exchange,
    requests,
    keep: (session, exchanges) => void ended.set(session, exchanges),
    async open(place) {
      const uri = vscode.Uri.from({ scheme: exchangeScheme, ...exchangeAddress(place) });
      const isOpen = vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString());
      // What was open before may have been answered since.
      if (isOpen) changed.fire(uri);
      await vscode.window.showTextDocument(uri, { preview: true });
    },
    dispose: () => subscriptions.dispose(),
  };
}
