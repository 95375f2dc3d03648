/**
 * The warehouse run several times over: by SKILL.state, by LangGraph.js with its memory checkpointer, and by a bare loop
 * that shows what prompt, model, merge and warehouse cost by themselves. All have the same prompts, model and actions.
 */
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { applyPatch } from '../../../client/src/runtime/merge';
import type { Model } from '../../../client/src/runtime/model';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { parseReply } from '../../../client/src/runtime/replyParser';
import type { Tokenizer } from '../../../client/src/runtime/tokens';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { loadSkill, type Skill } from '../../../schemas/skill/skill';
import { sampleFiles, wordTokenizer } from '../memoryRun';
import { modelRequest } from '../modelRequest';
import { Unavailable } from '../vscodeCache';
import { type Figure, type Measure, median, StepClock } from './figures';
import { type LangGraph, langGraphVersion, loadLangGraph } from './langGraph';
import { timedRun } from './timedRun';
import { seed, warehouseModel } from './warehouseHorizons';

const horizon = 1_000;
const repetitions = 5;
const goal = 50;
const title = `Warehouse of ${horizon} steps beside LangGraph.js ${langGraphVersion} with MemorySaver`;
const { signal } = new AbortController();

interface Contenders<Value> {
  readonly ours: Value;
  readonly estimating: Value;
  readonly bare: Value;
  readonly theirs: Value;
  /** LangGraph.js with an `invoke` for each step, as it is driven where something has to happen between two steps. */
  readonly theirsStepwise: Value;
}

/** The wall-clock milliseconds of each step, and the processor time of one. */
interface Taken {
  readonly steps: readonly number[];
  readonly processor: number;
}

/** What the graph's channels hold. */
interface WarehouseChannels {
  readonly observation: string;
  readonly inventory: JsonObject;
  readonly action: string;
}

export async function measurePeer(log: (line: string) => void): Promise<Measure> {
  let langGraph: LangGraph;
  try {
    langGraph = loadLangGraph(log);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { title, figures: [], skipped: error.message };
  }
  const skill = await loadSkill(sampleFiles('warehouse'));
  const table = await loadTokenizer();
  const contenders: Contenders<() => Promise<Taken>> = {
    ours: () => runOurs(skill, wordTokenizer),
    estimating: () => runOurs(skill, table),
    bare: () => runBare(skill),
    theirs: () => runTheirs(skill, langGraph, { stepwise: false }),
    theirsStepwise: () => runTheirs(skill, langGraph, { stepwise: true }),
  };
  const names = Object.keys(contenders) as (keyof typeof contenders)[];
  const steps = noTimes();
  const processor = noTimes();
  // The first round compiles the code and does not count; in turn, so that a busy machine strikes all.
  for (let repetition = 0; repetition <= repetitions; repetition++) {
    for (const name of names) {
      const taken = await contenders[name]();
      if (repetition === 0) continue;
      steps[name].push(...taken.steps);
      processor[name].push(taken.processor);
    }
  }
  return {
    title,
    figures: [...rows('a step', steps, false), ...rows('processor time of a step', processor, true)],
  };
}

function noTimes(): Contenders<number[]> {
  return { ours: [], estimating: [], bare: [], theirs: [], theirsStepwise: [] };
}

/** The figures of one kind of time. What the bare loop takes, every contender does, so that it's taken off for the goal. */
function rows(kind: string, times: Contenders<readonly number[]>, isGoal: boolean): Figure[] {
  const theirs = median(times.theirs);
  const bare = median(times.bare);
  const ours = median(times.ours);
  const row = (name: string, value: number, against: number): Figure => ({
    name: `${name}, ${kind}`,
    value,
    unit: 'ms',
    ratio: { value: against / value, to: 'cheaper than LangGraph.js' },
  });
  const own = row('SKILL.state less the bare loop', ours - bare, theirs - bare);
  const met = (theirs - bare) / (ours - bare) >= goal;
  return [
    { name: `LangGraph.js, ${kind}`, value: theirs, unit: 'ms' },
    { name: `LangGraph.js, an invoke each, ${kind}`, value: median(times.theirsStepwise), unit: 'ms' },
    row('SKILL.state', ours, theirs),
    row('SKILL.state with token estimates', median(times.estimating), theirs),
    row('bare loop of prompt, model, parse, merge, act', bare, theirs),
    { ...own, ...(isGoal && { goal: { text: `at least ${goal} times cheaper`, met } }) },
    ...(isGoal
      ? []
      : [
          { name: 'LangGraph.js', value: 1000 / theirs, unit: 'steps/s' as const },
          { name: 'SKILL.state', value: 1000 / ours, unit: 'steps/s' as const },
        ]),
  ];
}

