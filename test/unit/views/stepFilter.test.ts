/** Which steps a filter finds, and that a search goes on where a run does. */
import { describe, expect, it } from 'vitest';
import {
  judgeStep,
  judgeSummary,
  parseStatePath,
  type SearchedRun,
  type StepFilter,
  StepSearch,
} from '../../../client/src/views/steps/stepFilter';
import { recordedStep, stepSummary } from './recordedSteps';

const pause = async () => undefined;

describe('parseStatePath', () => {
  it.each([
    ['inventory.shelf_1', ['inventory', 'shelf_1']],
    ['state.tasks[0].title', ['tasks', '0', 'title']],
    ['state', ['state']],
    [' /a~1b/0 ', ['a/b', '0']],
    ['state["a b"].c', ['a b', 'c']],
    ["['x']", ['x']],
  ])('reads %s', (text, path) => {
    expect(parseStatePath(text)).toEqual(path);
  });

  it.each(['', 'a b', 'a..b', 'a.', '[x]', 'a[0'])('refuses %j', (text) => {
    expect(parseStatePath(text)).toBeUndefined();
  });
});

describe('a filter', () => {
  const patched = recordedStep({
    patch: { inventory: { shelf_1: null }, log: ['x'] },
    observation: 'Order of item_7.',
  });

  it.each([
    ['inventory', true],
    ['inventory.shelf_1', true],
    ['inventory.shelf_2', false],
    ['inventory.shelf_1.size', true],
    ['log[0]', true],
    ['other', false],
    ['constructor', false],
  ])('finds who wrote %s: %s', (text, expected) => {
    const path = parseStatePath(text) ?? [];
    expect(judgeStep({ kind: 'path', path, text }, patched)).toBe(expected);
  });

  it('looks into the records for a text that the summary does not have', () => {
    const filter: StepFilter = { kind: 'text', text: 'ITEM_7' };
    expect(judgeSummary(filter, stepSummary({ action: 'Ship item_7 shelf_1' }), () => true)).toBe('yes');
    expect(judgeSummary(filter, stepSummary({ action: 'Wait' }), () => true)).toBe('look');
    expect(judgeStep(filter, patched)).toBe(true);
    expect(judgeStep({ kind: 'text', text: 'item_8' }, patched)).toBe(false);
  });

  it('knows rejected replies and warnings by the summary', () => {
    expect(judgeSummary({ kind: 'rejected' }, stepSummary({ rejections: 1 }), () => true)).toBe('yes');
    expect(judgeSummary({ kind: 'rejected' }, stepSummary({}), () => true)).toBe('no');
    expect(judgeSummary({ kind: 'warnings' }, stepSummary({ warnings: 2 }), () => true)).toBe('yes');
  });
});

describe('StepSearch', () => {
  it('finds steps as they come, and looks again at one that was not finished', async () => {
    const rejections = [1, 0, 1, 0];
    let steps = 2;
    let running = true;
    const run: SearchedRun = {
      get branches() {
        return [{ id: 0, parent: undefined, steps, ownFrom: 0, end: undefined, skill: undefined }];
      },
      summary: (_branch, step) =>
        stepSummary({
          step,
          rejections: rejections[step] ?? 0,
          status: running && step === steps - 1 ? 'running' : 'accepted',
        }),
      step: async () => recordedStep({ patch: {}, observation: '' }),
      mayWrite: () => true,
    };
    const search = new StepSearch(run, 0, 0, { kind: 'rejected' });
    const { signal } = new AbortController();
    expect(await search.goOn(pause, signal)).toBe(true);
    expect(search.found).toEqual([0]);
    rejections[1] = 1;
    steps = 4;
    await search.goOn(pause, signal);
    expect(search.found).toEqual([0, 1, 2]);
    rejections[3] = 1;
    running = false;
    await search.goOn(pause, signal);
    expect(search.found).toEqual([0, 1, 2, 3]);
    expect(await search.goOn(pause, signal)).toBe(false);
  });

  it('finds nothing twice where two ask for the same at once', async () => {
    const run: SearchedRun = {
      branches: [{ id: 0, parent: undefined, steps: 5, ownFrom: 0, end: undefined, skill: undefined }],
      summary: (_branch, step) => stepSummary({ step, action: 'Wait' }),
      step: async () => recordedStep({ patch: {}, observation: 'Order of item_7.' }),
      mayWrite: () => true,
    };
    const search = new StepSearch(run, 0, 0, { kind: 'text', text: 'item_7' });
    const { signal } = new AbortController();
    await Promise.all([search.goOn(pause, signal), search.goOn(pause, signal)]);
    expect(search.found).toEqual([0, 1, 2, 3, 4]);
  });
});
