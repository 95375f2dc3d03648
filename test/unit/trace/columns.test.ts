/** The compact columns behind the trace reader keep what is put into them, however large, odd or often. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberTable, SparseDoubles } from '../../../client/src/runtime/numberTable';
import { addPatch, addPath, mayHave, type PathBits } from '../../../client/src/runtime/pathFilter';
import { RecentlyUsed } from '../../../client/src/runtime/recentlyUsed';
import { cutOff, TextPool } from '../../../client/src/runtime/textPool';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { skillOf, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';
import { writtenTrace } from '../../support/writtenTrace';

describe('a table of numbers', () => {
  it('keeps whole numbers of any size', () => {
    const value = fc.oneof(
      fc.nat(),
      fc.constantFrom(2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3_000), fc.nat(2), value), { maxLength: 200 }), (writes) => {
        const table = new NumberTable(3);
        for (let row = 0; row <= 3_000; row++) expect(table.add()).toBe(row);
        const expected = new Map<string, number>();
        for (const [row, column, number] of writes) {
          table.set(row, column, number);
          expected.set(`${row} ${column}`, number);
        }
        for (const [place, number] of expected) {
          const [row = 0, column = 0] = place.split(' ').map(Number);
          expect(table.get(row, column)).toBe(number);
        }
      }),
      { numRuns: 30 },
    );
    expect(() => new NumberTable(2).set(0, 0, 1)).toThrow(RangeError);
  });

  it('keeps sums of doubles where there are any', () => {
    const column = new SparseDoubles();
    column.increase(5_000, 0.25);
    column.increase(5_000, 0.5);
    expect([column.get(5_000), column.get(4_999), column.get(0)]).toEqual([0.75, 0, 0]);
  });
});

describe('a pool of texts', () => {
  it('gives them back, cut off where they are long', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', minLength: 90 }))),
        (texts) => {
          const pool = new TextPool(100);
          const places = texts.map((text) => pool.add(text));
          expect(places.every((place) => place > 0)).toBe(true);
          expect(places.map((place) => pool.get(place))).toEqual(texts.map((text) => cutOff(text, 100)));
        },
      ),
    );
    expect(new TextPool(10).get(0)).toBeUndefined();
  });

  it('keeps a hundred thousand of them', () => {
    const pool = new TextPool(120);
    const text = (index: number) => `Move item_${index} ${index % 7 === 0 ? '→' : 'to'} shelf_${index % 500}`;
    const places = Array.from({ length: 100_000 }, (_, index) => pool.add(text(index)));
    for (let index = 0; index < 100_000; index += 997) expect(pool.get(places[index] ?? 0)).toBe(text(index));
  });

  it('tears no pair of surrogates', () => {
    expect(cutOff('ab😀cd', 5)).toBe('ab😀…');
    expect(cutOff('ab😀cd', 4)).toBe('ab…');
    expect(cutOff('abcd', 4)).toBe('abcd');
  });
});

describe('the filter of paths', () => {
  const key = fc.oneof(fc.constantFrom('a', 'b', 'c', '', '/', '__proto__'), fc.string({ maxLength: 3 }));
  const patch = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, fc.constantFrom(null, 1, 'x'), fc.array(fc.nat(3)), tie('object')),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as JsonObject),
  })).object;

  /** Every path that a patch writes, and those above and below. */
  function related(value: JsonValue, path: readonly string[] = []): (readonly string[])[] {
    if (!isJsonObject(value)) return [path, [...path, 'x'], [...path, '0', 'y', 'z', 'w']];
    return [
      ...(path.length > 0 ? [path] : []),
      ...Object.entries(value).flatMap(([one, inner]) => related(inner, [...path, one])),
    ];
  }

  it('never denies a path that was written, nor one above or below', () => {
    fc.assert(
      fc.property(fc.array(patch, { maxLength: 3 }), (patches) => {
        const bits: PathBits = { low: 0, high: 0 };
        for (const one of patches) addPatch(bits, one);
        for (const one of patches) for (const path of related(one)) expect(mayHave(bits, path)).toBe(true);
      }),
    );
  });

  it('never denies a path that was edited', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), fc.nat(6), (path, length) => {
        const bits: PathBits = { low: 0, high: 0 };
        addPath(bits, path);
        expect(mayHave(bits, path.slice(0, length))).toBe(true);
        expect(mayHave(bits, [...path, 'more'])).toBe(true);
      }),
    );
  });

  it('denies most of what was not written', () => {
    let told = 0;
    for (let step = 0; step < 1_000; step++) {
      const bits: PathBits = { low: 0, high: 0 };
      addPatch(bits, { inventory: { [`shelf_${step}`]: null, [`shelf_${step + 20}`]: 'item' } });
      if (mayHave(bits, ['inventory', 'shelf_5000'])) told += 1;
    }
    expect(told).toBeLessThan(150);
  });

  it('allows everything of a huge patch', () => {
    const bits: PathBits = { low: 0, high: 0 };
    addPatch(bits, Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 1])));
    expect(mayHave(bits, ['anything'])).toBe(true);
  });
});

describe('what was used last', () => {
  it('is kept up to its limit, and what is larger alone', () => {
    const kept = new RecentlyUsed<string, number>(10);
    kept.set('a', 1, 4);
    kept.set('b', 2, 4);
    expect(kept.get('a')).toBe(1);
    kept.set('c', 3, 4);
    expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([1, undefined, 3]);
    kept.set('d', 4, 100);
    expect([kept.get('a'), kept.get('c'), kept.get('d')]).toEqual([undefined, undefined, 4]);
    kept.set('d', 5, 2);
    kept.set('e', 6, 8);
    expect([kept.get('d'), kept.get('e')]).toEqual([5, 6]);
  });
});

it('summaries show odd keys and long actions as far as they go', async () => {
  const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\nDo it.\n' });
  const keys = ['__proto__', 'a\u0000b', 'ключ', 'x'.repeat(100), '', 'f', 'g'];
  const patch = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:1`).join(',')}}`);
  const action = `${'ä'.repeat(118)}😀😀`;
  const records = writtenTrace(skill, [{ patch, accepted: true, facts: { g: 2, h: 1 } }]).map((record) =>
    record.kind === 'intent' ? { ...record, action } : record,
  );
  const reader = await readerOf(traceText(records));
  expect(reader.problems).toEqual([]);
  expect(reader.summary(0, 0)).toMatchObject({
    action: `${'ä'.repeat(118)}…`,
    changedKeys: ['__proto__', 'a␀b', 'ключ', `${'x'.repeat(39)}…`, ''],
    changedCount: 8,
  });
});
