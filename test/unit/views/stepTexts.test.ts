/** How a step reads, to the eye and to a screen reader. */
import { describe, expect, it } from 'vitest';
import { describeStep } from '../../../client/src/views/steps/stepTexts';
import { stepSummary } from './recordedSteps';

describe('describeStep', () => {
  it('tells a plain step in a line', () => {
    const summary = stepSummary({
      step: 7,
      action: 'Store item_1 shelf_0',
      changedKeys: ['inventory'],
      changedCount: 1,
    });
    expect(describeStep(summary, { isHere: false, isFree: true })).toEqual({
      label: '7  Store item_1 shelf_0',
      description: 'inventory · 150 tokens',
      tooltip: [
        'Step 7: accepted',
        'Action: Store item_1 shelf_0',
        'Wrote: inventory',
        'Tokens: 135 prompt (instructions 100, state 20, observation 10, scaffold 5), 15 output, reported',
        'Attempts: 1',
      ].join('\n'),
      spoken: 'Step 7, accepted, action Store item_1 shelf_0, wrote inventory, 150 tokens',
      icon: { codicon: 'pass', color: 'testing.iconPassed' },
    });
  });

  it('tells what went wrong, and where the session stands', () => {
    const summary = stepSummary({
      status: 'running',
      action: undefined,
      attempts: 2,
      rejections: 2,
      rejectionClasses: ['schema', 'syntax'],
      warnings: 1,
      warningClasses: ['array-shrunk'],
      edited: true,
      forks: [1, 2],
    });
    const { label, description, spoken, icon } = describeStep(summary, { isHere: true, isFree: false });
    expect(label).toBe('0  no action yet');
    expect(description).toBe('✗ 2 attempts, rejected: schema, syntax · ⚠ array-shrunk · edited · 150 tokens');
    expect(spoken).toBe(
      'Step 0, not finished, no action yet, wrote nothing, 150 tokens, 2 attempts, rejected: schema, syntax, ' +
        'warnings array-shrunk, the session stands here, edited by hand, 2 branches begin',
    );
    expect(icon.codicon).toBe('debug-stackframe');
  });

  it('names the action that is chosen and not executed yet', () => {
    const summary = stepSummary({ status: 'running', action: undefined, chosen: 'Ship item_2 shelf_1' });
    const { label, description, tooltip, spoken } = describeStep(summary, { isHere: true, isFree: false });
    expect(label).toBe('0  Ship item_2 shelf_1');
    expect(description).toBe('not executed yet · 150 tokens');
    expect(tooltip).toContain('Action: Ship item_2 shelf_1 (not executed yet)');
    expect(spoken).toContain('action Ship item_2 shelf_1 not executed yet, ');
  });

  it.each([
    [{ cost: undefined, knownCost: 0 }, false, 'cost unknown'],
    [{ cost: undefined, knownCost: 0.5 }, false, 'cost at least $0.50'],
    [{ cost: undefined, knownCost: 0.5, costAtMost: 0.75 }, false, 'cost between $0.50 and $0.75'],
    [{ cost: undefined, knownCost: 0, costAtMost: 0.75 }, false, 'cost at most $0.75'],
    [{ cost: 0, knownCost: 0 }, false, 'cost $0.00'],
    [{ cost: undefined, knownCost: 0, attempts: 0 }, false, undefined],
    [{ cost: undefined, knownCost: 0 }, true, undefined],
  ])('says what %o cost, free %s', (costs, isFree, text) => {
    const { tooltip } = describeStep(stepSummary(costs), { isHere: false, isFree });
    expect(/cost [^,]*/.exec(tooltip)?.[0]).toBe(text);
  });

  it('keeps what a model wrote on one line and within bounds', () => {
    const summary = stepSummary({
      action: `say "a\nb\u202e" ${'x'.repeat(500)}`,
      changedKeys: ['a\tb', 'c', 'd', 'e'],
      changedCount: 12,
    });
    const { label, description } = describeStep(summary, { isHere: false, isFree: true });
    expect(label).toMatch(/^0 {2}say "a\\u000ab\\u202e" x+…$/);
    expect(label.length).toBeLessThan(100);
    expect(description).toMatch(/^a\\u0009b, c, d and 9 more/);
  });
});
