/** The warehouse sample on a real llama.cpp server, by a model that learned it and makes real mistakes. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { TraceRecord } from '../../schemas/trace/trace';
import { countsOf, type LiveRuns, learnedName, openLiveRuns, recordsOf } from '../support/liveRuns';
import { repository } from '../support/memoryRun';
import { pathOf } from './prepare';

const llamaServer = inject('llamaServer');
const learnedModel = inject('learnedModel');

/**
 * A warehouse of the test's own: what the accepted actions of a run made of the shelves, beside what its patches made of Σ.
 * Gives the steps after which they first differ although the action was accepted.
 */
function stepsThatPart(records: readonly TraceRecord[]): readonly number[] {
  const world = new Map<string, string>();
  const state = new Map<string, string>();
  const parting: number[] = [];
  const alike = () =>
    world.size === state.size && [...world].every(([shelf, item]) => state.get(shelf) === item);
  let action = '';
  let wereAlike = true;
  for (const record of records) {
    if (record.kind === 'commit') {
      const { inventory } = record.patch;
      if (inventory === null) state.clear();
      for (const [shelf, item] of Object.entries(inventory ?? {}))
        if (item === null) state.delete(shelf);
        else state.set(shelf, String(item));
    } else if (record.kind === 'intent') {
      action = record.action ?? '';
    } else if (record.kind === 'outcome') {
      const [verb, item = '', from = '', to = ''] = action.split(' ');
      if (record.accepted && verb === 'Store') world.set(from, item);
      if (record.accepted && (verb === 'Ship' || verb === 'Move')) world.delete(from);
      if (record.accepted && verb === 'Move') world.set(to, item);
      if (record.accepted && wereAlike && !alike()) parting.push(record.step);
      wereAlike = alike();
    }
  }
  return parting;
}

/** The sample with a quarter of its instructions: with the whole the prompt is three times as long as any it has seen. */
function briefSample(folder: string): string {
  const skill = join(folder, 'brief');
  cpSync(join(repository, 'samples', 'warehouse'), skill, { recursive: true });
  const instructions = readFileSync(join(skill, 'SKILL.md'), 'utf8').replaceAll('\r\n', '\n');
  const frontMatter = instructions.slice(0, instructions.indexOf('\n# '));
  writeFileSync(
    join(skill, 'SKILL.md'),
    `${frontMatter}
# Warehouse

1. \`inventory\` is a dictionary from shelf to item.
2. A shelf that does not appear in the inventory is empty.
3. Store an item that arrives on the lowest free shelf.
4. Ship an item that a customer ordered.
5. Move an item off a shelf under maintenance.

## Actions

- \`Store <item_id> <empty_shelf_id>\`
- \`Ship <item_id> <shelf_id>\`
- \`Move <item_id> <old_shelf_id> <new_shelf_id>\`
- \`Wait\`
`,
  );
  return skill;
}

