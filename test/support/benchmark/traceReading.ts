/** Opening the trace of a long run, and going to any step of it. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTraceReader } from '../../../client/src/hosts/node/traceBytes';
import { blame } from '../../../client/src/runtime/blame';
import type { TraceReader } from '../../../client/src/runtime/traceReader';
import { writeLongTrace } from '../longTrace';
import { type Figure, type Measure, median, millisecondsOf, processorClock } from './figures';

const steps = 100_000;
const repetitions = 5;
const seeks = 1_000;
const firstPage = 100;

/** @param collectGarbage for the figures of memory */
export async function measureTraceReading(collectGarbage: () => void): Promise<Measure> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-bench-'));
  try {
    const path = join(folder, 'long.skilltrace.jsonl');
    const small = join(folder, 'short.skilltrace.jsonl');
    await writeLongTrace(path, { steps });
    await writeLongTrace(small, { steps: 2_000 });
    // What compiling takes is no matter of the steps.
    await openTraceReader(small).read();
    return await measure(path, collectGarbage);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(path: string, collectGarbage: () => void): Promise<Measure> {
  const parsing: Cost[] = [];
  const opening: Cost[] = [];
  const firstPages: number[] = [];
  let bytesPerStep = Number.NaN;
  let reader: TraceReader | undefined;
  // In turn, so that whatever else the machine does meets both.
  for (let repetition = 0; repetition < repetitions; repetition++) {
    collectGarbage();
    parsing.push(await costOf(() => parseLines(path)));
    collectGarbage();
    const before = memory();
    const opened = openTraceReader(path);
    reader = opened;
    const start = performance.now();
    const stopListening = opened.onChange(() => {
      if ((opened.branches[0]?.steps ?? 0) < firstPage) return;
      stopListening();
      firstPages.push(performance.now() - start);
    });
    opening.push(await costOf(() => opened.read()));
    collectGarbage();
    // Later ones begin with what the ones before have left.
    if (repetition === 0) bytesPerStep = (memory() - before) / steps;
  }
  if (!reader) throw new Error('The trace was opened');
  const base = { elapsed: median(parsing.map(elapsedOf)), processor: median(parsing.map(processorOf)) };
  const elapsed = median(opening.map(elapsedOf));
  const processor = median(opening.map(processorOf));
  const to = 'reading and JSON.parse';
  return {
    title: `A trace of ${steps} steps`,
    figures: [
      { name: 'size', value: statSync(path).size, unit: 'bytes' },
      { name: 'reading the file, JSON.parse of its lines', value: base.elapsed, unit: 'ms' },
      { name: 'the same in processor time', value: base.processor, unit: 'ms' },
      { name: 'opening it', value: elapsed, unit: 'ms', ratio: { value: elapsed / base.elapsed, to } },
      {
        name: 'opening it, processor time',
        value: processor,
        unit: 'ms',
        ratio: { value: processor / base.processor, to },
        goal: { text: 'at most 1.5 times', met: processor <= 1.5 * base.processor },
      },
      {
        name: `its first ${firstPage} steps are there after`,
        value: median(firstPages),
        unit: 'ms',
        ratio: { value: median(firstPages) / base.elapsed, to },
      },
      { name: 'memory per step', value: bytesPerStep, unit: 'bytes' },
      ...(await measureSeeking(reader, base.elapsed)),
    ],
  };
}

/** Going to steps far from each other, and what views ask of columns. */
async function measureSeeking(reader: TraceReader, base: number): Promise<readonly Figure[]> {
  const spent = { state: [] as number[], records: [] as number[], prompt: [] as number[] };
  for (let seek = 0; seek < seeks; seek++) {
    // A stride without a common divisor goes everywhere, each time far from the last place.
    const step = (seek * 79_193 + 17) % steps;
    spent.records.push(await microsecondsOf(() => reader.recordsOf(0, step)));
    spent.state.push(await microsecondsOf(() => reader.stateAt(0, step)));
    spent.prompt.push(await microsecondsOf(() => reader.promptOf(0, step, 1)));
  }
  const summaries = await microsecondsOf(() => {
    for (let step = 0; step < steps; step++) reader.summary(0, step);
  });
  await reader.totals(0, steps);
  const totals = await microsecondsOf(() => {
    for (let seek = 0; seek < seeks; seek++) reader.totals(0, (seek * 79_193) % steps);
  });
  const bins = await microsecondsOf(() => reader.bins(0, 0, steps, 500));
  const newest = await microsecondsOf(() => newestWrite(reader, 'shelf_130'));
  const never = await microsecondsOf(() => newestWrite(reader, 'shelf_7'));
  const seek = (name: string, values: readonly number[]): Figure[] => [
    {
      name: `${name}, median`,
      value: median(values),
      unit: 'µs',
      ratio: { value: median(values) / 1000 / base, to: 'reading and JSON.parse' },
    },
    { name: `${name}, slowest of 100`, value: percentile(values, 0.99), unit: 'µs' },
  ];
  return [
    ...seek('records of any step', spent.records),
    ...seek('state of any step', spent.state),
    ...seek('prompt of any step', spent.prompt),
    { name: 'summary of a step', value: summaries / steps, unit: 'µs' },
    { name: 'totals up to a step', value: totals / seeks, unit: 'µs' },
    { name: 'all steps in 500 bars', value: bins / 1000, unit: 'ms' },
    { name: 'who wrote a value last', value: newest / 1000, unit: 'ms' },
    { name: 'who wrote a value that nobody wrote', value: never / 1000, unit: 'ms' },
  ];
}

async function newestWrite(reader: TraceReader, shelf: string): Promise<void> {
  await blame(reader, { branch: 0, step: steps, path: ['inventory', shelf] }).next();
}

interface Cost {
  readonly elapsed: number;
  readonly processor: number;
}

const elapsedOf = ({ elapsed }: Cost) => elapsed;
const processorOf = ({ processor }: Cost) => processor;

async function costOf(work: () => unknown): Promise<Cost> {
  const processor = processorClock();
  const elapsed = await millisecondsOf(work);
  return { elapsed, processor: processor() };
}

async function microsecondsOf(work: () => unknown): Promise<number> {
  return 1000 * (await millisecondsOf(work));
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The least that reading a trace can cost. */
function parseLines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
