/** What the views make of a long recorded run with branches, read by the trace reader itself. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { TraceReader } from '../../../client/src/runtime/traceReader';
import { compareRuns } from '../../../client/src/views/comparison/runComparison';
import type { TraceDocument } from '../../../client/src/views/documents/traceDocument';
import { recordedFiles, traceText } from '../../../client/src/views/documents/traceTexts';
import { StepSearch } from '../../../client/src/views/steps/stepFilter';
import { type OutlineNode, StepsOutline } from '../../../client/src/views/steps/stepsOutline';
import { describeStep } from '../../../client/src/views/steps/stepTexts';
import { isJsonObject } from '../../../schemas/json/jsonValue';
import { formatRecord } from '../../../schemas/trace/trace';
import { longTrace } from '../../support/longTrace';
import { readerOf } from '../../support/memoryTrace';

const pause = async () => undefined;
const { signal } = new AbortController();
let reader: TraceReader;

beforeAll(async () => {
  let text = '';
  const forks = [
    { step: 120, at: 'act', steps: 40 },
    { step: 300, at: 'start', steps: 5 },
  ] as const;
  for await (const record of longTrace({ steps: 350, seed: 3, forks })) text += formatRecord(record);
  reader = await readerOf(text);
});

describe('the tree', () => {
  it('reaches every step of every branch', () => {
    const outline = new StepsOutline(reader.branches, 1);
    const steps = new Map<number, number>();
    const open: OutlineNode[] = [...outline.roots()];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.kind === 'step') {
        const { branch } = node.list;
        const { label } = describeStep(reader.summary(branch, node.step), { isHere: false, isFree: true });
        expect(label.startsWith(`${node.step}  `)).toBe(true);
        steps.set(branch, (steps.get(branch) ?? 0) + 1);
      }
      for (const child of outline.children(node)) open.push(child);
    }
    // Branch 1 from its beginning, the rest of the original from the step that it leaves, and the fork of that.
    expect(Object.fromEntries(steps)).toEqual({ 0: 350 - 120, 1: 160, 2: 5 });
  });
});

describe('a search', () => {
  it('finds the rejected replies that the summaries tell of', async () => {
    const search = new StepSearch(reader, 0, 0, { kind: 'rejected' });
    await search.goOn(pause, signal);
    const expected = Array.from({ length: 350 }, (_, step) => step).filter(
      (step) => reader.summary(0, step).rejections > 0,
    );
    expect(expected.length).toBeGreaterThan(10);
    expect(search.found).toEqual(expected);
  });

  it('finds who wrote a shelf by the records, and none that did not', async () => {
    const [, key = ''] = Object.keys((await reader.stateAt(0, 350)).inventory ?? {});
    const search = new StepSearch(reader, 0, 0, { kind: 'path', path: ['inventory', key], text: key });
    await search.goOn(pause, signal);
    expect(search.found.length).toBeGreaterThan(0);
    for (let step = 0; step < 350; step++) {
      const { commits } = await reader.step(0, step);
      const wrote = commits.some(
        ({ patch: { inventory } }) => isJsonObject(inventory) && Object.hasOwn(inventory, key),
      );
      expect(search.found.includes(step)).toBe(wrote);
    }
  });
});

describe('texts', () => {
  it('are the recorded ones', async () => {
    const step =
      Array.from({ length: 350 }, (_, at) => at).find((at) => reader.summary(0, at).attempts > 1) ?? 0;
    const recorded = await reader.step(0, step);
    const text = (part: TraceDocument['part'], attempt?: number) =>
      traceText(reader, { trace: 'a', branch: 0, step, part, attempt });
    expect(await text('reply', 1)).toBe(recorded.attempts[0]?.record.reply);
    expect(await text('observation')).toBe(recorded.observation);
    const prompt = await text('prompt', 2);
    expect(prompt).toContain(recorded.observation);
    expect(prompt).toContain(recorded.attempts[1]?.record.prompt.correction ?? 'no correction');
    expect(JSON.parse(await text('state'))).toEqual(await reader.stateAt(0, step));
  });

  it('come from the skill of the run', () => {
    expect(recordedFiles(reader, 1, 130)).toBe(reader.header?.skill.files);
  });
});

describe('a comparison', () => {
  it('finds the step in which branches part', async () => {
    const sides = [0, 1].map((branch) => ({ reader, branch }));
    const [left, right] = sides;
    if (left === undefined || right === undefined) return;
    const { first, left: outcome } = await compareRuns(left, right, { pause, signal });
    expect(first?.step).toBeGreaterThanOrEqual(120);
    expect(first?.step).toBeLessThan(125);
    expect(outcome.steps).toBe(350);
  });
});
