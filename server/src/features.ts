/** The routes of the language server: each request to the method of the service that answers it. */
import { setImmediate } from 'node:timers/promises';
import {
  type CodeActionParams,
  type Connection,
  type DocumentDiagnosticParams,
  type DocumentDiagnosticReport,
  DocumentDiagnosticReportKind,
  LSPErrorCodes,
  ResponseError,
  type TextDocumentPositionParams,
  WorkDoneProgressReporter,
} from 'vscode-languageserver';
import { codeActionsOf } from './codeActions';
import { FindingsCancelled } from './languageService/findingRuns';
import type { Cancellation } from './languageService/workspace';
import { documentOf, type ParameterName, requireParameters } from './parameters';
import { completionFor, flatSymbols, hoverFor } from './plainAnswers';
import { type Answer, throwIfCancelled } from './requests';
import type { Session } from './session';

interface DocumentParams {
  readonly textDocument: { readonly uri: string };
}

/** Milliseconds after which no further finding's fixes are looked for: whoever asks sees a menu that waits. */
const maxFixingTime = 300;

/** Registers a handler for every request that the capabilities announce. */
export function registerFeatures(connection: Connection, session: Session): void {
  const { service, features, edits, diagnostics, documents, requests } = session;

  /** About a position of the text that the client had when it asked. */
  const at = <Params extends DocumentParams, Result>(
    what: string,
    answer: (uri: string, params: Params) => Promise<Result>,
    more: readonly ParameterName[] = [],
  ) =>
    requests.handler<Params, Result>(
      what,
      async (params) => {
        const uri = documentOf(params, ['position', ...more]);
        await session.settled();
        session.lookAgain(uri);
        return answer(uri, params);
      },
      { yields: false },
    );

  /** About a whole document: what was computed for a text that has changed meanwhile is of no use. */
  const whole = <Params extends DocumentParams, Result>(
    what: string,
    answer: (uri: string, params: Params, cancellation: Cancellation) => Promise<Result>,
    {
      needs = [],
      outdated = contentModified,
    }: { readonly needs?: readonly ParameterName[]; readonly outdated?: () => ResponseError<unknown> } = {},
  ) => {
    const checked: Answer<Params, Result> = async (params, token) => {
      const uri = documentOf(params, needs);
      await session.settled();
      session.lookAgain(uri);
      const version = documents.version(uri);
      const isOutdated = () => documents.version(uri) !== version;
      const cancellation = {
        get isCancellationRequested() {
          return token.isCancellationRequested || isOutdated();
        },
      };
      try {
        const result = await answer(uri, params, cancellation);
        if (!isOutdated()) return result;
      } catch (error) {
        if (!(error instanceof FindingsCancelled)) throw error;
        throwIfCancelled(token);
      }
      throw outdated();
    };
    return requests.handler(what, checked, { yields: true });
  };

  /** Edits, maybe of several documents: none of them may have changed meanwhile. */
  const editing = <Params extends DocumentParams, Result>(
    what: string,
    needs: readonly ParameterName[],
    answer: (uri: string, params: Params, cancellation: Cancellation) => Promise<Result>,
  ) => {
    const unchanged: typeof answer = async (uri, params, cancellation) => {
      const { changes } = documents;
      const result = await answer(uri, params, cancellation);
      if (documents.changes !== changes) throw contentModified();
      return result;
    };
    return whole<Params, Result>(what, unchanged, { needs });
  };

  connection.onCompletion(
    at('Completion', async (uri, { position }: TextDocumentPositionParams) => {
      const { isIncomplete, items } = await service.completionList(uri, position);
      return { isIncomplete, items: items.map((item) => completionFor(item, features)) };
    }),
  );
  connection.onHover(
    at('Hover', async (uri, { position }: TextDocumentPositionParams) => {
      const hover = await service.hover(uri, position);
      return hover && hoverFor(hover, features);
    }),
  );
  connection.onDefinition(
    at('Definition', async (uri, { position }: TextDocumentPositionParams) =>
      edits.locations(await service.definition(uri, position)),
    ),
  );
  connection.onReferences(
    at(
      'References',
      async (uri, { position, context }) => edits.locations(await service.references(uri, position, context)),
      ['context.includeDeclaration'],
    ),
  );
  connection.onPrepareRename(
    at('Preparing a rename', (uri, { position }: TextDocumentPositionParams) =>
      service.prepareRename(uri, position),
    ),
  );
  connection.onRenameRequest(
    editing('Rename', ['position', 'newName'], async (uri, { position, newName }) => {
      const edit = await service.rename(uri, position, newName);
      return edit && edits.ofEdit(edit);
    }),
  );
  connection.onCodeAction(
    editing(
      'Quick fixes',
      ['range', 'context.diagnostics', 'context.only'],
      async (uri, params: CodeActionParams, cancellation) => {
        let end: number | undefined;
        const goOn = async () => {
          await setImmediate();
          if (cancellation.isCancellationRequested) throw new FindingsCancelled();
          end ??= performance.now() + maxFixingTime;
          return performance.now() < end;
        };
        const fixes = await service.fixes(uri, params.range, goOn, cancellation);
        return codeActionsOf(fixes, params, { edits, diagnostics });
      },
    ),
  );
  connection.onDocumentSymbol(
    whole('Outline', async (uri, { textDocument }) => {
      const symbols = await service.documentSymbols(uri);
      return features.nestedSymbols ? [...symbols] : flatSymbols(symbols, textDocument.uri);
    }),
  );
  connection.onFoldingRanges(whole('Folding', async (uri) => [...(await service.foldingRanges(uri))]));
  connection.onSelectionRanges(
    whole(
      'Selection ranges',
      async (uri, { positions }) => [...(await service.selectionRanges(uri, positions))],
      { needs: ['positions'] },
    ),
  );
  connection.onDocumentLinks(whole('Links', async (uri) => edits.links(await service.documentLinks(uri))));
  connection.onDocumentFormatting(
    whole('Formatting', async (uri, { options }) => [...(await service.formatting(uri, options))], {
      needs: ['options.tabSize'],
    }),
  );
  connection.languages.semanticTokens.on(
    whole('Semantic tokens', async (uri) => ({ data: [...(await service.semanticTokens(uri))] })),
  );
  connection.languages.inlayHint.on(
    whole('Inlay hints', async (uri, { range }) => [...(await service.inlayHints(uri, range))], {
      needs: ['range'],
    }),
  );
  connection.onCodeLens(whole('Code lenses', async (uri) => [...(await service.codeLenses(uri))]));
  if (features.pullsDiagnostics) registerDiagnostics(connection, session, whole);
}

