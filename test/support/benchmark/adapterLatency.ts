/**
 * What the debug adapter adds: how long a stop takes to be there and shown, early and late in a long run, forward and
 * back, live and replayed; and a whole run under it against the same run without it.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exceptionBreakpointFilters } from '../../../client/src/debug/exceptionFilters';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { createTraceFile } from '../../../client/src/hosts/node/traceFile';
import { createExecution } from '../../../client/src/runtime/execution';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { repository, wordTokenizer } from '../memoryRun';
import { type Figure, type Measure, median, millisecondsOf, processorClock } from './figures';
import { InlineClient } from './inlineClient';
import { measureReplayOpening } from './replayOpening';
import { steadyHost } from './steadyHost';
import { steadyEnvironment, steadyModel, steadySkill } from './steadyWarehouse';

const early = 10;
const late = 10_000;
/** Stops from a moment on that count for it. */
const window = 150;
const steps = late + window + 50;
const wholeRun = 10_000;
const repetitions = 5;
/** The heap is looked at after so many steps first, when everything that is made once is there. */
const heapFrom = 1_000;
const jumps = 300;
const reversed = 1_000;
/** A shelf that stays empty. */
const nobodysValue = { expression: 'state.inventory.shelf_7' };
const skillFolder = join(repository, 'samples', 'warehouse');

/** @param collectGarbage for the figures of memory */
export async function measureAdapter(collectGarbage: () => void): Promise<Measure> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-bench-'));
  try {
    let files = 0;
    const newTrace = () => join(folder, `run-${files++}.skilltrace.jsonl`);
    const warmUp = newTrace();
    await measureStepping(warmUp, 3_000);
    const recorded = newTrace();
    return {
      title: `The debug adapter over ${late} steps, each stop with stack, scopes and Σ`,
      figures: [
        ...(await measureStepping(recorded, late)),
        ...(await measureReplay(recorded)),
        ...(await measureReplayOpening(newTrace(), skillFolder)),
        ...(await measureWholeRuns(newTrace)),
        ...(await measureHeap(newTrace, collectGarbage)),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One live run: `next` and `stepBack` at two moments of it. It is ended a little after the later one. */
async function measureStepping(path: string, last: number): Promise<readonly Figure[]> {
  const client = new InlineClient(steadyHost({ steps, path, folder: skillFolder }));
  const stopped = client.next('stopped');
  await client.launch({ skill: skillFolder, stopOnEntry: true });
  await stopped;
  const runTo = async (step: number) => {
    await client.breakOn('Move', `step == ${step}`);
    await client.stopAfter('continue');
    await client.breakOn();
  };
  const many = (command: string) => stopTimes(window, () => client.stopAfter(command));
  await runTo(early);
  const nextEarly = await many('next');
  const backEarly = await many('stepBack');
  const againEarly = await many('next');
  await runTo(last);
  const nextLate = await many('next');
  const backLate = await many('stepBack');
  const againLate = await many('next');
  const blame = await millisecondsOf(() => client.request('skill-state/blame', nobodysValue));
  await client.disconnect();
  return [
    ...pair('next', nextEarly, nextLate, last),
    ...pair('stepBack', backEarly, backLate, last),
    ...pair('next over steps gone back', againEarly, againLate, last),
    { name: `who wrote a value that nobody wrote, live, t ≈ ${last}`, value: blame, unit: 'ms' },
  ];
}

/** The recorded run gone through: to places far from each other, and back over many steps. */
async function measureReplay(path: string): Promise<readonly Figure[]> {
  const client = new InlineClient(createDebugHost({ folder: skillFolder }));
  const stopped = client.next('stopped');
  const opening = await millisecondsOf(async () => {
    await client.launch({ replay: path, skill: skillFolder, stopOnEntry: true });
    await stopped;
  });
  const goTo = (step: number) => client.stopAfter('skill-state/goTo', { branch: 0, step, phase: 'act' });
  // The rest of the record is read by then.
  await goTo(late - 1);
  let jump = 0;
  // A stride without a common divisor goes everywhere, each time far from the last place.
  const jumping = await stopTimes(jumps, () => goTo((jump++ * 7_919 + 17) % late));
  await client.breakOn('Move', `step == ${late - 1 - reversed}`);
  const reversing: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    await goTo(late - 1);
    reversing.push(await millisecondsOf(() => client.stopAfter('reverseContinue')));
  }
  await client.breakOn();
  const forward: number[] = [];
  await client.breakOn('Move', `step == ${late - 1}`);
  for (let repetition = 0; repetition < repetitions; repetition++) {
    await goTo(late - 1 - reversed);
    forward.push(await millisecondsOf(() => client.stopAfter('continue')));
  }
  await goTo(late - 1);
  const line = await idleActionLine();
  const source = { path: join(skillFolder, 'SKILL.md') };
  const targets = await millisecondsOf(() => client.request('gotoTargets', { source, line }));
  const blame = await millisecondsOf(() => client.request('skill-state/blame', nobodysValue));
  await client.disconnect();
  return [
    { name: 'opening the record, to its first stop', value: opening, unit: 'ms' },
    { name: 'goTo any step of the record, median', value: median(jumping), unit: 'ms' },
    { name: 'goTo, slowest of 100', value: percentile(jumping, 0.99), unit: 'ms' },
    { name: `reverseContinue over ${reversed} steps`, value: median(reversing), unit: 'ms' },
    { name: `continue over ${reversed} recorded steps`, value: median(forward), unit: 'ms' },
    { name: 'steps that chose an action which none did', value: targets, unit: 'ms' },
    { name: 'who wrote a value that nobody wrote', value: blame, unit: 'ms' },
  ];
}

/** The line of the instructions, from 1, on which the sample declares an action that no step here chooses. */
async function idleActionLine(): Promise<number> {
  const { actions } = await steadySkill();
  const signature = actions.find(({ name }) => name === 'Ship');
  if (signature === undefined) throw new Error('The sample declares Ship');
  return signature.range.start.line + 1;
}

/** Whole runs: without the adapter, under it, and with something set that never stops it. */
async function measureWholeRuns(newTrace: () => string): Promise<readonly Figure[]> {
  const filters = exceptionBreakpointFilters.map(({ filter }) => filter);
  const kinds = {
    plain: () => plainRun(newTrace()),
    noDebug: () => debuggedRun(newTrace(), { noDebug: true }),
    debugged: () => debuggedRun(newTrace(), {}),
    watched: () => debuggedRun(newTrace(), { filters, condition: 'state.inventory.size() > 100' }),
  };
  const spent: Record<keyof typeof kinds, number[]> = { plain: [], noDebug: [], debugged: [], watched: [] };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  let events: ReadonlyMap<string, number> = new Map();
  let elapsed = Number.NaN;
  // In turn, so that a busy stretch of the machine strikes all.
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const name of names) {
      const processor = processorClock();
      const start = performance.now();
      const told = await kinds[name]();
      spent[name].push(processor());
      if (name !== 'debugged' || told === undefined) continue;
      events = told;
      elapsed = performance.now() - start;
    }
  }
  const base = median(spent.plain);
  const figure = (name: string, values: readonly number[]): Figure => ({
    name: `${name}, processor time`,
    value: median(values),
    unit: 'ms',
    ratio: { value: median(values) / base, to: 'the run without the adapter' },
  });
  return [
    { name: `run of ${wholeRun} steps without the adapter, processor time`, value: base, unit: 'ms' },
    figure('under it without debugging', spent.noDebug),
    figure('under it with continue', spent.debugged),
    figure('the same, all exceptions and a condition asked at every step', spent.watched),
    ...[...events]
      .filter(([, count]) => count > 2)
      .map(
        ([name, count]): Figure => ({
          name: `${name} events a second, ${Math.round(wholeRun / (elapsed / 1000))} steps a second`,
          value: count / (elapsed / 1000),
          unit: 'count',
        }),
      ),
  ];
}

