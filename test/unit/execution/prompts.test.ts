/** Every recorded prompt is what (P, Σ_t, O_t) alone gives, and every Σ_t is what the patches give. */
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { createStateValidator } from '../../../client/src/runtime/validation';
import { memoryRun, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

describe.each([
  ['without faults', 0, 'on-propose'],
  ['with faults', 0.3, 'on-propose'],
  ['with faults, committing on accept', 0.3, 'on-accept'],
] as const)('a run of 150 events %s', (_name, faults, commit) => {
  it('asks with P, Σ_t and O_t, the correction apart, and stays valid', async () => {
    const run = await memoryRun({
      faults,
      faultSeed: 11,
      options: { horizon: 150, seed: 42, keyframeEvery: 16, commit },
    });
    await run.finish();
    const reader = await readerOf(traceText(run.records));
    const [branch] = reader.branches;
    const steps = branch?.steps ?? 0;
    expect(steps).toBeGreaterThan(100);
    const validator = createStateValidator(run.skill.stateSchema, defaultRunOptions.limits);
    for (let at = 0; at < steps; at++) {
      const step = await reader.step(0, at);
      const state = await reader.stateAt(0, at);
      expect(validator.checkInitial(state)).toEqual([]);
      for (const { record } of step.attempts) {
        const { correction } = record.prompt;
        const alone = composePrompt({
          instructions: run.skill.instructions,
          state,
          observation: step.observation,
        }).text;
        const text = correction === undefined ? alone : `${alone}\n\n${correction}`;
        expect(record.prompt.sha256).toBe(sha256(text));
        expect((await reader.promptOf(0, at, record.attempt)).prompt.text).toBe(text);
      }
    }
    expect(branch?.end).toMatchObject({ state: await reader.stateAt(0, steps) });
    // Every Σ_t that ran is the one that the reader makes again.
    for (const phase of run.phases) {
      if (phase.phase === 'observe' && !phase.end)
        expect(await reader.stateAt(0, phase.step)).toEqual(phase.state);
    }
  });
});

it('a rejected reply is classed and in the trace', async () => {
  const run = await memoryRun({ faults: 0.3, faultSeed: 11, options: { horizon: 150, seed: 42 } });
  const last = await run.finish();
  const rejections = run.records.flatMap((record) => (record.kind === 'rejection' ? [record] : []));
  const counted = Object.values(last.totals.rejected).reduce((sum, count) => sum + count, 0);
  expect(rejections.length).toBeGreaterThan(10);
  expect(counted).toBe(rejections.length);
});