type Whole = <Params extends DocumentParams, Result>(
  what: string,
  answer: (uri: string, params: Params, cancellation: Cancellation) => Promise<Result>,
  options?: { readonly outdated?: () => ResponseError<unknown> },
) => Answer<Params, Result>;

function registerDiagnostics(connection: Connection, session: Session, whole: Whole): void {
  const { diagnostics, documents, requests, scan, told } = session;
  connection.languages.diagnostics.on(
    whole<DocumentDiagnosticParams, DocumentDiagnosticReport>(
      'Diagnostics',
      async (uri, { previousResultId }, cancellation) => {
        const { items, resultId } = await diagnostics.report(uri, cancellation);
        if (documents.version(uri) !== undefined) told.set(uri, resultId);
        return previousResultId === resultId
          ? { kind: DocumentDiagnosticReportKind.Unchanged, resultId }
          : { kind: DocumentDiagnosticReportKind.Full, resultId, items };
      },
      { outdated: askAgain },
    ),
  );
  connection.languages.diagnostics.onWorkspace((params, token, progress, partial) => {
    const workDone = WorkDoneProgressReporter.isNullInstance(progress) ? undefined : progress;
    const answer = requests.handler(
      'Diagnostics of the workspace',
      async (asked: typeof params) => {
        requireParameters(asked, ['previousResultIds']);
        await session.settled();
        return scan.report(asked, token, workDone, partial);
      },
      { yields: true },
    );
    return answer(params, token);
  });
}

/** A client that is told so shows what it had and asks again (LSP 3.17, "ContentModified"). */
function contentModified(): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.ContentModified, 'The document has changed meanwhile.');
}

/** The same for diagnostics (LSP 3.17, "DiagnosticServerCancellationData"). */
function askAgain(): ResponseError<{ readonly retriggerRequest: boolean }> {
  return new ResponseError(LSPErrorCodes.ServerCancelled, 'The document has changed meanwhile.', {
    retriggerRequest: true,
  });
}
