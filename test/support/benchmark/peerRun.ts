/**
 * The warehouse run three times over: by SKILL.state, by LangGraph.js with its memory checkpointer, and by a bare loop
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
import { Unavailable } from '../vscodeCache';
import { type Figure, type Measure, median, millisecondsOf } from './figures';
import { type LangGraph, langGraphVersion, loadLangGraph } from './langGraph';
import { timedRun } from './timedRun';
import { seed, warehouseModel } from './warehouseHorizons';

const horizon = 1_000;
const repetitions = 5;
const goal = 50;
const title = `Warehouse of ${horizon} steps beside LangGraph.js ${langGraphVersion} with MemorySaver`;
const { signal } = new AbortController();

/** What the graph's channels hold. */
interface WarehouseChannels {
  readonly observation: string;
  readonly inventory: JsonObject;
  readonly action: string;
  readonly done: boolean;
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
  const contenders = {
    ours: () => runOurs(skill, wordTokenizer),
    estimating: () => runOurs(skill, table),
    bare: () => runBare(skill),
    theirs: () => runTheirs(skill, langGraph),
  };
  const times: Record<keyof typeof contenders, number[]> = { ours: [], estimating: [], bare: [], theirs: [] };
  // The first round compiles the code and does not count; in turn, so that a busy machine strikes all.
  for (let repetition = 0; repetition <= repetitions; repetition++) {
    for (const name of Object.keys(contenders) as (keyof typeof contenders)[]) {
      const milliseconds = await millisecondsOf(contenders[name]);
      if (repetition > 0) times[name].push(milliseconds / horizon);
    }
  }
  const [ours, estimating, bare, theirs] = [
    median(times.ours),
    median(times.estimating),
    median(times.bare),
    median(times.theirs),
  ];
  const row = (name: string, value: number): Figure => ({
    name,
    value,
    unit: 'ms',
    ratio: { value: theirs / value, to: 'LangGraph.js, times cheaper' },
  });
  const own = ours - bare;
  const met = (theirs - bare) / own >= goal;
  return {
    title,
    figures: [
      { name: 'LangGraph.js, a step', value: theirs, unit: 'ms' },
      { name: 'LangGraph.js', value: 1000 / theirs, unit: 'steps/s' },
      row('SKILL.state, a step', ours),
      { name: 'SKILL.state', value: 1000 / ours, unit: 'steps/s' },
      row('SKILL.state with token estimates, a step', estimating),
      row('bare loop: prompt, model, parse, merge, warehouse', bare),
      {
        name: "SKILL.state's own work, the bare loop taken off both",
        value: own,
        unit: 'ms',
        ratio: { value: (theirs - bare) / own, to: 'LangGraph.js, times cheaper' },
        goal: { text: `at least ${goal} times cheaper`, met },
      },
    ],
  };
}

async function runOurs(skill: Skill, tokenizer: Tokenizer): Promise<void> {
  const environment = createWarehouse();
  const { run } = await timedRun({
    skill,
    environment,
    model: warehouseModel(),
    tokenizer,
    options: { seed, horizon },
  });
  if (run.score?.successful !== horizon) throw new Error('SKILL.state did not serve every event');
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
  const request = { prompt, step, attempt: 1, seed, temperature: 0, topP: 1 };
  for await (const event of model.generate(request, signal)) if (event.type === 'text') text += event.text;
  const parsed = parseReply(text, defaultRunOptions.limits);
  if (!parsed.ok) throw new Error(parsed.rejection.message);
  const merged = applyPatch({ inventory }, parsed.reply.patch, skill.stateSchema).state;
  return { inventory: merged.inventory as JsonObject, action: parsed.reply.action };
}

async function runBare(skill: Skill): Promise<void> {
  const environment = createWarehouse();
  const model = warehouseModel();
  let { observation, done } = await environment.reset({ seed, horizon, repeatUnserved: false }, signal);
  let inventory: JsonObject = {};
  for (let step = 0; !done; step++) {
    const answered = await answer(model, skill, step, { observation, inventory });
    inventory = answered.inventory;
    ({ observation, done } = await environment.execute(answered.action, signal));
  }
}

async function runTheirs(
  skill: Skill,
  { Annotation, StateGraph, MemorySaver, START, END }: LangGraph,
): Promise<void> {
  const environment = createWarehouse();
  const model = warehouseModel();
  const first = await environment.reset({ seed, horizon, repeatUnserved: false }, signal);
  let step = 0;
  const state = Annotation.Root({
    observation: Annotation<string>(),
    inventory: Annotation<JsonObject>(),
    action: Annotation<string>(),
    done: Annotation<boolean>(),
  });
  const graph = new StateGraph(state)
    .addNode<WarehouseChannels>('agent', (channels) => answer(model, skill, step++, channels))
    .addNode<WarehouseChannels>('act', async ({ action }) => {
      const { observation, done } = await environment.execute(action, signal);
      return { observation, done };
    })
    .addEdge(START, 'agent')
    .addEdge('agent', 'act')
    .addConditionalEdges<WarehouseChannels>('act', ({ done }) => (done ? END : 'agent'))
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke(
    { observation: first.observation, inventory: {}, done: first.done },
    { recursionLimit: 2 * horizon + 10, configurable: { thread_id: 'bench' } },
  );
  if (environment.score?.().successful !== horizon) throw new Error('LangGraph.js did not serve every event');
}
