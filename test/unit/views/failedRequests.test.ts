/** Requests to a model that failed and were made again, as the views tell of them: never as rejected replies. */
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../client/src/runtime/model';
import { stepDetail } from '../../../client/src/views/runPanel/stepDetail';
import { describeStep } from '../../../client/src/views/steps/stepTexts';
import { memoryRun, replyOf, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

/** Fails twice in the first step, then answers; its first reply is rejected. */
const busy: Model = {
  name: 'busy',
  async *generate({ step, attempt }) {
    if (step === 0 && attempt === 1) {
      yield { type: 'text', text: 'half a re' };
      yield { type: 'retry', failure: { class: 'rate-limit', message: 'Slow down.', wait: 2_000 } };
      yield { type: 'usage', usage: { prompt: 1_000, completion: 200 } };
      yield { type: 'retry', failure: { class: 'timeout', message: 'Nothing came.', wait: 4_000 } };
      yield { type: 'text', text: 'No block.' };
    } else yield { type: 'text', text: replyOf({}, 'Wait') };
  },
};

describe('failed requests', () => {
  it('are counted apart from attempts and rejections, and told in words of their own', async () => {
    const { records, finish } = await memoryRun({ model: busy, options: { horizon: 2 } });
    await finish();
    const reader = await readerOf(traceText(records));
    const [first, second] = [reader.summary(0, 0), reader.summary(0, 1)];
    expect([first.failedRequests, first.attempts, first.rejections]).toEqual([2, 2, 1]);
    expect(second.failedRequests).toBe(0);
    const { description, tooltip, spoken } = describeStep(first, { isHere: false, isFree: true });
    expect(description).not.toContain('failed');
    expect(tooltip).toContain(
      'Attempts: 2, rejected: no-block\nRequests to the model: 2 requests failed, and made again',
    );
    expect(tooltip).toContain('1,200 in failed requests');
    expect(spoken).toContain('2 attempts, rejected: no-block, 2 requests failed and were made again');
    expect(describeStep(second, { isHere: false, isFree: true }).tooltip).not.toContain('Requests');
    const { attempts } = await stepDetail(reader, 0, 0, () => undefined);
    expect(attempts.map(({ failedRequests }) => failedRequests)).toEqual([
      '2 requests failed: rate limited, timed out (1,200 tokens)',
      undefined,
    ]);
  });
});
