/**
 * One measure of the benchmark, in a process of its own: bundled and started by .scripts/bench.mjs, which names the
 * measure as the argument and gets the figures as a message.
 */
import { measureAdapter } from './benchmark/adapterLatency';
import { measureCatastrophes } from './benchmark/catastrophicInputs';
import type { Measure } from './benchmark/figures';
import { measureLanguageFeatures } from './benchmark/languageFeatures';
import { measureMemory } from './benchmark/memoryGrowth';
import { measurePeer } from './benchmark/peerRun';
import { measureStepCost } from './benchmark/stepCost';
import { measureTraceReading } from './benchmark/traceReading';
import { measureHorizons } from './benchmark/warehouseHorizons';

/** The measures by the names that .scripts/bench.mjs has for them. */
const measures: Readonly<Record<string, () => Promise<Measure>>> = {
  steps: measureStepCost,
  memory: () => measureMemory(garbageCollector()),
  warehouse: measureHorizons,
  trace: () => measureTraceReading(garbageCollector()),
  adapter: () => measureAdapter(garbageCollector()),
  catastrophic: measureCatastrophes,
  language: () => measureLanguageFeatures((line) => console.error(line)),
  peer: () => measurePeer((line) => console.error(line)),
};

function garbageCollector(): () => void {
  if (!globalThis.gc) throw new Error('Memory is measured with --expose-gc');
  return globalThis.gc;
}

const name = process.argv[2] ?? '';
const measure = measures[name];
if (!measure) throw new Error(`There is no measure ${name}`);
const measured = await measure();
process.send?.(measured);
// The message is on its way; what is left would only keep the process.
process.disconnect();
