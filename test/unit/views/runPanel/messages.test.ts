import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noTotals } from '../../../../client/src/runtime/totals';
import { runOverview } from '../../../../client/src/views/runPanel/runOverview';
import { branchLimit, isPageMessage, isPanelMessage } from '../../../../schemas/messages/runPanelMessages';
import { isCount, listOf, objectOf, optional } from '../../../../schemas/messages/shape';

describe('the messages of the page', () => {
  it.each([
    { type: 'ready' },
    { type: 'ready', run: '/a.skilltrace.jsonl' },
    { type: 'ask', id: 1, ask: { kind: 'bins', branch: 0, from: 0, to: 100, size: 1 } },
    { type: 'ask', id: 2, ask: { kind: 'find', branch: 0, step: 3, filter: 'either', direction: 'next' } },
    { type: 'act', action: { kind: 'goTo', branch: 0, step: 3 } },
    { type: 'act', action: { kind: 'open', branch: 0, step: 3, document: 'prompt', attempt: 2 } },
  ])('are known: %j', (message) => {
    expect(isPageMessage(message)).toBe(true);
  });

  it.each([
    undefined,
    null,
    [],
    { type: 'ask', id: 1 },
    { type: 'ask', id: -1, ask: { kind: 'detail', branch: 0, step: 0 } },
    { type: 'ask', id: 1, ask: { kind: 'detail', branch: 0, step: 0.5 } },
    { type: 'ask', id: 1, ask: { kind: 'detail', branch: 0, step: Number.POSITIVE_INFINITY } },
    { type: 'act', action: { kind: 'open', branch: 0, step: 3, document: '/etc/passwd' } },
    { type: 'act', action: { kind: 'run', command: 'x' } },
    Object.create({ type: 'ready' }),
  ])('are nothing else: %j', (message) => {
    expect(isPageMessage(message)).toBe(false);
  });

  it('are judged whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(typeof isPageMessage(value)).toBe('boolean');
        expect(typeof isPanelMessage(value)).toBe('boolean');
      }),
    );
  });
});

describe('the overview of a run', () => {
  it('is a message that the page takes, however many branches and problems there are', () => {
    const branches = Array.from({ length: branchLimit + 50 }, (_, id) => ({
      id,
      parent: id === 0 ? undefined : { branch: id - 1, step: 0 },
      steps: 1,
      ownFrom: 0,
      end: undefined,
      skill: undefined,
    }));
    const problems = Array.from({ length: 200 }, (_, line) => ({
      code: 'trace.not-json' as const,
      line,
      offset: 0,
      message: 'The line is not JSON.',
    }));
    const progress = { bytesRead: 10, bytes: 10, complete: true };
    const overview = runOverview({
      trace: '/a.skilltrace.jsonl',
      reader: {
        header: undefined,
        branches,
        progress,
        problems,
        problemsLeftOut: 7,
        totals: () => noTotals,
        bins: () => [],
      },
      failure: 'The disk is gone.',
      session: undefined,
    });
    expect(isPanelMessage({ type: 'run', overview })).toBe(true);
    expect(overview.branches).toHaveLength(branchLimit);
    expect(overview.problems.length + overview.problemsLeftOut).toBeGreaterThanOrEqual(207);
  });
});

describe('shapes', () => {
  const guard = objectOf({ at: isCount, items: listOf(isCount, 2), note: optional(isCount) });

  it('take what fits and leave out what is missing', () => {
    expect(guard({ at: 1, items: [], other: 'x' })).toBe(true);
    expect(guard({ at: 1, items: [1, 2, 3] })).toBe(false);
    expect(guard({ at: 1, items: [1], note: 'x' })).toBe(false);
  });

  it('look at own properties alone', () => {
    const polluted = Object.assign(Object.create({ at: 1 }), { items: [] });
    expect(guard(polluted)).toBe(false);
    expect(objectOf({ constructor: isCount })({})).toBe(false);
  });
});