interface DebuggedRunSettings {
  readonly noDebug?: boolean;
  readonly filters?: readonly string[];
  readonly condition?: string;
  onRecord?(record: TraceRecord): void;
}

/** Gives how many events of each name there were. */
async function debuggedRun(
  path: string,
  { noDebug = false, filters = [], condition, onRecord }: DebuggedRunSettings,
): Promise<ReadonlyMap<string, number>> {
  const client = new InlineClient(
    steadyHost({ steps: wholeRun, path, folder: skillFolder, ...(onRecord && { onRecord }) }),
  );
  const over = client.next('terminated');
  const configuration = { skill: skillFolder, stopOnEntry: false, stopOnEnd: false, noDebug };
  await client.launch(configuration, { filters, condition });
  await over;
  await client.disconnect();
  return client.events;
}

async function plainRun(path: string, onRecord?: (record: TraceRecord) => void): Promise<undefined> {
  const trace = createTraceFile(path);
  const execution = createExecution({
    skill: await steadySkill(),
    environment: steadyEnvironment(wholeRun),
    model: steadyModel(),
    tokenizer: wordTokenizer,
    options: { ...defaultRunOptions, horizon: wholeRun },
    settings: { environment: {}, model: {} },
    host: {
      sha256,
      now: () => Date.now(),
      record(record) {
        trace.record(record);
        onRecord?.(record);
      },
    },
  });
  const { signal } = new AbortController();
  let run = await execution.start(signal);
  while (!run.end) run = (await execution.advance(signal)).after;
  trace.close();
}

async function measureHeap(newTrace: () => string, collectGarbage: () => void): Promise<readonly Figure[]> {
  const growth = async (run: (onRecord: (record: TraceRecord) => void) => Promise<unknown>) => {
    let first = 0;
    let last = 0;
    const used = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await run((record) => {
      if (record.kind !== 'outcome') return;
      if (record.step === heapFrom) first = used();
      if (record.step === wholeRun - 1) last = used();
    });
    return (last - first) / (wholeRun - 1 - heapFrom);
  };
  const plain = await growth((onRecord) => plainRun(newTrace(), onRecord));
  const path = newTrace();
  const debugged = await growth((onRecord) => debuggedRun(path, { onRecord }));
  const traced = statSync(path).size / wholeRun;
  return [
    { name: 'heap growth per step without the adapter', value: plain, unit: 'bytes' },
    {
      name: 'heap growth per step under it, which keeps the records',
      value: debugged,
      unit: 'bytes',
      ratio: { value: debugged / traced, to: "a step's bytes in the trace" },
    },
  ];
}

/** Milliseconds that each of so many stops takes. */
async function stopTimes(count: number, stop: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await millisecondsOf(stop));
  return times;
}

function pair(
  name: string,
  earlyTimes: readonly number[],
  lateTimes: readonly number[],
  last: number,
): Figure[] {
  const base = median(earlyTimes);
  const value = median(lateTimes);
  return [
    { name: `${name}, t ≈ ${early}`, value: base, unit: 'ms' },
    {
      name: `${name}, t ≈ ${last}`,
      value,
      unit: 'ms',
      ratio: { value: value / base, to: `t ≈ ${early}` },
      goal: { text: 'flat in t', met: value <= 1.25 * base },
    },
  ];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
