/** One run under the debugger: its controller, and what stack, scopes, variables and expressions show of it. */

import { Event } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { parsePointer } from '../../../schemas/json/jsonPointer';
import type { EditRefusal, StateEdit } from '../runtime/edits';
import type { Execution, PhaseReport } from '../runtime/execution';
import type { Journey } from '../runtime/journey';
import type { Budget } from '../runtime/options';
import type { RunEnd } from '../runtime/runState';
import type { BreakpointTarget } from './breakpoints';
import type { ClientConventions } from './clientConventions';
import type { Moment } from './conditions';
import type { Clock, OpenedRun } from './debugHost';
import { failures } from './errors';
import { exceptionInfo, exceptionText } from './exceptionDetails';
import { rejectionValue } from './exceptionFilters';
import { noHistory } from './hitCounts';
import { RunInspector } from './inspector';
import { RunConsole } from './runConsole';
import { openingOf, outputOf, summaryOf } from './runOutput';
import { RunProgress } from './runProgress';
import { SkillPaths } from './skillPaths';
import { type DocumentStore, fileSource, RunSources } from './sources';
import { type Frame, focusPlace, framesOf, type Place, propertyPlace } from './stackFrames';
import { type Position, StepController } from './stepController';
import { type Goal, type LogLine, noStops, type StopReason } from './stopPolicy';
import { RunStopRules, type StopPoints } from './stopRules';

/** The id of the only thread. */
export const threadId = 1;

/** Frames are numbered by their stop, so that those of an earlier one are known as such. */
const framesPerStop = 10;

export interface DebuggedRunOptions {
  readonly opened: OpenedRun;
  readonly clock: Clock;
  readonly client: ClientConventions;
  readonly documents: DocumentStore;
  readonly points: StopPoints;
  readonly budget: Budget;
  /** True where nothing stops the run. */
  readonly noDebug: boolean;
  readonly send: (event: DebugProtocol.Event) => void;
  /** The run is over by itself. */
  readonly onEnded: (end: RunEnd) => void;
}

export class DebuggedRun {
  readonly console: RunConsole;
  readonly inspector: RunInspector;
  readonly target: BreakpointTarget;
  readonly #options: DebuggedRunOptions;
  readonly #controller: StepController;
  readonly #sources: RunSources;
  readonly #progress: RunProgress;
  /** Counts stops, so that what belongs to an earlier one is told apart. */
  #stops = 0;
  #frames: readonly Frame[] = [];
  /** Why the run stands where it stands. */
  #reason: StopReason | undefined;

  constructor(options: DebuggedRunOptions) {
    this.#options = options;
    const { opened, clock, send, points, budget, noDebug } = options;
    const { skill, folder } = opened;
    const paths = new SkillPaths(
      folder,
      skill.files.map(({ path }) => path),
    );
    const readText = (path: string) => opened.readText(path);
    this.#sources = new RunSources({ skill, paths, documents: options.documents, readText });
    this.target = { skill, paths, currentText: (path) => this.#sources.currentText(path) };
    this.inspector = new RunInspector({
      skill,
      client: options.client,
      sources: this.#sources,
      position: () => this.#controller.position,
      extra: () => exceptionValues(this.#reason),
      edit: (edit) => this.#edit(edit),
    });
    this.console = new RunConsole({ clock, send, originOf: (place) => this.#origin(place) });
    const rules = new RunStopRules({
      points,
      schema: skill.stateSchema,
      budget,
      history: noHistory,
      tell: (text) => this.console.write([{ text, category: 'console', place: undefined }]),
    });
    this.#controller = new StepController({
      execution: opened.execution,
      clock,
      rules: () => (noDebug ? noStops : rules),
      listener: {
        onPhase: (report) => this.#onPhase(report),
        onLogged: (lines) => this.#onLogged(lines),
        onStopped: (reason) => this.#onStopped(reason),
        onChanged: () => this.#onChanged(),
        onEnded: (end) => this.#onEnded(end),
      },
    });
    this.#progress = new RunProgress({
      clock,
      send: options.client.supportsProgress ? send : () => {},
      title: `Running ${skill.name}`,
      horizon: opened.horizon,
      current: () => opened.execution.run,
    });
  }

