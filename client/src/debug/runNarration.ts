/** Tells the client how a run goes: lines on the console, where it stands, its branches, and how it came out. */

import { Event } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  type BranchesBody,
  branchesEvent,
  type RequestWait,
  type StepProgress,
} from '../../../schemas/messages/debugMessages';
import { isUnknown } from '../../../schemas/text/spending';
import type { PhaseReport } from '../runtime/execution';
import { isFree } from '../runtime/freeModels';
import type { Journey } from '../runtime/journey';
import type { RunEnd } from '../runtime/runState';
import type { ClientConventions } from './clientConventions';
import type { Clock, OpenedRun } from './debugHost';
import { failureText } from './exceptionDetails';
import { RunConsole } from './runConsole';
import { openingOf, outputOf, summaryOf } from './runOutput';
import { fileSource, type RunSources } from './sources';
import type { LogLine, StopReason } from './stopPolicy';

export interface RunNarrationOptions {
  readonly opened: OpenedRun;
  readonly clock: Clock;
  readonly client: ClientConventions;
  readonly sources: RunSources;
  readonly isStopped: () => boolean;
  /** What is waited for before a request is made again. */
  readonly waiting: () => RequestWait | undefined;
  readonly send: (event: DebugProtocol.Event) => void;
}

export class RunNarration {
  readonly console: RunConsole;
  readonly #options: RunNarrationOptions;
  readonly #journey: Journey;
  /** By branch, the last record of which the console has told. */
  readonly #toldOf = new Map<number, number>();
  #branchCount = 1;
  /** The branches of which the console has told how they came out. */
  readonly #summedUp = new Set<number>();
  #tellsDeviation = true;
  /** The notes that the console has told of; undefined before the run's opening. */
  #toldNotes: Set<string> | undefined;

  constructor(options: RunNarrationOptions) {
    this.#options = options;
    this.#journey = options.opened.execution;
    const { clock, send, client, sources } = options;
    this.console = new RunConsole({
      clock,
      send,
      originOf: (place) => {
        const { line, column } = client.range(place.range);
        return { source: sources.of(place), line, column };
      },
      progressOf: () => this.#stepProgress(),
    });
  }

  /** The run is about to begin. */
  open(): void {
    const { opened } = this.#options;
    this.#toldNotes = new Set(opened.notes);
    this.console.write(openingOf(opened));
  }

  /** Nothing more will be read of a record: tells what has come to light since its opening. */
  recordRead(): void {
    if (this.#toldNotes === undefined) return;
    this.#tellNotes();
    this.branches();
    // A run that goes on tells where it stands when its time comes.
    if (!this.#options.isStopped()) return;
    this.console.showStep();
    this.console.flush();
  }

  /** A sentence for the user. */
  tell(text: string, category: 'console' | 'stderr' = 'console'): void {
    this.console.write([{ text, category, place: undefined }]);
  }

  phase(report: PhaseReport): void {
    // A model that goes on with a record has been made ready just before.
    if (!report.repeated) this.#tellNotes();
    if (!this.#isTold(report)) {
      const lines = outputOf(report, this.#journey.skill, this.#isFree);
      this.console.write(lines, { joinable: report.rejection === undefined });
    }
    if (report.phase === 'act' || report.after.step !== report.before.step) this.console.showStep();
  }

  logged(lines: readonly LogLine[]): void {
    const { client } = this.#options;
    for (const { text, source } of lines) {
      const origin = source && { source: fileSource(source.path), line: client.line(source.line) };
      this.console.log(text, origin);
    }
  }

  /** The run stands still. */
  stopped(reason: StopReason): void {
    const { deviation } = this.#journey;
    if (deviation !== undefined && this.#tellsDeviation) {
      this.#tellsDeviation = false;
      this.tell(deviation);
    }
    if (reason.kind === 'end') {
      const end = this.#journey.run?.end;
      if (end?.resumable === false) this.#sumUp(end);
      this.tell(reason.message);
    }
    if (reason.kind === 'failure') this.tell(failureText(reason), 'stderr');
    this.console.showStep();
    this.console.flush();
    this.branches();
  }

  ended(end: RunEnd): void {
    this.console.showStep();
    this.#sumUp(end);
    this.console.flush();
  }

  /** Says so where branches have begun. */
  branches(): void {
    const { branches } = this.#journey;
    if (branches.length <= this.#branchCount) return;
    this.#branchCount = branches.length;
    const body: BranchesBody = { branches: branches.map(({ id, parent }) => ({ id, parent })) };
    this.#options.send(new Event(branchesEvent, body));
  }

  /** How the run came out, once for each branch. */
  #sumUp(end: RunEnd): void {
    const { run } = this.#journey;
    const branch = run && this.#journey.position.branch;
    if (branch !== undefined && this.#summedUp.has(branch)) return;
    if (branch !== undefined) this.#summedUp.add(branch);
    this.console.write(summaryOf(run, end, this.#options.opened.tracePath(), this.#isFree));
  }

  get #isFree(): boolean {
    return isFree(this.#options.opened.model);
  }

  /** Tells what has come to light since it was told last. */
  #tellNotes(): void {
    const told = this.#toldNotes;
    if (told === undefined) return;
    for (const note of this.#options.opened.notes) {
      if (told.has(note)) continue;
      told.add(note);
      this.tell(note);
    }
  }

  /** Whether the console has told of a phase already, which the run only repeats. Notes that it has. */
  #isTold({ records, repeated }: PhaseReport): boolean {
    const last = records.at(-1);
    if (last === undefined) return false;
    const told = this.#toldOf.get(last.branch) ?? -1;
    this.#toldOf.set(last.branch, Math.max(told, last.id));
    return repeated && last.id <= told;
  }

  #stepProgress(): StepProgress | undefined {
    const { run } = this.#journey;
    if (run === undefined) return undefined;
    const { branch, live } = this.#journey.position;
    const { promptTokens, completionTokens, tokenSource, estimatedTokens, extensionTokens } = run.totals;
    const { cost, knownCost, costAtMost } = run.totals;
    const isTold = tokenSource !== undefined && !(isUnknown(run.totals) && this.#isFree);
    const isWhole = cost !== undefined;
    return {
      step: run.step,
      branch,
      phase: run.phase,
      live,
      stopped: this.#options.isStopped(),
      waiting: this.#options.waiting(),
      tracePath: this.#options.opened.tracePath(),
      stateBytes: Buffer.byteLength(JSON.stringify(run.state), 'utf8'),
      tokens: {
        total: promptTokens + completionTokens,
        source: tokenSource ?? 'estimated',
        estimated: tokenSource === 'mixed' ? estimatedTokens : undefined,
        byExtension: extensionTokens > 0 ? extensionTokens : undefined,
      },
      cost: isTold
        ? { dollars: knownCost, atLeast: !isWhole, atMost: isWhole ? undefined : costAtMost }
        : undefined,
    };
  }
}
