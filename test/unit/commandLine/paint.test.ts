/** Colours only where they are seen and wanted. */
import { expect, it } from 'vitest';
import { createPaint, showsColors } from '../../../client/src/commandLine/paint';

it.each([
  [true, {}, true],
  [true, { TERM: 'xterm-256color', NO_COLOR: '' }, true],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
  [false, {}, false],
  [undefined, { TERM: 'xterm' }, false],
])('a terminal: %j, with %j: %j', (isTTY, environment, expected) => {
  const shows = showsColors(isTTY === undefined ? {} : { isTTY }, environment);
  expect(shows).toBe(expected);
  expect(createPaint(shows).bold('a') !== 'a').toBe(expected);
});
