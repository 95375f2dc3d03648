/** CEL over JSON values: what it says, and that no expression can hold up the host. */
import { describe, expect, it } from 'vitest';
import { compileExpression, type Evaluation } from '../../../client/src/runtime/expression';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';

const state: JsonObject = {
  count: 5,
  price: 2.5,
  whole: 2,
  list: [1, 2, 3],
  mixed: [1, 'a', null],
  inventory: { shelf_1: 'item_1', shelf_2: 'item_2' },
  nothing: null,
  constructor: { valueOf: 1 },
  nested: { list: [{ id: 'a' }, { id: 'b' }] },
};

function evaluate(source: string, variables: JsonObject = { state }): Evaluation {
  const compiled = compileExpression(source, ['state', 'step']);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.evaluate(variables);
}

describe('compileExpression', () => {
  it.each([
    ['size(state.list) <= 5', true],
    ['state.count % 2', 1],
    ['state.count * 1.5', 7.5],
    ['state.price * 2', 5],
    ['state.whole - state.price', -0.5],
    ['state.whole == 2.0 && state.price > 2', true],
    ['state.count / 2', 2],
    ['"shelf_1" in state.inventory', true],
    ['has(state.inventory.shelf_9)', false],
    ['state.inventory.all(shelf, state.inventory[shelf].startsWith("item_"))', true],
    ['unique(values(state.inventory))', true],
    ['unique([1, 2, 1])', false],
    ['unique([{"a": 1, "b": 2}, {"b": 2, "a": 1}])', false],
    ['values(state.inventory)', ['item_1', 'item_2']],
    ['state.inventory', state.inventory],
    ['state.mixed', [1, 'a', null]],
    ['state.nested.list.map(entry, entry.id)', ['a', 'b']],
    ['state.nested.list.filter(entry, entry.id == "b").size() == 1', true],
    ['state.nothing == null', true],
    ['state.constructor.valueOf', 1],
    ['state.inventory.shelf_1.matches("^item_[0-9]+$")', true],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual({ ok: true, value });
  });

  it.each([
    ['state.missing', 'No such key: missing.'],
    ['state.toString', 'No such key: toString.'],
    ['state.list[7]', 'No such key: index out of bounds, index 7 >= size 3.'],
    ['step > 2', 'Unknown variable: step.'],
    ['state.count + state.inventory.shelf_1', 'no such overload: dyn<int> + dyn<string>.'],
    ['state.inventory.shelf_1.matches("(?=x)")', expect.stringContaining('looks ahead')],
  ])('%s cannot be evaluated', (source, message) => {
    expect(evaluate(source)).toEqual({ ok: false, message });
  });

  it.each([
    ['1 +', expect.stringMatching(/^The expression is not complete: at its end something is missing/), 3],
    ['size(state.list', expect.stringMatching(/^The expression is not complete: /), 15],
    ['size(state.list and 1)', expect.stringMatching(/^"and" cannot stand here; perhaps something /), 16],
    ['state.count = 5', expect.stringMatching(/^"=" cannot stand here; /), 12],
    ['1 + == 2', expect.stringMatching(/^"==" cannot stand here; /), 4],
    ['stat.count > 1', 'Unknown variable: stat.', 0],
    ['true && (1 + "a" == 2)', 'no such overload: int + string.', 9],
    ['state.list.frobnicate()', expect.stringContaining('frobnicate'), 0],
    ['1 == 1 && cel.bind(x, state, x) == 1', 'cel.bind is not available.', 10],
  ])('%s does not compile', (source, message, offset) => {
    expect(compileExpression(source, ['state'])).toEqual({ ok: false, message, offset });
  });

  it('leaves unknown variables to evaluation where none are named', () => {
    const compiled = compileExpression('anything == 1');
    expect(compiled.ok && compiled.evaluate({ anything: 1 })).toEqual({ ok: true, value: true });
    expect(compiled.ok && compiled.evaluate({})).toEqual({
      ok: false,
      message: 'Unknown variable: anything.',
    });
  });

  it('evaluates the same expression again and again', () => {
    const compiled = compileExpression('state.list.exists(item, item == step)', ['state', 'step']);
    const results = [1, 9, 3].map((step) => compiled.ok && compiled.evaluate({ state, step }));
    expect(results).toEqual([true, false, true].map((value) => ({ ok: true, value })));
  });
});

