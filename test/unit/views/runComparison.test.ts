/** Two runs beside each other: where they part, and how that reads. */
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import type { TraceReader } from '../../../client/src/runtime/traceReader';
import { comparisonText } from '../../../client/src/views/comparison/comparisonText';
import { compareRuns } from '../../../client/src/views/comparison/runComparison';
import type { EditRecord } from '../../../schemas/trace/trace';
import { memoryReader, type WrittenStep } from './recordedSteps';

const first: readonly WrittenStep[] = [
  { patch: { a: 1 }, action: 'Store item_1 shelf_0' },
  { patch: { b: { c: 1, d: 2 } }, action: 'Store item_2 shelf_1' },
  { patch: { a: null }, action: 'Ship item_1 shelf_0' },
];

function compare(left: TraceReader, right: TraceReader, branches: readonly [number, number] = [0, 0]) {
  return compareRuns(
    { reader: left, branch: branches[0] },
    { reader: right, branch: branches[1] },
    { pause: async () => undefined, signal: new AbortController().signal },
  );
}

/** The same run, standing before the merge of one of its steps. */
function unfinishedAt(last: number, reader: TraceReader): TraceReader {
  return {
    ...reader,
    summary: (branch, step) => ({
      ...reader.summary(branch, step),
      status: step === last ? 'running' : 'accepted',
    }),
    step: async (branch, step) => ({
      ...(await reader.step(branch, step)),
      ...(step === last && { commits: [], intent: undefined, outcome: undefined }),
    }),
  };
}

describe('compareRuns', () => {
  it('finds runs alike whose patches have their keys in another order', async () => {
    const other = first.map((step, index) =>
      index === 1 ? { ...step, patch: { b: { d: 2, c: 1 } } } : step,
    );
    const { first: difference, steps } = await compare(
      memoryReader([{ steps: first }]),
      memoryReader([{ steps: other }]),
    );
    expect(difference).toBeUndefined();
    expect(steps).toEqual([]);
  });

  it('names the first step that differs, and how the states differ after it', async () => {
    const other = [first[0] ?? {}, { patch: { b: { c: 9 } }, action: 'Wait' }, ...first.slice(2)];
    const { first: difference, steps } = await compare(
      memoryReader([{ steps: first }]),
      memoryReader([{ steps: other }]),
    );
    expect(difference).toEqual({ step: 1, aspects: ['patch', 'action'] });
    expect(steps.map(({ step, changes }) => [step, changes?.map(({ pointer }) => pointer)])).toEqual([
      [1, ['/b/c', '/b/d']],
      [2, ['/b/c', '/b/d']],
    ]);
  });

  it('says which run has ended first', async () => {
    const comparison = await compare(
      memoryReader([{ steps: first }]),
      memoryReader([{ steps: first.slice(0, 2) }]),
    );
    expect(comparison.first).toEqual({ step: 2, aspects: [] });
    expect(comparison.steps).toMatchObject([{ step: 2, right: undefined, changes: undefined }]);
    expect(comparisonText(comparison, { left: 'a', right: 'b' }).text).toContain(
      'Until step 2 the runs are alike. There the right one has ended.',
    );
  });

  it('compares a step that is not finished as far as it has come', async () => {
    const left = memoryReader([{ steps: first }]);
    expect((await compare(left, unfinishedAt(2, left))).first).toBeUndefined();
  });

  it('finds a change by hand where the other run has not finished the step', async () => {
    const recorded = memoryReader([{ steps: first }]);
    const chain = { id: 99, parent: 98, branch: 0, time: 0 };
    const edit: EditRecord = {
      kind: 'edit',
      ...chain,
      step: 2,
      phase: 'observe',
      target: 'state',
      pointer: '/a',
      value: 7,
    };
    const changed: TraceReader = {
      ...recorded,
      step: async (branch, step) => ({
        ...(await recorded.step(branch, step)),
        ...(step === 2 && { edits: [edit] }),
      }),
    };
    expect((await compare(unfinishedAt(2, recorded), changed)).first).toEqual({
      step: 2,
      aspects: ['patch'],
    });
  });

  it('reads of two branches nothing that they share', async () => {
    const reader = memoryReader([
      { steps: first },
      { parent: { branch: 0, step: 1 }, steps: [first[1] ?? {}, { action: 'Wait' }] },
      { parent: { branch: 1, step: 2 }, steps: [{ action: 'Move item_2 shelf_1 shelf_0' }] },
    ]);
    const asked: number[] = [];
    const watched: TraceReader = {
      ...reader,
      step: (branch, step) => {
        asked.push(step);
        return reader.step(branch, step);
      },
    };
    const comparison = await compare(watched, watched, [0, 2]);
    expect(comparison.first).toEqual({ step: 2, aspects: ['patch', 'action'] });
    expect(Math.min(...asked)).toBe(1);
  });

  it('ends when it is cancelled', async () => {
    const aborted = AbortSignal.abort();
    const run = { reader: memoryReader([{ steps: first }]), branch: 0 };
    await expect(compareRuns(run, run, { pause: async () => undefined, signal: aborted })).rejects.toThrow();
  });

  it('compares no more steps one by one than anybody reads', async () => {
    const steps = Array.from({ length: 500 }, (_, index) => ({ patch: { n: index } }));
    const other = steps.map(({ patch }) => ({ patch: { n: patch.n + 1 } }));
    const comparison = await compare(memoryReader([{ steps }]), memoryReader([{ steps: other }]));
    expect(comparison.steps).toHaveLength(100);
    expect(comparison.stepsLeftOut).toBe(400);
  });
});

