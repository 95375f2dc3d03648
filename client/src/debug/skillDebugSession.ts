/**
 * The debug adapter of SKILL.state: translates between the Debug Adapter Protocol and runs. Each request is a route
 * that gives one body or throws one failure, so that each gets exactly one response; what a route causes happens
 * after its response has gone out.
 */
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  type CompleteLaunchConfiguration,
  parseLaunchConfiguration,
} from '../../../schemas/launch/launchConfiguration';
import { endedEvent } from '../../../schemas/messages/debugMessages';
import { questionClosedEvent, questionEvent } from '../../../schemas/messages/questionMessages';
import type { RunEnd } from '../runtime/runState';
import { breakpointRoutes, rebound } from './breakpointRoutes';
import { BugReports } from './bugReports';
import { capabilities } from './capabilities';
import { ClientConventions } from './clientConventions';
import { ConsoleAsker, questionBody } from './consoleAsker';
import { DebuggedRun, threadId } from './debuggedRun';
import { type DebugHost, LaunchFailure, type OpenedRun } from './debugHost';
import { failures, toRequestFailure } from './errors';
import type { ExchangeSource } from './exchangeSource';
import { inspectionRoutes } from './inspectionRoutes';
import { isCommand, readArguments } from './requestArguments';
import type { Answer, Route, Routes } from './routes';
import { DocumentStore } from './sources';
import type { Goal } from './stopPolicy';
import { noStopPoints } from './stopRules';
import { travelRoutes } from './travelRoutes';

interface Launch {
  readonly configuration: CompleteLaunchConfiguration;
  readonly noDebug: boolean;
}

