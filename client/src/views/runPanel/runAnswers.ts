/** Answers what the page asks of a run: stretches, lines, a step's detail. */
import type { RequestSummary } from '../../../../schemas/messages/exchangeMessages';
import { answerLimit, type PageAsk, type PanelAnswer } from '../../../../schemas/messages/runPanelMessages';
import { assertNever } from '../../../../schemas/text/assertNever';
import type { TraceReader } from '../../runtime/traceReader';
import { blameRows } from './blameRows';
import { GraphBars } from './graphBars';
import { type RuleName, stepDetail } from './stepDetail';
import { firstFrom, StepMatches } from './stepMatches';
import { stepRow } from './stepRows';

export interface RunAnswersOptions {
  readonly reader: TraceReader;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  /** The rules of the schema that a step ran under. */
  ruleNames(branch: number, step: number): Promise<RuleName>;
  /** What a session keeps of a step's requests; nothing where there is none. */
  requests(branch: number, step: number): Promise<readonly RequestSummary[]>;
}

export class RunAnswers {
  readonly #options: RunAnswersOptions;
  readonly #matches: StepMatches;
  readonly #bars: GraphBars;

  constructor(options: RunAnswersOptions) {
    this.#options = options;
    this.#matches = new StepMatches(options.reader, options.pause);
    this.#bars = new GraphBars(options.reader);
  }

  /** Rejects with a message for the user; with a RangeError for a branch or step that there isn't. */
  async answer(ask: PageAsk): Promise<PanelAnswer> {
    const { reader } = this.#options;
    switch (ask.kind) {
      case 'bins': {
        const { branch } = ask;
        const total = this.#stepsOf(branch);
        const size = Math.max(ask.size, 1);
        const from = Math.min(ask.from, total);
        const to = Math.min(Math.max(ask.to, from), total, from + size * answerLimit);
        return { kind: 'bins', branch, ...this.#bars.of({ branch, from, to, size }) };
      }
      case 'rows':
        return this.#rows(ask);
      case 'find':
        return { kind: 'find', found: await this.#find(ask) };
      case 'detail': {
        const { branch, step } = ask;
        const [rules, requests] = await Promise.all([
          this.#options.ruleNames(branch, step),
          this.#options.requests(branch, step),
        ]);
        return { kind: 'detail', detail: await stepDetail(reader, branch, step, rules, requests) };
      }
      case 'blame':
        return { kind: 'blame', ...(await blameRows(reader, ask)) };
      default:
        return assertNever(ask);
    }
  }

  #stepsOf(branch: number): number {
    const found = this.#options.reader.branches.find(({ id }) => id === branch);
    if (found === undefined) throw new RangeError(`There is no branch ${branch} in this trace.`);
    return found.steps;
  }

  async #rows(ask: Extract<PageAsk, { kind: 'rows' }>): Promise<PanelAnswer> {
    const { reader } = this.#options;
    const { branch, filter, from } = ask;
    const count = Math.min(ask.count, answerLimit);
    const total = this.#stepsOf(branch);
    if (filter === 'all') {
      const to = Math.min(from + count, total);
      const rows = Array.from({ length: Math.max(to - from, 0) }, (_, index) =>
        stepRow(reader, branch, from + index),
      );
      return { kind: 'rows', branch, filter, from, total, rows };
    }
    const steps = await this.#matches.of(branch, filter);
    const rows = steps.slice(from, from + count).map((step) => stepRow(reader, branch, step));
    return { kind: 'rows', branch, filter, from, total: steps.length, rows };
  }

  /** @returns the step and its place among those that pass the filter */
  async #find({
    branch,
    step,
    filter,
    direction,
  }: Extract<PageAsk, { kind: 'find' }>): Promise<{ step: number; index: number } | undefined> {
    const total = this.#stepsOf(branch);
    if (filter === 'all') {
      const wanted = direction === 'next' ? step + 1 : direction === 'previous' ? step - 1 : step;
      const found = direction === 'nearest' ? Math.min(wanted, total - 1) : wanted;
      return found >= 0 && found < total ? { step: found, index: found } : undefined;
    }
    const steps = await this.#matches.of(branch, filter);
    const from = firstFrom(steps, direction === 'next' ? step + 1 : step);
    const index =
      direction === 'previous' ? from - 1 : direction === 'next' ? from : nearest(steps, step, from);
    const found = steps[index];
    return found === undefined ? undefined : { step: found, index };
  }
}

/** Of the two matches around a step the nearer one. */
function nearest(steps: readonly number[], step: number, from: number): number {
  const after = steps[from];
  const before = steps[from - 1];
  if (after === undefined) return from - 1;
  return before !== undefined && step - before < after - step ? from - 1 : from;
}
