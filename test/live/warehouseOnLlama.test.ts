/** The warehouse sample on a real llama.cpp server: a learned model with real mistakes, and one of random quality. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createModel } from '../../client/src/models/registry';
import { createQueueAsker } from '../../client/src/runtime/asker';
import { readTrace, type TraceRecord } from '../../schemas/trace/trace';
import { endOf, runCommand, startCommand, temporaryFolder } from '../support/commandLine';
import { installLlamaServer, type LlamaServer, sharedModels, startLlamaServer } from '../support/llamaServer';
import { repository } from '../support/memoryRun';
import { modelRequest } from '../support/modelRequest';

const sample = join(repository, 'samples', 'warehouse');
const learned = 'warehouse-tiny';
const random = 'bigram';
const folder = temporaryFolder();
const running = new Set<LlamaServer>();

let command = '';
let learnedFile = '';
let randomFile = '';

beforeAll(async () => {
  command = await installLlamaServer(console.log);
  learnedFile = join(sharedModels(repository, learned), `${learned}.gguf`);
  randomFile = join(folder.path, 'bigram.gguf');
  const texts = ['LICENSE', 'README.md', 'CONTRIBUTING.md'].map((name) => join(repository, name));
  const maker = join(sharedModels(repository, 'llama-server'), 'gen-bigram.mjs');
  execFileSync(process.execPath, [maker, randomFile, ...texts]);
});

afterEach(() => vi.unstubAllEnvs());

afterAll(async () => {
  for (const server of running) await server.kill();
  folder.remove();
});

async function serve(given: Omit<Parameters<typeof startLlamaServer>[0], 'command'>): Promise<LlamaServer> {
  const server = await startLlamaServer({ command, ...given });
  running.add(server);
  return server;
}

function recordsIn(trace: string): readonly TraceRecord[] {
  return readTrace(readFileSync(join(folder.path, trace))).records;
}

const of = <Kind extends TraceRecord['kind']>(records: readonly TraceRecord[], kind: Kind) =>
  records.filter((record): record is Extract<TraceRecord, { kind: Kind }> => record.kind === kind);

/** How often each value occurs. */
function counts(values: readonly (string | undefined)[]): Readonly<Record<string, number>> {
  const result: Record<string, number> = {};
  for (const value of values) result[value ?? 'none'] = (result[value ?? 'none'] ?? 0) + 1;
  return result;
}

