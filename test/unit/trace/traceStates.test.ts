/** The states of a recorded run, and the schema that comes of them. */
import { describe, expect, it } from 'vitest';
import { compileStateSchema } from '../../../client/src/runtime/compiledSchema';
import { statesOfTrace } from '../../../client/src/runtime/traceStates';
import { inferStateSchema } from '../../../schemas/state/inferSchema';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { longTraceBytes } from '../../support/longTrace';
import { memoryRun, traceText } from '../../support/memoryRun';
import { growingBytes } from '../../support/memoryTrace';

describe('statesOfTrace', () => {
  it('has the state before each step and after the last', async () => {
    const run = await memoryRun({ options: { horizon: 12 } });
    await run.finish();
    const trace = await statesOfTrace(growingBytes(traceText(run.records)));
    const steps = run.records.filter(({ kind }) => kind === 'step').length;
    expect(trace?.skill).toBe('warehouse');
    expect(trace?.states).toHaveLength(steps + 1);
    expect(trace?.states[0]).toEqual(run.skill.initialState);
  });

  it('gives a schema under which the run could have gone', async () => {
    const run = await memoryRun({ options: { horizon: 25 } });
    await run.finish();
    const states = (await statesOfTrace(growingBytes(traceText(run.records))))?.states ?? [];
    const inferred = inferStateSchema(states, { series: true });
    if (!inferred.ok) throw new Error(inferred.message);
    const schema = loadStateSchema({ path: 'state.schema.yaml', text: inferred.yaml });
    const { violations } = compileStateSchema(schema);
    expect(states.map((state) => violations(state))).toEqual(states.map(() => []));
    expect(inferred.schema).toMatchObject({
      properties: { inventory: { propertyNames: { pattern: expect.stringMatching(/^\^shelf_/) } } },
    });
  });

  it('reads a trace that was cut off in the middle', async () => {
    const run = await memoryRun({ options: { horizon: 12 } });
    await run.finish();
    const text = traceText(run.records);
    const trace = await statesOfTrace(growingBytes(text.slice(0, text.length / 2)));
    expect(trace?.states.length).toBeGreaterThan(1);
  });

  it('reads a long trace a piece at a time', async () => {
    const bytes = growingBytes(await longTraceBytes({ steps: 5_000 }));
    let largest = 0;
    const trace = await statesOfTrace({
      ...bytes,
      async read(offset, length) {
        const piece = await bytes.read(offset, length);
        largest = Math.max(largest, piece.length);
        return piece;
      },
    });
    expect(trace?.states).toHaveLength(2_000);
    expect(largest).toBeLessThan((await bytes.size()) / 4);
  });

  it.each(['', '{}\n', 'no trace', '{"kind":"step"}\n'])('says of %j that it is no trace', async (text) => {
    expect(await statesOfTrace(growingBytes(text))).toBeUndefined();
  });
});
