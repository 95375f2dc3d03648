/** Opening the trace of a long run, and going to any step of it. */
import { readFileSync } from 'node:fs';
import { readTraceFile } from '../../../client/src/hosts/node/traceFile';
import { createTraceHistory } from '../../../client/src/runtime/traceHistory';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { type Measure, median, millisecondsOf } from './figures';
import { steadyEnvironment, steadyModel, steadySkill } from './steadyWarehouse';
import { timedRun } from './timedRun';

const steps = 10_000;
const repetitions = 7;
const seeks = 2_000;

export async function measureTraceReading(): Promise<Measure> {
  const skill = await steadySkill();
  const parsing: number[] = [];
  const reading: number[] = [];
  const ordering: number[] = [];
  const seeking: number[] = [];
  const { traceBytes } = await timedRun({
    skill,
    environment: steadyEnvironment(steps),
    model: steadyModel(),
    async readTrace(path) {
      for (let repetition = 0; repetition < repetitions; repetition++) {
        parsing.push(await millisecondsOf(() => parseLines(path)));
        let records: readonly TraceRecord[] = [];
        reading.push(
          await millisecondsOf(() => {
            ({ records } = readTraceFile(path));
          }),
        );
        ordering.push(await millisecondsOf(() => createTraceHistory(records, skill.stateSchema)));
        if (repetition > 0) continue;
        const history = createTraceHistory(records, skill.stateSchema);
        // A stride without a common divisor goes everywhere, each time far from the last place.
        for (let seek = 0; seek < seeks; seek++)
          seeking.push(1000 * (await millisecondsOf(() => history.stateAt((seek * 7_919) % (steps + 1)))));
      }
    },
  });
  const base = median(parsing);
  const opened = median(reading) + median(ordering);
  const ratio = (value: number) => ({ value: value / base, to: 'JSON.parse of its lines' });
  return {
    title: `A trace of ${steps} steps`,
    figures: [
      { name: 'size', value: traceBytes, unit: 'bytes' },
      { name: 'reading the file, JSON.parse of its lines', value: base, unit: 'ms' },
      { name: 'reading and checking it', value: median(reading), unit: 'ms', ratio: ratio(median(reading)) },
      {
        name: 'ordering it into steps',
        value: median(ordering),
        unit: 'ms',
        ratio: ratio(median(ordering)),
      },
      {
        name: 'opening it, both together',
        value: opened,
        unit: 'ms',
        ratio: ratio(opened),
        goal: { text: 'at most 1.5 times', met: opened <= 1.5 * base },
      },
      { name: 'stateAt(n), median', value: median(seeking), unit: 'µs' },
      { name: 'stateAt(n), slowest of 100', value: percentile(seeking, 0.99), unit: 'µs' },
    ],
  };
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
