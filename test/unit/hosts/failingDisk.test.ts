/** A trace on a disk that refuses to write: what is there stays whole, and whoever writes is told. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';
import { continueTraceFile, createTraceFile, type TraceFile } from '../../../client/src/hosts/node/traceFile';
import { lockForWriting } from '../../../client/src/hosts/node/writerLock';
import { formatRecord, type TraceRecord } from '../../../schemas/trace/trace';
import { temporaryFolder } from '../../support/commandLine';

const disk = vi.hoisted(() => ({
  /** So many bytes are taken before the disk is full. */
  room: Number.POSITIVE_INFINITY,
  /** What fails, by the name of the call. */
  failing: new Set<string>(),
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const refuse = (call: string) => {
    if (disk.failing.has(call)) throw Object.assign(new Error(`EIO: i/o error, ${call}`), { code: 'EIO' });
  };
  return {
    ...real,
    writeSync(
      descriptor: number,
      bytes: Uint8Array,
      offset: number,
      length = bytes.length - offset,
      position: number | null = null,
    ) {
      if (disk.room === 0)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const written = real.writeSync(descriptor, bytes, offset, Math.min(length, disk.room), position);
      disk.room -= written;
      return written;
    },
    fdatasyncSync(descriptor: number) {
      refuse('fdatasync');
      real.fdatasyncSync(descriptor);
    },
    ftruncateSync(descriptor: number, length: number) {
      refuse('ftruncate');
      real.ftruncateSync(descriptor, length);
    },
  };
});

const folder = temporaryFolder();
afterAll(() => folder.remove());

const recordOf = (reason: string): TraceRecord => ({
  kind: 'end',
  id: 1,
  parent: 0,
  branch: 0,
  outcome: 'stopped',
  steps: 0,
  state: {},
  reason,
  resumable: true,
  time: 0,
});
const first = recordOf('The first.');
const long = recordOf(`A long one: ${'x'.repeat(500)}.`);
const short = recordOf('A short one.');

let number = 0;
let trace: TraceFile;
beforeEach(() => {
  trace = createTraceFile(join(folder.path, `${++number}.skilltrace.jsonl`));
});
afterEach(() => {
  disk.room = Number.POSITIVE_INFINITY;
  disk.failing.clear();
  trace.close();
});

const text = () => readFileSync(trace.path, 'utf8');
const bytesOf = (record: TraceRecord) => Buffer.byteLength(formatRecord(record));

/** What is told where it fails. */
function failureOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

const full = (room: number) => {
  disk.room = room;
};

describe.each([
  ['begun', () => trace],
  [
    'continued',
    () => {
      trace.close();
      const lock = lockForWriting(trace.path);
      trace = continueTraceFile(trace.path, { completeBytes: bytesOf(first), lock });
      return trace;
    },
  ],
] as const)('a trace that was %s', (_how, open) => {
  beforeEach(() => {
    trace.record(first);
    open();
  });

  it.each([0, 1, 200, bytesOf(long) - 1])(
    'has nothing of a record of which %i bytes could be written, and goes on whole',
    (room) => {
      full(room);
      const failure = failureOf(() => trace.record(long));
      expect(failure).toBeInstanceOf(FileFailure);
      expect(failure).toMatchObject({
        message: `The trace ${trace.path} can't be written: the disk is full.`,
      });
      expect(text()).toBe(formatRecord(first));
      full(Number.POSITIVE_INFINITY);
      trace.record(short);
      trace.record(long);
      expect(text()).toBe([first, short, long].map(formatRecord).join(''));
    },
  );

  it('takes no further record as long as a part of one can not be cut off', () => {
    disk.failing.add('ftruncate');
    full(200);
    expect(failureOf(() => trace.record(long))).toMatchObject({
      message: `The trace ${trace.path} can't be written: the disk is full.`,
    });
    full(Number.POSITIVE_INFINITY);
    expect(failureOf(() => trace.record(short))).toBeInstanceOf(FileFailure);
    expect(text()).toBe(`${formatRecord(first)}${formatRecord(long).slice(0, 200)}`);
    disk.failing.clear();
    trace.record(short);
    expect(text()).toBe(formatRecord(first) + formatRecord(short));
  });

  it('says by name that it can not be synced, and is let go of all the same', () => {
    disk.failing.add('fdatasync');
    const refusal = expect.stringContaining(`The trace ${trace.path} can't be written: `);
    for (const work of [() => trace.sync(), () => trace.close()]) {
      const failure = failureOf(work);
      expect(failure).toBeInstanceOf(FileFailure);
      expect(failure).toMatchObject({ message: refusal });
    }
    expect(existsSync(`${trace.path}.lock`)).toBe(false);
    expect(failureOf(() => trace.close())).toBeUndefined();
  });
});
