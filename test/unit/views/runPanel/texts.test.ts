import { expect, it } from 'vitest';
import { counted, marked } from '../../../../client/webview/runPanel/texts';

it('tokens of which some are estimated are marked', () => {
  expect(marked(12_000, 0)).toBe('12,000');
  expect(marked(12_000, 1)).toBe('≈12,000');
});

it('one of a thing is told from several', () => {
  expect(counted(1, 'step')).toBe('1 step');
  expect(counted(12_000, 'branch', 'branches')).toBe('12,000 branches');
});
