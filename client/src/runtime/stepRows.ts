/** What is known about every step of a trace at once: a row of numbers each, filled by its records as they are read. */
import { parsePointer } from '../../../schemas/json/jsonPointer';
import type { AttemptRecord, ChainedRecord } from '../../../schemas/trace/trace';
import { ChosenActions } from './chosenActions';
import type { RequestCost } from './cost';
import { isCutReply } from './cutReply';
import { type Interruption, interruptionOf } from './interruptions';
import type { FailedRequest, RequestTokens } from './model';
import { NumberTable, SparseDoubles } from './numberTable';
import { addPatch, addPath, type PathBits } from './pathFilter';
import { type RejectionClass, rejectionClasses } from './rejection';
import { cutOff, TextPool } from './textPool';
import type { AttemptTokens, SumSource } from './tokens';
import type { StepStatus, StepSummary } from './traceReader';
import { type WarningClass, warningClasses } from './warnings';

/** The columns of a row. */
export enum Column {
  branch,
  step,
  /** Its first stretch of the file. */
  segment,
  flags,
  /** Bits of the rejection classes, and from bit 16 on of the warning classes. */
  classes,
  instructions,
  state,
  observation,
  scaffold,
  prompt,
  completion,
  cached,
  thinking,
  /** Of prompt and completion, what requests took that failed. */
  failedPrompt,
  failedCompletion,
  /** Of prompt and completion, what the model's extension counted. */
  extension,
  retried,
  characters,
  attempts,
  failedRequests,
  rejections,
  /** Of those, replies that were cut at a limit of tokens. */
  cut,
  warnings,
  changed,
  milliseconds,
  pathsLow,
  pathsHigh,
  action,
  keys,
}

const columnCount = Object.keys(Column).length / 2;

/** The bits of `Column.flags`. */
export enum Flag {
  accepted = 1 << 0,
  done = 1 << 1,
  skipped = 1 << 2,
  outcome = 1 << 3,
  failed = 1 << 4,
  edited = 1 << 5,
  keyframe = 1 << 6,
  estimated = 1 << 7,
  reported = 1 << 8,
  unpriced = 1 << 9,
  /** Lines at or beside the step can't be read: what it wrote may not be all. */
  incomplete = 1 << 10,
  /** Nobody knows either what one of its requests cost at most. */
  unbounded = 1 << 11,
}

/** What is remembered of a step while its records come. */
export interface StepInProgress {
  readonly row: number;
  /** The top-level keys that it has written. */
  readonly keys: Set<string>;
  /** Tokens of the last attempt, which turn out to be wasted where it is rejected. */
  lastAttempt: number;
  /** Why the last attempt's reply ended. */
  lastFinish: string | undefined;
  /** The id of the last record. */
  lastId: number;
}

const actionLength = 120;
const shownKeys = 5;
const keyLength = 40;
const keySeparator = '\u0000';
/** So many keys of one step are told apart; further ones are only counted once more. */
const maxKeys = 10_000;

/** The rows of all steps of all branches. */
export class StepRows {
  readonly table = new NumberTable(columnCount);
  readonly costs = new SparseDoubles();
  /** What those requests cost at most whose cost is unknown. */
  readonly bounds = new SparseDoubles();
  readonly #actions = new TextPool(actionLength);
  readonly #chosen = new ChosenActions();
  readonly #keys = new TextPool(shownKeys * (keyLength + 1));
  /** Of steps whose attempts were counted in part: how many tokens are estimated. */
  readonly #estimated = new Map<number, number>();
  /** Of steps with several attempts: the shortest and the longest prompt. */
  readonly #prompts = new Map<number, { readonly min: number; readonly max: number }>();
  /** Of steps that met a class more than once: how often beyond the first time, by the class's bit. */
  readonly #repeated = new Map<number, Map<number, number>>();
  /** Of steps in which requests failed for good. */
  readonly #interruptions = new Map<number, readonly Interruption[]>();

  begin(branch: number, step: number, segment: number): StepInProgress {
    const row = this.table.add();
    this.table.set(row, Column.branch, branch);
    this.table.set(row, Column.step, step);
    this.table.set(row, Column.segment, segment);
    return { row, keys: new Set(), lastAttempt: 0, lastFinish: undefined, lastId: -1 };
  }

