/** Diagnostics of every skill of the workspace, for clients that ask for them: what has changed is checked again, the rest is said to be unchanged. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import {
  type CancellationToken,
  DocumentDiagnosticReportKind,
  LSPErrorCodes,
  ResponseError,
  type ResultProgressReporter,
  type WorkDoneProgressReporter,
  type WorkspaceDiagnosticParams,
  type WorkspaceDiagnosticReport,
  type WorkspaceDiagnosticReportPartialResult,
  type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver';
import { mapBounded } from './boundedWork';
import type { DocumentDiagnostics, Report } from './documentDiagnostics';
import { FindingsCancelled } from './languageService/findingRuns';
import type { Cancellation } from './languageService/workspace';
import { throwIfCancelled } from './requests';
import { isWithin } from './uris';

/** Progress that the user may end. */
export interface CancellableProgress extends WorkDoneProgressReporter {
  readonly token: CancellationToken;
}

export interface WorkspaceScanOptions {
  readonly findSkills: (cancellation: Cancellation) => Promise<readonly string[]>;
  /** What checks the skill of a `SKILL.md`; asked anew for each skill, so that what it keeps of one goes with it. */
  readonly checkerFor: (skillUri: string) => SkillChecker;
  /** How long it is waited after a change whether another follows, in milliseconds. */
  readonly quietTime: number;
  readonly version: (uri: string) => number | undefined;
  readonly clientUri: (uri: string) => string;
  readonly normalize: (clientUri: string) => string;
  /** Undefined where the client shows no progress. */
  readonly createProgress: (() => Promise<CancellableProgress>) | undefined;
  readonly complain: (message: string) => void;
}

/** Checks one skill. */
export interface SkillChecker {
  /** The skill's files, its `SKILL.md` among them. */
  files(): Promise<readonly string[]>;
  readonly diagnostics: DocumentDiagnostics;
}

/** How many skills there have to be to check for progress to be shown. */
const progressFrom = 20;

/** How often it is waited for someone who doesn't stop typing. */
const maxWaits = 20;

/** How many skills are checked at once: while one waits for files another is computed. */
const checkedAtOnce = 4;

type Results = ReadonlyMap<string, Report>;

export class WorkspaceScan {
  readonly #options: WorkspaceScanOptions;
  /** What was found of a skill, by URI, for as long as nothing of it has changed. */
  readonly #checked = new Map<string, Results>();
  readonly #checking = new Set<{ readonly skill: string; isStale: boolean }>();
  /** How many changes there were of anything. */
  #changes = 0;
  /** So many there were when the client was told everything. */
  #told: number | undefined;
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(options: WorkspaceScanOptions) {
    this.#options = options;
  }