describe('comparisonText', () => {
  it('is a text whose links stand where it says', async () => {
    const hostile = [{ patch: { a: '`<b>|x' }, action: '<img src=x>`|`\n# Heading' }];
    const comparison = await compare(
      memoryReader([{ steps: first }]),
      memoryReader([{ steps: [...hostile, ...first.slice(1)] }]),
    );
    const { text, links } = comparisonText(comparison, { left: 'left.jsonl', right: 'right.jsonl' });
    expect(text.match(/^## .*/gm)).toEqual([
      '## First difference',
      '## Result',
      '## Made with',
      '## Step by step',
    ]);
    const lines = text.split('\n');
    expect(links.map(({ line, start, end, step }) => [lines[line]?.slice(start, end), step])).toEqual([
      ['Σ_1 left ↔ right', 1],
      ['0', 1],
      ['1', 2],
      ['2', 3],
    ]);
    const cells = (start: string) =>
      lines
        .find((line) => line.startsWith(`| ${start} `))
        ?.split('|')
        .map((cell) => cell.trim());
    expect(cells('0')).toEqual([
      '',
      '0',
      '`Store item_1 shelf_0`',
      '`<img src=x>ˋ¦ˋ\\u000a# Heading`',
      '`/a`',
      '150',
      '150',
      '',
    ]);
    expect(cells('tokens')).toEqual(['', 'tokens', '450', '450', '']);
    const columns = ['steps', 'tokens', 'cost'].map((name) =>
      lines.find((line) => line.startsWith(`| ${name} `))?.indexOf('|', 2),
    );
    expect(new Set(columns).size).toBe(1);
  });

  it('names the action that a step has chosen and not executed yet', async () => {
    const left = memoryReader([{ steps: first }]);
    const other = memoryReader([{ steps: [{ patch: { a: 2 }, action: 'Wait' }] }]);
    const right: TraceReader = {
      ...other,
      summary: (branch, step) => ({
        ...other.summary(branch, step),
        status: 'running',
        action: undefined,
        chosen: 'Ship item_9 shelf_3',
      }),
    };
    const { text } = comparisonText(await compare(left, right), { left: 'a', right: 'b' });
    expect(text).toContain('`Ship item_9 shelf_3` (not finished)');
  });

  it('is no markup in a Markdown view, whatever a model wrote', async () => {
    const markup = '<img src=x> ![x](https://example.invalid/x.png)';
    const steps = [{ patch: { a: markup, [markup]: 1 }, action: markup }];
    const comparison = await compare(memoryReader([{ steps: first }]), memoryReader([{ steps }]));
    const { text } = comparisonText(comparison, { left: markup, right: markup });
    const html = new MarkdownIt({ html: true, linkify: true }).render(text);
    expect(text).toContain('<img src=x>');
    expect(html).not.toMatch(/<img|<a /);
  });
});
