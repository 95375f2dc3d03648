/** Drives one debug session through VS Code's own commands and listens to what its adapter says. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { isStepProgress, type StepProgress, stepEvent } from '../../schemas/messages/debugMessages';
import { until, within } from './waiting';

/** Where a session stands. */
export interface StandingPoint {
  readonly reason: string;
  readonly frame: DebugProtocol.StackFrame;
}

/** A session from its start to its end. */
export class SessionDriver {
  #session: vscode.DebugSession | undefined;
  readonly #transcript: string[] = [];
  readonly #stops: DebugProtocol.StoppedEvent['body'][] = [];
  #output = '';
  #position: StepProgress | undefined;
  #wake: (() => void) | undefined;
  #ended = false;
  /** VS Code has let go of the session. */
  #isGone = false;
  readonly #subscriptions: vscode.Disposable[];

  private constructor() {
    this.#subscriptions = [
      vscode.debug.onDidTerminateDebugSession(({ id }) => {
        if (id === this.#session?.id) this.#isGone = true;
      }),
      vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
        createDebugAdapterTracker: (session) => {
          this.#session = session;
          return {
            onWillReceiveMessage: (message: unknown) => this.#note('→', message),
            onDidSendMessage: (message: DebugProtocol.ProtocolMessage) => {
              this.#note('←', message);
              if (message.type !== 'event') return;
              const event = message as DebugProtocol.Event;
              if (event.event === 'output') this.#output += event.body.output;
              if (event.event === 'stopped') this.#stops.push(event.body);
              if (event.event === stepEvent && isStepProgress(event.body)) this.#position = event.body;
              if (event.event === 'terminated') this.#ended = true;
              this.#wake?.();
            },
          };
        },
      }),
    ];
  }

  /** Starts a configuration, by name or as it would stand in launch.json. */
  static async start(configuration: string | vscode.DebugConfiguration): Promise<SessionDriver> {
    return SessionDriver.startBy(() =>
      vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration),
    );
  }

  /** Starts whatever a command starts. */
  static async startBy(start: () => Thenable<unknown>): Promise<SessionDriver> {
    const driver = new SessionDriver();
    try {
      const started = await within('start of a session', start());
      assert.notEqual(started, false, 'the session did not start');
      return driver;
    } catch (error) {
      driver.#stopListening();
      throw error;
    }
  }

  get session(): vscode.DebugSession {
    assert.ok(this.#session, 'there is no session');
    return this.#session;
  }

  /** Where the run stood when the adapter last said so. */
  get position(): StepProgress {
    assert.ok(this.#position, 'the run has not said where it stands');
    return this.#position;
  }

  /** Sends a request and gives its response's body. */
  request<T>(command: string, requestArguments?: object): Promise<T> {
    return within(command, this.session.customRequest(command, requestArguments) as Thenable<T>);
  }

  /** Waits for the next stop. */
  async stopped(): Promise<StandingPoint> {
    const stop = await this.#within(
      'a stop',
      this.#next(() => this.#stops.shift()),
    );
    const { stackFrames } = await this.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId: stop.threadId,
    });
    const frame = stackFrames[0];
    assert.ok(frame, 'a stopped session has a frame');
    // VS Code's own commands act on what it shows, which for a moment may still be the session before.
    await until('the focus on the frame', [vscode.debug.onDidChangeActiveStackItem], () => {
      const shown = vscode.debug.activeStackItem;
      const isShown =
        shown instanceof vscode.DebugStackFrame &&
        shown.session.id === this.session.id &&
        shown.frameId === frame.id;
      return isShown || undefined;
    });
    return { reason: stop.reason, frame };
  }

  /** Runs one of VS Code's debug commands, as a key or a toolbar button does. */
  async press(
    button: 'stepOver' | 'stepInto' | 'stepOut' | 'stepBack' | 'reverseContinue' | 'continue' | 'pause',
  ): Promise<void> {
    await vscode.commands.executeCommand(`workbench.action.debug.${button}`);
  }

  /** Evaluates in the debug console's context. */
  async evaluate(expression: string): Promise<string> {
    const { result } = await this.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression,
      context: 'repl',
    });
    return result;
  }

  /** Waits until the debug console shows a text that it didn't show at the last call. */
  async said(text: RegExp): Promise<void> {
    const found = await this.#within(
      String(text),
      this.#next(() => text.exec(this.#output) ?? undefined),
    );
    this.#output = this.#output.slice(found.index + found[0].length);
  }

  /** Waits until the run has ended by itself. */
  async ended(): Promise<void> {
    await this.#within(
      'the end of the run',
      this.#next(() => (this.#ended ? true : undefined)),
    );
  }

  /** Ends the session, if it still runs, and takes all breakpoints away. */
  async dispose(): Promise<void> {
    if (this.#session && !this.#isGone) {
      await within('stopping of the session', vscode.debug.stopDebugging(this.#session));
      const events = [vscode.debug.onDidTerminateDebugSession, vscode.debug.onDidChangeActiveDebugSession];
      const { id } = this.#session;
      await until(
        'the end of the session',
        events,
        () => (this.#isGone && vscode.debug.activeDebugSession?.id !== id) || undefined,
      );
    }
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    this.#stopListening();
  }

  #stopListening(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #note(direction: string, message: unknown): void {
    this.#transcript.push(`${direction} ${JSON.stringify(message).slice(0, 300)}`);
  }

  /** A failure says what was spoken last. */
  async #within<T>(what: string, promise: Promise<T>): Promise<T> {
    try {
      return await within(what, promise);
    } catch (error) {
      throw new Error(`${what} did not come; the last messages:\n${this.#transcript.slice(-12).join('\n')}`, {
        cause: error,
      });
    }
  }

  #next<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        this.#wake = undefined;
        resolve(found);
      };
      this.#wake = check;
      check();
    });
  }
}
