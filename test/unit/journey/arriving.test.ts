/** Going through a recorded run while the rest of it is read: the same at every place as when all of it is there. */
import { describe, expect, it } from 'vitest';
import { recordedRun } from '../../../client/src/runtime/recordedSteps';
import { createTraceReader, type TraceBytes } from '../../../client/src/runtime/traceReader';
import { TraceReading } from '../../../client/src/runtime/traceReading';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { beginningOfStep, heldBytes } from '../../support/heldBytes';
import { type MemoryJourney, memoryJourney, seen } from '../../support/memoryJourney';
import { traceText } from '../../support/memoryRun';
import { growingBytes, readerOf } from '../../support/memoryTrace';

const options = { horizon: 30, seed: 3, keyframeEvery: 8 };
const faults = { faults: 0.4, faultSeed: 7 };
const { signal } = new AbortController();

async function recorded(): Promise<MemoryJourney> {
  const live = await memoryJourney({ ...faults, options });
  await live.run();
  return live;
}

/** A journey over what has been read so far of a trace; the first step has. */
async function arriving(
  bytes: TraceBytes,
  settings: { branch?: number; missing?: string; live?: boolean } = {},
) {
  const reader = createTraceReader({ bytes });
  const reading = new TraceReading(reader);
  await reading.until(() => (reader.branches[0]?.steps ?? 0) > 1);
  const { header } = reader;
  if (header === undefined) throw new Error('The trace has no header');
  const { branch, missing, live = false } = settings;
  const made = await memoryJourney({
    ...(live ? faults : { environment: 'none' as const }),
    options,
    recorded: recordedRun(reader, header, {
      reading: {
        get isOver() {
          return reading.isOver;
        },
        missing,
        until: (isThere, until) => reading.until(isThere, until),
      },
      branch,
    }),
  });
  await made.journey.start(signal);
  return { ...made, reading };
}

/** What is seen at every place from where a journey stands on, waiting for each. */
async function walked({ journey }: Pick<MemoryJourney, 'journey'>): Promise<unknown[]> {
  const visits: unknown[] = [];
  for (;;) {
    await journey.read('next', signal);
    const { branch, step, index } = journey.position;
    visits.push({ branch, step, index, run: seen(journey.run) });
    if (journey.position.atEndOfRecord) return visits;
    await journey.advance(signal);
  }
}

async function walkedWhole(records: readonly TraceRecord[], branch?: number): Promise<unknown[]> {
  const reader = await readerOf(traceText(records));
  if (reader.header === undefined) throw new Error('The trace has no header');
  const run = recordedRun(reader, reader.header, { branch });
  const made = await memoryJourney({ environment: 'none', options, recorded: run });
  await made.journey.start(signal);
  return walked(made);
}