/** Runs the sample; `flags` beside model, server and trace. */
async function runSample(server: LlamaServer, model: string, trace: string, ...flags: readonly string[]) {
  const result = await runCommand(
    [
      ...['run', sample, '--model', `openai:${model}`, '--base-url', server.baseUrl],
      ...['--trace', trace, '--json', ...flags],
    ],
    folder.path,
  );
  return { ...result, report: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

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

describe('a model of random quality, held to the format', () => {
  /** Each byte is a token of this model: at most 420 of them think, and a block has at most 200. */
  const maxTokens = 620;

  it('never breaks it in 200 steps, in the encoding that the probe picks', async () => {
    const steps = 200;
    const server = await serve({ model: randomFile, name: random, contextSize: 16_384 });
    const trace = 'random.skilltrace.jsonl';
    const { code, stderr, report } = await runSample(
      ...([server, random, trace, '--decoding', 'auto', '--temperature', '1'] as const),
      ...['--max-tokens', `${maxTokens}`, '--horizon', `${steps}`, '--on-exhausted', 'continue'],
    );
    await server.kill();
    expect({ code, stderr, steps: report.steps }).toEqual({ code: 0, stderr: '', steps });
    expect(report.rejectedReplies).toEqual({});
    const attempts = of(recordsIn(trace), 'attempt');
    expect(counts(attempts.map(({ finish }) => finish))).toEqual({ stop: steps });
    expect(counts(attempts.map(({ tokens }) => tokens.source))).toEqual({ reported: steps });
    const { settings } = of(recordsIn(trace), 'run')[0]?.model ?? {};
    console.log(`auto: ${steps} steps, none rejected; ${JSON.stringify(settings)}`);
  });

  it.each(['json-schema', 'operations'])('is only ever cut when its encoding is %s', async (decoding) => {
    const steps = 8;
    const server = await serve({ model: randomFile, name: random, contextSize: 16_384 });
    const trace = `random-${decoding}.skilltrace.jsonl`;
    const { report } = await runSample(
      ...([server, random, trace, '--decoding', decoding, '--temperature', '1'] as const),
      ...['--max-tokens', `${maxTokens}`, '--horizon', `${steps}`, '--max-retries', '0'],
      ...['--on-exhausted', 'continue'],
    );
    await server.kill();
    expect(report.steps).toBe(steps);
    const records = recordsIn(trace);
    const rejected = new Map(of(records, 'rejection').map((one) => [one.step, one.class]));
    for (const { step, finish } of of(records, 'attempt'))
      expect({ step, cut: finish === 'length' }).toEqual({ step, cut: rejected.has(step) });
    console.log(`${decoding}: ${steps} steps, ${rejected.size} of them cut at ${maxTokens} tokens`);
  });
});

describe('a learned model', () => {
  const steps = 60;
  const flags = ['--max-tokens', '240', '--horizon', `${steps}`, '--seed', '42'];
  const further = ['--retry-temperature', '0.7', '--on-exhausted', 'continue'];

  it('makes its real mistakes when it is free', async () => {
    const server = await serve({ model: learnedFile, name: learned });
    const trace = 'free.skilltrace.jsonl';
    const { code, report } = await runSample(
      server,
      learned,
      trace,
      '--decoding',
      'free',
      ...flags,
      ...further,
    );
    await server.kill();
    const records = recordsIn(trace);
    expect({ code, steps: report.steps }).toEqual({ code: 0, steps });
    const rejections = of(records, 'rejection');
    expect(rejections.length).toBeGreaterThan(0);
    for (const rejection of rejections) {
      const attempt = of(records, 'attempt').find(
        ({ step, attempt }) => step === rejection.step && attempt === rejection.attempt,
      );
      const reply = attempt?.reply ?? '';
      // A reply without its fenced block has none, whatever cut it off; one that was cut within it isn't closed.
      const opens = /^```json/m.test(reply);
      if (!opens) expect(rejection.class).toBe('no-block');
      if (rejection.class === 'no-block') expect(opens).toBe(false);
      if (attempt?.finish === 'length') expect(['no-block', 'syntax']).toContain(rejection.class);
    }
    expect(stepsThatPart(records)).toEqual([]);
    console.log(
      `free: score ${report.successful} of ${report.actionable}, rejected ${JSON.stringify(report.rejectedReplies)}, ended ${JSON.stringify(counts(of(records, 'attempt').map(({ finish }) => finish)))}`,
    );
  });

  it('thinks first and keeps to the format when it is held to it', async () => {
    const server = await serve({ model: learnedFile, name: learned });
    const trace = 'held.skilltrace.jsonl';
    const { code, report } = await runSample(
      server,
      learned,
      trace,
      '--decoding',
      'auto',
      ...flags,
      ...further,
    );
    await server.kill();
    const records = recordsIn(trace);
    expect({ code, steps: report.steps, rejected: report.rejectedReplies }).toEqual({
      code: 0,
      steps,
      rejected: {},
    });
    for (const { reply } of of(records, 'attempt')) expect(reply).toMatch(/^[^`]+\n\n```json\n\{.*\}\n```$/s);
    expect(stepsThatPart(records)).toEqual([]);
    console.log(`held: score ${report.successful} of ${report.actionable}`);
  });

  it.each([
    { maxTokens: 6, rejection: 'no-block' },
    { maxTokens: 12, rejection: 'syntax' },
  ])('is cut at --max-tokens $maxTokens, which is $rejection', async ({ maxTokens, rejection }) => {
    const server = await serve({ model: learnedFile, name: learned });
    const trace = `cut-${maxTokens}.skilltrace.jsonl`;
    await runSample(
      ...([server, learned, trace, '--decoding', 'free', '--max-tokens', `${maxTokens}`] as const),
      ...['--horizon', '3', '--on-exhausted', 'continue'],
    );
    await server.kill();
    const records = recordsIn(trace);
    // At temperature 0 it repeats what it said, so that all attempts of a step come to the same.
    expect(counts(of(records, 'attempt').map(({ finish }) => finish))).toEqual({ length: 9 });
    expect(counts(of(records, 'rejection').map((one) => one.class))).toEqual({ [rejection]: 9 });
    for (const { tokens } of of(records, 'attempt')) expect(tokens.completion).toBe(maxTokens);
  });
});

describe('the server itself', () => {
  it('streams, and stops when a run is cancelled in mid-answer', async () => {
    const server = await serve({ model: randomFile, name: random, contextSize: 16_384 });
    const model = createModel(`openai:${random}`, {
      asker: createQueueAsker([]),
      environment: 'warehouse',
      sha256: () => '',
      settings: { baseUrl: server.baseUrl, decoding: 'free' },
    });
    const cancelled = new AbortController();
    const pieces: string[] = [];
    const reading = (async () => {
      // Nothing stops this one but its 16,000 tokens of context.
      const request = modelRequest({ prompt: 'Write on and on.', temperature: 1, seed: 3 });
      for await (const event of model.generate(request, cancelled.signal)) {
        if (event.type !== 'text') continue;
        pieces.push(event.text);
        if (pieces.length === 3) cancelled.abort(new Error('Enough.'));
      }
    })();
    await expect(reading).rejects.toThrow('Enough.');
    expect(pieces.length).toBe(3);
    // The server has noticed when its one slot is free again.
    await vi.waitFor(
      async () => {
        const slots = await (await fetch(server.baseUrl.replace('/v1', '/slots'))).json();
        expect(slots).toMatchObject([{ is_processing: false }]);
      },
      { timeout: 60_000, interval: 50 },
    );
    await server.kill();
  });

  it('says how long a prompt is that is too long', async () => {
    const server = await serve({ model: learnedFile, name: learned, contextSize: 512 });
    const trace = 'long.skilltrace.jsonl';
    const { code, stderr } = await runSample(server, learned, trace, '--decoding', 'free', '--horizon', '3');
    await server.kill();
    expect(code).toBe(1);
    expect(stderr).toMatch(/\b\d{3,4}\b.*\b512\b/);
    expect(of(recordsIn(trace), 'end').at(-1)).toMatchObject({
      outcome: 'stopped',
      resumable: true,
      failures: [{ class: 'context-length' }],
    });
  });

  it('wants its key, which is written nowhere', async () => {
    const key = 'planted-4711-key';
    const server = await serve({ model: learnedFile, name: learned, key });
    const flags = ['--decoding', 'free', '--max-tokens', '240', '--horizon', '2'];
    vi.stubEnv('OPENAI_API_KEY', '');
    const without = await runSample(server, learned, 'without.skilltrace.jsonl', ...flags);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain('OPENAI_API_KEY');
    vi.stubEnv('OPENAI_API_KEY', 'planted-0815-wrong');
    const wrong = await runSample(server, learned, 'wrong.skilltrace.jsonl', ...flags);
    expect(wrong.code).toBe(1);
    vi.stubEnv('OPENAI_API_KEY', key);
    const right = await runSample(server, learned, 'right.skilltrace.jsonl', ...flags);
    await server.kill();
    expect(right.code).toBe(0);
    const files = ['without', 'wrong', 'right'].map((name) => join(folder.path, `${name}.skilltrace.jsonl`));
    const written = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
    const said = [without, wrong, right].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const text of [...written, ...said]) expect(text).not.toMatch(/planted-/);
  });

  it('may be killed in mid-run, which goes on when it is there again', async () => {
    const first = await serve({ model: learnedFile, name: learned });
    const trace = 'killed.skilltrace.jsonl';
    const flags = [
      '--decoding',
      'free',
      '--max-tokens',
      '240',
      '--retry-temperature',
      '0.7',
      '--on-exhausted',
      'continue',
    ];
    const child = startCommand(
      [
        ...[
          'run',
          sample,
          '--model',
          `openai:${learned}`,
          '--base-url',
          first.baseUrl,
          '--trace',
          trace,
          '--json',
        ],
        ...['--horizon', '30', '--request-retries', '1', ...flags],
      ],
      folder.path,
    );
    const end = endOf(child);
    const steps = () => (existsSync(join(folder.path, trace)) ? of(recordsIn(trace), 'outcome').length : 0);
    while (steps() < 5 && child.exitCode === null) await delay(20);
    await first.kill();
    const { code, stderr } = await end;
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${first.port}`);
    const last = of(recordsIn(trace), 'end').at(-1);
    expect(last).toMatchObject({ outcome: 'stopped', resumable: true });
    expect(last?.failures?.map((failure) => failure.class)).toContain('connection');

    const second = await serve({ model: learnedFile, name: learned, port: first.port });
    const resumed = await runCommand(['run', '--resume', trace, '--json'], folder.path);
    await second.kill();
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ steps: 30, outcome: 'completed' });
  });

  it('is said not to run where it does not, with the way to start it', async () => {
    const server = await serve({ model: learnedFile, name: learned });
    await server.kill();
    const { code, stderr } = await runSample(server, learned, 'nobody.skilltrace.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${server.port}`);
    expect(existsSync(join(folder.path, 'nobody.skilltrace.jsonl'))).toBe(false);
  });

  it('lists its models', async () => {
    const server = await serve({ model: learnedFile, name: learned });
    const { stdout, code } = await runCommand(
      ['models', 'list', '--provider', 'openai', '--base-url', server.baseUrl, '--json'],
      folder.path,
    );
    await server.kill();
    expect(code).toBe(0);
    expect(stdout).toContain(learned);
  });
});
