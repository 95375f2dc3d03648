/** The records of forks and edits, and what an outcome says beside its observation. */
import { expect, it } from 'vitest';
import { isGoToArguments, isStepProgress } from '../../../schemas/messages/debugMessages';
import { recordProblem } from '../../../schemas/trace/trace';
import { memoryRun } from '../../support/memoryRun';

const place = { id: 3, parent: 2, branch: 1, step: 4, time: 0 };

it('are read', () => {
  for (const record of [
    { kind: 'fork', ...place },
    {
      kind: 'fork',
      ...place,
      skill: { files: [{ path: 'SKILL.md', role: 'skill', sha256: '0'.repeat(64), text: 'P' }] },
      instructions: { sha256: '0'.repeat(64), text: 'P' },
    },
    { kind: 'edit', ...place, phase: 'act', target: 'state', pointer: '/inventory/shelf_1', value: null },
    { kind: 'edit', ...place, phase: 'merge', target: 'patch', pointer: '/inventory/shelf_1' },
    { kind: 'edit', ...place, phase: 'act', target: 'action', value: 'Wait' },
  ]) {
    expect(recordProblem(record)).toBeUndefined();
  }
});

it('are refused where something is missing', () => {
  expect(recordProblem({ kind: 'edit', ...place, target: 'state', pointer: '' })).toContain('phase');
  expect(recordProblem({ kind: 'edit', ...place, phase: 'act', target: 'reply' })).toContain('/target');
});

it.each([
  { kind: 'x'.repeat(1_000_000) },
  { kind: 'attempt', ...place, tokens: { ['x'.repeat(1_000_000)]: 1 } },
  { kind: 'run', id: 0, branch: 0, format: 'x'.repeat(1_000_000) },
])('are refused in few words', (record) => {
  expect(recordProblem(record)?.length).toBeLessThan(300);
});

it('an outcome has the score, and whether the state differs from the world', async () => {
  const run = await memoryRun({ faults: 0.5, faultSeed: 3, options: { horizon: 30 } });
  const last = await run.finish();
  const outcomes = run.records.filter((record) => record.kind === 'outcome');
  expect(outcomes.at(-1)?.score).toEqual(last.score);
  expect(new Set(outcomes.map(({ diverged }) => diverged))).toEqual(new Set([undefined, true]));
});

it('messages of another shape are told apart', () => {
  const progress = {
    step: 1,
    branch: 0,
    phase: 'act',
    live: true,
    stopped: true,
    stateBytes: 2,
    tokens: { total: 3, source: 'estimated' },
  };
  expect(isStepProgress(progress)).toBe(true);
  expect(isStepProgress({ ...progress, tracePath: '/run.skilltrace.jsonl' })).toBe(true);
  expect(isStepProgress({ ...progress, phase: 'sleep' })).toBe(false);
  expect(isGoToArguments({ branch: 0, step: 2 })).toBe(true);
  expect(isGoToArguments({ branch: 0, step: -1 })).toBe(false);
});
