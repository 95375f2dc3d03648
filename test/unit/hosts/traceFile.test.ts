/** One writer a trace: who comes while another writes is told so, what a dead process left is taken over. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';
import { createNumberedTraceFile, createTraceFile } from '../../../client/src/hosts/node/traceFile';
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
    createTraceFile(at('there.skilltrace.jsonl')).close();
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
