/** Sums over rows of steps, exact: what a run has used up to a step, and the bars of a graph. */
import { type RejectionClass, rejectionClasses } from './rejection';
import type { Totals } from './runState';
import { Column, Flag, type StepRows, statusOf } from './stepRows';
import { type SumSource, sourceOfSum } from './tokens';
import type { StepTokenSums } from './traceReader';
import { type WarningClass, warningClasses } from './warnings';

/** A sum that rows are added to, one after the other along a line of history. */
export class StepSum {
  steps = 0;
  failed = 0;
  refused = 0;
  attempts = 0;
  retries = 0;
  rejections = 0;
  cut = 0;
  warnings = 0;
  instructions = 0;
  state = 0;
  observation = 0;
  scaffold = 0;
  prompt = 0;
  completion = 0;
  cached = 0;
  thinking = 0;
  /** Of prompt and completion, what requests took that failed. */
  failedPrompt = 0;
  failedCompletion = 0;
  retried = 0;
  milliseconds = 0;
  characters = 0;
  shortest = 0;
  longest = 0;
  cost = 0;
  isPriced = true;
  /** What those requests cost at most whose cost is unknown. */
  bound = 0;
  isBounded = true;
  /** Who counted the tokens; undefined without attempts. */
  source: SumSource | undefined = undefined;
  /** How many of them are estimated. */
  estimated = 0;
  /** How many of those the model's extension counted. */
  byExtension = 0;
  /** The largest prompt split and completion of one step. */
  peak = 0;
  readonly rejectionCounts: number[] = rejectionClasses.map(() => 0);
  readonly warningCounts: number[] = warningClasses.map(() => 0);

  /** A sum that begins where another one stands. */
  static from(other: StepSum): StepSum {
    const { rejectionCounts, warningCounts, ...numbers } = other;
    const copy = Object.assign(new StepSum(), numbers);
    copy.rejectionCounts.splice(0, rejectionCounts.length, ...rejectionCounts);
    copy.warningCounts.splice(0, warningCounts.length, ...warningCounts);
    return copy;
  }

  add(rows: StepRows, row: number): void {
    const { table } = rows;
    const attempts = table.get(row, Column.attempts);
    const instructions = table.get(row, Column.instructions);
    const state = table.get(row, Column.state);
    const observation = table.get(row, Column.observation);
    const scaffold = table.get(row, Column.scaffold);
    const completion = table.get(row, Column.completion);
    if (attempts > 0) {
      const characters = table.get(row, Column.characters);
      const range = attempts > 1 ? rows.promptRange(row) : undefined;
      const shortest = range?.min ?? characters;
      this.shortest = this.attempts === 0 ? shortest : Math.min(this.shortest, shortest);
      this.longest = Math.max(this.longest, range?.max ?? characters);
      this.characters += characters;
    }
    const flags = table.get(row, Column.flags);
    const status = statusOf(flags);
    this.steps += 1;
    if (status === 'failed' || status === 'skipped') this.failed += 1;
    if (status === 'refused') this.refused += 1;
    this.attempts += attempts;
    this.retries += Math.max(0, attempts - 1);
    this.instructions += instructions;
    this.state += state;
    this.observation += observation;
    this.scaffold += scaffold;
    this.prompt += table.get(row, Column.prompt);
    this.completion += completion;
    this.cached += table.get(row, Column.cached);
    this.thinking += table.get(row, Column.thinking);
    this.failedPrompt += table.get(row, Column.failedPrompt);
    this.failedCompletion += table.get(row, Column.failedCompletion);
    this.retried += table.get(row, Column.retried);
    this.milliseconds += table.get(row, Column.milliseconds);
    this.peak = Math.max(this.peak, instructions + state + observation + scaffold + completion);
    this.cost += rows.costs.get(row);
    this.bound += rows.bounds.get(row);
    if ((flags & Flag.unpriced) !== 0) this.isPriced = false;
    if ((flags & Flag.unbounded) !== 0) this.isBounded = false;
    const source = rows.tokenSource(row);
    if (source !== undefined) this.source = sourceOfSum(this.source, source);
    this.estimated += rows.estimatedTokens(row);
    this.byExtension += table.get(row, Column.extension);
    this.rejections += table.get(row, Column.rejections);
    this.cut += table.get(row, Column.cut);
    this.warnings += table.get(row, Column.warnings);
    if (table.get(row, Column.classes) === 0) return;
    for (const [index, count] of rows.classCounts(row, 0))
      this.rejectionCounts[index] = (this.rejectionCounts[index] ?? 0) + count;
    for (const [index, count] of rows.classCounts(row, 16))
      this.warningCounts[index] = (this.warningCounts[index] ?? 0) + count;
  }

  get tokens(): StepTokenSums {
    const { instructions, state, observation, scaffold, prompt, completion } = this;
    const { cached, thinking, retried, estimated, byExtension } = this;
    const failed = this.failedPrompt + this.failedCompletion;
    return {
      ...{ instructions, state, observation, scaffold, prompt, completion },
      ...{ cached, thinking, failed, retried },
      ...{ source: this.source ?? 'estimated', estimated, byExtension },
    };
  }

  get totals(): Totals {
    return {
      steps: this.steps,
      attempts: this.attempts,
      rejected: countsByClass<RejectionClass>(rejectionClasses, this.rejectionCounts),
      cutReplies: this.cut,
      warnings: countsByClass<WarningClass>(warningClasses, this.warningCounts),
      retries: this.retries,
      failedSteps: this.failed,
      promptTokens: this.prompt,
      completionTokens: this.completion,
      cachedTokens: this.cached,
      thinkingTokens: this.thinking,
      failedTokens: { prompt: this.failedPrompt, completion: this.failedCompletion },
      tokenSource: this.source,
      estimatedTokens: this.estimated,
      extensionTokens: this.byExtension,
      cost: this.isPriced ? this.cost : undefined,
      knownCost: this.cost,
      costAtMost: this.isBounded ? this.cost + this.bound : undefined,
      promptCharacters: { sum: this.characters, min: this.shortest, max: this.longest },
      activeMilliseconds: this.milliseconds,
    };
  }
}

function countsByClass<Class extends string>(
  classes: readonly Class[],
  counts: readonly number[],
): Partial<Record<Class, number>> {
  const byClass: Partial<Record<Class, number>> = {};
  for (const [index, name] of classes.entries()) if (counts[index]) byClass[name] = counts[index];
  return byClass;
}