describe('a record that is being read', () => {
  it.each([97, 1_000, 10_000])('shows the same at every place, read in pieces of %i bytes', async (piece) => {
    const { records } = await recorded();
    const bytes = growingBytes(traceText(records), piece);
    const made = await arriving(bytes);
    expect(await walked(made)).toEqual(await walkedWhole(records));
    expect(made.journey.isReading).toBe(false);
    expect(made.journey.deviation).toBeUndefined();
  });

  it('keeps who goes on waiting, until the step after the next has begun', async () => {
    const text = traceText((await recorded()).records);
    const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 3));
    const { journey } = await arriving(bytes);
    await bytes.held;
    // Steps 0 to 2 are there, and the last of them might go on.
    await journey.goTo({ branch: 0, step: 1, index: 0 });
    await journey.read('next', signal);
    const { length } = await journey.reportsOf(0, 1);
    await journey.goTo({ branch: 0, step: 1, index: length - 1 });
    const abort = new AbortController();
    const waiting = journey.read('next', abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const step = journey.read({ branch: 0, step: 2 }, signal);
    const whole = journey.read('whole', signal);
    bytes.release(beginningOfStep(text, 5));
    await step;
    await journey.read('next', signal);
    expect(journey.isReading).toBe(true);
    bytes.release();
    await whole;
    expect(journey.isReading).toBe(false);
  });

  it('is not added to before all of it was read, then it is', async () => {
    const text = traceText((await recorded()).records);
    const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 6));
    const { journey, records } = await arriving(bytes, { live: true });
    await bytes.held;
    await journey.goTo({ branch: 0, step: 2, index: 0 });
    expect(journey.position).toMatchObject({ live: false, atEndOfRecord: false });
    // No more than that: allowing branches without a rewind would be of no use.
    expect(await journey.fork()).toEqual({
      ok: false,
      message: expect.stringContaining('still being read'),
    });
    bytes.release();
    await journey.read('whole', signal);
    expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
    expect(records[0]).toMatchObject({ kind: 'fork', branch: 1 });
  });

  it('says why nobody goes on, once all of it was read', async () => {
    const text = traceText((await recorded()).records);
    const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 6));
    const { journey } = await arriving(bytes, { live: true, missing: 'The trace is broken.' });
    expect(journey.forkObstacle).toContain('still being read');
    bytes.release();
    await journey.read('whole', signal);
    expect(journey.forkObstacle).toBe('The trace is broken.');
    const refusal = { ok: false, message: 'The trace is broken.' };
    expect(await journey.fork()).toEqual(refusal);
    await journey.goTo({ branch: 0, step: 2, index: 0 });
    expect(await journey.edit({ target: 'observation', value: 'An item arrived.' })).toEqual(refusal);
  });

  it('ends where its reading was stopped', async () => {
    const text = traceText((await recorded()).records);
    const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 6) + 10);
    const made = await arriving(bytes);
    await bytes.held;
    made.reading.stop();
    bytes.release(beginningOfStep(text, 7));
    const visits = await walked(made);
    expect(visits.at(-1)).toMatchObject({ branch: 0, step: 7, index: 0 });
  });
});

describe('a record with branches that is being read', () => {
  async function forked(step: number, index: number, edits = false): Promise<readonly TraceRecord[]> {
    const live = await recorded();
    await live.journey.goTo({ branch: 0, step, index });
    if (edits) await live.journey.edit({ target: 'state', pointer: '/inventory/shelf_9', value: 'item_9' });
    else await live.journey.fork();
    await live.run();
    return live.records;
  }

  it.each([
    ['late', 20, 3, false],
    ['in the first step', 0, 3, false],
    ['at its very beginning, with an edit', 0, 0, true],
  ] as const)(
    'begins on the line that was written last, which leaves %s',
    async (_name, step, index, edits) => {
      const records = await forked(step, index, edits);
      const text = traceText(records);
      const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 25));
      const made = await arriving(bytes, { branch: 1 });
      await bytes.held;
      const { journey } = made;
      expect(journey.position).toMatchObject({ branch: 1, step: 0, index: 0 });
      expect(journey.branches.map(({ id }) => id)).toEqual([0]);
      // Steps of the original run are there, and can be gone to; whether they are those of the line isn't known yet.
      const abort = new AbortController();
      const waiting = journey.read('next', abort.signal);
      abort.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      bytes.release();
      expect(await walked(made)).toEqual(await walkedWhole(records, 1));
    },
  );

  it('goes elsewhere meanwhile, and stays there', async () => {
    const text = traceText(await forked(20, 3));
    const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 25));
    const { journey } = await arriving(bytes, { branch: 1 });
    await bytes.held;
    await journey.read({ branch: 0, step: 4 }, signal);
    await journey.goTo({ branch: 0, step: 4, index: 0 });
    const there = journey.read({ branch: 1, step: 22 }, signal);
    bytes.release();
    await journey.read('whole', signal);
    expect(journey.position).toMatchObject({ branch: 0, step: 4, index: 0 });
    await there;
    await journey.goTo({ branch: 1, step: 22, index: 0 });
    expect(journey.position).toMatchObject({ branch: 1, step: 22, index: 0 });
  });

  it('begins on the last line there is, where the one that was named does not come', async () => {
    const text = traceText(await forked(20, 3));
    const bytes = heldBytes(growingBytes(text), beginningOfStep(text, 25));
    const { journey } = await arriving(bytes, { branch: 7 });
    await bytes.held;
    expect(journey.position.branch).toBe(7);
    bytes.release();
    await journey.read('next', signal);
    expect(journey.position).toMatchObject({ branch: 1, step: 0, index: 0 });
  });
});
