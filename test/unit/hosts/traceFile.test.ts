/** One writer a trace: who comes while another writes is told so, what a dead process left is taken over. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';
import {
  copyTraceFile,
  createNumberedTraceFile,
  createTraceFile,
  readTraceFile,
} from '../../../client/src/hosts/node/traceFile';
import { lockForWriting } from '../../../client/src/hosts/node/writerLock';
import { temporaryFolder } from '../../support/commandLine';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const at = (name: string) => join(folder.path, name);

describe('the lock of a trace', () => {
  it('is held while the trace is written, and gone afterwards', () => {
    const trace = createTraceFile(at('held.skilltrace.jsonl'));
    expect(() => lockForWriting(trace.path)).toThrow(FileFailure);
    expect(() => lockForWriting(trace.path)).toThrow(String(process.pid));
    trace.close();
    trace.close();
    lockForWriting(trace.path).release();
    expect(readdirSync(folder.path).filter((name) => name.includes('.lock'))).toEqual([]);
  });

  it('of a dead process is taken over', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(at('dead.lock'), String(pid));
    const lock = lockForWriting(at('dead'));
    expect(() => lockForWriting(at('dead'))).toThrow(FileFailure);
    lock.release();
    expect(existsSync(at('dead.lock'))).toBe(false);
  });

  it('that names no process is taken over; one that is being made is not', () => {
    writeFileSync(at('odd.lock'), 'not a number');
    lockForWriting(at('odd')).release();
    writeFileSync(at('new.lock'), '');
    expect(() => lockForWriting(at('new'))).toThrow(/another process/);
  });

  it('is not left behind by a trace that could not be made', () => {
    const there = createTraceFile(at('there.skilltrace.jsonl'));
    there.record({ kind: 'resumed', after: 0, time: 0 });
    there.close();
    expect(() => createTraceFile(at('there.skilltrace.jsonl'))).toThrow(/never overwritten/);
    expect(existsSync(at('there.skilltrace.jsonl.lock'))).toBe(false);
  });
});

it('numbered traces stand beside each other, also while the first is written', () => {
  const first = createNumberedTraceFile(at('run.skilltrace.jsonl'));
  const second = createNumberedTraceFile(at('run.skilltrace.jsonl'));
  expect(second.path).toBe(at('run-2.skilltrace.jsonl'));
  first.close();
  second.close();
});

describe('a copy of a trace', () => {
  it('has the complete lines, and its lock until it is closed', () => {
    writeFileSync(at('original.skilltrace.jsonl'), '{"one":1}\n{"torn"');
    writeFileSync(at('copy.skilltrace.jsonl'), 'of somebody');
    const copy = copyTraceFile(at('original.skilltrace.jsonl'), 10, at('copy.skilltrace.jsonl'));
    expect(copy.path).toBe(at('copy-2.skilltrace.jsonl'));
    expect(() => lockForWriting(copy.path)).toThrow(FileFailure);
    copy.close();
    lockForWriting(copy.path).release();
    expect(readFileSync(copy.path, 'utf8')).toBe('{"one":1}\n');
    expect(readFileSync(at('copy.skilltrace.jsonl'), 'utf8')).toBe('of somebody');
  });

  it('that fails is not left behind, nor its lock; what was there before is', () => {
    const inside = at('failing');
    mkdirSync(inside);
    const path = join(inside, 'copy.skilltrace.jsonl');
    writeFileSync(path, 'of somebody');
    const missing = at('missing.skilltrace.jsonl');
    expect(() => copyTraceFile(missing, 0, path)).toThrow(FileFailure);
    expect(() => copyTraceFile(missing, 0, path)).toThrow(`${missing} can't be copied to ${inside}`);
    // A folder can't be copied as a file; that no file has half a byte is found out after the copying.
    expect(() => copyTraceFile(inside, 0, path)).toThrow(FileFailure);
    expect(() => copyTraceFile(path, 0.5, path)).toThrow(FileFailure);
    expect(readdirSync(inside)).toEqual(['copy.skilltrace.jsonl']);
    expect(readFileSync(path, 'utf8')).toBe('of somebody');
  });
});

describe('a trace to be read', () => {
  it('is a file that is kept, not a device that never ends', () => {
    expect(() => readTraceFile(folder.path)).toThrow("can't be read: it is a folder.");
    if (process.platform === 'win32') return;
    expect(() => readTraceFile('/dev/zero')).toThrow(FileFailure);
    expect(() => readTraceFile('/dev/zero')).toThrow("can't be read: it is not a file.");
  });
});
