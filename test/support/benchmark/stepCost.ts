/** A step's own work at different t, with Σ of equal size: it has to stay the same. */
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import type { Tokenizer } from '../../../client/src/runtime/tokens';
import { wordTokenizer } from '../memoryRun';
import { type Figure, type Measure, median } from './figures';
import { steadyEnvironment, steadyModel, steadySkill } from './steadyWarehouse';
import { timedRun } from './timedRun';

const moments = [100, 1_000, 5_000, 10_000] as const;
/** Steps before and after a moment that count for it. */
const reach = 50;
const runs = 5;
/** Steps of a run before the measured ones, so that the code is compiled when they begin. */
const warmUpSteps = 3_000;

/** The milliseconds of the steps around each moment, over all runs, by tokenizer. */
export async function measureStepCost(): Promise<Measure> {
  const tokenizers = [wordTokenizer, await loadTokenizer()];
  const steps = moments[moments.length - 1] + reach;
  const taken = new Map(tokenizers.map((tokenizer) => [tokenizer, moments.map((): number[] => [])]));
  for (const tokenizer of tokenizers) await steadyRun(tokenizer, warmUpSteps);
  // In turn, so that a busy stretch of the machine strikes both.
  for (let run = 0; run < runs; run++) {
    for (const [tokenizer, windows] of taken) {
      const times = await steadyRun(tokenizer, steps);
      for (const [index, moment] of moments.entries())
        windows[index]?.push(...times.slice(moment - reach, moment + reach));
    }
  }
  const [words = [], table = []] = [...taken.values()].map((windows) => windows.map(median));
  return {
    title: 'Work per step, 20 occupied shelves, one set and one delete a step (median)',
    figures: [
      ...costs('without token estimates', words, { goal: 0.1 }),
      ...costs('with token estimates', table, {}),
      ...moments.map((moment, index): Figure => {
        const estimate = (table[index] ?? 0) - (words[index] ?? 0);
        const ratio = { value: estimate / (words[index] ?? 0), to: 'the rest of the step' };
        return { name: `token estimates at t ≈ ${moment}`, value: estimate, unit: 'ms', ratio };
      }),
    ],
  };
}

async function steadyRun(tokenizer: Tokenizer, steps: number): Promise<readonly number[]> {
  const skill = await steadySkill();
  const environment = steadyEnvironment(steps);
  return (await timedRun({ skill, environment, model: steadyModel(), tokenizer })).steps;
}

/** @param goal milliseconds that a step may take; without it no figure has a goal. */
function costs(name: string, milliseconds: readonly number[], { goal }: { goal?: number }): Figure[] {
  const [first = Number.NaN] = milliseconds;
  return milliseconds.map((value, index) => {
    const flatness = value / first;
    const text = goal === undefined ? '' : index === 0 ? `at most ${goal} ms` : `at most ${goal} ms, flat in t`;
    return {
      name: `${name}, t ≈ ${moments[index]}`,
      value,
      unit: 'ms',
      ...(index > 0 && { ratio: { value: flatness, to: `t ≈ ${moments[0]}` } }),
      ...(goal !== undefined && { goal: { text, met: value <= goal && flatness <= 1.25 } }),
    };
  });
}
