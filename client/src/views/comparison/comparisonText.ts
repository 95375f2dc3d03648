/** A comparison as a text in Markdown, with the places from which a person can go on. Free of VS Code. */
import { markdownTable } from '../../../../schemas/text/markdownTable';
import { printableLine } from '../../../../schemas/text/printable';
import {
  costText,
  wholeNumber as count,
  share,
  sourceText,
  tokenCount,
} from '../../../../schemas/text/spending';
import type { Totals } from '../../runtime/runState';
import { formatChange } from '../../runtime/stateChanges';
import type { StepSummary } from '../../runtime/traceReader';
import type { ComparedStep, RunComparison, RunOutcome, StepAspect } from './runComparison';

/** A stretch of a line that opens a diff of both runs' Σ_`step`. */
export interface ComparisonLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

export interface ComparisonText {
  readonly text: string;
  readonly links: readonly ComparisonLink[];
}

/** How much of an action a cell shows. */
const cellLength = 60;
/** The widest that a column is made for its cells: one of many, and one of the few of the result. */
const maxColumn = 28;
const maxResultColumn = 44;
/** How many changes of Σ are listed under the first difference. */
const listedChanges = 20;

const aspectTexts: Readonly<Record<StepAspect, string>> = {
  state: 'the state that it begins with',
  observation: 'the observation',
  patch: 'what was written into the state',
  action: 'the action',
  outcome: 'what the environment answered',
};

/** @param names of both runs, such as `warehouse.skilltrace.jsonl, branch 1` */
export function comparisonText(
  comparison: RunComparison,
  names: { readonly left: string; readonly right: string },
): ComparisonText {
  const { setup, left, right, first, steps, stepsLeftOut } = comparison;
  const lines: string[] = [];
  const links: ComparisonLink[] = [];
  const link = (prefix: string, label: string, step: number, rest: string) => {
    links.push({ line: lines.length, start: prefix.length, end: prefix.length + label.length, step });
    lines.push(`${prefix}${label}${rest}`);
  };
  lines.push(
    '# Comparison of two runs',
    '',
    `- Left: ${code(names.left)}`,
    `- Right: ${code(names.right)}`,
    '',
  );

  lines.push('## First difference', '');
  if (first === undefined) lines.push('The runs are alike in every step.', '');
  else {
    const ended = left.steps < right.steps ? 'left' : 'right';
    lines.push(
      first.aspects.length === 0
        ? `Until step ${first.step} the runs are alike. There the ${ended} one has ended.`
        : `Step ${first.step} differs in ${first.aspects.map((aspect) => aspectTexts[aspect]).join(', ')}.`,
      '',
    );
    const [step] = steps;
    if (step?.changes !== undefined) {
      link('', `Σ_${first.step + 1} left ↔ right`, first.step + 1, changesHeading(step));
      // Only behind an empty line is what is indented code, and nothing else.
      if (step.changes.length > 0) lines.push('');
      lines.push(...step.changes.slice(0, listedChanges).map((change) => `    ${formatChange(change)}`));
      if (step.changes.length > listedChanges)
        lines.push(`    … and ${count(step.changes.length - listedChanges)} more`);
      lines.push('');
    }
  }

  lines.push(
    '## Result',
    '',
    ...markdownTable(['', 'left', 'right'], outcomeRows(left, right), { widest: maxResultColumn }),
    '',
  );

  lines.push('## Made with', '');
  if (setup.length === 0) lines.push('Both were made alike.', '');
  else {
    const rows = setup.map((one) => [code(one.name), code(one.left), code(one.right)]);
    lines.push(...markdownTable(['', 'left', 'right'], rows, { widest: maxColumn }), '');
  }

  if (steps.length > 0) {
    lines.push('## Step by step', '');
    const head = ['step', 'left', 'right', 'Σ after it differs in', 'tokens left', 'right'];
    const rows = steps.map((one) => [
      String(one.step),
      actionCell(one.left),
      actionCell(one.right),
      changesCell(one),
      tokenCell(one.left),
      tokenCell(one.right),
    ]);
    for (const [index, line] of markdownTable(head, rows, { widest: maxColumn }).entries()) {
      const one = steps[index - 2];
      const label = String(one?.step);
      if (one?.changes === undefined) lines.push(line);
      else link('| ', label, one.step + 1, line.slice('| '.length + label.length));
    }
    if (stepsLeftOut > 0) lines.push('', `${count(stepsLeftOut)} more steps follow.`);
    lines.push('');
  }
  return { text: lines.join('\n'), links };
}

