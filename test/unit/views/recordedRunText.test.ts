/** What tells recorded runs apart where one is chosen. */
import { describe, expect, it } from 'vitest';
import { recordedRunDetail, recordedRunText } from '../../../client/src/views/models/recordedRunText';

const header = {
  model: { name: 'openai:qwen', settings: {} },
  skill: { name: 'warehouse', files: [] },
  time: Date.UTC(2026, 10, 30, 12),
};

describe('a recorded run in a list', () => {
  it.each([
    [[{ steps: 25 }], 'openai:qwen · 25 steps'],
    [[{ steps: 1 }], 'openai:qwen · 1 step'],
    [[{ steps: 3 }, { steps: 7 }], 'openai:qwen · 3 steps, 2 branches'],
    [undefined, 'openai:qwen · 12 MB'],
  ])('has its model and how long it is: %j', (branches, text) => {
    expect(recordedRunText({ header, branches, bytes: 12_300_000 })).toBe(text);
  });

  it('has its skill, when it began, and where it is', () => {
    const detail = recordedRunDetail({ header, branches: [], bytes: 0 }, 'runs/a.skilltrace.jsonl');
    expect(detail).toMatch(/^warehouse · .*2026.* · runs\/a\.skilltrace\.jsonl$/);
  });

  it('is said to be none where it is no trace', () => {
    const none = { header: undefined, branches: undefined, bytes: 0 };
    expect(recordedRunText(none)).toBe('not readable as a trace');
    expect(recordedRunDetail(none, 'a')).toBe('a');
  });
});
