import { describe, expect, it } from 'vitest';
import { evaluatedValues } from '../../../client/src/views/values/evaluatedValues';

const names = Array.from({ length: 200 }, (_, index) => `state.a${index}`);

describe('values behind lines', () => {
  it('are asked for once each, and those that are none left out', async () => {
    const asked: string[] = [];
    const evaluate = async (expression: string) => {
      asked.push(expression);
      if (expression === 'state.gone') throw new Error('There is none.');
      return expression === 'state.nothing' ? undefined : `<${expression}>`;
    };
    const given = ['state.b', 'state.gone', 'state.b', 'state.nothing', 'state.a'];
    const values = await evaluatedValues(given, evaluate, () => true);
    expect([...values]).toEqual([
      ['state.b', '<state.b>'],
      ['state.a', '<state.a>'],
    ]);
    expect(asked).toEqual(['state.b', 'state.gone', 'state.nothing', 'state.a']);
    expect((await evaluatedValues(names, evaluate, () => true)).size).toBe(200);
  });

  it('are not waited for one by one', async () => {
    let waiting = 0;
    let most = 0;
    const evaluate = async () => {
      most = Math.max(most, ++waiting);
      await Promise.resolve();
      waiting--;
      return '1';
    };
    await evaluatedValues(names, evaluate, () => true);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(200);
  });

  it('are asked for no longer once nobody wants them', async () => {
    let asked = 0;
    let isWanted = true;
    const evaluate = async () => {
      if (++asked === 5) isWanted = false;
      return '1';
    };
    await evaluatedValues(names, evaluate, () => isWanted);
    expect(asked).toBeLessThan(50);
    await evaluatedValues(names, evaluate, () => false);
    expect(asked).toBeLessThan(50);
  });
});
