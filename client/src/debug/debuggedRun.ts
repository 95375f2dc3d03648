/** One run under the debugger: its controller, and what stack, scopes, variables and expressions show of it. */

import { Event } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Skill } from '../../../schemas/skill/skill';
import type { EditRefusal, StateEdit } from '../runtime/edits';
import type { Journey } from '../runtime/journey';
import type { RunEnd } from '../runtime/runState';
import type { BreakpointTarget } from './breakpoints';
import type { ClientConventions } from './clientConventions';
import type { Clock, OpenedRun } from './debugHost';
import { failures, messageOf } from './errors';
import { exceptionInfo, failureInfo } from './exceptionDetails';
import { RunInspector } from './inspector';
import { ModelRequests } from './modelRequests';
import type { Position } from './position';
import { Progress, progressOfRun } from './progress';
import type { RunConsole } from './runConsole';
import { RunNarration } from './runNarration';
import { RunReading } from './runReading';
import { RunSampling } from './runSampling';
import { RunTravel } from './runTravel';
import { ShownStack, type StackRange } from './shownStack';
import { SkillPaths } from './skillPaths';
import { type DocumentStore, RunSources } from './sources';
import { type Frame, framesOf } from './stackFrames';
import { type EndFailures, StepController } from './stepController';
import { focusOf, stoppedBody, valuesAt } from './stopDescription';
import { type Goal, noStops, type StopReason } from './stopPolicy';
import { RunStopRules, type StopPoints } from './stopRules';
import { writesTo } from './whoWrote';

/** The id of the only thread. */
export const threadId = 1;

export interface DebuggedRunOptions {
  readonly opened: OpenedRun;
  readonly clock: Clock;
  readonly client: ClientConventions;
  readonly documents: DocumentStore;
  readonly points: StopPoints;
  /** Whether a run that is over stops at its end once. */
  readonly stopOnEnd: boolean;
  /** True where nothing stops the run. */
  readonly noDebug: boolean;
  readonly send: (event: DebugProtocol.Event) => void;
  /** Waits for a client that reads slower than the run goes on, until the signal is aborted; never rejects. */
  readonly clientCaughtUp: (signal: AbortSignal) => Promise<void>;
  /** The run stands on a branch with another skill: what is bound to lines has to be bound anew. */
  readonly onSkillChanged: () => Promise<void>;
  /** The run is over by itself. */
  readonly onEnded: (end: RunEnd) => void;
  /** Something was thrown of which the user is told by its message. */
  readonly onThrown: (error: unknown, during: string) => void;
}

export class DebuggedRun {
  readonly inspector: RunInspector;
  readonly travel: RunTravel;
  readonly sampling: RunSampling;
  readonly requests: ModelRequests;
  readonly #options: DebuggedRunOptions;
  readonly #controller: StepController;
  readonly #sources: RunSources;
  readonly #progress: Progress;
  readonly #reading: RunReading;
  readonly #narration: RunNarration;
  readonly #stack: ShownStack;
  #target: BreakpointTarget | undefined;
  /** Why the run stands where it stands. */
  #reason: StopReason | undefined;

