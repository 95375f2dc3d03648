/** Reading a trace that is looked at already: waiting for parts of it, giving it up, and what its end tells beforehand. */
import { describe, expect, it } from 'vitest';
import { createTraceReader } from '../../../client/src/runtime/traceReader';
import { lastBranch, TraceReading } from '../../../client/src/runtime/traceReading';
import { formatRecord, type TraceRecord } from '../../../schemas/trace/trace';
import { beginningOfStep, heldBytes } from '../../support/heldBytes';
import { longTraceBytes } from '../../support/longTrace';
import { growingBytes } from '../../support/memoryTrace';

const steps = 30;
const whole = await longTraceBytes({ steps });
const text = new TextDecoder().decode(whole);

/** A trace of which the steps before `step` are let through. */
function opened(step: number) {
  const bytes = heldBytes(growingBytes(whole), beginningOfStep(text, step));
  const reader = createTraceReader({ bytes });
  const reading = new TraceReading(reader);
  const stepsRead = () => reader.branches[0]?.steps ?? 0;
  return { bytes, reader, reading, stepsRead };
}

describe('the reading of a trace', () => {
  it('can be waited for up to a part, and to its end', async () => {
    const { bytes, reading, stepsRead } = opened(12);
    await reading.until(() => stepsRead() >= 12);
    expect(reading.isOver).toBe(false);
    const more = reading.until(() => stepsRead() > 12);
    await bytes.held;
    expect(stepsRead()).toBe(12);
    bytes.release();
    await more;
    await reading.until(() => false);
    expect(reading.isOver).toBe(true);
    expect(reading.shortfall).toBeUndefined();
    expect(stepsRead()).toBe(steps);
    await reading.ended;
  });

  it('is not waited for any longer by who gives that up', async () => {
    const { bytes, reading } = opened(12);
    const abort = new AbortController();
    const waiting = reading.until(() => false, abort.signal);
    await bytes.held;
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(reading.until(() => true, abort.signal)).rejects.toThrow('enough');
    expect(reading.isOver).toBe(false);
    bytes.release();
    await reading.ended;
  });

  it('can be stopped: what was read stays, and who waits goes on', async () => {
    const { bytes, reading, stepsRead, reader } = opened(12);
    const waiting = reading.until(() => false);
    await bytes.held;
    reading.stop();
    bytes.release(beginningOfStep(text, 13));
    await waiting;
    expect(reading.isOver).toBe(true);
    expect(reading.shortfall).toMatch(/^Reading the trace was stopped after \d\.\d of \d\.\d MB, so only /);
    expect(stepsRead()).toBeLessThan(steps);
    expect((await reader.step(0, 11)).step).toBe(11);
  });

  it('is over where the file can not be read any more', async () => {
    const bytes = growingBytes(whole);
    const reader = createTraceReader({
      bytes: {
        size: () => bytes.size(),
        async read(offset, length) {
          if (offset > 0) throw new Error('The disk is gone.');
          return bytes.read(offset, length);
        },
      },
    });
    const reading = new TraceReading(reader);
    await reading.until(() => false);
    expect(reading.failure).toEqual(new Error('The disk is gone.'));
    expect(reading.shortfall).toMatch(/^The disk is gone\. Since that came in the middle of reading, only /);
    expect(reader.branches[0]?.steps).toBeGreaterThan(0);
  });
});

const forked = await longTraceBytes({
  steps,
  forks: [
    { step: 4, at: 'start', steps: 2 },
    { step: 9, at: 'act', steps: 3 },
  ],
});

describe('the end of a trace', () => {
  const joined = (...parts: readonly (Uint8Array | string)[]) =>
    growingBytes(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
  const resumed: TraceRecord = { kind: 'resumed', after: 3, time: 0 };

  it.each([
    ['without branches', joined(whole), 0],
    ['with branches', joined(forked), 2],
    ['after a record that names no branch', joined(forked, formatRecord(resumed)), 2],
    ['with a torn line', joined(forked, '{"kind":"step","id":'), 2],
    ['with lines that are none', joined(forked, 'Dear diary\n', '\n', '\r\n'), 2],
    ['with a line longer than the first look', joined(forked, `${'x'.repeat(1 << 17)}\n`), 2],
    ['of which only the first record is there', joined(text.slice(0, text.indexOf('\n') + 1)), 0],
    ['that is empty', joined(''), undefined],
    ['that has no line end', joined('Dear diary'), undefined],
    ['that is another file', joined('Dear diary\n'.repeat(10)), undefined],
  ])('%s tells the branch that was written last', async (_name, bytes, branch) => {
    expect(await lastBranch(bytes)).toBe(branch);
  });
});