  /** Begins a step with all that another one has had so far. */
  copy(from: StepInProgress, to: StepInProgress): void {
    for (let column = Column.flags; column < columnCount; column++)
      this.table.set(to.row, column, this.table.get(from.row, column));
    this.costs.increase(to.row, this.costs.get(from.row));
    this.bounds.increase(to.row, this.bounds.get(from.row));
    const prompts = this.#prompts.get(from.row);
    if (prompts) this.#prompts.set(to.row, prompts);
    const estimated = this.#estimated.get(from.row);
    if (estimated !== undefined) this.#estimated.set(to.row, estimated);
    const repeated = this.#repeated.get(from.row);
    if (repeated) this.#repeated.set(to.row, new Map(repeated));
    const interruptions = this.#interruptions.get(from.row);
    if (interruptions) this.#interruptions.set(to.row, interruptions);
    this.#chosen.copy(from.row, to.row);
    for (const key of from.keys) to.keys.add(key);
    to.lastAttempt = from.lastAttempt;
    to.lastFinish = from.lastFinish;
  }

  /** Takes a record of the step into its row. */
  add(step: StepInProgress, record: ChainedRecord): void {
    const { row } = step;
    this.#chosen.add(row, record);
    switch (record.kind) {
      case 'step':
        if (record.state !== undefined) this.mark(row, Flag.keyframe);
        return;
      case 'attempt':
        this.#addAttempt(step, record);
        step.lastFinish = record.finish;
        return;
      case 'rejection':
        this.table.increase(row, Column.rejections, 1);
        if (isCutReply(step.lastFinish, record.class)) this.table.increase(row, Column.cut, 1);
        this.table.increase(row, Column.retried, step.lastAttempt);
        step.lastAttempt = 0;
        this.#meet(row, rejectionClasses.indexOf(record.class));
        if (record.exhausted !== undefined && record.exhausted !== 'continue') this.mark(row, Flag.failed);
        return;
      case 'commit':
        this.#write(step, Object.keys(record.patch), (bits) => addPatch(bits, record.patch));
        return;
      case 'intent':
        this.table.set(row, Column.action, this.#actions.add(record.action));
        return;
      case 'outcome':
        this.mark(row, Flag.outcome);
        if (record.accepted) this.mark(row, Flag.accepted);
        if (record.done) this.mark(row, Flag.done);
        if (record.skipped) this.mark(row, Flag.skipped);
        return;
      case 'warning':
        this.table.increase(row, Column.warnings, 1);
        this.#meet(row, 16 + warningClasses.indexOf(record.class));
        return;
      case 'end': {
        this.#addFailures(row, record.failures ?? []);
        const interruption = interruptionOf(record);
        if (interruption !== undefined)
          this.#interruptions.set(row, [...this.interruptions(row), interruption]);
        return;
      }
      case 'edit': {
        this.mark(row, Flag.edited);
        if (record.target !== 'state') return;
        const path = parsePointer(record.pointer ?? '') ?? [];
        this.#write(step, path.slice(0, 1), (bits) => addPath(bits, path));
        return;
      }
      default:
        return;
    }
  }

  mark(row: number, flag: Flag): void {
    this.table.set(row, Column.flags, this.table.get(row, Column.flags) | flag);
  }

  is(row: number, flag: Flag): boolean {
    return (this.table.get(row, Column.flags) & flag) !== 0;
  }

  /** What the step's writes may have been, for `mayHave`. */
  paths(row: number): PathBits {
    return { low: this.table.get(row, Column.pathsLow), high: this.table.get(row, Column.pathsHigh) };
  }

  /** The requests by which the run ended in a step, oldest first. */
  interruptions(row: number): readonly Interruption[] {
    return this.#interruptions.get(row) ?? [];
  }

  /** The shortest and the longest prompt of a step; undefined where it has none. */
  promptRange(row: number): { readonly min: number; readonly max: number } | undefined {
    if (this.table.get(row, Column.attempts) === 0) return undefined;
    const characters = this.table.get(row, Column.characters);
    return this.#prompts.get(row) ?? { min: characters, max: characters };
  }

  /** How often a step met each class of rejections (`offset` 0) or of warnings (16). */
  *classCounts(row: number, offset: 0 | 16): Generator<readonly [index: number, count: number]> {
    const bits = (this.table.get(row, Column.classes) >>> offset) & 0xffff;
    if (bits === 0) return;
    const repeated = this.#repeated.get(row);
    for (let index = 0; index < 16; index++)
      if ((bits >>> index) & 1) yield [index, 1 + (repeated?.get(offset + index) ?? 0)];
  }

  /** Who counted the tokens of a step; undefined for one without an attempt. */
  tokenSource(row: number): SumSource | undefined {
    const isEstimated = this.is(row, Flag.estimated);
    if (!this.is(row, Flag.reported)) return isEstimated ? 'estimated' : undefined;
    return isEstimated ? 'mixed' : 'reported';
  }

  /** How many of its tokens are estimated. */
  estimatedTokens(row: number): number {
    const source = this.tokenSource(row);
    if (source === 'mixed') return this.#estimated.get(row) ?? 0;
    return source === 'estimated' ? this.#tokens(row) : 0;
  }

  #tokens(row: number): number {
    return this.table.get(row, Column.prompt) + this.table.get(row, Column.completion);
  }