  /** To be called when a file has changed, open or stored; without a URI when anything may have. */
  changed(uri?: string): void {
    this.#changes++;
    const isTouched = (skill: string) => uri === undefined || isWithin(uri, folderOf(skill));
    for (const skill of this.#checked.keys()) if (isTouched(skill)) this.#checked.delete(skill);
    for (const checking of this.#checking) if (isTouched(checking.skill)) checking.isStale = true;
    this.#wake();
  }

  /** Ends the requests that wait. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /**
   * The answer to `workspace/diagnostic`. A client that takes partial results asks again and again: it waits while
   * nothing has changed since it was told everything.
   */
  async report(
    params: WorkspaceDiagnosticParams,
    token: CancellationToken,
    workDone: WorkDoneProgressReporter | undefined,
    partial: ResultProgressReporter<WorkspaceDiagnosticReportPartialResult> | undefined,
  ): Promise<WorkspaceDiagnosticReport> {
    const previous = new Map(
      params.previousResultIds.map(({ uri, value }) => [this.#options.normalize(uri), value]),
    );
    if (partial !== undefined && this.#knows(previous)) await this.#nextChange(token);
    throwIfCancelled(token);
    if (this.#ended) throw serverEnds();
    const changes = this.#changes;
    const skills = await this.#options.findSkills(token);
    throwIfCancelled(token);
    const known = new Set(skills);
    for (const skill of this.#checked.keys()) if (!known.has(skill)) this.#checked.delete(skill);

    const items: WorkspaceDocumentDiagnosticReport[] = [];
    const tell = (reports: readonly WorkspaceDocumentDiagnosticReport[]) => {
      if (reports.length === 0) return;
      if (partial === undefined) items.push(...reports);
      else partial.report({ items: [...reports] });
    };
    const told = new Set<string>();
    const due = skills.filter((skill) => !this.#checked.has(skill));
    tell(skills.flatMap((skill) => this.#changedOf(this.#checked.get(skill) ?? new Map(), previous, told)));
    const progress = await this.#progress(due.length, workDone);
    const cancellations = [token, ...(progress !== undefined && 'token' in progress ? [progress.token] : [])];
    const isOver = () =>
      this.#ended || cancellations.some((cancellation) => cancellation.isCancellationRequested);
    let done = 0;
    let reported = 0;
    try {
      await mapBounded(due, checkedAtOnce, async (skill) => {
        await setImmediate();
        if (isOver()) return;
        const results = await this.#check(skill, isOver);
        if (isOver()) return;
        tell(this.#changedOf(results, previous, told));
        done++;
        const percentage = Math.floor((100 * done) / due.length);
        if (percentage === reported) return;
        reported = percentage;
        progress?.report(percentage, `${done} of ${due.length} skills`);
      });
    } finally {
      // Once the client has gone there is nobody to tell.
      if (!this.#ended) progress?.done();
    }
    throwIfCancelled(token);
    if (this.#ended) throw serverEnds();
    // What the client still shows of files that are gone, and of skills that are.
    const isWhole = done === due.length;
    if (isWhole) tell(this.#gone(previous, told));
    this.#told = changes;
    return { items };
  }

  /** Settles once the next changes have come to rest, when the client has been told everything before; else at once. */
  async #nextChange(token: CancellationToken): Promise<void> {
    if (this.#told !== this.#changes) return;
    while (this.#told === this.#changes && !this.#ended && !token.isCancellationRequested) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          listening.dispose();
          resolve();
        };
        this.#waiting.add(wake);
        const listening = token.onCancellationRequested(wake);
      });
    }
    for (let seen: number | undefined, waits = 0; seen !== this.#changes && waits < maxWaits; waits++) {
      if (this.#ended || token.isCancellationRequested) return;
      seen = this.#changes;
      await setTimeout(this.#options.quietTime);
    }
  }

  /** Whether a client with these results has all that is known. */
  #knows(previous: ReadonlyMap<string, string>): boolean {
    return [...this.#checked.keys()].every((skill) => this.#isTold(skill, previous));
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Whether the client has all of a skill's diagnostics as they are. */
  #isTold(skill: string, previous: ReadonlyMap<string, string>): boolean {
    const checked = this.#checked.get(skill);
    return (
      checked !== undefined && [...checked].every(([uri, { resultId }]) => previous.get(uri) === resultId)
    );
  }

  #changedOf(
    results: Results,
    previous: ReadonlyMap<string, string>,
    told: Set<string>,
  ): WorkspaceDocumentDiagnosticReport[] {
    const fresh = [...results].filter(([uri]) => !told.has(uri));
    return fresh.map(([uri, { items, resultId }]) => {
      told.add(uri);
      const place = this.#place(uri);
      return previous.get(uri) === resultId
        ? { kind: DocumentDiagnosticReportKind.Unchanged, resultId, ...place }
        : { kind: DocumentDiagnosticReportKind.Full, resultId, items, ...place };
    });
  }

  #gone(
    previous: ReadonlyMap<string, string>,
    told: ReadonlySet<string>,
  ): WorkspaceDocumentDiagnosticReport[] {
    return [...previous.keys()]
      .filter((uri) => !told.has(uri) && this.#options.version(uri) === undefined)
      .map((uri) => ({ kind: DocumentDiagnosticReportKind.Full, items: [], ...this.#place(uri) }));
  }

  #place(uri: string) {
    return { uri: this.#options.clientUri(uri), version: this.#options.version(uri) ?? null };
  }

  async #check(skill: string, isOver: () => boolean): Promise<Results> {
    const results = new Map<string, Report>();
    const checking = { skill, isStale: false };
    this.#checking.add(checking);
    const cancellation = {
      get isCancellationRequested() {
        return isOver();
      },
    };
    try {
      const checker = this.#options.checkerFor(skill);
      for (const uri of await checker.files())
        results.set(uri, await checker.diagnostics.report(uri, cancellation));
      if (!checking.isStale) this.#checked.set(skill, results);
    } catch (error) {
      if (error instanceof FindingsCancelled) return results;
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#options.complain(`${skill} could not be checked: ${reason}`);
    } finally {
      this.#checking.delete(checking);
    }
    return results;
  }

  /** Begins progress where it is worth it: the client's own, else one that the user may cancel. */
  async #progress(
    count: number,
    workDone: WorkDoneProgressReporter | undefined,
  ): Promise<WorkDoneProgressReporter | CancellableProgress | undefined> {
    const progress =
      workDone ??
      (count < progressFrom ? undefined : await this.#options.createProgress?.().catch(() => undefined));
    progress?.begin('Checking skills', 0, undefined, 'token' in progress);
    return progress;
  }
}

function serverEnds(): ResponseError<{ readonly retriggerRequest: boolean }> {
  return new ResponseError(LSPErrorCodes.ServerCancelled, 'The server ends.', { retriggerRequest: false });
}

function folderOf(skillUri: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/'));
}
