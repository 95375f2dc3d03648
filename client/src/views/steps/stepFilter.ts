/** Which steps a filter lets through: judged by the summary where that is enough, else by the step's records. Free of VS Code. */
import { type JsonPath, parsePointer } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue, ownProperty } from '../../../../schemas/json/jsonValue';
import { assertNever } from '../../../../schemas/text/assertNever';
import type { RecordedStep, StepSummary, TraceReader } from '../../runtime/traceReader';

export type StepFilter =
  | { readonly kind: 'all' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'warnings' }
  /** Steps that wrote at, below or above a path of Σ. */
  | { readonly kind: 'path'; readonly path: JsonPath; readonly text: string }
  /** Steps whose action, observation, reply or findings contain a text, upper and lower case alike. */
  | { readonly kind: 'text'; readonly text: string };

/** As the view's title says it. */
export function filterText(filter: StepFilter): string {
  switch (filter.kind) {
    case 'all':
      return '';
    case 'rejected':
      return 'rejected replies';
    case 'warnings':
      return 'warnings';
    case 'path':
      return `changes of ${filter.text}`;
    case 'text':
      return `“${filter.text}”`;
    default:
      return assertNever(filter);
  }
}

/** A path of Σ as people write it: `inventory.shelf_1`, `state.tasks[0]`, `/inventory/shelf_1`. */
export function parseStatePath(text: string): JsonPath | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('/')) return parsePointer(trimmed);
  const path = expressionPath(trimmed);
  return path?.[0] === 'state' && path.length > 1 ? path.slice(1) : path;
}

/** The names and indices of an expression that is a path, its root among them: `state.a["b c"][0]`. */
export function expressionPath(expression: string): JsonPath | undefined {
  const segment = /(?:^|\.)([^\s.[\]"']+)|\[(?:(\d+)|("(?:[^"\\]|\\.)*")|'([^']*)')\]/gy;
  const path: string[] = [];
  let at = 0;
  for (let match = segment.exec(expression); match !== null; match = segment.exec(expression)) {
    const [, name, index, quoted, plain] = match;
    const key = name ?? index ?? (quoted === undefined ? plain : unquoted(quoted));
    if (key === undefined) return undefined;
    path.push(key);
    at = segment.lastIndex;
  }
  return at === expression.length && path.length > 0 ? path : undefined;
}

function unquoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `look`: the summary can't tell, the records have to. */
export type Judgement = 'yes' | 'no' | 'look';

/** @param mayWrite whether the step may have written at, below or above the filter's path */
export function judgeSummary(filter: StepFilter, summary: StepSummary, mayWrite: () => boolean): Judgement {
  switch (filter.kind) {
    case 'all':
      return 'yes';
    case 'rejected':
      return summary.rejections > 0 ? 'yes' : 'no';
    case 'warnings':
      return summary.warnings > 0 ? 'yes' : 'no';
    case 'path':
      return mayWrite() ? 'look' : 'no';
    case 'text': {
      const texts = [
        summary.action ?? '',
        ...summary.changedKeys,
        ...summary.rejectionClasses,
        ...summary.warningClasses,
      ];
      return texts.some((text) => contains(text, filter.text)) ? 'yes' : 'look';
    }
    default:
      return assertNever(filter);
  }
}

/** The same by the step's records. */
export function judgeStep(filter: StepFilter, step: RecordedStep): boolean {
  if (filter.kind === 'path') {
    const { path } = filter;
    return (
      step.commits.some(({ patch, evicted }) => {
        if (writes(patch, path)) return true;
        return (evicted ?? []).some(({ pointer }) => touches(parsePointer(pointer) ?? [], path));
      }) ||
      step.edits.some(
        ({ target, pointer }) => target === 'state' && touches(parsePointer(pointer ?? '') ?? [], path),
      )
    );
  }
  if (filter.kind !== 'text') return false;
  const texts = [
    step.observation,
    step.intent?.action ?? '',
    step.outcome?.observation ?? '',
    ...step.attempts.flatMap(({ record, rejection }) => [record.reply, rejection?.message ?? '']),
    ...step.warnings.map(({ message }) => message),
  ];
  return texts.some((text) => contains(text, filter.text));
}

/** Whether a merge patch (RFC 7396) writes at, below or above a path. */
function writes(patch: JsonValue, path: JsonPath): boolean {
  let value = patch;
  for (const key of path) {
    if (!isJsonObject(value)) return true;
    const next = ownProperty(value, key);
    if (next === undefined) return false;
    value = next;
  }
  return true;
}

function touches(written: JsonPath, path: JsonPath): boolean {
  const length = Math.min(written.length, path.length);
  for (let at = 0; at < length; at++) if (written[at] !== path[at]) return false;
  return true;
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** What a search reads. */
export type SearchedRun = Pick<TraceReader, 'branches' | 'summary' | 'step' | 'mayWrite'>;

/** How many steps are judged by their summaries before others have their turn. */
const summariesAtOnce = 2_000;

/** The steps of a branch's line that a filter lets through, found from the front to the back. */
export class StepSearch {
  readonly #run: SearchedRun;
  readonly #branch: number;
  readonly #filter: StepFilter;
  readonly #found: number[] = [];
  #next: number;
  #unfinished: number | undefined;
  /** Searches one after the other, so that nothing is found twice. */
  #searching: Promise<unknown> = Promise.resolve();

  /** @param first the step to begin with */
  constructor(run: SearchedRun, branch: number, first: number, filter: StepFilter) {
    this.#run = run;
    this.#branch = branch;
    this.#next = first;
    this.#filter = filter;
  }

  /** What was found so far, in ascending order. */
  get found(): readonly number[] {
    return this.#found;
  }

  /** How many steps have been judged for good: all before this one. */
  get next(): number {
    return this.#next;
  }

  /**
   * Goes on to the run's last step as it is now; the last one is judged again the next time, since it may go on.
   *
   * @param pause lets others have their turn
   * @returns whether something was found or no longer is
   */
  goOn(pause: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const search = this.#searching.then(() => this.#goOn(pause, signal));
    this.#searching = search.catch(() => undefined);
    return search;
  }

  async #goOn(pause: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const before = this.#found.length;
    const last = this.#unfinished;
    if (last !== undefined && this.#found.at(-1) === last) this.#found.pop();
    this.#unfinished = undefined;
    let sincePause = 0;
    let steps = this.#steps;
    for (;;) {
      if (this.#next >= steps) steps = this.#steps;
      if (this.#next >= steps) break;
      const step = this.#next;
      const summary = this.#run.summary(this.#branch, step);
      const judgement = judgeSummary(this.#filter, summary, () => this.#mayWrite(step));
      const passes =
        judgement === 'look' && summary.status !== 'unreadable'
          ? judgeStep(this.#filter, await this.#run.step(this.#branch, step))
          : judgement === 'yes';
      if (signal.aborted) return false;
      if (passes) this.#found.push(step);
      if (step === steps - 1 && summary.status === 'running') {
        this.#unfinished = step;
        break;
      }
      this.#next = step + 1;
      if (++sincePause >= summariesAtOnce || judgement === 'look') {
        sincePause = 0;
        await pause();
        if (signal.aborted) return false;
      }
    }
    return this.#found.length !== before || this.#unfinished !== last;
  }

  get #steps(): number {
    return this.#run.branches.find(({ id }) => id === this.#branch)?.steps ?? 0;
  }

  #mayWrite(step: number): boolean {
    return this.#filter.kind !== 'path' || this.#run.mayWrite(this.#branch, step, this.#filter.path);
  }
}
