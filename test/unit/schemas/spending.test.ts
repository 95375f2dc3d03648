import { describe, expect, it } from 'vitest';
import { cachedText, costText, money, share, sourceText, tokenCount } from '../../../schemas/text/spending';

describe('who counted', () => {
  it('is said in words', () => {
    expect(sourceText('reported', 0)).toBe('reported');
    expect(sourceText('estimated', 9)).toBe('estimated');
    expect(sourceText('mixed', 1_200)).toBe('1,200 of them estimated');
    expect(sourceText('estimated', 1_500, 1_500)).toBe("estimated by the model's extension");
    expect(sourceText('estimated', 1_500, 1_200)).toBe("estimated, 1,200 by the model's extension");
    expect(sourceText('mixed', 1_500, 1_500)).toBe("1,500 of them estimated by the model's extension");
  });
});

describe('how spending reads', () => {
  it('marks what is not wholly reported', () => {
    expect(tokenCount(12_345, 'reported')).toBe('12,345');
    expect(tokenCount(12_345, 'estimated')).toBe('≈12,345');
    expect(tokenCount(12_345, 'mixed')).toBe('≈12,345');
    expect(sourceText('mixed', 1_200)).toBe('1,200 of them estimated');
    expect(sourceText('reported', 0)).toBe('reported');
  });

  it.each([
    [0, 0, '0 %'],
    [0, 10, '0 %'],
    [1, 1_000, '<1 %'],
    [5, 10, '50 %'],
    [999, 1_000, '99 %'],
    [10, 10, '100 %'],
    [12, 10, '100 %'],
  ])('has %d of %d as %s', (part, whole, text) => {
    expect(share(part, whole)).toBe(text);
  });

  it('says how much of prompts was cached', () => {
    expect(cachedText(1_024, 1_234)).toBe('1,024 cached (83 %)');
  });

  it.each([
    [0, '$0.00'],
    [0.000_423_4, '$0.000423'],
    [0.05, '$0.05'],
    [0.25, '$0.25'],
    [1, '$1.00'],
    [12.3, '$12.30'],
    [12_345.67, '$12,345.67'],
  ])('has %d US dollars as %s', (dollars, text) => {
    expect(money(dollars)).toBe(text);
  });

  it('never shows an unknown cost as nothing', () => {
    expect(costText({ knownCost: 0 })).toBe('unknown');
    expect(costText({ knownCost: 0.12 })).toBe('at least $0.12');
    expect(costText({ cost: 0, knownCost: 0 })).toBe('$0.00');
    expect(costText({ cost: 1234.5, knownCost: 1234.5 })).toBe('$1,234.50');
    expect(money(0.000_000_42)).toBe('$0.00000042');
  });

  it.each([
    [{ knownCost: 0, costAtMost: 0.15 }, 'at most $0.15'],
    [{ knownCost: 0.12, costAtMost: 0.15 }, 'between $0.12 and $0.15'],
    [{ knownCost: 0, costAtMost: 0 }, '$0.00'],
    // They read the same.
    [{ knownCost: 0.25, costAtMost: 0.251 }, '$0.25'],
    // What is known needs no bound.
    [{ cost: 0.12, knownCost: 0.12, costAtMost: 0.12 }, '$0.12'],
  ])('says of %o that it is %s', (cost, text) => {
    expect(costText(cost)).toBe(text);
    expect(costText(cost, 'mixed')).toBe(text.replaceAll('$', '≈$'));
  });
});
