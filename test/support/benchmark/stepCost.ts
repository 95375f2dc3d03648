/** A step's own work at different t, with Σ of equal size: it has to stay the same. */
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { applyPatch } from '../../../client/src/runtime/merge';
import { createPromptTokenCounter } from '../../../client/src/runtime/tokenCounting';
import type { Tokenizer } from '../../../client/src/runtime/tokens';
import { replyOf, wordTokenizer } from '../memoryRun';
import { type Figure, type Measure, median, StepClock } from './figures';
import { steadyEnvironment, steadyModel, steadyPatch, steadySkill } from './steadyWarehouse';
import { timedRun } from './timedRun';

const moments = [100, 1_000, 5_000, 10_000];
/** Steps before and after a moment that count for it. */
const reach = 50;
const stepCount = Math.max(...moments) + reach;
const repetitions = 5;
/** Steps of a run before the measured ones, so that the code is compiled when they begin. */
const warmUpSteps = 3_000;

/** Milliseconds of single steps, those around one moment together; one list for each moment. */
type Windows = readonly number[][];

/**
 * Runs with the product's tokenizer and with one that counts words, and what either takes by itself. A step less its
 * token estimates is the run that counts words less the counting of words: the part of it that is not the tokenizer's.
 */
export async function measureStepCost(): Promise<Measure> {
  const table = await loadTokenizer();
  const whole = emptyWindows();
  const withWords = emptyWindows();
  const counting = emptyWindows();
  const countingWords = emptyWindows();
  const processor: number[] = [];
  for (const tokenizer of [table, wordTokenizer]) {
    await steadyRun(tokenizer, warmUpSteps);
    await countAlone(tokenizer, warmUpSteps);
  }
  // In turn, so that a busy stretch of the machine strikes all.
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const run = await steadyRun(table, stepCount);
    processor.push(run.processor);
    collect(whole, run.steps);
    collect(withWords, (await steadyRun(wordTokenizer, stepCount)).steps);
    collect(counting, await countAlone(table, stepCount));
    collect(countingWords, await countAlone(wordTokenizer, stepCount));
  }
  const wordCosts = countingWords.map(median);
  const own = withWords.map((window, index) => median(window) - (wordCosts[index] ?? 0));
  return {
    title: 'Work per step, 20 occupied shelves, one set and one delete a step (median)',
    figures: [
      ...figuresOf('own work', own, 0.1),
      ...figuresOf('token estimates alone', counting.map(median)),
      ...figuresOf('all together', whole.map(median)),
      { name: 'all together, processor time, mean', value: median(processor), unit: 'ms' },
    ],
  };
}

function emptyWindows(): Windows {
  return moments.map(() => []);
}

function collect(windows: Windows, steps: readonly number[]): void {
  for (const [index, moment] of moments.entries())
    windows[index]?.push(...steps.slice(moment - reach, moment + reach));
}

async function steadyRun(tokenizer: Tokenizer, steps: number) {
  const skill = await steadySkill();
  return timedRun({ skill, environment: steadyEnvironment(steps), model: steadyModel(), tokenizer });
}

/** What the run's counter does in each step: the prompt's parts and the reply. */
async function countAlone(tokenizer: Tokenizer, steps: number): Promise<readonly number[]> {
  const skill = await steadySkill();
  const counter = createPromptTokenCounter(tokenizer, skill.instructions);
  const observations = steadyEnvironment(steps);
  const { signal } = new AbortController();
  const options = { seed: 0, horizon: steps, repeatUnserved: false };
  let { observation } = await observations.reset(options, signal);
  let state = skill.initialState;
  const times: number[] = [];
  for (let step = 0; step < steps; step++) {
    const patch = steadyPatch(step);
    const reply = replyOf(patch, 'Move item_1000000 shelf_100 shelf_120');
    const clock = new StepClock();
    counter.count({ state, stateText: '', observation });
    counter.completion(reply);
    clock.tick();
    times.push(...clock.steps);
    state = applyPatch(state, patch, skill.stateSchema).state;
    ({ observation } = await observations.execute('Wait', signal));
  }
  return times;
}

/** @param most milliseconds that a step may take; without it the figures have no goal. */
function figuresOf(name: string, milliseconds: readonly number[], most?: number): Figure[] {
  const [first = Number.NaN] = milliseconds;
  return milliseconds.map((value, index) => {
    const flatness = value / first;
    const text = `at most ${most} ms${index === 0 ? '' : ', flat in t'}`;
    return {
      name: `${name}, t ≈ ${moments[index]}`,
      value,
      unit: 'ms',
      ...(index > 0 && { ratio: { value: flatness, to: `t ≈ ${moments[0]}` } }),
      ...(most !== undefined && { goal: { text, met: value <= most && flatness <= 1.25 } }),
    };
  });
}
