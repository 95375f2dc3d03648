import { describe, expect, it } from 'vitest';
import { describeProgress } from '../../../client/src/views/stepProgress';
import type { StepProgress } from '../../../schemas/messages/debugMessages';

const body: StepProgress = {
  step: 7,
  branch: 0,
  phase: 'act',
  live: true,
  stopped: true,
  waiting: undefined,
  tracePath: undefined,
  stateBytes: 1234,
  tokens: { total: 56789, source: 'estimated', estimated: undefined, byExtension: undefined },
  cost: undefined,
};

describe('describeProgress', () => {
  it('marks estimated tokens, in the text and for screen readers', () => {
    expect(describeProgress(body)).toEqual({
      label: '$(debug-step-over) t=7  Σ 1,234 B  ≈56,789 tokens',
      tooltip: 'Step 7\nState: 1,234 bytes\nTokens so far: 56,789 (estimated)',
      spoken: 'Skill step 7, state 1,234 bytes, 56,789 tokens estimated',
    });
    const tokens = { total: 1, source: 'reported', estimated: undefined, byExtension: undefined } as const;
    expect(describeProgress({ ...body, tokens }).label).not.toContain('≈');
  });

  it('marks tokens of which some are estimated, and what is known of the cost', () => {
    const { label, tooltip, spoken } = describeProgress({
      ...body,
      tokens: { total: 56789, source: 'mixed', estimated: 700, byExtension: undefined },
      cost: { dollars: 0.5, atLeast: true, atMost: undefined },
    });
    expect(label).toContain('≈56,789 tokens');
    expect(tooltip).toContain('Tokens so far: 56,789 (700 of them estimated)\nCost so far: at least ≈$0.50');
    expect(spoken).toContain('56,789 tokens 700 of them estimated, cost at least ≈$0.50');
    const unknown = describeProgress({ ...body, cost: { dollars: 0, atLeast: true, atMost: undefined } });
    expect(unknown.tooltip).toContain('Cost so far: unknown');
    expect(unknown.spoken).toContain('cost unknown');
    const bounded = describeProgress({ ...body, cost: { dollars: 0.5, atLeast: true, atMost: 0.75 } });
    expect(bounded.tooltip).toContain('Cost so far: between ≈$0.50 and ≈$0.75');
  });

  it("names the model's extension where that has estimated", () => {
    const tokens = { total: 900, source: 'estimated', estimated: undefined, byExtension: 900 } as const;
    const { tooltip, spoken } = describeProgress({ ...body, tokens });
    expect(tooltip).toContain("Tokens so far: 900 (estimated by the model's extension)");
    expect(spoken).toContain("900 tokens estimated by the model's extension");
  });

  it('says what is waited for while a request to the model is about to be made again', () => {
    const waiting = { words: 'rate limited', milliseconds: 2_000, request: 2, of: 5 };
    const { label, tooltip, spoken } = describeProgress({ ...body, waiting });
    expect(label).toBe('$(watch) t=7  rate limited, waiting 2 s, then request 2 of 5');
    expect(tooltip).toContain('\nThe model: rate limited, waiting 2 s, then request 2 of 5\n');
    expect(spoken).toContain('Skill step 7, rate limited, waiting 2 s, then request 2 of 5, state');
    const unbounded = { ...waiting, milliseconds: 440, of: undefined };
    expect(describeProgress({ ...body, waiting: unbounded }).label).toContain(
      'waiting 0.4 s, then request 2',
    );
    const now = { ...waiting, milliseconds: 0 };
    expect(describeProgress({ ...body, waiting: now }).label).toContain('rate limited, now request 2 of 5');
  });

  it('says where a run stands that has gone back', () => {
    const { label, tooltip, spoken } = describeProgress({ ...body, branch: 2, live: false });
    expect(label).toMatch(/^\$\(history\) t=7 /);
    expect(tooltip).toMatch(/^Step 7 of branch 2, in the past\n/);
    expect(spoken).toMatch(/^Skill step 7 of branch 2, in the past, /);
  });
});