  status(row: number): StepStatus {
    return statusOf(this.table.get(row, Column.flags));
  }

  summary(row: number): Omit<StepSummary, 'branch' | 'step' | 'forks'> {
    const { table } = this;
    const keys = this.#keys.get(table.get(row, Column.keys));
    const chosen = this.#chosen.get(row);
    return {
      status: this.status(row),
      action: this.#actions.get(table.get(row, Column.action)),
      chosen: chosen === undefined ? undefined : cutOff(chosen, actionLength),
      changedKeys: keys === undefined ? [] : keys.split(keySeparator),
      changedCount: table.get(row, Column.changed),
      attempts: table.get(row, Column.attempts),
      failedRequests: table.get(row, Column.failedRequests),
      rejections: table.get(row, Column.rejections),
      cutReplies: table.get(row, Column.cut),
      rejectionClasses: this.#classes(row, 0, rejectionClasses),
      warnings: table.get(row, Column.warnings),
      warningClasses: this.#classes(row, 16, warningClasses),
      tokens: {
        instructions: table.get(row, Column.instructions),
        state: table.get(row, Column.state),
        observation: table.get(row, Column.observation),
        scaffold: table.get(row, Column.scaffold),
        prompt: table.get(row, Column.prompt),
        completion: table.get(row, Column.completion),
        cached: table.get(row, Column.cached),
        thinking: table.get(row, Column.thinking),
        failed: table.get(row, Column.failedPrompt) + table.get(row, Column.failedCompletion),
        retried: table.get(row, Column.retried),
        source: this.tokenSource(row) ?? 'estimated',
        estimated: this.estimatedTokens(row),
        byExtension: table.get(row, Column.extension),
      },
      cost: this.is(row, Flag.unpriced) ? undefined : this.costs.get(row),
      knownCost: this.costs.get(row),
      costAtMost: this.is(row, Flag.unbounded) ? undefined : this.costs.get(row) + this.bounds.get(row),
      accepted: this.is(row, Flag.accepted),
      done: this.is(row, Flag.done),
      edited: this.is(row, Flag.edited),
    };
  }