function changesHeading({ changes = [] }: ComparedStep): string {
  if (changes.length === 0) return ': equal.';
  return ` differs in ${count(changes.length)} ${changes.length === 1 ? 'place' : 'places'} (from left to right):`;
}

function outcomeRows(left: RunOutcome, right: RunOutcome): readonly (readonly string[])[] {
  const row = (name: string, of: (outcome: RunOutcome) => string) => [name, of(left), of(right)];
  return [
    row('steps', ({ steps }) => count(steps)),
    row('end', ({ end }) => (end === undefined ? 'none recorded' : `${end.outcome}: ${code(end.reason)}`)),
    row('score', ({ score }) =>
      score === undefined ? 'none' : `${count(score.successful)} of ${count(score.actionable)}`,
    ),
    row('tokens', ({ totals }) => tokenText(totals, totals.promptTokens + totals.completionTokens)),
    row('· of prompts', ({ totals }) => tokenText(totals, totals.promptTokens)),
    row('· of replies', ({ totals }) => tokenText(totals, totals.completionTokens)),
    row('· cached', ({ totals }) =>
      totals.cachedTokens === 0
        ? '0'
        : `${count(totals.cachedTokens)} (${share(totals.cachedTokens, totals.promptTokens)})`,
    ),
    row('· thinking', ({ totals }) => count(totals.thinkingTokens)),
    row('counted', ({ totals: { tokenSource, estimatedTokens, extensionTokens } }) =>
      tokenSource === undefined ? 'none' : sourceText(tokenSource, estimatedTokens, extensionTokens),
    ),
    row('cost', ({ totals: { tokenSource }, cost }) =>
      cost === undefined ? 'none' : costText(cost, tokenSource),
    ),
    row('rejected replies', ({ totals }) => counted(totals.rejected)),
    row('failed steps', ({ totals }) => count(totals.failedSteps)),
    row('warnings', ({ totals }) => counted(totals.warnings)),
  ];
}

function tokenText({ tokenSource }: Totals, tokens: number): string {
  return tokenCount(tokens, tokenSource ?? 'reported');
}

function counted(counts: Readonly<Record<string, number | undefined>>): string {
  const classes = Object.entries(counts).filter(([, value]) => (value ?? 0) > 0);
  const total = classes.reduce((sum, [, value]) => sum + (value ?? 0), 0);
  return total === 0
    ? '0'
    : `${count(total)} (${classes.map(([name, value]) => `${name} ${count(value ?? 0)}`).join(', ')})`;
}

function actionCell(summary: StepSummary | undefined): string {
  if (summary === undefined) return '—';
  const notes = [
    ...(summary.status === 'accepted'
      ? []
      : [summary.status === 'running' ? 'not finished' : summary.status]),
    ...(summary.rejections > 0 ? [`${summary.rejections} rejected`] : []),
    ...(summary.warnings > 0
      ? [`${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}`]
      : []),
    ...(summary.edited ? ['edited'] : []),
  ];
  const chosen = summary.action ?? summary.chosen;
  const action = chosen === undefined ? 'no action' : code(chosen);
  return notes.length === 0 ? action : `${action} (${notes.join(', ')})`;
}

function changesCell({ changes }: ComparedStep): string {
  if (changes === undefined) return '—';
  const [first] = changes;
  if (first === undefined) return 'nothing';
  const more = changes.length - 1;
  return `${code(first.pointer || '(root)')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

function tokenCell(summary: StepSummary | undefined): string {
  if (summary === undefined) return '—';
  const { source, prompt, completion } = summary.tokens;
  return tokenCount(prompt + completion, source);
}

/** What a model or a trace says, as code on one line: in no Markdown view does it become markup. */
function code(text: string): string {
  const plain = printableLine(text).replaceAll('`', 'ˋ').replaceAll('|', '¦');
  return `\`${plain.length > cellLength ? `${plain.slice(0, cellLength - 1)}…` : plain || ' '}\``;
}
