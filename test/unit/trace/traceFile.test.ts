/** Where a trace can be begun, and that every place where it can't is told in one line, soon. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';
import {
  createNumberedTraceFile,
  createTraceFile,
  type TraceFile,
} from '../../../client/src/hosts/node/traceFile';
import { temporaryFolder } from '../../support/commandLine';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function failure(path: string): string {
  try {
    createTraceFile(path).close();
  } catch (error) {
    if (error instanceof FileFailure) return error.message;
    throw error;
  }
  return '';
}

/** Closes a trace in which there is something. */
function written(trace: TraceFile): void {
  trace.record({ kind: 'resumed', after: 0, time: 0 });
  trace.close();
}

describe('a trace', () => {
  it.each(['run.jsonl', 'a b/ü 名😀/run.jsonl', 'a/b/c/d/run.jsonl', 'a/../b/./run.jsonl', 'C:\\run.jsonl'])(
    'is begun at %s, the folders before it included',
    (name) => {
      const path = join(folder.path, name);
      written(createTraceFile(path));
      expect(existsSync(path)).toBe(true);
    },
  );

  it('is numbered where others exist', () => {
    const path = join(folder.path, 'new', 'run.skilltrace.jsonl');
    const paths = [1, 2, 3].map(() => {
      const trace = createNumberedTraceFile(path);
      written(trace);
      return trace.path;
    });
    expect(paths).toEqual(
      ['run', 'run-2', 'run-3'].map((name) => join(folder.path, 'new', `${name}.skilltrace.jsonl`)),
    );
  });

  it('to which nothing was written is not left behind', () => {
    const path = join(folder.path, 'run.skilltrace.jsonl');
    const [unused, used] = [createNumberedTraceFile(path), createNumberedTraceFile(path)];
    unused.close();
    written(used);
    expect(readdirSync(folder.path)).toEqual(['run-2.skilltrace.jsonl']);
  });

  it.each([
    ['file/run.jsonl', /a part of its path is not a folder|it exists already/],
    ['file/a/b/run.jsonl', /a part of its path is not a folder/],
    ['file', /it exists already\. A trace is never overwritten/],
    ['folder', /it exists already|it is a folder/],
    ['dangling/run.jsonl', /it doesn't exist/],
    [`${'n'.repeat(300)}.jsonl`, /its name is too long/],
    [`${'n'.repeat(300)}/a/run.jsonl`, /its name is too long/],
    ['circle/run.jsonl', /its links lead in a circle/],
  ])('is not begun at %s', (name, reason) => {
    writeFileSync(join(folder.path, 'file'), 'mine');
    mkdirSync(join(folder.path, 'folder'));
    symlinkSync('nowhere', join(folder.path, 'dangling'));
    symlinkSync('circle', join(folder.path, 'circle'));
    expect(failure(join(folder.path, name))).toMatch(reason);
    rmSync(join(folder.path, 'dangling'));
  });

  it.skipIf(!existsSync('/proc/self'))('is not begun where the system makes no folders', () => {
    expect(failure('/proc/skill-state/traces/run.jsonl')).toMatch(/can't be written: [^\n]+\.$/);
  });
});