describe('expressions that would run long', () => {
  const long: JsonObject = {
    list: Array.from({ length: 2_000 }, (_value, index) => index),
    text: `${'a'.repeat(50_000)}!`,
    map: Object.fromEntries(Array.from({ length: 20_000 }, (_value, index) => [`key_${index}`, index])),
    words: Array.from({ length: 20_000 }, (_value, index) => `word_${index}`),
    pairs: Array.from({ length: 5_000 }, (_value, index) => [`a${index}`, { index }]),
    samePairs: Array.from({ length: 5_000 }, (_value, index) => [`a${index}`, { index }]),
    // Each item is of another type: nested lists and maps in every order.
    types: Array.from({ length: 4_000 }, (_value, index) => nested(index)),
  };

  function nested(index: number): JsonValue {
    let value: JsonValue = 1;
    for (let bit = 0; bit < 12; bit++) value = (index >> bit) % 2 === 1 ? [value] : { a: value };
    return value;
  }

  it.each([
    ['state.list.all(a, state.list.all(b, a == b || a != b))'],
    ['state.list.map(a, state.list.map(b, state.list.map(c, a))).size() > 0'],
    ['state.list.filter(a, state.list.exists_one(b, state.list.exists(c, c == 5000))).size() > 0'],
    ['state.list.all(a, state.list.all(b, 1 / 0 == 1) || true)'],
    ['state.list.all(a, state.list.all(b, b.missing == 1 || true) || true)'],
    ['state.list.exists(a, state.words.exists(b, b.missing == 1))'],
    ['state.map.all(k, (state.words + state.words + state.words).size() > 0)'],
    ['state.map.all(k, state.map.exists(other, true))'],
    ['state.map.all(k, unique(values(state.map)))'],
    ['state.map.all(k, values(state.map).size() > 0)'],
    ['state.list.all(k, unique(state.pairs))'],
    ['state.list.all(k, k in state.words || true)'],
    ['state.pairs.all(pair, pair in state.samePairs)'],
    ['state.list.all(k, state.pairs == state.samePairs)'],
    ['state.list.all(k, !(state.pairs != state.samePairs))'],
    ['state.list.map(a, state.pairs) == state.list.map(a, state.samePairs)'],
    ['state.list.map(a, state.words)'],
    ['state.list.all(k, (state.text + "x") == (state.text + "y") || true)'],
    ['state.list.all(k, state.text < state.text + "x")'],
    ['state.list.all(k, state.text.size() > 0)'],
    ['state.list.all(k, state.text.split("").size() > 0)'],
    ['state.list.all(k, state.words.join(",").size() > 0)'],
    ['state.words.join(state.text).size() > 0'],
    ['state.list.all(k, !state.text.contains("b"))'],
    ['state.list.all(k, state.text.upperAscii() != "")'],
    ['state.list.all(k, bytes(state.text).size() > 0)'],
    ['state.list.all(k, !state.text.matches("^(a|b)+$"))'],
    ['state.text.matches("[ab]*a[ab]{900}[yz]")'],
    ['state.words.all(word, word.matches("(a{30}){30}" + word) || true)'],
    ['state.list.all(k, timestamp(k).getHours("Europe/Berlin") >= 0)'],
    ['state.words.map(k, duration("1.5s"))'],
    ['state.types.all(value, value == 1 || true)'],
    [Array.from({ length: 400 }, () => 'state.text').join(' + ')],
    [`state.words.all(word, [${'1, '.repeat(500)}1].size() > 0)`],
    [`state.words.all(word, ${'has(state.map) && '.repeat(100)}true)`],
  ])('%s ends with the budget', (source) => {
    expect(evaluate(source, { state: long })).toEqual({
      ok: false,
      message: 'It takes too many steps (more than 3000000).',
    });
  });

  it('lets each evaluation begin with the whole budget', () => {
    const compiled = compileExpression('state.words.all(word, word.startsWith("word_"))', ['state']);
    for (let time = 0; time < 30; time++) {
      expect(compiled.ok && compiled.evaluate({ state: long })).toEqual({ ok: true, value: true });
    }
  });

  it.each([
    ['state.words.all(word, word.matches("^word_[0-9]+$"))'],
    ['unique(state.words) && unique(values(state.map)) && unique(state.pairs)'],
    ['state.pairs == state.samePairs && state.pairs[4000] in state.samePairs'],
    ['state.map.all(key, state.map[key] >= 0 && key.startsWith("key_"))'],
    ['state.list.all(item, item in state.list)'],
    ['state.words.join(",").split(",") == state.words'],
    ['state.text.matches("^a+!$") && state.text.size() > 10'],
  ])('%s is well within the budget', (source) => {
    expect(evaluate(source, { state: long })).toEqual({ ok: true, value: true });
  });

  it('has no json(), whose values could nest without end', () => {
    expect(compileExpression('bytes("[]").json().size() == 0')).toEqual({
      ok: false,
      message: 'json is not available.',
      offset: expect.any(Number),
    });
  });

  it('does not backtrack', () => {
    expect(evaluate('state.text.matches("^(a+)+$")', { state: long })).toEqual({ ok: true, value: false });
  });

  it('limits the size of an expression', () => {
    expect(compileExpression(`${'('.repeat(200)}1${')'.repeat(200)}`).ok).toBe(false);
    expect(compileExpression(`${'!'.repeat(100_000)}true`)).toEqual({
      ok: false,
      message: 'The expression is nested too deeply; write it shorter.',
    });
    expect(compileExpression(Array.from({ length: 3_000 }, () => '1').join('+')).ok).toBe(false);
    expect(compileExpression('['.repeat(100_000)).ok).toBe(false);
  });
});
