/** Which line of an edited text was which before. */
import { describe, expect, it } from 'vitest';
import { movedLines } from '../../../client/src/debug/movedLines';

describe('movedLines', () => {
  const linesOf = (earlier: string, later: string) =>
    Array.from({ length: later.split('\n').length + 1 }, (_, line) => movedLines(earlier, later)(line));

  it.each([
    ['a line is inserted', 'a\nb\nc', 'a\nnew\nb\nc', [0, undefined, 1, 2, undefined]],
    ['a line is deleted', 'a\nb\nc', 'a\nc', [0, 2, undefined]],
    ['a line is changed', 'a\nb\nc', 'a\nB\nc', [0, undefined, 2, undefined]],
    ['a line is doubled', 'a\na\nb', 'a\na\na\nb', [0, 1, undefined, 2, undefined]],
    [
      'two places are changed',
      'a\nb\nc\nd',
      'a\n1\nc\n2\nd',
      [0, undefined, undefined, undefined, 3, undefined],
    ],
    ['line ends are changed', 'a\nb', 'a\r\nb', [0, 1, undefined]],
    ['nothing is left', 'a\nb', '', [undefined, undefined]],
    ['all is new', '', 'a\nb', [undefined, undefined, undefined]],
  ])('%s', (_, earlier, later, expected) => {
    expect(linesOf(earlier, later)).toEqual(expected);
  });

  it('leaves every line of a text that is the same', () => {
    expect(linesOf('a\nb', 'a\nb')).toEqual([0, 1, 2]);
  });
});