  #classes<Class extends RejectionClass | WarningClass>(
    row: number,
    offset: 0 | 16,
    classes: readonly Class[],
  ): readonly Class[] {
    return [...this.classCounts(row, offset)].flatMap(([index]) => classes[index] ?? []);
  }

  #addAttempt(step: StepInProgress, record: AttemptRecord): void {
    const { tokens, prompt, failures = [] } = record;
    const { row } = step;
    const { table } = this;
    const { characters } = prompt;
    const attempts = table.get(row, Column.attempts);
    if (attempts > 0) {
      const range = this.promptRange(row) ?? { min: characters, max: characters };
      this.#prompts.set(row, {
        min: Math.min(range.min, characters),
        max: Math.max(range.max, characters),
      });
    }
    table.set(row, Column.attempts, attempts + 1);
    table.increase(row, Column.failedRequests, failures.length);
    table.increase(row, Column.characters, characters);
    table.increase(row, Column.instructions, tokens.split.instructions);
    table.increase(row, Column.state, tokens.split.state);
    table.increase(row, Column.observation, tokens.split.observation);
    table.increase(row, Column.scaffold, tokens.split.scaffold);
    this.#spend(row, tokens, tokens.source, tokens.estimatedBy);
    this.#pay(row, record);
    step.lastAttempt = tokens.prompt + tokens.completion;
    this.#addFailures(row, failures);
  }

  /** What requests took that failed: before an answer, or before the run stopped. */
  #addFailures(row: number, failures: readonly FailedRequest[]): void {
    for (const failure of failures) {
      const { tokens } = failure;
      if (tokens === undefined) continue;
      this.#spend(row, tokens, 'reported', undefined);
      this.#pay(row, failure);
      this.table.increase(row, Column.failedPrompt, tokens.prompt);
      this.table.increase(row, Column.failedCompletion, tokens.completion);
    }
  }

  /** The tokens of one request. No object is made for it: there may be as many as a trace has records. */
  #spend(
    row: number,
    tokens: RequestTokens,
    source: AttemptTokens['source'],
    estimatedBy: AttemptTokens['estimatedBy'],
  ): void {
    const { table } = this;
    const { prompt, completion, cached = 0, thinking = 0 } = tokens;
    const isEstimated = source === 'estimated';
    const flag = isEstimated ? Flag.estimated : Flag.reported;
    if (this.tokenSource(row) !== undefined && !this.is(row, flag))
      this.#estimated.set(row, isEstimated ? 0 : this.#tokens(row));
    const estimated = this.#estimated.get(row);
    if (estimated !== undefined && isEstimated) this.#estimated.set(row, estimated + prompt + completion);
    table.increase(row, Column.prompt, prompt);
    table.increase(row, Column.completion, completion);
    table.increase(row, Column.cached, cached);
    table.increase(row, Column.thinking, thinking);
    if (estimatedBy !== undefined) table.increase(row, Column.extension, prompt + completion);
    this.mark(row, flag);
  }

  /** What a request cost. */
  #pay(row: number, { cost, costAtMost }: RequestCost): void {
    if (cost !== undefined) {
      this.costs.increase(row, cost);
      return;
    }
    this.mark(row, Flag.unpriced);
    if (costAtMost === undefined) this.mark(row, Flag.unbounded);
    else this.bounds.increase(row, costAtMost);
  }

  #write(step: StepInProgress, keys: readonly string[], addTo: (bits: PathBits) => void): void {
    const { row } = step;
    const bits = this.paths(row);
    addTo(bits);
    this.table.set(row, Column.pathsLow, bits.low);
    this.table.set(row, Column.pathsHigh, bits.high);
    let added = 0;
    for (const key of keys) {
      if (step.keys.has(key)) continue;
      added += 1;
      if (step.keys.size < maxKeys) step.keys.add(key);
    }
    if (added === 0) return;
    const before = this.table.get(row, Column.changed);
    this.table.set(row, Column.changed, before + added);
    if (before >= shownKeys) return;
    const shown = [...step.keys]
      .slice(0, shownKeys)
      .map((key) => cutOff(key.replaceAll(keySeparator, '\u2400'), keyLength));
    this.table.set(row, Column.keys, this.#keys.add(shown.join(keySeparator)));
  }

  #meet(row: number, bit: number): void {
    const classes = this.table.get(row, Column.classes);
    if (((classes >>> bit) & 1) === 0) {
      this.table.set(row, Column.classes, (classes | (1 << bit)) >>> 0);
      return;
    }
    const repeated = this.#repeated.get(row) ?? new Map<number, number>();
    repeated.set(bit, (repeated.get(bit) ?? 0) + 1);
    this.#repeated.set(row, repeated);
  }
}

/** The status that a row's flags tell. */
export function statusOf(flags: number): StepStatus {
  if ((flags & Flag.outcome) !== 0) {
    if ((flags & Flag.skipped) !== 0) return 'skipped';
    return (flags & Flag.accepted) !== 0 ? 'accepted' : 'refused';
  }
  return (flags & Flag.failed) !== 0 ? 'failed' : 'running';
}
