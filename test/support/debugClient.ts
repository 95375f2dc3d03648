/** A DAP client for tests: over any two streams; waits for messages by deadline and keeps a readable transcript. */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugHost } from '../../client/src/debug/debugHost';
import { connect, encodeMessage, MessageDecoder, MessageOutput } from '../../client/src/debug/messageStream';
import { SkillDebugSession } from '../../client/src/debug/skillDebugSession';
import { type Exchange, transcriptOf } from './debugTranscript';

/** Milliseconds after which a test gives up on a message. */
const deadline = 20_000;

/** What a client like VS Code says in `initialize`. */
export const editorClient = {
  adapterID: 'skill-state',
  clientID: 'test',
  pathFormat: 'path',
  linesStartAt1: true,
  columnsStartAt1: true,
  supportsVariableType: true,
  supportsVariablePaging: true,
  supportsProgressReporting: true,
  supportsInvalidatedEvent: true,
};

type Message = DebugProtocol.Request | DebugProtocol.Response | DebugProtocol.Event;

interface Waiter {
  readonly matches: (message: Message) => boolean;
  readonly settle: (message: Message) => void;
}

export class DebugClient {
  readonly #output: Writable;
  readonly #exchanges: Exchange[] = [];
  readonly #waiters: Waiter[] = [];
  /** Events that nobody has waited for yet. */
  readonly #events: DebugProtocol.Event[] = [];
  readonly #masks: readonly (readonly [string, string])[];
  #sequence = 1;

  /** @param options.masks texts, such as folders, and what stands for them in the transcript */
  constructor(
    streams: { readonly input: Readable; readonly output: Writable },
    options: { readonly masks?: readonly (readonly [string, string])[] } = {},
  ) {
    this.#output = streams.output;
    this.#masks = options.masks ?? [];
    const decoder = new MessageDecoder({
      onMessage: (message) => this.#receive(message as Message),
      onUnreadable: (reason) => {
        throw new Error(`The adapter sent a message that can't be read: ${reason}`);
      },
    });
    streams.input.on('data', (chunk: Buffer) => decoder.push(chunk));
  }

  /** Sends a request and waits for its response, failed or not. */
  async ask(command: string, args?: unknown): Promise<DebugProtocol.Response> {
    const seq = this.#sequence++;
    const request = { seq, type: 'request', command, ...(args !== undefined && { arguments: args }) };
    const response = this.#next(
      `a response to ${command}`,
      (message) => message.type === 'response' && (message as DebugProtocol.Response).request_seq === seq,
    );
    this.#exchanges.push({ direction: 'sent', message: request });
    this.#output.write(encodeMessage(request));
    return (await response) as DebugProtocol.Response;
  }

  /** Sends a request that has to succeed; gives its response's body. */
  async request<Body = unknown>(command: string, args?: unknown): Promise<Body> {
    const response = await this.ask(command, args);
    if (!response.success) throw new Error(`${command} failed: ${response.message}`);
    return response.body as Body;
  }

  /** Sends bytes that may be no message at all. */
  sendRaw(text: string): void {
    this.#exchanges.push({ direction: 'sent', message: { raw: text } });
    this.#output.write(Buffer.from(text, 'utf8'));
  }

  /** The next event of a name that nobody has waited for, if need be one that is still to come. */
  async event<Body = unknown>(name: string): Promise<Body> {
    const at = this.#events.findIndex(({ event }) => event === name);
    const found =
      at >= 0
        ? this.#events.splice(at, 1)[0]
        : await this.#next(
            `the event ${name}`,
            (message) => message.type === 'event' && (message as DebugProtocol.Event).event === name,
          );
    if (found !== undefined && at < 0)
      this.#events.splice(this.#events.indexOf(found as DebugProtocol.Event), 1);
    return (found as DebugProtocol.Event).body as Body;
  }

  /** Every message so far, in order. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** Initialises, launches and configures; gives the first stop where there is one. */
  async launch(
    configuration: object,
    options: {
      readonly client?: object;
      readonly breakpoints?: Readonly<Record<string, readonly number[]>>;
      readonly filters?: readonly string[];
    } = {},
  ): Promise<void> {
    await this.request('initialize', { ...editorClient, ...options.client });
    const initialized = this.event('initialized');
    await this.request('launch', configuration);
    await initialized;
    for (const [path, lines] of Object.entries(options.breakpoints ?? {})) {
      await this.request('setBreakpoints', {
        source: { path },
        breakpoints: lines.map((line) => ({ line })),
      });
    }
    await this.request('setExceptionBreakpoints', { filters: options.filters ?? [] });
    await this.request('configurationDone');
  }

  /** Sends `continue`, `next`, … and waits for the stop it leads to. */
  async go(
    command: 'continue' | 'next' | 'stepIn' | 'stepOut' | 'pause' | 'stepBack' | 'reverseContinue',
  ): Promise<DebugProtocol.StoppedEvent['body']> {
    await this.request(command, { threadId: 1 });
    return this.event('stopped');
  }

  /** The frames where the run stands. */
  async stack(): Promise<readonly DebugProtocol.StackFrame[]> {
    const { stackFrames } = await this.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId: 1,
    });
    return stackFrames;
  }

  /** The scopes of the top frame. */
  async scopes(): Promise<readonly DebugProtocol.Scope[]> {
    const [top] = await this.stack();
    const { scopes } = await this.request<DebugProtocol.ScopesResponse['body']>('scopes', {
      frameId: top?.id,
    });
    return scopes;
  }

  async variables(args: DebugProtocol.VariablesArguments): Promise<readonly DebugProtocol.Variable[]> {
    const { variables } = await this.request<DebugProtocol.VariablesResponse['body']>('variables', args);
    return variables;
  }

  async evaluate(expression: string, context = 'watch'): Promise<string> {
    const { result } = await this.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression,
      context,
    });
    return result;
  }

  /** The conversation so far, with numbers and folders masked. */
  transcript(): string {
    return transcriptOf(this.#exchanges, this.#masks);
  }

  #receive(message: Message): void {
    this.#exchanges.push({
      direction: 'received',
      message: message as DebugProtocol.Response | DebugProtocol.Event,
    });
    if (message.type === 'event') this.#events.push(message as DebugProtocol.Event);
    const at = this.#waiters.findIndex(({ matches }) => matches(message));
    if (at >= 0) this.#waiters.splice(at, 1)[0]?.settle(message);
  }

  #next(what: string, matches: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(new Error(`${what} did not come. The conversation so far:\n${this.transcript()}`));
      }, deadline);
      const waiter: Waiter = {
        matches,
        settle: (message) => {
          clearTimeout(timer);
          resolve(message);
        },
      };
      this.#waiters.push(waiter);
    });
  }
}

/** A session in this process and a client that talks to it over streams in memory. */
export function connectInMemory(
  host: DebugHost,
  options: { readonly masks?: readonly (readonly [string, string])[] } = {},
): { readonly client: DebugClient; readonly closed: Promise<void>; hangUp(): void } {
  const toAdapter = new PassThrough();
  const toClient = new PassThrough();
  const closed = new Promise<void>((resolve) => {
    const output = new MessageOutput(toClient);
    const session = new SkillDebugSession({
      host,
      clientCaughtUp: (signal) => output.caughtUp(signal),
      onClosed: resolve,
    });
    void connect(session, toAdapter, output).then(() => session.dispose());
  });
  const client = new DebugClient({ input: toClient, output: toAdapter }, options);
  return { client, closed, hangUp: () => toAdapter.end() };
}
