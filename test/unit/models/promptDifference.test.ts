/** Where two prompts part. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstDifference, promptDifference } from '../../../client/src/models/promptDifference';
import { parsePointer, valueAt } from '../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../schemas/json/jsonValue';

const parts = { instructions: 'Do it.\nWell.', stateText: '{"a":1}', observation: 'O', correction: 'C' };

describe('the difference of two prompts', () => {
  it.each([
    [
      { instructions: 'Do it.\nBadly.' },
      'the instructions differ in line 2: "Do it.\\nWell." is recorded, and here it is "Do it.\\nBadly."',
    ],
    [{ stateText: '{"a":2}' }, 'the state differs at /a: 1 is recorded, and here it is 2'],
    [{ stateText: '{}' }, 'the state differs at /a: 1 is recorded, and here there is nothing'],
    [
      { stateText: '{"a":1,"b":{"c":[]}}' },
      'the state differs at /b: nothing is recorded, and here it is {"c":[]}',
    ],
    [{ stateText: '{ "a": 1 }' }, 'the state differs in how it is written'],
    [{ observation: 'P' }, 'the observation differs: "O" is recorded, and here it is "P"'],
    [{ correction: undefined }, 'the correction differs: "C" is recorded, and here there is none'],
    [
      { stateText: '{"a":2}', observation: 'P' },
      'the state differs at /a: 1 is recorded, and here it is 2; the observation differs too',
    ],
    [
      { instructions: 'X', stateText: '{}', observation: 'P', correction: 'D' },
      'the instructions differ in line 1: "Do it.\\nWell." is recorded, and here it is "X"; the state, the observation and the correction differ too',
    ],
    [{}, 'its parts are the same, and the text around them differs'],
  ])('is said of %j', (changed, expected) => {
    const now = { ...parts, ...changed };
    const { correction, ...rest } = now;
    expect(promptDifference(parts, correction === undefined ? rest : { ...rest, correction })).toBe(expected);
  });

  it('names a correction that is new', () => {
    const { correction: _, ...without } = parts;
    expect(promptDifference(without, parts)).toBe(
      'the correction differs: none is recorded, and here it is "C"',
    );
  });

  it('shows long texts around the place, and long values shortened', () => {
    const long = `${'x'.repeat(500)}A${'y'.repeat(500)}`;
    const said = promptDifference(
      { ...parts, observation: long },
      { ...parts, observation: long.replace('A', '😀') },
    );
    expect(said).toMatch(/^the observation differs: "…x{20}Ay+…" is recorded, and here it is "…x{20}😀y+…"$/);
    const state = (text: string) => JSON.stringify({ a: text });
    expect(
      promptDifference({ ...parts, stateText: state('x'.repeat(999)) }, { ...parts, stateText: state('') }),
    ).toMatch(/^the state differs at \/a: "x{58}… is recorded, and here it is ""$/);
  });

  it('says what is only in another order', () => {
    expect(
      promptDifference(
        { ...parts, stateText: '{"x":{"a":1,"b":2}}' },
        { ...parts, stateText: '{"x":{"b":2,"a":1}}' },
      ),
    ).toBe('the state differs at /x in the order of its keys');
  });

  it('takes values that nest deep, and hostile keys', () => {
    const deep = (end: string) => `${'{"a":['.repeat(20_000)}${end}${']}'.repeat(20_000)}`;
    const found = firstDifference(JSON.parse(deep('1')), JSON.parse(deep('2')));
    expect(found).toMatchObject({ recorded: 1, now: 2 });
    expect(found?.path).toHaveLength(40_000);
    expect(promptDifference({ ...parts, stateText: deep('1') }, { ...parts, stateText: '{"a":1}' })).toBe(
      'the state differs at /a: something deep is recorded, and here it is 1',
    );
    expect(
      firstDifference(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}')),
    ).toMatchObject({
      path: ['__proto__', 'a'],
    });
    expect(firstDifference({}, JSON.parse('{"constructor":1}'))).toMatchObject({ path: ['constructor'] });
  });

  it('is the first one in the recorded order, and none for what is equal', () => {
    const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, value, (recorded, now) => {
        const found = firstDifference(recorded, now);
        if (found === undefined) expect(JSON.stringify(recorded)).toBe(JSON.stringify(now));
        else if (found.isOrder)
          expect(JSON.parse(JSON.stringify(recorded))).toEqual(JSON.parse(JSON.stringify(now)));
        if (found === undefined || found.isOrder) return;
        expect(valueAt(recorded, found.path)).toEqual(found.recorded);
        expect(valueAt(now, found.path)).toEqual(found.now);
        expect(found.recorded).not.toEqual(found.now);
      }),
    );
    expect(firstDifference({ a: 1, b: 1 }, { b: 2, a: 2 })).toMatchObject({ path: parsePointer('/a') });
  });
});
