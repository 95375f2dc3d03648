/** Plain paths: how they are read and what they lead to. */
import { describe, expect, it } from 'vitest';
import { asksForRoot, isPlainPath, parseExpression, resolvePath } from '../../../client/src/debug/evaluation';
import type { Position } from '../../../client/src/debug/position';
import type { JsonValue } from '../../../schemas/json/jsonValue';

function evaluate(text: string, value: JsonValue) {
  const parsed = parseExpression(text);
  if (!parsed.ok) return { message: parsed.message };
  const resolved = resolvePath(parsed.expression, value);
  return resolved.ok ? { value: resolved.value, text: resolved.text } : { message: resolved.message };
}

const state = { inventory: { shelf_42: 'item_1', 'a b': 2, 'a"b': 3, '7': 4 }, list: [10, { deep: null }] };

describe('paths', () => {
  it.each([
    ['state', state, 'state'],
    [' state . inventory . shelf_42 ', 'item_1', 'state.inventory.shelf_42'],
    ['state["inventory"]["a b"]', 2, 'state.inventory["a b"]'],
    [String.raw`state.inventory["a\"b"]`, 3, String.raw`state.inventory["a\"b"]`],
    ["state.inventory['a\"b']", 3, String.raw`state.inventory["a\"b"]`],
    ['state.inventory[7]', 4, 'state.inventory["7"]'],
    ['state.list[0]', 10, 'state.list[0]'],
    ['state.list.0', 10, 'state.list["0"]'],
    ['state.list[1].deep', null, 'state.list[1].deep'],
  ])('%s', (text, value, spelling) => {
    expect(evaluate(text, state)).toEqual({ value, text: spelling });
  });

  it.each([
    ['', 'There is nothing to evaluate: write a path such as state.'],
    ['1 + 1', /^"1 \+ 1" is no path: paths begin with state, /],
    ['stat', /^There is no "stat": paths begin with state, /],
    ['constructor', /^There is no "constructor"/],
    ['state.', '"." can\'t be read: after state, write .name, ["name"] or [0].'],
    ['state == 1', /^" == 1" can't be read/],
    ['state["open]', /can't be read/],
    ['state.list[2]', 'state.list has no item 2: it has 2, counted from 0.'],
    ['state.list[-1]', /can't be read/],
    ['state.list.length', 'state.list has no item length: it has 2, counted from 0.'],
    ['state.inventory.shelf_1', 'state.inventory has no key "shelf_1": it has 7, shelf_42, a b, a"b.'],
    ['state.inventory.shelf_42.more', 'state.inventory.shelf_42 is a string and has no parts.'],
    ['state.list[1].deep.er', 'state.list[1].deep is null and has no parts.'],
    ['state.toString', 'state has no key "toString": it has inventory, list.'],
  ])('%s is refused with what there is', (text, message) => {
    expect(evaluate(text, state).message).toMatch(message);
  });

  it('stays short where there are many keys, or the text is long', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key_${index}`, 0]));
    expect(evaluate('state.other', many).message).toMatch(/key_9, and 490 more\.$/);
    expect(evaluate('x'.repeat(100_000), {}).message?.length).toBeLessThan(400);
  });
});

describe('what can be nothing but a path', () => {
  it.each([
    '',
    ' ',
    'state',
    ' state.a ',
    'state.',
    'state[',
    'state[ 1',
    'state[ 1 ]',
    'state["a b"]',
    "state['a",
  ])('%j is', (text) => {
    expect(isPlainPath(text)).toBe(true);
  });

  it.each(['1', 'a + b', 'state.size()', 'state.a == 1', 'state[x]', 'state["a" + "b"]', 'state "a"', '"a"'])(
    '%j is not',
    (text) => {
      expect(isPlainPath(text)).toBe(false);
    },
  );

  it.each(['["', "['", '[ ', '.', '["a"].'])(
    '%j a thousand times over is not, and that is told at once',
    (part) => {
      for (const end of ['\\', '(', '+']) expect(isPlainPath(`state${part.repeat(1_000)}${end}`)).toBe(false);
    },
  );
});

describe('what asks for something', () => {
  const position = {
    run: { state: {}, step: 3, attempts: [] },
    underWay: false,
    partialReply: '',
    rejected: undefined,
    exhausted: false,
  } as unknown as Position;

  it.each(['state', 'state.nothing', 'step + 1', 'state.size() > 3', '[step, 1]'])('%s does', (text) => {
    expect(asksForRoot(text, position)).toBe(true);
  });

  it.each([
    '',
    '5',
    '"Error: no"',
    '{"a": 1}',
    '[1, 2]',
    'A visitor arrives.',
    'Success: 3',
    'patch',
    'patch.size() + step',
    'step into the garden',
    'true',
  ])('%s does not', (text) => {
    expect(asksForRoot(text, position)).toBe(false);
  });
});
