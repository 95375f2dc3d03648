import { describe, expect, it } from 'vitest';
import { describeStep, isStepProgress } from '../../../client/src/views/stepProgress';

const body = { step: 7, stateBytes: 1234, tokens: { total: 56789, source: 'estimated' } };

describe('stepProgress', () => {
  it('marks estimated tokens, in the text and for screen readers', () => {
    expect(describeStep(body)).toEqual({
      label: '$(debug-step-over) t=7  Σ 1,234 B  ≈56,789 tokens',
      tooltip: 'Step 7\nState: 1,234 bytes\nTokens so far: 56,789 (estimated)',
      spoken: 'Skill step 7, state 1,234 bytes, 56,789 tokens estimated',
    });
    expect(describeStep({ ...body, tokens: { total: 1, source: 'provider' } }).label).not.toContain('≈');
  });

  it.each([undefined, null, 'text', {}, { ...body, tokens: null }, { ...body, step: '7' }])(
    'refuses %j',
    (other) => {
      expect(isStepProgress(body)).toBe(true);
      expect(isStepProgress(other)).toBe(false);
    },
  );
});