  constructor(options: DebuggedRunOptions) {
    this.#options = options;
    const { opened, clock, send, points, stopOnEnd, noDebug } = options;
    this.#sources = new RunSources({
      skill: () => this.skill,
      paths: () => (opened.folder === undefined ? undefined : this.target.paths),
      documents: options.documents,
      readText: (path) => opened.readText(path),
    });
    this.#stack = new ShownStack({ client: options.client, sources: this.#sources });
    const skillOf = () => this.skill;
    this.inspector = new RunInspector({
      get skill() {
        return skillOf();
      },
      client: options.client,
      sources: this.#sources,
      position: () => this.#controller.position,
      extra: () => valuesAt(this.#reason),
      edit: (edit) => this.#edit(edit),
      writesTo: (path) => writesTo(opened.execution, path),
      exchange: (which) => this.requests.latest(which),
    });
    const narration = new RunNarration({
      opened,
      clock,
      client: options.client,
      sources: this.#sources,
      isStopped: () => this.isStopped,
      waiting: () => this.requests.waiting,
      send,
    });
    this.#narration = narration;
    this.requests = new ModelRequests({
      journey: opened.execution,
      mostRequests: opened.mostRequests,
      clock,
      tell: (text) => {
        narration.tell(text);
        narration.console.flush();
      },
      onWaiting: () => narration.console.showStep(),
      onProgress: () => this.#replyGoesOn(),
    });
    const rules = new RunStopRules({
      points,
      get schema() {
        return skillOf().stateSchema;
      },
      budget: opened.options.budget,
      history: opened.execution,
      yieldToMessages: () => clock.yieldToMessages(),
      tell: (text) => narration.tell(text),
    });
    this.#controller = new StepController({
      journey: opened.execution,
      clock,
      stopOnEnd: noDebug ? 'never' : stopOnEnd || opened.isReplay ? 'always' : 'records',
      rules: () => (noDebug ? noStops : rules),
      soFar: () => this.requests.soFar,
      clientCaughtUp: options.clientCaughtUp,
      listener: {
        onPhase: (report) => {
          if (report.phase === 'generate' && !report.repeated) this.requests.answered();
          narration.phase(report);
        },
        onFailed: (error) => {
          options.onThrown(error, 'a phase');
          this.requests.failed(error);
        },
        onLogged: (lines) => narration.logged(lines),
        onStopped: (reason) => this.#onStopped(reason),
        onChanged: () => this.#onChanged(),
        onSkillChanged: () => options.onSkillChanged(),
        onTold: (text) => narration.tell(text),
        onThrown: (error) => this.#tellFailure(error),
        onEnded: (end, failures) => this.#onEnded(end, failures),
      },
    });
    this.travel = new RunTravel({
      opened,
      controller: this.#controller,
      clock,
      client: options.client,
      documents: options.documents,
      sources: this.#sources,
      paths: () => this.target.paths,
      assertStopped: () => this.assertStopped(),
      recordRead: (part) => this.#reading.wait(part),
      leave: () => this.#leave('continue'),
      tell: (line) => this.#narration.tell(line),
    });
    const sendProgress = options.client.supportsProgress ? send : () => {};
    this.#progress = new Progress({
      clock,
      send: sendProgress,
      name: 'run',
      title: `Running ${this.skill.name}`,
      state: () => progressOfRun(opened.execution.run, opened.options.horizon, this.requests.waiting),
    });
    this.sampling = new RunSampling({
      opened,
      clock,
      exchanges: this.requests.samples,
      send: sendProgress,
      stopped: () => this.#stoppedPosition(),
    });
    this.#reading = new RunReading({
      opened,
      clock,
      send: sendProgress,
      stops: () => this.#stack.stops,
      assertStopped: () => this.assertStopped(),
      onRead: (isElsewhere) => {
        narration.recordRead();
        if (isElsewhere && this.isStopped) this.#onChanged();
      },
      onFailed: (error) => this.#tellFailure(error),
    });
  }

  get console(): RunConsole {
    return this.#narration.console;
  }

  get name(): string {
    return this.skill.name;
  }

  /** The skill of the branch on which the run stands. */
  get skill(): Skill {
    return this.#options.opened.execution.skill;
  }

  get journey(): Journey {
    return this.#options.opened.execution;
  }

  /** How the run ended, where it has for good. */
  get finalEnd(): RunEnd | undefined {
    const end = this.journey.run?.end;
    return end?.resumable === false ? end : undefined;
  }

  /** What breakpoints are bound against. */
  get target(): BreakpointTarget {
    const { skill } = this;
    if (this.#target?.skill !== skill) {
      const files = skill.files.map(({ path }) => path);
      const paths = new SkillPaths(this.#options.opened.folder ?? '', files);
      this.#target = { skill, paths, currentText: (path) => this.#sources.currentText(path) };
    }
    return this.#target;
  }

  get isStopped(): boolean {
    return this.#controller.status === 'stopped';
  }

  start({ stopOnEntry }: { readonly stopOnEntry: boolean }): void {
    const { noDebug } = this.#options;
    this.#narration.open();
    this.console.batching = !stopOnEntry || noDebug;
    this.#progress.begin();
    this.#controller.start({ stopOnEntry: stopOnEntry && !noDebug });
  }

  /** @throws RequestFailure where the run isn't stopped */
  assertStopped(): void {
    this.#stoppedPosition();
  }

  resume(goal: Goal): void {
    this.#leave(goal);
    this.#controller.resume(goal);
  }

  /** The run goes on; what was shown can't be opened any further. */
  #leave(goal: Goal): void {
    this.inspector.expire();
    this.console.batching = goal === 'continue';
    this.#progress.begin();
  }

  pause(): void {
    this.#controller.pause();
  }

  /** The user does not want to wait for what an event of progress told of: that is given up, or the run pauses. */
  cancelProgress(progressId: string): void {
    if (!this.#reading.cancel(progressId) && !this.sampling.cancel(progressId)) this.pause();
  }

  /** Aborts whatever is under way, ends the run and lets go of its files. */
  async close(end: RunEnd): Promise<void> {
    this.#reading.close();
    this.sampling.close();
    this.requests.close();
    await this.#told(() => this.#controller.cancel(end));
    await this.#told(() => this.#options.opened.close());
    this.#progress.end();
    this.console.flush();
  }

  /** @throws RequestFailure where the run isn't stopped */
  async stackTrace(range: StackRange): Promise<DebugProtocol.StackTraceResponse['body']> {
    const position = this.#stoppedPosition();
    await this.#sources.refresh();
    return this.#stack.show(this.#framesAt(position), range);
  }

  /** @throws RequestFailure where the run isn't stopped, or for a frame that never was */
  scopes(frameId: number): DebugProtocol.Scope[] {
    const position = this.#stoppedPosition();
    return this.#stack.has(frameId) ? this.inspector.scopes(position) : [];
  }

  /** @throws RequestFailure where the run isn't stopped, or for a frame that isn't of this stop */
  assertFrame(frameId: number): void {
    this.#stoppedPosition();
    if (!this.#stack.has(frameId)) throw failures.expiredReference('frame', frameId);
  }

  exceptionInfo(): DebugProtocol.ExceptionInfoResponse['body'] {
    const { client } = this.#options;
    const position = this.#stoppedPosition();
    if (this.#reason?.kind === 'failure') return failureInfo(this.#reason);
    if (this.#reason?.kind !== 'exception') throw failures.noException();
    return exceptionInfo(this.#reason.exception, position, this.skill, (line) => client.line(line));
  }

  /**
   * What is shown may differ now, while the run stands where it stood. The stack is named only where it does differ:
   * a client that fetches it anew moves the focus to the editor, away from where somebody types.
   */
  invalidate(): void {
    const { client, send } = this.#options;
    if (!client.supportsInvalidated) return;
    const { position } = this.#controller;
    const isMoved = this.#stack.differsFrom(position === undefined ? [] : this.#framesAt(position));
    send(new Event('invalidated', { areas: isMoved ? ['stacks', 'variables'] : ['variables'], threadId }));
  }

  /** @throws RequestFailure where the run isn't stopped */
  async #edit(edit: StateEdit): Promise<{ readonly ok: true } | EditRefusal> {
    this.assertStopped();
    if (this.journey.isReading) await this.#reading.wait('whole');
    const { branch: left, step } = this.journey.position;
    const result = await this.#controller.edit(edit);
    this.#narration.branches();
    this.console.showStep();
    if (result.ok && result.forked) {
      this.#narration.tell(
        `t=${step} branch ${result.branch} begins with this change; what was recorded stays as branch ${left}.`,
      );
      this.console.flush();
    }
    return result;
  }

  #stoppedPosition(): Position {
    const { position, status } = this.#controller;
    if (status === 'over') throw failures.ended();
    if (status !== 'stopped' || position === undefined) throw failures.running();
    return position;
  }

  #framesAt(position: Position): readonly Frame[] {
    return framesOf(position, this.skill, focusOf(this.#reason, this.skill));
  }

  #onStopped(reason: StopReason): void {
    const { opened, send } = this.#options;
    this.#stack.begin();
    this.#reason = reason;
    this.#progress.end();
    this.#narration.stopped(reason);
    void this.#told(() => opened.sync());
    send(new Event('stopped', { ...stoppedBody(reason), threadId, allThreadsStopped: true }));
  }

  /** Does what may fail at the disk; a failure is told on the console, and the session goes on. */
  async #told(effect: () => unknown): Promise<void> {
    try {
      await effect();
    } catch (error) {
      this.#tellFailure(error);
    }
  }

  #tellFailure(error: unknown): void {
    this.#options.onThrown(error, 'the run');
    this.#narration.tell(messageOf(error), 'stderr');
  }

  #onChanged(): void {
    this.inspector.changed();
    this.console.flush();
    if (this.#options.client.supportsInvalidated)
      this.#options.send(new Event('invalidated', { areas: ['all'], threadId }));
  }

  /** While the run is stopped, what is shown of the reply that comes stays current. */
  #replyGoesOn(): void {
    const { client, send } = this.#options;
    if (!client.supportsInvalidated || !this.isStopped) return;
    send(new Event('invalidated', { areas: ['variables'], threadId }));
  }

  #onEnded(end: RunEnd, { failure, unrecorded }: EndFailures): void {
    const { onEnded, onThrown } = this.#options;
    this.#progress.end();
    onThrown(failure, 'the run');
    onThrown(unrecorded, 'recording the end of the run');
    // The reason for the end says it already where that is the same.
    if (unrecorded !== undefined && messageOf(unrecorded) !== end.reason)
      this.#narration.tell(`The end of the run is not recorded. ${messageOf(unrecorded)}`, 'stderr');
    this.#narration.ended(end);
    onEnded(end);
  }
}
