/**
 * A debug session in this process with a client as VS Code is one to an inline adapter: messages are passed as objects.
 * It keeps nothing of what it was told, so that memory measured with it is the adapter's.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugHost } from '../../../client/src/debug/debugHost';
import { SkillDebugSession } from '../../../client/src/debug/skillDebugSession';
import { editorClient } from '../debugClient';

/** What a client fetches where a run has stopped. */
export interface ShownStop {
  readonly frames: readonly DebugProtocol.StackFrame[];
  readonly scopes: readonly DebugProtocol.Scope[];
  /** Of the first scope, Σ. */
  readonly variables: readonly DebugProtocol.Variable[];
}

export class InlineClient {
  readonly #session: SkillDebugSession;
  readonly #answers = new Map<number, (response: DebugProtocol.Response) => void>();
  readonly #awaited = new Map<string, () => void>();
  readonly #sent = new Map<string, number>();
  readonly closed: Promise<void>;
  #sequence = 1;

  constructor(host: DebugHost) {
    let close: () => void = () => undefined;
    this.closed = new Promise((resolve) => {
      close = resolve;
    });
    this.#session = new SkillDebugSession({ host, onClosed: () => close() });
    this.#session.onDidSendMessage((message) => this.#receive(message as DebugProtocol.ProtocolMessage));
  }

  /** How many events of each name have come. */
  get events(): ReadonlyMap<string, number> {
    return this.#sent;
  }

  /** Sends a request that has to succeed; gives its response's body. */
  async request<Body = unknown>(command: string, args: object = {}): Promise<Body> {
    const seq = this.#sequence++;
    const response = await new Promise<DebugProtocol.Response>((resolve) => {
      this.#answers.set(seq, resolve);
      this.#session.handleMessage({
        seq,
        type: 'request',
        command,
        arguments: args,
      } as DebugProtocol.Request);
    });
    if (!response.success) throw new Error(`${command} failed: ${response.message}`);
    return response.body as Body;
  }

  /** Settles with the next event of a name. */
  next(event: string): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.set(event, resolve);
    });
  }

  /**
   * Initialises, launches and configures; the run then goes on by itself, or stops at its entry.
   *
   * @param options.condition one of a breakpoint before every `Move`
   */
  async launch(
    configuration: object,
    options: { readonly filters?: readonly string[]; readonly condition?: string | undefined } = {},
  ): Promise<void> {
    await this.request('initialize', editorClient);
    const initialized = this.next('initialized');
    await this.request('launch', configuration);
    await initialized;
    if (options.condition !== undefined) await this.breakOn('Move', options.condition);
    await this.request('setExceptionBreakpoints', { filters: options.filters ?? [] });
    await this.request('configurationDone');
  }

  /** Stops before every action of a name for which a condition holds; without a name nowhere. */
  async breakOn(name?: string, condition?: string): Promise<void> {
    const breakpoints = name === undefined ? [] : [{ name, condition }];
    await this.request('setFunctionBreakpoints', { breakpoints });
  }

  /** Sends a request that leads to a stop, and fetches what a client shows of that. */
  async stopAfter(command: string, args: object = { threadId: 1 }): Promise<ShownStop> {
    const stopped = this.next('stopped');
    await this.request(command, args);
    await stopped;
    return this.#shown();
  }

  /** Ends the session. */
  async disconnect(): Promise<void> {
    await this.request('disconnect');
    await this.closed;
  }

  async #shown(): Promise<ShownStop> {
    const { stackFrames: frames } = await this.request<DebugProtocol.StackTraceResponse['body']>(
      'stackTrace',
      { threadId: 1, startFrame: 0, levels: 20 },
    );
    const { scopes } = await this.request<DebugProtocol.ScopesResponse['body']>('scopes', {
      frameId: frames[0]?.id,
    });
    const { variables } = await this.request<DebugProtocol.VariablesResponse['body']>('variables', {
      variablesReference: scopes[0]?.variablesReference,
    });
    return { frames, scopes, variables };
  }

  #receive(message: DebugProtocol.ProtocolMessage): void {
    if (message.type === 'response') {
      const response = message as DebugProtocol.Response;
      const answer = this.#answers.get(response.request_seq);
      this.#answers.delete(response.request_seq);
      answer?.(response);
      return;
    }
    const { event } = message as DebugProtocol.Event;
    this.#sent.set(event, (this.#sent.get(event) ?? 0) + 1);
    const settle = this.#awaited.get(event);
    this.#awaited.delete(event);
    settle?.();
  }
}
