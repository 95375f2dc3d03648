/** The requests for samples, as far as there is room for them. */
import { expect, it } from 'vitest';
import { SampleExchanges } from '../../../client/src/debug/sampleExchanges';
import type { ModelNotice } from '../../../client/src/runtime/model';

const sent: ModelNotice = {
  type: 'request',
  request: { method: 'POST', url: 'https://models.example', headers: {}, body: 'x'.repeat(100) },
};
const step = { branch: 0, step: 3, models: ['m'] };

it('lets the oldest go, and says so', () => {
  const kept = new SampleExchanges({ bytes: 1_000, exchanges: 1_000 });
  const tried = kept.begin(step);
  for (let number = 1; number <= 20; number++) {
    kept.take(sent, number);
    kept.settle({ tried, model: 0 }, { number, failure: undefined });
  }
  const counts = kept.counts({ tried, model: 0 });
  expect([...counts.keys()].at(-1)).toBe(20);
  expect(counts.size).toBeLessThan(6);
  expect(kept.exchange({ tried, model: 0, attempt: 20 })).toMatchObject({ step: 3, sampledModel: 'm' });
  expect(() => kept.exchange({ tried, model: 0, attempt: 1 })).toThrow(/^No request of this sample is kept/);
  const next = kept.begin(step);
  for (let number = 1; number <= 20; number++) {
    kept.take(sent, number);
    kept.settle({ tried: next, model: 0 }, { number, failure: undefined });
  }
  expect(() => kept.exchange({ tried, model: 0, attempt: 20 })).toThrow(/are not kept any more/);
});

it('forgets what was given up', () => {
  const kept = new SampleExchanges();
  kept.begin(step);
  kept.take(sent, 1);
  const tried = kept.begin(step);
  kept.settle({ tried, model: 0 }, { number: 1, failure: undefined });
  expect(kept.counts({ tried, model: 0 }).size).toBe(0);
});
