/** Conditions, hit conditions and log messages by themselves. */
import { describe, expect, it } from 'vitest';
import {
  compileHitCondition,
  compileMomentExpression,
  holds,
  type Moment,
} from '../../../client/src/debug/conditions';
import { compileLogMessage } from '../../../client/src/debug/logMessages';
import { rootNames } from '../../../client/src/debug/view';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { memoryRun } from '../../support/memoryRun';

async function moment(extra: JsonObject = {}): Promise<Moment> {
  const { execution } = await memoryRun({ options: { horizon: 2, seed: 42 } });
  const { signal } = new AbortController();
  let run = await execution.start(signal);
  while (run.phase !== 'act') run = (await execution.advance(signal)).after;
  return {
    position: { run, underWay: false, partialReply: '', rejected: undefined, exhausted: false },
    extra,
  };
}

describe('conditions', () => {
  it.each([
    ['step == 0 && attempt == 1', true],
    ['action == "Store item_0 shelf_0"', true],
    ['patch.inventory.size() == 1 && proposed == state && before.inventory.size() == 0', true],
    ['observation.contains("item_9")', false],
    ['tokens.total > 0 && tokens.latest.split.state >= 0', true],
    ['phase == "act" && score == null', false],
    ['warning.class == "diverged"', true],
  ])('%s', async (source, value) => {
    const compiled = compileMomentExpression(source, ['warning']);
    if (!compiled.ok) throw new Error(compiled.message);
    expect(holds(compiled.value, await moment({ warning: { class: 'diverged' } }))).toBe(value);
  });

  it('name what there is where they cannot be read', () => {
    expect(compileMomentExpression('warning == 1')).toEqual({
      ok: false,
      message: `Unknown variable: warning. It may name ${rootNames.join(', ')}.`,
    });
  });

  it('are a problem where they cannot be evaluated, or are neither true nor false', async () => {
    const verdictOf = async (source: string) => {
      const compiled = compileMomentExpression(source);
      return compiled.ok && holds(compiled.value, await moment());
    };
    expect(await verdictOf('state.nothing == 1')).toEqual({ problem: 'No such key: nothing.' });
    expect(await verdictOf('step')).toEqual({ problem: 'It gives 0, which is neither true nor false.' });
    expect(await verdictOf('score.nothing == 1 || step == 0')).toBe(true);
  });

  it('look up nothing that they do not name', async () => {
    const asked: string[] = [];
    const { position } = await moment();
    const run = new Proxy(position.run, {
      get(target, name, receiver) {
        asked.push(String(name));
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const compiled = compileMomentExpression('step == 0 && [1].all(state, state == 1)');
    if (!compiled.ok) throw new Error(compiled.message);
    // A loop's variable is called like a root here: that costs a look-up, and changes nothing.
    expect(holds(compiled.value, { position: { ...position, run }, extra: {} })).toBe(true);
    expect(new Set(asked)).toEqual(new Set(['step', 'state']));
  });
});

describe('hit conditions', () => {
  const hits = (source: string) => {
    const compiled = compileHitCondition(source);
    if (!compiled.ok) return compiled.message;
    return [1, 2, 3, 4, 5, 6, 7].filter(compiled.value);
  };

  it.each([
    ['3', [3]],
    [' 3 ', [3]],
    ['== 3', [3]],
    ['=3', [3]],
    ['===3', [3]],
    ['>= 6', [6, 7]],
    ['>6', [7]],
    ['<= 2', [1, 2]],
    ['< 2', [1]],
    ['% 3', [3, 6]],
    ['%1', [1, 2, 3, 4, 5, 6, 7]],
    ['0', []],
  ])('%s', (source, counted) => expect(hits(source)).toEqual(counted));

  it.each(['', '-1', '1.5', 'three', '>', '% 0', '3 times', '!= 3', '9'.repeat(16)])(
    '%s is none',
    (source) => {
      expect(hits(source)).toBe(
        `The hit condition ${JSON.stringify(source)} can't be read: write a number, such as 5, or >= 5, < 5 or % 5.`,
      );
    },
  );
});

describe('log messages', () => {
  const written = async (source: string) => {
    const compiled = compileLogMessage(source);
    return compiled.ok ? compiled.value.textAt(await moment()) : compiled.message;
  };

  it.each([
    ['plain', 'plain'],
    ['t={step}: {action}', 't=0: Store item_0 shelf_0'],
    ['{ state.inventory }', '{shelf_0: "item_0"}'],
    ['{step}{step}', '00'],
    [String.raw`\{step\} is {step} \ \n`, String.raw`{step} is 0 \ \n`],
    ['{ {"a": step}.a }', '0'],
    ['{"}" + "{"} and {\'"}\'}', '}{ and "}'],
    ['{"\\"}"}', '"}'],
    ['a } b', 'a } b'],
    ['{state.nothing}!', '<state.nothing: No such key: nothing.>!'],
    ['{score.actionable}', '0'],
    ['', ''],
  ])('%s', async (source, text) => expect(await written(source)).toBe(text));

  it.each([
    ['a {step', /^The log message can't be read: "\{step" has no closing brace\. Write/],
    ['a {', /no closing brace/],
    ['{}', /The expression is not complete/],
    ['{shelf}', /Unknown variable: shelf\. It may name state, /],
    ['{"open}', /no closing brace/],
  ])('%s cannot be read', async (source, message) => expect(await written(source)).toMatch(message));
});
