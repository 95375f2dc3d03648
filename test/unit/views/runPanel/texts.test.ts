import { expect, it } from 'vitest';
import { counted, money } from '../../../../client/webview/runPanel/texts';

it.each([
  [0, '$0.00'],
  [0.000_423_4, '$0.000423'],
  [0.05, '$0.05'],
  [0.25, '$0.25'],
  [1, '$1.00'],
  [12.3, '$12.30'],
  [12_345.67, '$12,345.67'],
])('a cost of %d is %s', (dollars, text) => {
  expect(money(dollars)).toBe(text);
});

it('one of a thing is told from several', () => {
  expect(counted(1, 'step')).toBe('1 step');
  expect(counted(12_000, 'branch', 'branches')).toBe('12,000 branches');
});
