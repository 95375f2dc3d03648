/** Texts as words of a shell. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { posixLiteral, windowsLiteral } from '../../../schemas/text/shellLiteral';

it('words that need no quotes have none', () => {
  for (const text of ['run.skilltrace.jsonl', '../a/b-c_1.jsonl']) {
    expect(posixLiteral(text)).toBe(text);
    expect(windowsLiteral(text)).toBe(text);
  }
  expect(windowsLiteral(String.raw`C:\Users\me\a.jsonl`)).toBe(String.raw`C:\Users\me\a.jsonl`);
  expect(windowsLiteral('a run.jsonl')).toBe('"a run.jsonl"');
});

it.skipIf(process.platform === 'win32')('a shell reads them as they were', () => {
  for (const text of ['a run.jsonl', "it's", '$HOME `id` "x" \\ !', '', 'a\nb', '*'])
    expect(execFileSync('sh', ['-c', `printf %s ${posixLiteral(text)}`]).toString()).toBe(text);
});
