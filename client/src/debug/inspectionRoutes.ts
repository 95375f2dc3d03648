/** Requests that look at where a run stands: stack, scopes, variables, expressions, texts. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { BlameArguments } from '../../../schemas/messages/debugMessages';
import { isExchangeArguments, isStepArguments } from '../../../schemas/messages/exchangeMessages';
import type { AnswerArguments, CheckReplyArguments } from '../../../schemas/messages/questionMessages';
import type { ConsoleAsker } from './consoleAsker';
import type { DebuggedRun } from './debuggedRun';
import { failures } from './errors';
import type { Routes } from './routes';
import type { DocumentStore } from './sources';
import { blameBody } from './whoWrote';

export interface InspectionContext {
  /** @throws RequestFailure where nothing has been launched */
  readonly launched: () => DebuggedRun;
  /** @throws RequestFailure where nothing has been launched, and for a thread that there isn't */
  readonly runOf: (thread: { readonly threadId: number }) => DebuggedRun;
  readonly asker: ConsoleAsker;
  readonly documents: DocumentStore;
}

/** All of them throw a RequestFailure where nothing runs, or what is asked for has expired. */
export function inspectionRoutes({ launched, runOf, asker, documents }: InspectionContext) {
  return {
    stackTrace: async (request: DebugProtocol.StackTraceArguments) => ({
      body: await runOf(request).stackTrace(request),
    }),
    exceptionInfo: (request: DebugProtocol.ExceptionInfoArguments) => ({
      body: runOf(request).exceptionInfo(),
    }),
    scopes: ({ frameId }: DebugProtocol.ScopesArguments) => ({
      body: { scopes: launched().scopes(frameId) },
    }),
    variables: (request: DebugProtocol.VariablesArguments) => ({
      body: { variables: launched().inspector.variables(request) },
    }),
    dataBreakpointInfo: (request: DebugProtocol.DataBreakpointInfoArguments) => ({
      body: launched().inspector.dataBreakpointInfo(request),
    }),
    locations: async ({ locationReference }: DebugProtocol.LocationsArguments) => ({
      body: await launched().inspector.location(locationReference),
    }),
    evaluate: async (request: DebugProtocol.EvaluateArguments) => {
      const run = launched();
      const isInput = (request.context ?? 'repl') === 'repl';
      // Who has stopped in order to look around while a question waits gets values; anything else is the answer.
      const looksAround = run.isStopped && run.inspector.knows(request.expression);
      if (isInput && asker.isWaiting && !looksAround) {
        return {
          body: { result: 'Taken as the answer.', variablesReference: 0 },
          after: () => void asker.answer(request.expression),
        };
      }
      const { body, edited } = await run.inspector.evaluate(request);
      return { body, ...(edited && { after: () => run.invalidate() }) };
    },
    setVariable: async (request: DebugProtocol.SetVariableArguments) => {
      const run = launched();
      run.assertStopped();
      return { body: await run.inspector.setVariable(request), after: () => run.invalidate() };
    },
    setExpression: async (request: DebugProtocol.SetExpressionArguments) => {
      const run = launched();
      run.assertStopped();
      return { body: await run.inspector.setExpression(request), after: () => run.invalidate() };
    },
    'skill-state/blame': async ({ expression }: BlameArguments) => {
      const run = launched();
      run.assertStopped();
      return { body: blameBody(await run.inspector.blame(expression)) };
    },
    'skill-state/exchange': (given: unknown) => {
      if (!isExchangeArguments(given))
        throw failures.badArguments('skill-state/exchange', 'they are numbers from 0.');
      return { body: launched().requests.source.exchange(given) };
    },
    'skill-state/requests': (given: unknown) => {
      if (!isStepArguments(given))
        throw failures.badArguments('skill-state/requests', 'they are numbers from 0.');
      return { body: launched().requests.source.requests(given) };
    },
    'skill-state/answer': ({ id, text }: AnswerArguments) => {
      launched();
      if (!asker.waitsFor(id)) throw failures.questionGone();
      return { after: () => void asker.answer(text) };
    },
    'skill-state/checkReply': ({ text }: CheckReplyArguments) => {
      const check = launched().journey.checkReply(text);
      if (check === undefined) throw failures.noReplyAwaited();
      return { body: check };
    },
    'skill-state/sampleStep': async (given: unknown) => {
      const run = launched();
      if (asker.isWaiting) throw failures.samplingRefused('An answer is awaited: give it first.');
      return { body: await run.sampling.sample(given) };
    },
    completions: (request: DebugProtocol.CompletionsArguments) => ({
      body: launched().inspector.completions(request),
    }),
    source: ({ sourceReference, source }: DebugProtocol.SourceArguments) => {
      const reference = source?.sourceReference || sourceReference;
      if (reference <= 0) throw failures.unreadableSource(source?.path ?? String(reference));
      const { text, mimeType } = documents.text(reference);
      return { body: { content: text, mimeType } };
    },
  } satisfies Partial<Routes>;
}
