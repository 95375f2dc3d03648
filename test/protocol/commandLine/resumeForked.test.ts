/** A run with branches that was interrupted goes on where its last branch was. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { readTrace } from '../../../schemas/trace/trace';
import { runCommand, temporaryFolder } from '../../support/commandLine';
import { memoryJourney } from '../../support/memoryJourney';
import { traceText } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('the last branch of a forked trace is resumed', async () => {
  const { journey, run, runTo, records } = await memoryJourney({
    options: { horizon: 8, seed: 42 },
    tokenizer: await loadTokenizer(),
  });
  await run();
  await journey.goTo({ branch: 0, step: 3, index: 0 });
  await journey.edit({ target: 'state', pointer: '/inventory/shelf_400', value: 'item_400' });
  await runTo({ step: 5, index: 4 });
  const text = traceText(records);
  const path = join(folder.path, 'run.skilltrace.jsonl');
  await writeFile(path, text);
  const { code, stdout } = await runCommand(['run', '--resume', path], folder.path);
  expect(code).toBe(0);
  expect(stdout).toContain('steps      8, 0 retries, 0 failed');
  const whole = await readFile(path, 'utf8');
  expect(whole.startsWith(text)).toBe(true);
  const { records: all, problems } = readTrace(new TextEncoder().encode(whole));
  expect(problems).toEqual([]);
  expect(all.at(-1)).toMatchObject({
    kind: 'end',
    branch: 1,
    outcome: 'completed',
    state: { inventory: { shelf_400: 'item_400' } },
  });
  expect(all.filter(({ kind }) => kind === 'resumed')).toHaveLength(1);
  const again = await runCommand(['run', '--resume', path], folder.path);
  expect(again.code).toBe(0);
  expect(await readFile(path, 'utf8')).toBe(whole);
});

it.each([
  ['that began where the run did', { target: 'state', pointer: '/inventory/shelf_400', value: 'item_400' }],
  ['that observes something else at first', { target: 'observation', value: 'Customer ordered item_3.' }],
] as const)('a branch is resumed %s, though nothing was done on it', async (name, edit) => {
  const { journey, run, records } = await memoryJourney({
    options: { horizon: 3, seed: 42 },
    tokenizer: await loadTokenizer(),
  });
  await run();
  await journey.goTo({ branch: 0, step: 0, index: 0 });
  await journey.edit(edit);
  journey.end({ outcome: 'cancelled', reason: 'The debug session ended the run.', resumable: true });
  const path = join(folder.path, `${name}.skilltrace.jsonl`);
  await writeFile(path, traceText(records));
  expect((await runCommand(['run', '--resume', path], folder.path)).code).toBe(0);
  const { records: all, problems } = readTrace(await readFile(path));
  expect(problems).toEqual([]);
  expect(all.at(-1)).toMatchObject({ kind: 'end', branch: 1, outcome: 'completed' });
  const began = all.filter((record) => record.kind === 'step' && record.step === 0);
  const observed = edit.target === 'observation' ? edit.value : 'Shipment arrived containing item_0.';
  expect(began).toMatchObject([{ branch: 0 }, { branch: 1, observation: observed }]);
});

it('a trace with edits is resumed with them', async () => {
  const { journey, runTo, records } = await memoryJourney({
    options: { horizon: 6, seed: 42 },
    tokenizer: await loadTokenizer(),
  });
  await runTo({ step: 2, index: 6 });
  await journey.edit({ target: 'action', value: 'Wait' });
  await journey.edit({ target: 'state', pointer: '/inventory/shelf_400', value: 'item_400' });
  await runTo({ step: 4, index: 3 });
  const text = traceText(records);
  const path = join(folder.path, 'edited.skilltrace.jsonl');
  await writeFile(path, text);
  expect((await runCommand(['run', '--resume', path], folder.path)).code).toBe(0);
  const whole = await readFile(path, 'utf8');
  expect(whole.startsWith(text)).toBe(true);
  const { records: all, problems } = readTrace(new TextEncoder().encode(whole));
  expect(problems).toEqual([]);
  expect(all.at(-1)).toMatchObject({
    kind: 'end',
    branch: 0,
    outcome: 'completed',
    state: { inventory: { shelf_400: 'item_400' } },
  });
});
