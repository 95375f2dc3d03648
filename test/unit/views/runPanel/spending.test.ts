/** What the page is told of tokens and costs: of a step, of an attempt, and of a branch. */
import { describe, expect, it } from 'vitest';
import { noTotals } from '../../../../client/src/runtime/totals';
import { runOverview } from '../../../../client/src/views/runPanel/runOverview';
import { shownCost, stepRow } from '../../../../client/src/views/runPanel/stepRows';
import { sourceOfTokens } from '../../../../schemas/messages/runPanelMessages';
import { memoryReader, stepSummary } from '../recordedSteps';

const { tokens } = stepSummary({});
const header = (name: string) =>
  ({ header: { model: { name, settings: {} } } }) as Pick<
    Parameters<typeof runOverview>[0]['reader'],
    'header'
  >;

describe('costs', () => {
  const nothing = { cost: undefined, knownCost: 0 };

  it('are unknown where nobody knows, bounded where somebody does, and not there where nobody charges', () => {
    expect(shownCost(nothing, 'reported', false)).toBe('unknown');
    expect(shownCost(nothing, 'reported', true)).toBeUndefined();
    expect(shownCost({ ...nothing, knownCost: 0.5 }, 'reported', false)).toBe('at least $0.50');
    expect(shownCost({ ...nothing, costAtMost: 0.5 }, 'estimated', false)).toBe('at most ≈$0.50');
    expect(shownCost({ cost: 0, knownCost: 0 }, 'reported', true)).toBe('$0.00');
  });
});

describe('a row', () => {
  it('has what was cached and thought with, who counted, and what that cost', () => {
    const reader = memoryReader([{ steps: [{}, {}] }], {
      ...header('openai:x'),
      summary: () =>
        stepSummary({
          tokens: { ...tokens, cached: 100, thinking: 9, source: 'mixed', estimated: 40 },
          knownCost: 0.5,
        }),
      totals: () => ({ ...noTotals, promptTokens: 200, completionTokens: 50, estimatedTokens: 30 }),
    });
    const row = stepRow(reader, 0, 1);
    expect(row).toMatchObject({
      prompt: 135,
      cached: 100,
      thinking: 9,
      before: 250,
      beforeEstimated: 30,
      cost: 'at least ≈$0.50',
      tokens: { spent: 150, estimated: 40 },
    });
    expect(sourceOfTokens(row.tokens)).toBe('mixed');
    expect(sourceOfTokens({ spent: 150, estimated: 0 })).toBe('reported');
    expect(sourceOfTokens({ spent: 150, estimated: 150 })).toBe('estimated');
  });
});

describe('the overview', () => {
  it('has what each branch has spent along its line', () => {
    const reader = memoryReader([{ steps: [{}] }, { steps: [] }], {
      ...header('openai:x'),
      totals: () => ({
        ...noTotals,
        promptTokens: 1_000,
        completionTokens: 100,
        cachedTokens: 800,
        thinkingTokens: 20,
        tokenSource: 'mixed',
        estimatedTokens: 300,
        extensionTokens: 120,
        cost: undefined,
        knownCost: 0.02,
        costAtMost: 0.03,
      }),
    });
    const told = { ...reader, header: undefined };
    const { branches } = runOverview({ trace: 'a', reader: told, failure: undefined, session: undefined });
    expect(branches.map(({ spending }) => spending)).toEqual([
      {
        ...{ spent: 1_100, estimated: 300, byExtension: 120, prompt: 1_000, cached: 800, thinking: 20 },
        cost: 'between ≈$0.02 and ≈$0.03',
      },
      undefined,
    ]);
  });
});