describe.skipIf('unavailable' in llamaServer || 'unavailable' in learnedModel)('a learned model', () => {
  const steps = 60;
  const flags = ['--max-tokens', '240', '--horizon', `${steps}`, '--seed', '42'];
  const further = ['--retry-temperature', '0.7', '--on-exhausted', 'continue'];
  let runs: LiveRuns;

  beforeAll(() => {
    runs = openLiveRuns(pathOf(llamaServer));
  });

  afterAll(() => runs.end());

  const serve = () => runs.serve({ model: pathOf(learnedModel), name: learnedName });

  it('makes its real mistakes when it is free', async () => {
    const server = await serve();
    const trace = 'free.skilltrace.jsonl';
    const { code, report } = await runs.runSample(
      ...([server, learnedName, trace, '--decoding', 'free', ...flags, ...further] as const),
    );
    await server.kill();
    const records = runs.recordsIn(trace);
    expect({ code, steps: report.steps }).toEqual({ code: 0, steps });
    const rejections = recordsOf(records, 'rejection');
    /** How replies were that were rejected: endless until they were cut, or whole but without the fence. */
    const rejected = { cut: 0, unfenced: 0 };
    for (const rejection of rejections) {
      const attempt = recordsOf(records, 'attempt').find(
        ({ step, attempt }) => step === rejection.step && attempt === rejection.attempt,
      );
      const reply = attempt?.reply ?? '';
      // A reply without its fenced block has none, whatever cut it off; one that was cut within it isn't closed.
      const opens = /^```json/m.test(reply);
      if (!opens) expect(rejection.class).toBe('no-block');
      if (rejection.class === 'no-block') expect(opens).toBe(false);
      if (attempt?.finish === 'length') {
        expect(['no-block', 'syntax']).toContain(rejection.class);
        rejected.cut++;
      } else if (!opens) {
        rejected.unfenced++;
      }
    }
    expect(rejected.cut).toBeGreaterThan(0);
    expect(rejected.unfenced).toBeGreaterThan(0);
    expect(stepsThatPart(records)).toEqual([]);
    console.log(
      `free: score ${report.successful} of ${report.actionable}, rejected ${JSON.stringify([report.rejectedReplies, rejected])}`,
    );
  });

  it('thinks first and keeps to the format when it is held to it', async () => {
    const server = await serve();
    const trace = 'held.skilltrace.jsonl';
    const { code, report } = await runs.runSample(
      ...([server, learnedName, trace, '--decoding', 'auto', ...flags, ...further] as const),
    );
    await server.kill();
    const records = runs.recordsIn(trace);
    expect({ code, steps: report.steps, rejected: report.rejectedReplies }).toEqual({
      code: 0,
      steps,
      rejected: {},
    });
    for (const { reply } of recordsOf(records, 'attempt'))
      expect(reply).toMatch(/^[^`]+\n```json\n\{.*\}\n```$/s);
    expect(stepsThatPart(records)).toEqual([]);
    console.log(`held: score ${report.successful} of ${report.actionable}`);
  });

  it.each([
    { decoding: 'free', least: 54 },
    { decoding: 'auto', least: 45 },
  ])(
    'answers most by instructions of the length it learned by, decoding $decoding',
    async ({ decoding, least }) => {
      const skill = briefSample(runs.folder);
      const server = await serve();
      const trace = `brief-${decoding}.skilltrace.jsonl`;
      const { stdout } = await runs.run(
        ...['run', skill, '--model', `openai:${learnedName}`, '--base-url', server.baseUrl],
        ...['--trace', trace, '--json', '--decoding', decoding, ...flags, ...further],
      );
      await server.kill();
      const { successful, actionable, rejectedReplies } = JSON.parse(stdout);
      console.log(
        `brief, ${decoding}: score ${successful} of ${actionable}, ${JSON.stringify(rejectedReplies)}`,
      );
      expect(actionable).toBe(steps);
      expect(successful).toBeGreaterThanOrEqual(least);
      expect(stepsThatPart(runs.recordsIn(trace))).toEqual([]);
    },
  );

  it.each([
    { maxTokens: 6, rejection: 'no-block' },
    { maxTokens: 12, rejection: 'syntax' },
  ])('is cut at --max-tokens $maxTokens, which is $rejection', async ({ maxTokens, rejection }) => {
    const server = await serve();
    const trace = `cut-${maxTokens}.skilltrace.jsonl`;
    await runs.runSample(
      ...([server, learnedName, trace, '--decoding', 'free', '--max-tokens', `${maxTokens}`] as const),
      ...['--horizon', '3', '--on-exhausted', 'continue'],
    );
    await server.kill();
    const records = runs.recordsIn(trace);
    // At temperature 0 it repeats what it said, so that all attempts of a step come to the same.
    expect(countsOf(recordsOf(records, 'attempt').map(({ finish }) => finish))).toEqual({ length: 9 });
    expect(countsOf(recordsOf(records, 'rejection').map((one) => one.class))).toEqual({ [rejection]: 9 });
    for (const { tokens } of recordsOf(records, 'attempt')) expect(tokens.completion).toBe(maxTokens);
  });
});
