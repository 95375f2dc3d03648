import { describe, expect, it } from 'vitest';
import { attemptCost, costOf } from '../../../client/src/runtime/cost';
import { costPart, spendingDetail, spendingOf } from '../../../client/src/runtime/spending';
import type { AttemptTokens } from '../../../client/src/runtime/tokens';

const split = { instructions: 0, state: 0, observation: 0, scaffold: 0 };
const price = { prompt: 2, completion: 8, cached: 0.5 };

describe('what an attempt costs', () => {
  const tokens = { prompt: 1_000_000, completion: 500_000, source: 'reported' } as const;

  it('has its own price for the cached part', () => {
    expect(attemptCost(tokens, price)).toBe(6);
    expect(attemptCost({ ...tokens, cached: 400_000 }, price)).toBeCloseTo(1.2 + 0.2 + 4, 12);
    expect(attemptCost({ ...tokens, cached: 400_000 }, { prompt: 2, completion: 8 })).toBe(6);
  });

  it('counts no more as cached than there is', () => {
    expect(attemptCost({ ...tokens, cached: 2_000_000 }, price)).toBeCloseTo(0.5 + 4, 12);
  });

  it('needs the written part where that has a price', () => {
    const written = { ...price, cacheWritten: 2.5 };
    expect(attemptCost(tokens, written)).toBeUndefined();
    expect(attemptCost({ ...tokens, cacheWritten: 0 }, written)).toBe(6);
    expect(attemptCost({ ...tokens, cached: 200_000, cacheWritten: 300_000 }, written)).toBeCloseTo(
      0.5 * 2 + 0.2 * 0.5 + 0.3 * 2.5 + 4,
      12,
    );
  });

  it('is unknown without a price, and for prompts that the price does not hold for', () => {
    expect(attemptCost(tokens, undefined)).toBeUndefined();
    expect(attemptCost(tokens, { ...price, largestPrompt: 999_999 })).toBeUndefined();
    expect(attemptCost(tokens, { ...price, largestPrompt: 1_000_000 })).toBe(6);
  });

  it('is bounded by the dearest rate where it is unknown and a price is known', () => {
    const written = { ...price, cacheWritten: 2.5 };
    expect(costOf({ ...tokens, cached: 900_000 }, written)).toEqual({ costAtMost: 2.5 + 4 });
    expect(costOf({ ...tokens, cacheWritten: 0 }, written)).toEqual({ cost: 6 });
    // Whoever writes a table may have the cheap part dear.
    expect(costOf(tokens, { ...written, cached: 3 })).toEqual({ costAtMost: 3 + 4 });
    expect(costOf(tokens, undefined)).toEqual({});
    expect(costOf(tokens, { ...written, largestPrompt: 999_999 })).toEqual({});
  });

  it('is nothing only where the price is', () => {
    expect(attemptCost(tokens, { prompt: 0, completion: 0 })).toBe(0);
  });
});

describe('what attempts use together', () => {
  const attempt = (tokens: Partial<AttemptTokens>, cost?: number) => ({
    tokens: { prompt: 100, completion: 10, source: 'reported', split, ...tokens } as const,
    cost,
  });

  it('tells reported from estimated, and both from a mixture', () => {
    expect(spendingOf([])).toMatchObject({ source: undefined, cost: 0 });
    expect(spendingOf([attempt({})]).source).toBe('reported');
    expect(spendingOf([attempt({ source: 'estimated' })])).toMatchObject({
      source: 'estimated',
      estimated: 110,
    });
    const mixed = spendingOf([attempt({ cached: 50 }, 1), attempt({ source: 'estimated', thinking: 4 })]);
    expect(mixed).toEqual({
      prompt: 200,
      completion: 20,
      cached: 50,
      thinking: 4,
      failed: 0,
      source: 'mixed',
      estimated: 110,
      byExtension: 0,
      cost: undefined,
      knownCost: 1,
      costAtMost: undefined,
    });
    expect(spendingDetail(mixed)).toBe('110 of them estimated, 25 % of the prompt cached, 4 thinking');
    expect(costPart(mixed, false)).toBe(' · at least ≈$1.00');
  });

  it('says that a cost is unknown, but of models that nobody charges for', () => {
    expect(costPart(spendingOf([attempt({})]), false)).toBe(' · cost unknown');
    expect(costPart(spendingOf([attempt({})]), true)).toBe('');
    expect(costPart(spendingOf([]), false)).toBe('');
    expect(costPart(spendingOf([attempt({}, 0)]), false)).toBe(' · $0.00');
    expect(costPart(spendingOf([attempt({}, 0.5), attempt({}, 0.25)]), true)).toBe(' · $0.75');
  });

  it('says what a cost is at most, those of requests that failed among it', () => {
    const bounded = { ...attempt({}), costAtMost: 0.5 };
    const failed = {
      class: 'server-error',
      message: '',
      tokens: { prompt: 1, completion: 1 },
      costAtMost: 0.25,
    } as const;
    expect(costPart(spendingOf([bounded]), false)).toBe(' · at most $0.50');
    expect(costPart(spendingOf([bounded, attempt({}, 0.25)]), false)).toBe(' · between $0.25 and $0.75');
    expect(costPart(spendingOf([{ ...bounded, failures: [failed] }], [failed]), false)).toBe(
      ' · at most $1.00',
    );
    expect(costPart(spendingOf([bounded, attempt({})]), false)).toBe(' · cost unknown');
    expect(costPart(spendingOf([bounded, attempt({}), attempt({}, 0.25)]), false)).toBe(' · at least $0.25');
  });
});