async function runOurs(skill: Skill, tokenizer: Tokenizer): Promise<Taken> {
  const environment = createWarehouse();
  const taken = await timedRun({
    skill,
    environment,
    model: warehouseModel(),
    tokenizer,
    options: { seed, horizon },
  });
  if (taken.run.score?.successful !== horizon) throw new Error('SKILL.state did not serve every event');
  return taken;
}

/** One step's reply, read and merged. */
async function answer(
  model: Model,
  skill: Skill,
  step: number,
  { observation, inventory }: Pick<WarehouseChannels, 'observation' | 'inventory'>,
): Promise<Pick<WarehouseChannels, 'inventory' | 'action'>> {
  const { text: prompt } = composePrompt({
    instructions: skill.instructions,
    state: { inventory },
    observation,
  });
  let text = '';
  const request = modelRequest({ prompt, step, seed });
  for await (const event of model.generate(request, signal)) if (event.type === 'text') text += event.text;
  const parsed = parseReply(text, defaultRunOptions.limits);
  if (!parsed.ok) throw new Error(parsed.rejection.message);
  const merged = applyPatch({ inventory }, parsed.reply.patch, skill.stateSchema).state;
  return { inventory: merged.inventory as JsonObject, action: parsed.reply.action };
}

async function runBare(skill: Skill): Promise<Taken> {
  const environment = createWarehouse();
  const model = warehouseModel();
  let { observation, done } = await environment.reset({ seed, horizon, repeatUnserved: false }, signal);
  let inventory: JsonObject = {};
  const clock = new StepClock();
  for (let step = 0; !done; step++) {
    const answered = await answer(model, skill, step, { observation, inventory });
    inventory = answered.inventory;
    ({ observation, done } = await environment.execute(answered.action, signal));
    clock.tick();
  }
  return { steps: clock.steps, processor: clock.processor };
}

async function runTheirs(
  skill: Skill,
  { Annotation, StateGraph, MemorySaver, START, END }: LangGraph,
  { stepwise }: { readonly stepwise: boolean },
): Promise<Taken> {
  const environment = createWarehouse();
  const model = warehouseModel();
  const first = await environment.reset({ seed, horizon, repeatUnserved: false }, signal);
  const clock = new StepClock();
  let isDone = first.done;
  const channels = Annotation.Root({
    observation: Annotation<string>(),
    inventory: Annotation<JsonObject>(),
    action: Annotation<string>(),
  });
  const graph = new StateGraph(channels)
    .addNode<WarehouseChannels>('agent', (now) => answer(model, skill, clock.steps.length, now))
    .addNode<WarehouseChannels>('act', async ({ action }) => {
      const { observation, done } = await environment.execute(action, signal);
      isDone = done;
      return { observation };
    })
    .addEdge(START, 'agent')
    .addEdge('agent', 'act')
    .addConditionalEdges<WarehouseChannels>('act', () => {
      if (!stepwise) clock.tick();
      return isDone || stepwise ? END : 'agent';
    })
    .compile({ checkpointer: new MemorySaver() });
  const settings = { recursionLimit: 2 * horizon + 10, configurable: { thread_id: 'bench' } };
  await graph.invoke({ observation: first.observation, inventory: {} }, settings);
  if (stepwise) clock.tick();
  // What the channels hold comes from the checkpointer; an input is needed to begin again.
  while (!isDone) {
    await graph.invoke({ action: '' }, settings);
    clock.tick();
  }
  const { steps, processor } = clock;
  if (environment.score?.().successful !== horizon) throw new Error('LangGraph.js did not serve every event');
  return { steps, processor };
}
