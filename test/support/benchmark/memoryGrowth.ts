/** What a long run adds to the heap with each step: nothing by itself, the patch where its records are kept. */
import type { CommitRecord } from '../../../schemas/trace/trace';
import type { Figure, Measure } from './figures';
import { steadyEnvironment, steadyModel, steadyPatch, steadySkill } from './steadyWarehouse';
import { timedRun } from './timedRun';

const steps = 10_000;
/** The heap is looked at after so many steps first, when everything that is made once is there. */
const from = 1_000;

/** @param collectGarbage Node's own, with --expose-gc. */
export async function measureMemory(collectGarbage: () => void): Promise<Measure> {
  const patchBytes = Buffer.byteLength(JSON.stringify(steadyPatch(0)));
  await growth(collectGarbage, false);
  const alone = await growth(collectGarbage, false);
  const kept = await growth(collectGarbage, true);
  const ratio = (value: number) => ({ value: value / patchBytes, to: "the patch's bytes" });
  const figures: Figure[] = [
    { name: 'one patch as JSON', value: patchBytes, unit: 'bytes' },
    {
      name: 'heap growth per step, records on disk',
      value: alone,
      unit: 'bytes',
      ratio: ratio(alone),
      goal: { text: 'at most the patch', met: alone <= patchBytes },
    },
    { name: 'heap growth per step, patches kept', value: kept, unit: 'bytes', ratio: ratio(kept) },
  ];
  return { title: `Memory over ${steps} steps`, figures };
}

/** Bytes of heap that each step adds. */
async function growth(collectGarbage: () => void, keepPatches: boolean): Promise<number> {
  const patches: CommitRecord['patch'][] = [];
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  let first = 0;
  let last = 0;
  await timedRun({
    skill: await steadySkill(),
    environment: steadyEnvironment(steps),
    model: steadyModel(),
    onRecord(record) {
      if (keepPatches && record.kind === 'commit') patches.push(record.patch);
    },
    onStep({ totals }) {
      if (totals.steps === from) first = used();
      if (totals.steps === steps) last = used();
    },
  });
  return (last - first) / (steps - from);
}
