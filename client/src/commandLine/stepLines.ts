/** One step of a run for a reader: what it saw, what was rejected and why, what it wrote and did, what it cost. */

import { printable, printableLine } from '../../../schemas/text/printable';
import type { PhaseReport } from '../runtime/execution';
import type { RunState } from '../runtime/runState';
import { costPart, spendingDetail, spendingOf } from '../runtime/spending';
import { formatChange, stateChanges } from '../runtime/stateChanges';
import type { Paint } from './paint';
import type { StepTokens } from './tokenGraph';

/** How many changes of one merge are listed. */
const shownChanges = 20;

/** Gathers the phases of a step and gives its lines when it is over. */
export class StepLines {
  readonly #paint: Paint;
  readonly #horizon: number | undefined;
  readonly #isFree: boolean;
  #warnings: string[] = [];

  /** @param options.isFree whether nobody charges for the model */
  constructor(options: {
    readonly paint: Paint;
    readonly horizon: number | undefined;
    readonly isFree: boolean;
  }) {
    this.#isFree = options.isFree;
    this.#paint = options.paint;
    this.#horizon = options.horizon;
  }

  /** The lines that a phase adds; printed at once, so that a slow step shows as it goes. */
  add(report: PhaseReport): readonly string[] {
    const { dim, bold, red, yellow } = this.#paint;
    const { before } = report;
    const lines: string[] = [];
    for (const record of report.records) {
      if (record.kind === 'step') {
        const progress = this.#horizon === undefined ? '' : dim(` of ${this.#horizon}`);
        lines.push('', `${bold(`t=${record.step}`)}${progress}`, ...labelled('O', before.observation));
      } else if (record.kind === 'rejection') {
        const where = record.pointer === undefined ? '' : ` at ${record.pointer || '(root)'}`;
        lines.push(
          red(
            `   ✗ attempt ${record.attempt} rejected, ${record.class}${printableLine(where)}: ${printableLine(record.message)}`,
          ),
        );
        if (record.exhausted) lines.push(red(`   ✗ retries exhausted: ${record.exhausted}`));
      } else if (record.kind === 'warning') {
        this.#warnings.push(yellow(`   ! ${record.class}: ${printableLine(record.message)}`));
      } else if (record.kind === 'intent') {
        lines.push(`   ${dim('a')}  ${bold(printableLine(record.action))}`);
      } else if (record.kind === 'outcome' && !record.accepted && !record.skipped) {
        lines.push(yellow('      refused by the environment'));
      }
    }
    lines.push(...this.#changes(report));
    if (endsStep(report)) {
      lines.push(...this.#warnings, dim(`   ${tokenText(before, this.#isFree)}`));
      this.#warnings = [];
    }
    return lines;
  }

  #changes({ before, after, records }: PhaseReport): readonly string[] {
    const { dim, change } = this.#paint;
    const writers = records.flatMap((record) => (record.kind === 'commit' ? [record.by] : []));
    if (writers.length === 0) return [];
    const changes = stateChanges(before.state, after.state);
    const shown = changes
      .slice(0, shownChanges)
      .map((entry) => `   ${dim('Σ')}  ${change(formatChange(entry))}`);
    if (changes.length > shown.length) shown.push(dim(`      … and ${changes.length - shown.length} more`));
    if (writers.includes('environment') && changes.length > 0)
      shown.push(dim('      with facts from the environment'));
    return shown;
  }
}

/** Whether a phase was the last of its step. */
export function endsStep({ before, after }: PhaseReport): boolean {
  return after.totals.steps > before.totals.steps;
}

/** The tokens of a step that is over, its attempts added up. */
export function stepTokens(run: RunState): StepTokens {
  const sum = (count: (attempt: RunState['attempts'][number]) => number) =>
    run.attempts.reduce((total, attempt) => total + count(attempt), 0);
  return {
    step: run.step,
    instructions: sum(({ tokens }) => tokens.split.instructions),
    state: sum(({ tokens }) => tokens.split.state),
    observation: sum(({ tokens }) => tokens.split.observation),
    scaffold: sum(({ tokens }) => tokens.split.scaffold),
    output: sum(({ tokens }) => tokens.completion),
    retries: Math.max(0, run.attempts.length - 1),
  };
}

function tokenText(run: RunState, isFree: boolean): string {
  const spending = spendingOf(run.attempts);
  const attempts = run.attempts.length > 1 ? ` in ${run.attempts.length} attempts` : '';
  const tokens = `tokens ${spending.prompt} + ${spending.completion} (${spendingDetail(spending) || 'none'})`;
  return `${tokens}${attempts}, Σ ${JSON.stringify(run.state).length} characters${costPart(spending, isFree)}`;
}

function labelled(label: string, text: string): readonly string[] {
  return printable(text)
    .split('\n')
    .map((line, index) => `   ${index === 0 ? label : ' '}  ${line}`);
}
