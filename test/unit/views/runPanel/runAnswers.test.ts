import { describe, expect, it } from 'vitest';
import { RunAnswers } from '../../../../client/src/views/runPanel/runAnswers';
import { StepMatches } from '../../../../client/src/views/runPanel/stepMatches';
import { answerLimit, isPanelMessage } from '../../../../schemas/messages/runPanelMessages';
import { syntheticRun } from '../../../support/syntheticRun';

function answersOf(steps: number) {
  return new RunAnswers({
    reader: syntheticRun(steps),
    pause: async () => {},
    ruleNames: async () => () => undefined,
    requests: async () => [],
  });
}

describe('what the page is answered', () => {
  it('bars of the wanted size, the last one shorter, that hold all steps', async () => {
    const answer = await answersOf(1_234).answer({ kind: 'bins', branch: 0, from: 0, to: 2_000, size: 100 });
    if (answer.kind !== 'bins') throw new Error(answer.kind);
    expect(answer.bins.map(({ from, to }) => to - from)).toEqual([
      ...Array.from({ length: 12 }, () => 100),
      34,
    ]);
    expect(answer.bins.reduce((sum, { rejections }) => sum + rejections, 0)).toBe(112);
    expect(answer.before).toBe(0);
  });

  it('no more than an answer may hold', async () => {
    const answers = answersOf(20_000);
    const bins = await answers.answer({ kind: 'bins', branch: 0, from: 0, to: 20_000, size: 1 });
    const rows = await answers.answer({ kind: 'rows', branch: 0, filter: 'all', from: 0, count: 1e9 });
    for (const answer of [bins, rows]) expect(isPanelMessage({ type: 'answer', id: 0, answer })).toBe(true);
    expect(bins.kind === 'bins' && bins.bins.length).toBe(answerLimit);
    expect(rows.kind === 'rows' && rows.rows.length).toBe(answerLimit);
  });

  it('lines of the steps that pass a filter, by their place among those', async () => {
    const answer = await answersOf(1_000).answer({
      kind: 'rows',
      branch: 0,
      filter: 'rejections',
      from: 10,
      count: 3,
    });
    if (answer.kind !== 'rows') throw new Error(answer.kind);
    expect(answer.rows.map(({ step }) => step)).toEqual([113, 124, 135]);
    expect(answer.total).toBe(91);
  });

  it.each([
    ['next', 'rejections', 14, { step: 25, index: 2 }],
    ['previous', 'rejections', 14, { step: 3, index: 0 }],
    ['nearest', 'rejections', 13, { step: 14, index: 1 }],
    ['nearest', 'rejections', 999, { step: 993, index: 90 }],
    ['next', 'rejections', 993, undefined],
    ['previous', 'all', 0, undefined],
    ['next', 'all', 998, { step: 999, index: 999 }],
    ['next', 'all', 999, undefined],
  ] as const)('the %s step that passes %s, from %i', async (direction, filter, step, found) => {
    expect(await answersOf(1_000).answer({ kind: 'find', branch: 0, step, filter, direction })).toEqual({
      kind: 'find',
      found,
    });
  });

  it('nothing of a branch that there isn’t', async () => {
    await expect(answersOf(5).answer({ kind: 'bins', branch: 7, from: 0, to: 5, size: 1 })).rejects.toThrow(
      'There is no branch 7 in this trace.',
    );
  });

  it('a detail that is a message of ours', async () => {
    const answer = await answersOf(5).answer({ kind: 'detail', branch: 0, step: 3 });
    expect(isPanelMessage({ type: 'answer', id: 1, answer })).toBe(true);
  });
});

describe('matches of a run that goes on', () => {
  it('are found as it grows, the last step anew', async () => {
    let steps = 4;
    let warned = false;
    const whole = syntheticRun(20_000);
    const reader = {
      get branches() {
        return [{ id: 0, parent: undefined, steps, ownFrom: 0, end: undefined, skill: undefined }];
      },
      bins: (branch: number, from: number, to: number, count: number) =>
        whole
          .bins(branch, from, to, count)
          .map((bin) => (bin.from === 6 && warned ? { ...bin, warnings: 1 } : bin)),
    };
    let pauses = 0;
    const matches = new StepMatches(reader, async () => {
      pauses += 1;
    });
    expect(await matches.of(0, 'either')).toEqual([3]);
    steps = 7;
    expect(await matches.of(0, 'either')).toEqual([3, 5]);
    warned = true;
    expect(await matches.of(0, 'either')).toEqual([3, 5, 6]);
    warned = false;
    expect(await matches.of(0, 'either')).toEqual([3, 5]);
    steps = 20_000;
    const [one, other] = await Promise.all([matches.of(0, 'rejections'), matches.of(0, 'rejections')]);
    expect(one).toBe(other);
    expect(one).toHaveLength(1_818);
    expect(pauses).toBeGreaterThan(2);
  });
});
