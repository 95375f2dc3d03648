/** Stacks on stderr, no more than fits in a pipe that nobody reads. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { bugLog } from '../../../client/src/commandLine/bugLog';

it('has the stacks of the first bugs, which fit in a pipe', () => {
  const stderr = new PassThrough({ highWaterMark: 10_000_000 });
  const onBug = bugLog(stderr);
  for (let count = 0; count < 1_000; count++)
    onBug(new TypeError(`bug ${count} ${'x'.repeat(10_000)}`), 'answering "variables"');
  const text = String(stderr.read());
  expect(text).toMatch(/^skill-state: A bug, answering "variables": TypeError: bug 0 /);
  expect(text).toContain('bug 9 ');
  expect(text).not.toContain('bug 10 ');
  // As many bytes as a pipe holds on Linux and macOS before its writer waits.
  expect(Buffer.byteLength(text)).toBeLessThan(65_536);
});

it('says where a bug was thrown', () => {
  const stderr = new PassThrough();
  bugLog(stderr)(new TypeError('no'), 'a phase');
  expect(String(stderr.read())).toMatch(/^skill-state: A bug, a phase: TypeError: no\n {4}at .*bugLog\.test/);
});
