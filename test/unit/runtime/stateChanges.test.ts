/** ΔΣ for a reader: the smallest differences, whatever the keys are called. */
import { expect, it } from 'vitest';
import { formatChange, stateChanges } from '../../../client/src/runtime/stateChanges';

it.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2 }, ['~ /a = 2 (was 1)']],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2, d: [1] } }, ['- /a/b (was 1)', '+ /a/d = [1]']],
  [{ list: [1, 2] }, { list: [1] }, ['~ /list = [1] (was [1,2])']],
  [{ 'a/b': 1 }, {}, ['- /a~1b (was 1)']],
  [{ a: null }, { a: {} }, ['~ /a = {} (was null)']],
  [{ list: [{ id: 1, at: 2 }] }, { list: [{ at: 2, id: 1 }] }, []],
  [{ list: [{ id: 1, at: [{ x: 1, y: 2 }] }] }, { list: [{ at: [{ y: 2, x: 1 }], id: 1 }] }, []],
  [{ list: [1, 2] }, { list: [2, 1] }, ['~ /list = [2,1] (was [1,2])']],
  [
    { list: [{ id: 1 }] },
    { list: [{ id: 1, at: null }] },
    ['~ /list = [{"id":1,"at":null}] (was [{"id":1}])'],
  ],
  [{ zero: 0 }, { zero: -0 }, []],
  [{}, JSON.parse('{"__proto__":{"x":1}}'), ['+ /__proto__ = {"x":1}']],
])('from %j to %j', (before, after, lines) => {
  expect(stateChanges(before, after).map(formatChange)).toEqual(lines);
});

it('cuts long values', () => {
  const line = formatChange({ pointer: '/a', before: undefined, after: 'x'.repeat(500) });
  expect(line.length).toBeLessThan(100);
  expect(line).toContain('…');
});
