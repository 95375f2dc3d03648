/** Debugging the record of a long run: how soon it stops at its beginning, and how soon at its end. */
import { readFileSync } from 'node:fs';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { writeLongTrace } from '../longTrace';
import { type Figure, median, millisecondsOf } from './figures';
import { InlineClient } from './inlineClient';

const steps = 100_000;
const repetitions = 5;

/**
 * @param path of a trace that is made for it
 * @param folder of the skill
 */
export async function measureReplayOpening(path: string, folder: string): Promise<readonly Figure[]> {
  await writeLongTrace(path, { steps });
  const parsing: number[] = [];
  const opening: number[] = [];
  const reaching: number[] = [];
  // In turn, so that whatever else the machine does meets all.
  for (let repetition = 0; repetition < repetitions; repetition++) {
    parsing.push(await millisecondsOf(() => parseLines(path)));
    const client = new InlineClient(createDebugHost({ folder }));
    const stopped = client.next('stopped');
    const start = performance.now();
    await client.launch({ replay: path, stopOnEntry: true });
    await stopped;
    opening.push(performance.now() - start);
    await client.stopAfter('skill-state/goTo', { branch: 0, step: steps - 1 });
    reaching.push(performance.now() - start);
    await client.disconnect();
  }
  const base = median(parsing);
  const to = 'reading and JSON.parse';
  const opened = median(opening);
  const reached = median(reaching);
  return [
    { name: `reading the file of ${steps} steps, JSON.parse of its lines`, value: base, unit: 'ms' },
    {
      name: 'opening it for debugging, to the first stop',
      value: opened,
      unit: 'ms',
      ratio: { value: opened / base, to },
      goal: { text: 'at once: at most a quarter', met: opened <= base / 4 },
    },
    {
      name: 'going to its last step right then, which waits for all of it',
      value: reached,
      unit: 'ms',
      ratio: { value: reached / base, to },
    },
  ];
}

/** The least that reading a trace can cost. */
function parseLines(path: string): void {
  for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
}