export class SkillDebugSession extends DebugSession {
  readonly #host: DebugHost;
  readonly #clientCaughtUp: (signal: AbortSignal) => Promise<void>;
  readonly #onClosed: () => void;
  readonly #onExchanges: (exchanges: ExchangeSource) => void;
  readonly #bugs: BugReports;
  readonly #points = noStopPoints();
  readonly #documents = new DocumentStore();
  readonly #asker = new ConsoleAsker({
    onAsked: (question, id) => {
      this.#run?.console.ask(question);
      this.sendEvent(new Event(questionEvent, questionBody(question, id)));
    },
    onClosed: (closed) => this.sendEvent(new Event(questionClosedEvent, closed)),
  });
  #client: ClientConventions | undefined;
  #run: DebuggedRun | undefined;
  #launch: Launch | undefined;
  #launching = false;
  /** Aborted when the session ends: a launch that is under way is answered then, and not waited for. */
  readonly #ending = new AbortController();
  #configured = false;
  #started = false;
  #closed = false;
  #finished = false;

  /**
   * @param options.clientCaughtUp waits for a client that reads slower than a run goes on, until the signal is aborted
   * @param options.onClosed called once when the client has disconnected and everything has come to rest
   * @param options.onExchanges takes over the requests to the model once the session is over, which answers none then
   */
  constructor({
    host,
    clientCaughtUp = async () => {},
    onClosed = () => {},
    onExchanges = () => {},
  }: {
    readonly host: DebugHost;
    readonly clientCaughtUp?: (signal: AbortSignal) => Promise<void>;
    readonly onClosed?: () => void;
    readonly onExchanges?: (exchanges: ExchangeSource) => void;
  }) {
    super();
    this.#host = host;
    this.#bugs = new BugReports(host);
    this.#clientCaughtUp = clientCaughtUp;
    this.#onClosed = onClosed;
    this.#onExchanges = onExchanges;
  }

  /** The library would end the process. */
  override shutdown(): void {
    this.dispose();
  }

  /** The client has gone: ends the run without a word. */
  override dispose(): void {
    this.#inBackground('ending the session', this.#close('The debug session ended.'));
  }

  override handleMessage(message: DebugProtocol.ProtocolMessage): void {
    const { type, seq, command } = (message ?? {}) as Partial<DebugProtocol.Request>;
    const isRequest = type === 'request' && Number.isSafeInteger(seq) && typeof command === 'string';
    if (isRequest || type === 'response') super.handleMessage(message);
    else this.handleUnreadable('it is no request with "seq", "type" and "command"');
  }

  /** Says that a message could not be read, which has no number to answer to. */
  handleUnreadable(reason: string): void {
    this.#tell(`A message to the debug adapter was ignored: ${reason}.`);
  }

  #tell(text: string): void {
    this.sendEvent(new Event('output', { category: 'stderr', output: `${text}\n` }));
  }

  /** Where nobody waits for what is done, the user is told that it failed. */
  #inBackground(during: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#bugs.report(error, during);
      this.#tell(toRequestFailure(error).message);
    });
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    this.#inBackground(`carrying out "${request.command}"`, this.#answer(request));
  }

  async #answer(request: DebugProtocol.Request): Promise<void> {
    const response: DebugProtocol.Response = new Response(request);
    let after: Answer['after'];
    try {
      const answer = this.#route(request.command, request.arguments);
      const { body, after: afterwards } = answer instanceof Promise ? await answer : answer;
      if (body !== undefined) response.body = body;
      after = afterwards;
    } catch (error) {
      this.#bugs.report(error, `answering "${request.command}"`);
      const failure = toRequestFailure(error);
      response.success = false;
      response.message = failure.message;
      response.body = { error: failure.response };
    }
    this.sendResponse(response);
    await after?.();
  }

  #route(command: string, given: unknown): Answer | Promise<Answer> {
    if (!isCommand(command)) throw failures.unknownRequest(command);
    if (this.#client === undefined && command !== 'initialize' && command !== 'disconnect')
      throw failures.notInitialized(command);
    const route = this.#routes[command] as Route<unknown>;
    return route(readArguments(command, given));
  }

  readonly #routes: Routes = {
    initialize: (client: DebugProtocol.InitializeRequestArguments) => {
      if (this.#run !== undefined || this.#launching) throw failures.initializedTooLate();
      if (client.pathFormat !== undefined && client.pathFormat !== 'path') throw failures.uriPaths();
      this.#client = new ClientConventions(client);
      return { body: capabilities };
    },
    attach: () => {
      throw failures.attachUnsupported();
    },
    launch: async (given: DebugProtocol.LaunchRequestArguments) => {
      if (this.#run !== undefined || this.#launching) throw failures.alreadyLaunched();
      const changed = await this.#open(readLaunch(given));
      return {
        after: () => {
          this.sendEvent(new Event('initialized'));
          this.#announce(changed);
          this.#startWhenConfigured();
        },
      };
    },
    configurationDone: () => {
      this.#configured = true;
      return { after: () => this.#startWhenConfigured() };
    },
    restart: async ({ arguments: changed }: DebugProtocol.RestartArguments) => {
      if (this.#launching) throw failures.stillLaunching();
      const launch = changed === undefined ? this.#launch : readLaunch(changed);
      if (launch === undefined || this.#run === undefined) throw failures.notLaunched();
      if (this.#finished) throw failures.ended();
      const bound = await this.#open(launch);
      this.#sayContinued();
      return {
        after: () => {
          this.#announce(bound);
          this.#startWhenConfigured();
        },
      };
    },
    terminate: () => ({ after: () => this.#terminate() }),
    disconnect: () => ({
      after: async () => {
        try {
          await this.#terminate();
        } finally {
          await this.#close('The client disconnected.');
        }
      },
    }),
    cancel: ({ progressId }: DebugProtocol.CancelArguments) => ({
      after: () => {
        if (progressId !== undefined) this.#run?.cancelProgress(progressId);
      },
    }),
    threads: () => {
      const name = this.#run === undefined ? 'SKILL.state' : `SKILL.state: ${this.#run.name}`;
      return { body: { threads: [{ id: threadId, name }] } };
    },
    continue: (thread: DebugProtocol.ContinueArguments) =>
      this.#resume(thread, 'continue', { allThreadsContinued: true }),
    next: (thread: DebugProtocol.NextArguments) => this.#resume(thread, 'next'),
    stepIn: (thread: DebugProtocol.StepInArguments) => this.#resume(thread, 'stepIn'),
    stepOut: (thread: DebugProtocol.StepOutArguments) => this.#resume(thread, 'stepOut'),
    pause: (thread: DebugProtocol.PauseArguments) => {
      const run = this.#runOf(thread);
      return { after: () => run.pause() };
    },
    ...breakpointRoutes({
      points: this.#points,
      conventions: () => this.#conventions,
      target: () => this.#run?.target,
    }),
    ...inspectionRoutes({
      launched: () => this.#launched,
      runOf: (thread) => this.#runOf(thread),
      asker: this.#asker,
      documents: this.#documents,
    }),
    ...travelRoutes({
      launched: () => this.#launched,
      runOf: (thread) => this.#runOf(thread),
      sayContinued: () => this.#sayContinued(),
    }),
  };

  #sayContinued(): void {
    this.sendEvent(new Event('continued', { threadId, allThreadsContinued: true }));
  }

  /** Makes a run ready in place of the one there is, if one is; where that fails, the old one stays. */
  async #open(launch: Launch): Promise<readonly DebugProtocol.Breakpoint[]> {
    this.#launching = true;
    const opening: { run: DebuggedRun | undefined } = { run: undefined };
    try {
      const opened = await this.#unlessEnding(
        this.#host.open(launch.configuration, {
          asker: this.#asker,
          signal: this.#ending.signal,
          onText: () => opening.run?.requests.takeText(),
          onNotice: (notice, state) => opening.run?.requests.take(notice, state),
        }),
      ).catch((error: unknown) => {
        throw error instanceof LaunchFailure ? failures.launchFailed(error.message, error.remedy) : error;
      });
      const earlier = this.#run;
      this.#run = undefined;
      await earlier?.close(cancelled('The run was restarted.'));
      if (this.#ending.signal.aborted) {
        await opened.close();
        throw failures.launchAborted();
      }
      this.#launch = launch;
      const run = new DebuggedRun({
        opened,
        clock: this.#host.clock,
        client: this.#conventions,
        documents: this.#documents,
        points: this.#points,
        stopOnEnd: launch.configuration.stopOnEnd,
        noDebug: launch.noDebug,
        send: (event) => this.sendEvent(event),
        clientCaughtUp: this.#clientCaughtUp,
        onSkillChanged: async () => {
          this.#announce(await rebound(this.#points, run.target, this.#conventions));
        },
        onEnded: (end) => this.#inBackground('ending the run', this.#finish(end)),
        onThrown: (error, during) => this.#bugs.report(error, during),
      });
      this.#run = run;
      opening.run = run;
      this.#started = false;
      return await rebound(this.#points, run.target, this.#conventions);
    } finally {
      this.#launching = false;
    }
  }

  /** What is opened after the session's end is closed at once. */
  #unlessEnding(opening: Promise<OpenedRun>): Promise<OpenedRun> {
    const { signal } = this.#ending;
    return new Promise((resolve, reject) => {
      const abort = () => reject(failures.launchAborted());
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      opening
        .then((opened) => (signal.aborted ? opened.close() : resolve(opened)))
        .catch(reject)
        .finally(() => signal.removeEventListener('abort', abort));
    });
  }

  #startWhenConfigured(): void {
    if (!this.#configured || this.#started || this.#launching || this.#finished) return;
    if (this.#run === undefined || this.#launch === undefined) return;
    this.#started = true;
    this.#run.start({ stopOnEntry: this.#launch.configuration.stopOnEntry });
  }

  #announce(breakpoints: readonly DebugProtocol.Breakpoint[]): void {
    for (const breakpoint of breakpoints) {
      this.sendEvent(new Event('breakpoint', { reason: 'changed', breakpoint }));
    }
  }

  #resume(thread: { threadId: number }, goal: Goal, body?: unknown): Answer {
    const run = this.#runOf(thread);
    run.assertStopped();
    return { ...(body !== undefined && { body }), after: () => run.resume(goal) };
  }

  #runOf({ threadId: id }: { threadId: number }): DebuggedRun {
    if (id !== threadId) throw failures.unknownThread(id);
    return this.#launched;
  }

  get #launched(): DebuggedRun {
    if (this.#run === undefined) throw failures.notLaunched();
    return this.#run;
  }

  get #conventions(): ClientConventions {
    return this.#client ?? new ClientConventions();
  }

  /** Ends the run because the client said so. */
  async #terminate(): Promise<void> {
    if (this.#finished) return;
    await this.#finish(this.#run?.finalEnd ?? cancelled('The debug session ended the run.'));
  }

  /** The run is over: says so, once. */
  async #finish(end: RunEnd): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    this.#ending.abort();
    await this.#closeRun(end);
    this.sendEvent(new Event(endedEvent, { outcome: end.outcome, reason: end.reason }));
    this.sendEvent(new Event('exited', { exitCode: end.outcome === 'completed' ? 0 : 1 }));
    this.sendEvent(new Event('terminated'));
  }

  async #closeRun(end: RunEnd): Promise<void> {
    const run = this.#run;
    await run?.close(end);
    if (run !== undefined) this.#onExchanges(run.requests.source);
  }

  async #close(reason: string): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#finished) {
      this.#finished = true;
      this.#ending.abort();
      await this.#closeRun(cancelled(reason));
    }
    // A launch that was under way is answered before the client is left alone.
    await this.#host.clock.yieldToMessages();
    this.#onClosed();
  }
}

function cancelled(reason: string): RunEnd {
  return { outcome: 'cancelled', reason, resumable: true };
}

/** @throws RequestFailure that names the attributes that are wrong */
function readLaunch(given: DebugProtocol.LaunchRequestArguments): Launch {
  const { configuration, problems } = parseLaunchConfiguration(given);
  if (problems !== undefined)
    throw failures.badConfiguration(problems.map(({ message }) => message).join(' '));
  return { configuration, noDebug: given.noDebug === true };
}
