/** The warehouse sample with its scripted model: how large prompt and state become over longer and longer runs. */
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { scriptedPolicies } from '../../../client/src/models/scripted/policies';
import { createScriptedModel } from '../../../client/src/models/scripted/scriptedModel';
import type { Model } from '../../../client/src/runtime/model';
import { loadSkill } from '../../../schemas/skill/skill';
import { sampleFiles } from '../memoryRun';
import { type Figure, type Measure, median } from './figures';
import { timedRun } from './timedRun';

const horizons = [100, 1_000, 10_000];
export const seed = 42;

/** The scripted model of the warehouse. */
export function warehouseModel(): Model {
  const policy = scriptedPolicies.get('warehouse');
  if (!policy) throw new Error('There is no scripted policy for the warehouse');
  return createScriptedModel({ policy, sha256 });
}

export async function measureHorizons(): Promise<Measure> {
  const skill = await loadSkill(sampleFiles('warehouse'));
  const figures: Figure[] = [];
  let shortest: { readonly prompt: number; readonly state: number; readonly step: number } | undefined;
  const run = async (horizon: number) => {
    let state = 0;
    const timed = await timedRun({
      skill,
      environment: createWarehouse(),
      model: warehouseModel(),
      options: { seed, horizon },
      onStep: (now) => {
        state = Math.max(state, JSON.stringify(now.state).length);
      },
    });
    return { ...timed, state };
  };
  await run(1_000);
  for (const horizon of horizons) {
    const { run: end, steps, state } = await run(horizon);
    const prompt = end.totals.promptCharacters.max;
    const step = median(steps);
    const named = `T = ${horizon}`;
    const ratio = (value: number, part: 'prompt' | 'state' | 'step') =>
      shortest && { ratio: { value: value / shortest[part], to: `T = ${horizons[0]}` } };
    const succeeded = end.score?.successful ?? 0;
    figures.push(
      { name: `${named}: longest prompt`, value: prompt, unit: 'characters', ...ratio(prompt, 'prompt') },
      { name: `${named}: longest state`, value: state, unit: 'characters', ...ratio(state, 'state') },
      {
        name: `${named}: successful events`,
        value: succeeded,
        unit: 'count',
        ratio: { value: succeeded / horizon, to: 'all events' },
      },
      { name: `${named}: a step, median`, value: step, unit: 'ms', ...ratio(step, 'step') },
    );
    shortest ??= { prompt, state, step };
  }
  return { title: 'Warehouse, scripted model', figures };
}