  get name(): string {
    return this.#options.opened.skill.name;
  }

  get isStopped(): boolean {
    return this.#controller.status === 'stopped';
  }

  start({ stopOnEntry }: { readonly stopOnEntry: boolean }): void {
    const { opened, noDebug } = this.#options;
    this.console.write(openingOf(opened));
    this.console.batching = !stopOnEntry || noDebug;
    this.#progress.begin();
    this.#controller.start({ stopOnEntry: stopOnEntry && !noDebug });
  }

  /** @throws RequestFailure where the run isn't stopped */
  assertStopped(): void {
    this.#stoppedPosition();
  }

  resume(goal: Goal): void {
    this.inspector.expire();
    this.console.batching = goal === 'continue';
    this.#progress.begin();
    this.#controller.resume(goal);
  }

  pause(): void {
    this.#controller.pause();
  }

  /** Aborts whatever is under way, ends the run and lets go of its files. */
  async close(end: RunEnd): Promise<void> {
    await this.#told(() => this.#controller.cancel(end));
    await this.#told(() => this.#options.opened.close());
    this.#progress.end();
    this.console.flush();
  }

  async stackTrace({
    startFrame = 0,
    levels = 0,
  }: {
    startFrame?: number;
    levels?: number;
  }): Promise<DebugProtocol.StackTraceResponse['body']> {
    const position = this.#stoppedPosition();
    await this.#sources.refresh();
    const frames = framesOf(position, this.#options.opened.skill, this.#focus());
    this.#frames = frames;
    const described = frames.map((frame, index) => ({
      id: this.#stops * framesPerStop + index,
      name: frame.name,
      source: this.#sources.of(frame.place),
      ...this.#options.client.range(frame.place.range),
      ...(frame.subtle && { presentationHint: 'subtle' as const }),
    }));
    return {
      stackFrames: described.slice(startFrame, levels > 0 ? startFrame + levels : undefined),
      totalFrames: described.length,
    };
  }

  /** @throws RequestFailure where the run isn't stopped, or for a frame that never was */
  scopes(frameId: number): DebugProtocol.Scope[] {
    const position = this.#stoppedPosition();
    return this.#isFrame(frameId) ? this.inspector.scopes(position) : [];
  }

  exceptionInfo(): DebugProtocol.ExceptionInfoResponse['body'] {
    const { client, opened } = this.#options;
    const position = this.#stoppedPosition();
    if (this.#reason?.kind !== 'exception') throw failures.noException();
    return exceptionInfo(this.#reason.exception, position, opened.skill, (line) => client.line(line));
  }

  /** What is shown may differ now, while the run stands where it stood. */
  invalidate(): void {
    if (this.#options.client.supportsInvalidated)
      this.#options.send(new Event('invalidated', { areas: ['stacks', 'variables'], threadId }));
  }

  /** @throws RequestFailure where the run isn't stopped */
  async #edit(edit: StateEdit): Promise<{ readonly ok: true } | EditRefusal> {
    this.assertStopped();
    const { execution } = this.#options.opened;
    if (!isJourney(execution)) return { ok: false, message: 'This run can only be looked at.' };
    return execution.edit(edit);
  }

  /** The place that explains why the run stopped, where it is no place of the phase. */
  #focus(): Place | undefined {
    const { skill } = this.#options.opened;
    if (this.#reason?.kind === 'breakpoint')
      return this.#reason.focus && focusPlace(this.#reason.focus, skill);
    if (this.#reason?.kind !== 'exception' || !('warning' in this.#reason.exception)) return undefined;
    const { pointer } = this.#reason.exception.warning;
    const path = pointer === undefined ? undefined : parsePointer(pointer);
    return path && propertyPlace(path, skill);
  }

  #stoppedPosition(): Position {
    const { position, status } = this.#controller;
    if (status === 'over') throw failures.ended();
    if (status !== 'stopped' || position === undefined) throw failures.running();
    return position;
  }

  /**
   * Whether a frame belongs to this stop. A client may still ask for one of an earlier stop, since a stop overtakes
   * its requests: that frame has nothing to show any more, which is no failure.
   *
   * @throws RequestFailure for a frame that never was
   */
  #isFrame(frameId: number): boolean {
    const index = frameId - this.#stops * framesPerStop;
    if (this.#frames[index] !== undefined) return true;
    if (frameId >= framesPerStop && index < 0) return false;
    throw failures.expiredReference('frame', frameId);
  }

  #origin(place: Place): Pick<DebugProtocol.OutputEvent['body'], 'source' | 'line' | 'column'> {
    const { line, column } = this.#options.client.range(place.range);
    return { source: this.#sources.of(place), line, column };
  }

  #onPhase(report: PhaseReport): void {
    const { skill } = this.#options.opened;
    this.console.write(outputOf(report, skill), { joinable: report.rejection === undefined });
    if (report.phase === 'act' || report.after.step !== report.before.step)
      this.console.showStep(report.after);
  }

  #onLogged(lines: readonly LogLine[]): void {
    const { client } = this.#options;
    for (const { text, source } of lines) {
      const origin = source && { source: fileSource(source.path), line: client.line(source.line) };
      this.console.log(text, origin);
    }
  }

  #onStopped(reason: StopReason): void {
    const { opened, send } = this.#options;
    this.#stops++;
    this.#frames = [];
    this.#reason = reason;
    this.#progress.end();
    const run = opened.execution.run;
    if (run !== undefined) this.console.showStep(run);
    this.console.flush();
    void this.#told(() => opened.sync());
    send(new Event('stopped', { ...stoppedBody(reason), threadId, allThreadsStopped: true }));
  }

