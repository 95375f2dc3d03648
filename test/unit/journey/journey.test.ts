/** Going back and forward in a live run: what was, is made again exactly; what differs becomes a branch. */
import { describe, expect, it } from 'vitest';
import type { Journey } from '../../../client/src/runtime/journey';
import type { RunOptions } from '../../../client/src/runtime/options';
import type { RunState } from '../../../client/src/runtime/runState';
import { memoryJourney, seen } from '../../support/memoryJourney';
import { memoryRun, traceText } from '../../support/memoryRun';

const faults = { faults: 0.4, faultSeed: 7 };

interface Visit {
  readonly step: number;
  readonly index: number;
  readonly run: unknown;
}

/** Runs to the end; gives every place with what is seen there. */
async function walked(run: (phases: number) => Promise<RunState>, journey: Journey): Promise<Visit[]> {
  const visits: Visit[] = [];
  await run(0);
  for (;;) {
    const { step, index } = journey.position;
    visits.push({ step, index, run: seen(journey.run) });
    if (journey.position.atEndOfRecord) return visits;
    await run(1);
  }
}

const kinds: readonly (readonly [string, Partial<RunOptions>])[] = [
  ['on-propose, reobserve', { commit: 'on-propose', onExhausted: 'reobserve' }],
  ['on-accept, continue', { commit: 'on-accept', onExhausted: 'continue', maxRetries: 0 }],
  ['one retry, a budget of bytes', { maxRetries: 1, budget: { stateBytes: 400 }, exhaustedInARow: 100 }],
];

describe.each(kinds)('a faulty run of 200 steps: %s', (_name, more) => {
  const options = { horizon: 200, seed: 3, ...more };

  it('writes the trace that a plain run writes', async () => {
    const plain = await memoryRun({ ...faults, options });
    await plain.finish();
    const { run, records } = await memoryJourney({ ...faults, options });
    await run();
    expect(traceText(records)).toBe(traceText(plain.records));
  });

  it('shows the same at every place when gone back to, and going forward from there', async () => {
    const { journey, run, records } = await memoryJourney({ ...faults, options });
    const visits = await walked(run, journey);
    const written = records.length;
    expect(journey.run?.totals.steps).toBeGreaterThanOrEqual(200);
    for (const { step, index, run: expected } of visits.toReversed()) {
      await journey.goTo({ branch: 0, step, index });
      expect(seen(journey.run)).toEqual(expected);
    }
    expect(await walked(run, journey)).toEqual(visits);
    expect(records).toHaveLength(written);
    expect(journey.deviation).toBeUndefined();
  });
});
