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

it('counts the time in which a run was active alike, wherever one comes from', async () => {
  let now = 0;
  const { journey, run } = await memoryJourney({
    ...faults,
    options: { horizon: 150, seed: 3 },
    now: () => (now += 7),
  });
  const active = () => journey.run?.totals.activeMilliseconds;
  await run(0);
  const starts: (number | undefined)[] = [];
  while (!journey.position.atEndOfRecord) {
    if (journey.position.index === 0) starts.push(active());
    await run(1);
  }
  expect(starts.at(-1)).toBeGreaterThan(1_000);
  for (let step = starts.length - 1; step >= 0; step--) {
    await journey.goTo({ branch: 0, step, index: 0 });
    expect(active()).toBe(starts[step]);
  }
});

it('takes the trace and little more of memory, and keeps only the step that is looked at whole', async () => {
  const { journey, run } = await memoryJourney({ ...faults, options: { horizon: 300, seed: 3 } });
  await run();
  const before = journey.startOf(0, 3);
  await journey.startOf(0, 290);
  // A start that isn't kept is made again: equal, and another object.
  for (let step = 4; step < 300; step++) await journey.startOf(0, step);
  expect(await journey.startOf(0, 3)).not.toBe(await before);
  expect(seen(await journey.startOf(0, 3))).toEqual(seen(await before));
});

it('takes nothing over that comes after the run was ended', async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { journey, records } = await memoryJourney({
    options: { horizon: 3 },
    model: {
      name: 'held',
      async *generate() {
        await held;
        yield { type: 'text', text: 'Too late.' };
      },
    },
  });
  const { signal } = new AbortController();
  await journey.start(signal);
  await journey.advance(signal);
  await journey.advance(signal);
  const late = journey.advance(signal);
  journey.end({ outcome: 'cancelled', reason: 'Enough.', resumable: true });
  answer();
  await expect(late).rejects.toThrow('ended meanwhile');
  expect(records.at(-1)?.kind).toBe('end');
});

describe('what was recorded of a long run', () => {
  it('is read without making its steps again', async () => {
    let pauses = 0;
    const pause = async () => {
      pauses++;
    };
    const { journey, run, records } = await memoryJourney({ options: { horizon: 500 }, pause });
    await run();
    const read: unknown[] = [];
    for (let step = 0; step < 500; step++) read.push(...(await journey.recordsOf(0, step)));
    expect(read).toEqual(records.filter(({ kind }) => kind !== 'run'));
    expect(pauses).toBe(0);
    // As many steps made again do pause.
    for (let step = 499; step >= 0; step--) await journey.reportsOf(0, step);
    expect(pauses).toBeGreaterThan(0);
  });

  it('is nothing where there is no step or branch', async () => {
    const { journey, run } = await memoryJourney({ options: { horizon: 3 } });
    await run();
    for (const [branch, step] of [
      [0, -1],
      [0, 0.5],
      [0, 9],
      [1, 0],
    ] as const)
      await expect(journey.recordsOf(branch, step)).rejects.toThrow(RangeError);
  });
});