  /** Does what may fail at the disk; a failure is told on the console, and the session goes on. */
  async #told(effect: () => unknown): Promise<void> {
    try {
      await effect();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.console.write([{ text, category: 'stderr', place: undefined }]);
    }
  }

  #onChanged(): void {
    this.inspector.changed();
    this.console.flush();
    if (this.#options.client.supportsInvalidated)
      this.#options.send(new Event('invalidated', { areas: ['all'], threadId }));
  }

  #onEnded(end: RunEnd): void {
    const { opened, onEnded } = this.#options;
    this.#progress.end();
    const { run } = opened.execution;
    if (run !== undefined) this.console.showStep(run);
    this.console.write(summaryOf(run, end, opened.tracePath));
    this.console.flush();
    onEnded(end);
  }
}

function stoppedBody(
  reason: StopReason,
): Pick<DebugProtocol.StoppedEvent['body'], 'reason' | 'description' | 'text' | 'hitBreakpointIds'> {
  if (reason.kind === 'breakpoint') return { reason: reason.reason, hitBreakpointIds: [...reason.ids] };
  if (reason.kind !== 'exception') return { reason: reason.kind };
  const { title, text } = exceptionText(reason.exception);
  const hitBreakpointIds = reason.ids.length > 0 ? { hitBreakpointIds: [...reason.ids] } : {};
  return { reason: 'exception', description: `Paused on ${title}`, text, ...hitBreakpointIds };
}

/** What expressions can name at a stop on an exception, as its condition can. */
function exceptionValues(reason: StopReason | undefined): Moment['extra'] {
  if (reason?.kind !== 'exception') return {};
  const { exception } = reason;
  if ('rejection' in exception) return { rejection: rejectionValue(exception.rejection) };
  return 'warning' in exception ? { warning: { ...exception.warning } } : { message: exception.message };
}

function isJourney(execution: Execution): execution is Journey {
  return 'edit' in execution;
}
