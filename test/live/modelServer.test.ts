/** A real llama.cpp server itself: streams, cancellation, its failures, its key, and its end in mid-run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createModel } from '../../client/src/models/registry';
import { createQueueAsker } from '../../client/src/runtime/asker';
import { type LiveRuns, openLiveRuns, randomName, recordsOf } from '../support/liveRuns';
import { modelRequest } from '../support/modelRequest';
import { pathOf } from './prepare';

const contextSize = 16_384;
const llamaServer = inject('llamaServer');

describe.skipIf('unavailable' in llamaServer)('the server itself', () => {
  let runs: LiveRuns;
  let model = '';

  beforeAll(() => {
    runs = openLiveRuns(pathOf(llamaServer));
    model = runs.randomModel();
  });

  afterEach(() => vi.unstubAllEnvs());

  afterAll(() => runs.end());

  it('streams, and stops when a run is cancelled in mid-answer', async () => {
    // Nothing stops this one but the end of its context.
    const tokens = 65_536;
    const endless = { model: runs.randomModel({ endChance: 0 }), name: randomName, contextSize: tokens };
    const server = await runs.serve(endless);
    const about = async (path: string) => await fetch(server.baseUrl.replace(/v1$/, path));
    const answering = createModel(`openai:${randomName}`, {
      asker: createQueueAsker([]),
      environment: 'warehouse',
      sha256: () => '',
      settings: { baseUrl: server.baseUrl, decoding: 'free' },
    });
    const cancelled = new AbortController();
    const pieces: string[] = [];
    const reading = (async () => {
      const request = modelRequest({ prompt: 'Write on and on.', temperature: 1, seed: 3 });
      for await (const event of answering.generate(request, cancelled.signal)) {
        if (event.type !== 'text') continue;
        pieces.push(event.text);
        if (pieces.length === 3) cancelled.abort(new Error('Enough.'));
      }
    })();
    await expect(reading).rejects.toThrow('Enough.');
    expect(pieces.length).toBe(3);
    // The server has noticed when its one slot is free again, long before the answer would have been whole.
    await vi.waitFor(
      async () => expect(await (await about('slots')).json()).toMatchObject([{ is_processing: false }]),
      { timeout: 60_000, interval: 50 },
    );
    const written = /tokens_predicted_total (\d+)/.exec(await (await about('metrics')).text())?.[1];
    expect(Number(written)).toBeGreaterThanOrEqual(pieces.length);
    expect(Number(written)).toBeLessThan(tokens / 2);
    await server.kill();
  });

  it('says how long a prompt is that is too long', async () => {
    const server = await runs.serve({ model, name: randomName, contextSize: 512 });
    const trace = 'long.skilltrace.jsonl';
    const { code, stderr } = await runs.runSample(
      ...([server, randomName, trace, '--decoding', 'free', '--horizon', '3'] as const),
    );
    await server.kill();
    expect(code).toBe(1);
    expect(stderr).toMatch(/\b\d{1,2},?\d{3}\b.*\b512\b/);
    expect(recordsOf(runs.recordsIn(trace), 'end').at(-1)).toMatchObject({
      outcome: 'stopped',
      resumable: true,
      failures: [{ class: 'context-length' }],
    });
  });

  it('wants its key, which is written nowhere', async () => {
    const key = 'planted-4711-key';
    const server = await runs.serve({ model, name: randomName, contextSize, key });
    const flags = ['--decoding', 'json-schema', '--max-tokens', '620', '--horizon', '2'];
    const runWith = (given: string, trace: string) => {
      vi.stubEnv('OPENAI_API_KEY', given);
      return runs.runSample(server, randomName, trace, ...flags, '--on-exhausted', 'continue');
    };
    const without = await runWith('', 'without.skilltrace.jsonl');
    expect(without.code).toBe(1);
    expect(without.stderr).toContain('OPENAI_API_KEY');
    const wrong = await runWith('planted-0815-wrong', 'wrong.skilltrace.jsonl');
    expect(wrong.code).toBe(1);
    const right = await runWith(key, 'right.skilltrace.jsonl');
    await server.kill();
    expect(right.code).toBe(0);
    const files = ['without', 'wrong', 'right'].map((name) => join(runs.folder, `${name}.skilltrace.jsonl`));
    const written = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
    const said = [without, wrong, right].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const text of [...written, ...said]) expect(text).not.toMatch(/planted-/);
  });

  it('may be killed in mid-run, which goes on when it is there again', async () => {
    const first = await runs.serve({ model, name: randomName, contextSize });
    const trace = 'killed.skilltrace.jsonl';
    const { child, end } = runs.startSample(
      ...([first, randomName, trace, '--decoding', 'auto', '--temperature', '1'] as const),
      ...['--max-tokens', '620', '--horizon', '30', '--request-retries', '1', '--on-exhausted', 'continue'],
    );
    const file = join(runs.folder, trace);
    const steps = () => (existsSync(file) ? recordsOf(runs.recordsIn(trace), 'outcome').length : 0);
    while (steps() < 5 && child.exitCode === null) await delay(20);
    await first.kill();
    const { code, stderr } = await end;
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${first.port}`);
    const last = recordsOf(runs.recordsIn(trace), 'end').at(-1);
    expect(last).toMatchObject({ outcome: 'stopped', resumable: true });
    expect(last?.failures?.map((failure) => failure.class)).toContain('connection');

    const second = await runs.serve({ model, name: randomName, contextSize, port: first.port });
    const resumed = await runs.run('run', '--resume', trace, '--json');
    await second.kill();
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ steps: 30, outcome: 'completed' });
  });

  it('is said not to run where it does not, with the way to start it', async () => {
    const server = await runs.serve({ model, name: randomName });
    await server.kill();
    const { code, stderr } = await runs.runSample(server, randomName, 'nobody.skilltrace.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${server.port}`);
    expect(existsSync(join(runs.folder, 'nobody.skilltrace.jsonl'))).toBe(false);
  });

  it('lists its models', async () => {
    const server = await runs.serve({ model, name: randomName });
    const { stdout, code } = await runs.run(
      ...['models', 'list', '--provider', 'openai', '--base-url', server.baseUrl, '--json'],
    );
    await server.kill();
    expect(code).toBe(0);
    expect(stdout).toContain(randomName);
  });
});
