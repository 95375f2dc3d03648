/** `skill-state try`: samples of a step from a skill or a trace, of which nothing is recorded. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSamplingReport, type SamplingReport } from '../../../schemas/messages/samplingMessages';
import { readTrace } from '../../../schemas/trace/trace';
import {
  type CommandResult,
  endOf,
  runCommand,
  startCommand,
  temporaryFolder,
} from '../../support/commandLine';
import { replyOf, repository } from '../../support/memoryRun';
import { type OpenAiServer, type OpenAiServerOptions, startOpenAiServer } from '../../support/openaiServer';

const warehouse = join(repository, 'samples', 'warehouse');
const folder = temporaryFolder();
const trace = join(folder.path, 'run.skilltrace.jsonl');

beforeAll(async () => {
  const args = ['run', warehouse, '--horizon', '6', '--faults', '0.5', '--fault-seed', '3', '--trace', trace];
  expect((await runCommand(args, folder.path)).code).toBe(0);
});
afterAll(() => folder.remove());

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(options);
  servers.push(server);
  return server;
}

const variables = { OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined, SKILL_STATE_CACHE: folder.path };

function tryStep(...args: readonly string[]): Promise<CommandResult> {
  return runCommand(['try', ...args], folder.path, '', variables);
}

async function reportOf(...args: readonly string[]): Promise<SamplingReport> {
  const { code, stdout, stderr } = await tryStep(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const report: unknown = JSON.parse(stdout);
  if (!isSamplingReport(report)) throw new Error(stdout);
  return report;
}

describe('try on a trace', () => {
  it('asks the recorded model for any of its steps, and leaves the trace as it is', async () => {
    const before = readFileSync(trace);
    const files = readdirSync(folder.path);
    const report = await reportOf(trace, '--step', '2', '--samples', '3');
    expect(report).toMatchObject({ skill: 'warehouse', step: 2, branch: 0, attempt: 1 });
    expect(report.models).toMatchObject([{ model: 'scripted', asked: 3, samples: [{}, {}, {}] }]);
    const shown = await runCommand(['trace', 'show', trace, '--step', '2', '--json'], folder.path);
    expect(report.observation).toBe(JSON.parse(shown.stdout).observation);
    expect(readFileSync(trace).equals(before)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(files);
  });

  it('asks for an attempt with its correction', async () => {
    const lines = readFileSync(trace, 'utf8').trim().split('\n');
    const retry = lines
      .map((line) => JSON.parse(line))
      .find(({ attempt, kind }) => kind === 'attempt' && attempt === 2);
    const report = await reportOf(trace, '--step', String(retry.step), '--attempt', '2', '--samples', '1');
    expect(report).toMatchObject({ attempt: 2, correction: retry.prompt.correction });
    const gone = await tryStep(trace, '--step', String(retry.step), '--attempt', '9');
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining('has no attempt 9') });
  });

  it('says which steps there are', async () => {
    expect(await tryStep(trace, '--step', '99')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has no step 99: it has steps 0 to \d+\./),
    });
  });
});

describe('try on a skill', () => {
  it('takes state and observation, and prints a text that reads well', async () => {
    const state = join(folder.path, 'state.yaml');
    writeFileSync(state, 'inventory: { shelf_0: item_1 }\n');
    const { code, stdout, stderr } = await tryStep(
      ...[
        warehouse,
        '--state',
        state,
        '--observation',
        'Shipment arrived containing item_7.',
        '--samples',
        '2',
      ],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of [
      '# Trying step 0 of `warehouse`',
      '## `scripted`',
      '2 answers of 2 asked for, at temperature 0; 2 accepted.',
      'The temperature is 0: samples may all be equal.',
      '| `Store item_7 shelf_1` | 2       | 100 % | 1, 2    |',
      '```diff\n+ /inventory/shelf_1 = "item_7"\n```',
    ])
      expect(stdout).toContain(part);
  });

  it('takes what the environment begins with where no observation is named, and says so', async () => {
    const { code, stdout, stderr } = await tryStep(warehouse, '--samples', '1', '--seed', '7');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const trace = join(folder.path, 'first.skilltrace.jsonl');
    await runCommand(['run', warehouse, '--seed', '7', '--horizon', '1', '--trace', trace], folder.path);
    const { records } = readTrace(readFileSync(trace));
    const first = records.find((record) => record.kind === 'step');
    expect(stdout).toContain(`Observation: \`${first?.observation}\`
`);
    expect(stdout).toContain(
      'This is what the environment warehouse begins with at seed 7: --observation gives another one.',
    );
  });

  it('asks several models, each with the settings that it has', async () => {
    const server = await start({
      answer: (_, nth) => ({ kind: 'reply', text: nth % 2 === 0 ? replyOf({}, 'Wait') : 'No block.' }),
    });
    const report = await reportOf(
      ...[warehouse, '--observation', 'Shipment arrived containing item_7.', '--samples', '4'],
      ...['--model', 'scripted', '--model', 'openai:test-model', '--base-url', server.baseUrl],
      ...['--decoding', 'free', '--temperature', '0.7', '--seed', '5'],
    );
    const [scripted, openai] = report.models;
    expect(scripted).toMatchObject({ model: 'scripted', agreement: 1, rejections: [] });
    expect(openai).toMatchObject({
      model: 'openai:test-model',
      temperature: 0.7,
      actions: [{ value: 'Wait', samples: [1, 3] }],
      rejections: [{ value: 'no-block', samples: [2, 4] }],
      spending: { source: 'reported', knownCost: 0 },
    });
    expect(openai?.spending.cost).toBeUndefined();
    expect(server.requests.map(({ body }) => body.temperature)).toEqual([0.7, 0.7, 0.7, 0.7]);
    expect(new Set(server.requests.map(({ body }) => body.seed)).size).toBe(4);
  });

  it("has costs by the user's prices", async () => {
    const prices = join(folder.path, 'prices.json');
    writeFileSync(prices, '{"openai:test-model": {"prompt": 1000, "completion": 0}}');
    const server = await start({ answer: { kind: 'reply', text: replyOf({}, 'Wait') } });
    const args = ['--model', 'openai:test-model', '--base-url', server.baseUrl, '--decoding', 'free'];
    const report = await reportOf(warehouse, ...args, '--samples', '2', '--prices', prices);
    const [model] = report.models;
    expect(model?.spending.cost).toBeCloseTo((model?.spending.prompt ?? 0) / 1000, 9);
    writeFileSync(prices, '{"openai:test-model": {"prompt": "much"}}');
    const wrong = await tryStep(warehouse, ...args, '--prices', prices);
    expect(wrong).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('prompt in the price of'),
    });
  });

  it('fails where a model gives no answer, and says why', async () => {
    const server = await start({ key: 'another' });
    const args = ['--model', 'openai:test-model', '--base-url', server.baseUrl, '--decoding', 'free'];
    const { code, stdout, stderr } = await tryStep(warehouse, ...args);
    expect(code).toBe(1);
    expect(stdout).toContain('0 answers of 5 asked for');
    expect(stderr).toMatch(/^skill-state: openai:test-model: .+\n$/);
  });

  it('prints the beginning of a reply without measure, and says how much was left out; JSON has all', async () => {
    const text = 'and so on '.repeat(99_999);
    const { baseUrl } = await start({ answer: { kind: 'reply', text, pieces: [text] } });
    const args = [warehouse, '--model', 'openai:test-model', '--base-url', baseUrl, '--decoding', 'free'];
    const shown = await tryStep(...args, '--samples', '2');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout.length).toBeLessThan(10_000);
    expect(shown.stdout).toContain('995,990 more characters of the reply left out.');
    const report = await reportOf(...args, '--samples', '1');
    expect(report.models[0]?.samples[0]?.reply).toBe(text);
  });

  it('gives what has come where it is interrupted', async () => {
    const server = await start({
      answer: (_, nth) => (nth === 0 ? { kind: 'reply', text: replyOf({}, 'Wait') } : { kind: 'hang' }),
    });
    const args = ['try', warehouse, '--model', 'openai:test-model', '--base-url', server.baseUrl];
    const child = startCommand([...args, '--decoding', 'free', '--json'], folder.path, variables);
    const end = endOf(child);
    await server.nextRequest();
    await server.nextRequest();
    child.kill('SIGINT');
    const { code, stdout } = await end;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      cancelled: true,
      models: [{ samples: [{ number: 1 }], stopped: 'It was given up.' }],
    });
  });

  it.each([
    [['--model', 'manual'], /The manual model can't be sampled: its replies are a person's\./],
    [['--model', 'oracle'], /There is no model "oracle"/],
    [['--step', '1'], /--step is for traces/],
    [['--environment', 'manual'], /Name a model to try the step with: --model/],
    [['--samples', '0'], /from 1 to 100/],
    [['--base-url', 'http://127.0.0.1:1/v1'], /baseUrl is for models of/],
  ])('is wrong usage with %j', async (args, message) => {
    expect(await tryStep(warehouse, ...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

describe('accounting of run and trace show', () => {
  it('shows cached and thinking shares, and a cost at its known part', async () => {
    const prices = join(folder.path, 'prices.json');
    writeFileSync(prices, '{"test-model": {"prompt": 10, "completion": 10, "cached": 1}}');
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 800 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    const server = await start({
      answer: (_, nth) => ({
        kind: 'reply',
        text: replyOf({}, 'Wait'),
        usage,
        ...(nth === 1 && { usagePlace: 'none' as const }),
      }),
    });
    const file = join(folder.path, 'costs.skilltrace.jsonl');
    const run = await runCommand(
      ...([
        [
          ...['run', warehouse, '--model', 'openai:test-model', '--base-url', server.baseUrl],
          ...['--decoding', 'free', '--prices', prices, '--max-retries', '0', '--budget-steps', '2'],
          ...['--on-exhausted', 'continue', '--trace', file, '--json'],
        ],
        folder.path,
        '',
        variables,
      ] as const),
    );
    const report = JSON.parse(run.stdout);
    expect(report.tokens).toMatchObject({ source: 'mixed', cached: 800, thinking: 40 });
    expect(report.tokens.estimated).toBe(report.tokens.total - 1100);
    const shown = await runCommand(['trace', 'show', file], folder.path);
    expect(shown.stdout).toContain('1100 tokens, 80 % of the prompt cached · $0.0038');
    expect(shown.stdout).toMatch(/^\d+ \+ \d+ tokens \([\d,]+ of them estimated\), .*40 thinking, cost ≈\$/m);
    const json = JSON.parse((await runCommand(['trace', 'show', file, '--json'], folder.path)).stdout);
    expect(json.steps[0]).toMatchObject({
      tokens: { source: 'reported', cached: 800, thinking: 40, estimated: 0 },
      cost: 0.0038,
      knownCost: 0.0038,
    });
    expect(json.steps[1].tokens).toMatchObject({ source: 'estimated', cached: 0 });
    const step = await runCommand(['trace', 'show', file, '--step', '0'], folder.path);
    expect(step.stdout).toContain(
      'Reply, attempt 1: 1000 + 100 tokens (reported, 80 % of the prompt cached, 40 thinking) · $0.0038',
    );
  });

  it('keeps what steps cost when they were made, whatever prices the run goes on with', async () => {
    const prices = join(folder.path, 'prices.json');
    writeFileSync(prices, '{"test-model": {"prompt": 10, "completion": 10}}');
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const reply = { kind: 'reply', text: replyOf({}, 'Wait'), usage } as const;
    const server = await start({
      answer: (_, nth) => (nth === 2 ? { kind: 'error', status: 400, error: 'No.' } : reply),
    });
    const file = join(folder.path, 'resumed.skilltrace.jsonl');
    const run = (...args: readonly string[]) =>
      runCommand(['run', ...args, '--prices', prices, '--json'], folder.path, '', variables);
    const stopped = await run(
      ...[warehouse, '--model', 'openai:test-model', '--base-url', server.baseUrl, '--decoding', 'free'],
      ...['--request-retries', '0', '--horizon', '4', '--trace', file],
    );
    expect(stopped.code).toBe(1);
    writeFileSync(prices, '{"test-model": {"prompt": 20, "completion": 20}}');
    const resumed = await run('--resume', file);
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code: 0, stderr: '' });
    const { steps } = JSON.parse((await runCommand(['trace', 'show', file, '--json'], folder.path)).stdout);
    expect(steps.map(({ cost }: { cost: number }) => cost)).toEqual([0.011, 0.011, 0.022, 0.022]);
    expect(JSON.parse(resumed.stdout).cost).toBeCloseTo(0.066, 12);
  });
});
