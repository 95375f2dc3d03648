/** `skill-state run` with models behind a server: settings, failures and retries, keys, proxies, a server that goes away. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import {
  endOf,
  runCommand,
  startCommand,
  temporaryFolder,
  type CommandVariables as Variables,
} from '../../support/commandLine';
import { repository, scriptedModel } from '../../support/memoryRun';
import { modelRequest } from '../../support/modelRequest';
import {
  type Answer,
  type ChatRequest,
  type OpenAiServer,
  type OpenAiServerOptions,
  startOpenAiServer,
} from '../../support/openaiServer';
import { startProxy } from '../../support/proxyServer';
import { selfSignedCertificate } from '../../support/selfSignedCertificate';

const warehouse = join(repository, 'samples', 'warehouse');
const plantedKey = 'sk-planted-0123456789-abcdef';

let folder: ReturnType<typeof temporaryFolder>;
const open: { close(): Promise<void> }[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close().catch(() => undefined);
  folder.remove();
});

/** Nothing of the machine's own, and a cache that goes with the test. */
function clean(variables: Variables = {}): Variables {
  const none = Object.fromEntries(
    ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'].map((name) => [
      name,
      undefined,
    ]),
  );
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  const direct = Object.fromEntries(proxies.map((name) => [name, undefined]));
  return { ...none, ...direct, SKILL_STATE_CACHE: join(folder.path, 'cache'), ...variables };
}

async function startServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(options);
  open.push(server);
  return server;
}

/** What the scripted policy says to a prompt, as a server's answer. */
async function policy({ body }: ChatRequest): Promise<Answer> {
  const prompt = body.messages.at(-1)?.content ?? '';
  // A probe asks for something else.
  if (!prompt.includes('# Warehouse')) return { kind: 'reply', text: 'I see.' };
  const model = scriptedModel({ name: 'warehouse' });
  const parts: string[] = [];
  for await (const event of model.generate(modelRequest({ prompt }), new AbortController().signal))
    if (event.type === 'text') parts.push(event.text);
  return { kind: 'reply', text: parts.join('') };
}

function run(args: readonly string[], variables: Variables = {}) {
  return runCommand(['run', ...args], folder.path, '', clean(variables));
}

const model = ['--model', 'openai:test-model', '--decoding', 'free'];
const trace = 'run.skilltrace.jsonl';
const to = (file = trace) => ['--trace', file];
const episode = ['--horizon', '6', '--seed', '42'];

function recordsOf(file = trace): readonly TraceRecord[] {
  const { records, problems } = readTrace(readFileSync(join(folder.path, file)));
  expect(problems).toEqual([]);
  return records;
}

function headerOf(file = trace) {
  const [header] = recordsOf(file);
  if (header?.kind !== 'run') throw new Error('The trace has no header');
  return header;
}

describe('run --model openai:… --base-url …', () => {
  it('runs the skill, with the settings recorded and asked for', async () => {
    const server = await startServer({ answer: policy });
    const settings = ['--max-tokens', '300', '--retry-temperature', '0.7', '--top-p', '0.9'];
    const more = ['--temperature', '0.1', '--timeout', '30', '--request-retries', '2'];
    const all = [
      warehouse,
      ...model,
      '--base-url',
      server.baseUrl,
      ...settings,
      ...more,
      ...episode,
      ...to(),
    ];
    const { code, stdout, stderr } = await run(all);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`model openai:test-model at ${server.baseUrl}, seed 42`);
    const { model: recorded, options } = headerOf();
    expect(recorded).toEqual({
      name: 'openai:test-model',
      settings: {
        decoding: 'free',
        timeout: 30,
        requestRetries: 2,
        baseUrl: server.baseUrl,
        encoding: 'free',
      },
    });
    expect(options).toMatchObject({ maxTokens: 300, retryTemperature: 0.7, topP: 0.9, temperature: 0.1 });
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.1, top_p: 0.9, max_tokens: 300 });
    const attempts = recordsOf().filter((record) => record.kind === 'attempt');
    expect(attempts).toHaveLength(6);
    for (const { tokens } of attempts) expect(tokens.source).toBe('reported');
  });

  it('makes requests again that failed for a while, and says so in terminal and trace', async () => {
    const busy: Answer = { kind: 'error', status: 503, error: { error: { message: 'Loading model' } } };
    const server = await startServer({
      dialect: 'llama.cpp',
      answer: (request, nth) => (nth === 1 ? busy : policy(request)),
    });
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, ...to()];
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {3}… server error, asked again in \d\.\d s: .+/m);
    const attempts = recordsOf().filter((record) => record.kind === 'attempt');
    expect(attempts[1]?.failures).toMatchObject([{ class: 'server-error', wait: expect.any(Number) }]);
    expect(attempts.filter(({ failures }) => failures !== undefined)).toHaveLength(1);
    const shown = await runCommand(['trace', 'show', trace, '--step', '1'], folder.path);
    expect(shown.stdout).toContain('── Requests that failed, attempt 1\nserver-error: ');
    const overview = await runCommand(['trace', 'show', trace], folder.path);
    expect(overview.stdout).toMatch(/^t=1 .* tokens · cost unknown {2}\[1 request failed\]$/m);
    expect(server.requests).toHaveLength(7);
  });

  it('says before a trace is made that nothing listens, or that a key is missing', async () => {
    const gone = await startOpenAiServer();
    await gone.close();
    const probing = ['--model', 'llama.cpp:test-model', '--base-url', gone.baseUrl];
    const unreachable = await run([warehouse, ...probing, ...to()]);
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toMatch(
      /^skill-state: .*start it with `llama-server -m <model\.gguf>`, or install it from https:\/\/\S+\.\n$/,
    );
    const keyless = await run([warehouse, '--model', 'openai:gpt-4.1-mini', ...to()]);
    expect(keyless.code).toBe(1);
    expect(keyless.stderr).toContain('Set OPENAI_API_KEY to a key for https://api.openai.com.');
    const gemini = await run([warehouse, '--model', 'gemini:gemini-2.5-flash', ...to()]);
    expect(gemini.stderr).toContain('Set GEMINI_API_KEY or GOOGLE_API_KEY to a key for');
    expect(existsSync(join(folder.path, trace))).toBe(false);
    for (const { stderr } of [unreachable, keyless, gemini])
      expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--model', 'scripted', '--max-tokens', '5'], 'maxTokens is for models of openai, '],
    [['--model', 'manual', '--base-url', 'http://127.0.0.1:1/v1'], 'baseUrl is for models of openai, '],
    [
      ['--model', 'openai:m', '--thinking-budget', '-1'],
      'thinkingBudget is for models of gemini; the model is openai:m.',
    ],
    [['--model', 'openai:m', '--faults', '0.5'], "faults are the scripted model's"],
    [
      ['--model', 'openai:m', '--base-url', 'http://me:pw@127.0.0.1/v1'],
      'must not have a user name or a password',
    ],
    [['--model', 'openai:m', '--base-url', 'models'], 'has to begin with http:// or https://'],
    [['--model', 'openai:'], 'There is no model "openai:"; there is scripted, manual, openai:<model>, '],
    [['--model', 'openai:m', '--decoding', 'strict'], 'Allowed choices are auto, free, '],
    [['--model', 'openai:m', '--max-tokens', '0'], 'a whole number of at least 1'],
    [['--model', 'openai:m', '--temperature', '2.1'], 'a number from 0 to 2'],
    [['--model', 'openai:m', '--reasoning-effort', ''], 'It has to be a word.'],
    [['--model', 'gemini:a b'], '"a b" is no model\'s id'],
    [['--model', 'gemini:../m'], '"../m" is no model\'s id'],
    [['--model', 'openai:m', '--redact', ''], 'What to redact can\'t be found by "": '],
    [['--model', 'openai:m', '--redact', '('], 'What to redact can\'t be found by "(": '],
    [
      ['--model', 'openai:m', '--redact', '.+'],
      "What is redacted leaves no skill that can be run, since it is needed in state.schema.yaml: redact by a pattern that doesn't match there.",
    ],
    [['--model', 'vscode:copilot'], 'which there are in VS Code alone'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await run([warehouse, ...args, ...to()]);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('pw@');
    expect(code).toBe(args.includes('vscode:copilot') ? 1 : 2);
    expect(existsSync(join(folder.path, trace))).toBe(false);
  });

  it.each(['ollama', 'lm-studio'] as const)('refuses a decoding that %s has no way for', async (dialect) => {
    const { baseUrl } = await startServer({ dialect });
    const args = [warehouse, '--model', `${dialect}:test-model`, '--base-url', baseUrl];
    expect(await run([...args, '--decoding', 'grammar', ...to()])).toEqual({
      code: 2,
      stdout: '',
      stderr: `skill-state: ${baseUrl} can't be held to grammar: choose another decoding, such as auto.\n`,
    });
    expect(existsSync(join(folder.path, trace))).toBe(false);
  });

  it('has no score where it ends before anything was to be done', async () => {
    const { baseUrl } = await startServer({ answer: { kind: 'error', status: 403 } });
    const args = [warehouse, ...model, '--base-url', baseUrl, '--decoding', 'free', ...episode];
    const text = await run([...args, ...to()]);
    expect(text).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('\nscore      n/a  (no event was to be served)\n'),
    });
    const json = await run([...args, ...to('other.skilltrace.jsonl'), '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ score: null, actionable: 0, successful: 0 });
  });

  it('keeps a budget in dollars by the prices that the user gives, and none without', async () => {
    const server = await startServer({ answer: policy });
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, '--budget-cost', '0.000001'];
    const unpriced = await run([...args, ...to()]);
    expect(unpriced.stderr).toContain("can't be kept: no price is known for the model openai:test-model;");
    expect(existsSync(join(folder.path, trace))).toBe(false);
    expect(server.requests).toHaveLength(0);
    writeFileSync(join(folder.path, 'prices.json'), '{"test-model":{"prompt":1,"completion":2}}');
    const priced = await run([...args, '--prices', 'prices.json', ...to()]);
    expect(priced.stderr).toContain('capped: The budget of 0.000001 US dollars is used up');
    writeFileSync(join(folder.path, 'prices.json'), '{"test-model":{"prompt":-1,"completion":2}}');
    const wrong = await run([...args, '--prices', 'prices.json', ...to('other.skilltrace.jsonl')]);
    expect({ code: wrong.code, stderr: wrong.stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('prices.json: prompt in the price of "test-model" has to be'),
    });
  });
});

it('a reply that is cut at max_tokens is said to be, in the run, in its sums, and in what is shown of its trace', async () => {
  const usage = { prompt_tokens: 700, completion_tokens: 40, total_tokens: 740 };
  const text = '{"reasoning": "It goes to shelf_0.", "state_patch": {"inv';
  const server = await startServer({ answer: { kind: 'reply', text, finish: 'length', usage } });
  const held = ['--model', 'openai:test-model', '--decoding', 'json-schema', '--base-url', server.baseUrl];
  const args = [warehouse, ...held, '--max-tokens', '40', '--horizon', '1', '--on-exhausted', 'continue'];
  const { code, stdout } = await run([...args, '--max-retries', '0', ...to('cut-off.skilltrace.jsonl')]);
  const message =
    'The reply was cut off after 40 tokens, as many as --max-tokens (maxTokens) allows, so its JSON block is not whole: raise it, or have the model write less.';
  expect(code).toBe(0);
  expect(stdout).toContain(`✗ attempt 1 rejected, syntax: ${message}\n`);
  expect(stdout).toContain('rejected   syntax 1 (1 of them cut at a limit of tokens)\n');
  expect(server.requests[0]?.headers['user-agent']).toMatch(/^OpenAI\/JS /);
  const show = ['trace', 'show', 'cut-off.skilltrace.jsonl'];
  const overview = await runCommand(show, folder.path);
  expect(overview.stdout).toMatch(/^t=0 .*\[rejected: syntax, 1 reply cut at a limit of tokens\]$/m);
  const step = await runCommand([...show, '--step', '0'], folder.path);
  expect(step.stdout).toContain(
    '── Reply, attempt 1, written as json-schema and shown as the prompt asks, ended by length: 700 + 40 tokens',
  );
  expect(step.stdout).toContain(`── Rejected, syntax\n${message}\n`);
});

describe('a server that goes away in the middle of a run', () => {
  it('stops the run, which --resume goes on with to the trace of an unbroken one', async () => {
    const whole = await startServer({ answer: policy });
    const args = [...model, ...episode, '--request-retries', '0'];
    await run([warehouse, ...args, '--base-url', whole.baseUrl, ...to('whole.skilltrace.jsonl')]);

    const server: OpenAiServer = await startServer({
      answer(request, nth) {
        if (nth < 3) return policy(request);
        void server.close();
        return { kind: 'reset' };
      },
    });
    const stopped = await run([warehouse, ...args, '--base-url', server.baseUrl, ...to()]);
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toMatch(/^skill-state: stopped: .+\n$/);
    expect(stopped.stdout).not.toContain('stopped:');
    expect(stopped.stdout.match(/--resume/g)).toHaveLength(1);
    expect(stopped.stdout).toMatch(
      new RegExp(`^trace      ${trace}\nresume     skill-state run --resume ${trace}\n$`, 'm'),
    );
    const last = recordsOf().at(-1);
    expect(last).toMatchObject({
      kind: 'end',
      outcome: 'stopped',
      resumable: true,
      steps: 3,
      failures: [{ class: 'connection', message: expect.any(String) }],
    });

    // Still away: it stops again, and says which server that is.
    const again = await run(['--resume', trace]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(server.origin);

    // The server is back at another port.
    const back = await startServer({ answer: policy });
    const resumed = await run(['--resume', trace, '--base-url', back.baseUrl, '--request-retries', '1']);
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code: 0, stderr: '' });
    expect(back.requests).toHaveLength(3);
    const story = (file: string) =>
      recordsOf(file)
        .filter((record) => record.kind !== 'resumed' && record.kind !== 'run')
        .filter((record) => record.kind !== 'end' || !record.resumable)
        .map(({ time: _time, ...record }) => {
          // Where it stands in its file differs: the unbroken run has no end in between.
          return { ...record, id: 0, parent: 0 };
        });
    expect(story(trace)).toEqual(story('whole.skilltrace.jsonl'));
  });

  it('is waited for where it comes back in time', async () => {
    let failed = 0;
    const server = await startServer({
      answer(request, nth) {
        if (nth < 2 || nth > 4) return policy(request);
        failed++;
        return nth < 4 ? { kind: 'reset' } : { kind: 'bytes', pieces: ['data: {"cho'], ends: 'cut' };
      },
    });
    const args = [warehouse, ...model, ...episode, '--base-url', server.baseUrl, ...to()];
    const { code } = await run(args);
    expect({ code, failed }).toEqual({ code: 0, failed: 3 });
    const attempt = recordsOf().find((record) => record.kind === 'attempt' && record.failures !== undefined);
    // The first of the three went over a connection that was used before, and is made again without a word.
    expect(attempt).toMatchObject({ step: 2 });
    expect(attempt?.kind === 'attempt' && attempt.failures?.map(({ class: one }) => one)).toEqual([
      'connection',
      'malformed-stream',
    ]);
  });

  it('keeps nobody who presses Ctrl-C, while it is asked and while it is waited for', async () => {
    const busy: Answer = { kind: 'error', status: 429, error: {}, headers: { 'retry-after': '50' } };
    for (const answer of [{ kind: 'hang' }, busy] as const) {
      const server = await startServer({ answer });
      const file = `${answer.kind}.skilltrace.jsonl`;
      const args = ['run', warehouse, ...model, '--base-url', server.baseUrl, ...episode, ...to(file)];
      const child = startCommand(args, folder.path, clean());
      const ended = endOf(child);
      await server.nextRequest();
      if (answer === busy) {
        await new Promise<void>((resolve) =>
          child.stdout.on('data', (text: string) => text.includes('rate limited') && resolve()),
        );
      }
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'skill-state: cancelled: The run was cancelled. It can be resumed from its trace.\n',
      });
      expect(recordsOf(file).at(-1)).toMatchObject({
        kind: 'end',
        outcome: 'cancelled',
        resumable: true,
        ...(answer === busy && { failures: [{ class: 'rate-limit', wait: 50_000 }] }),
      });
    }
  });
});

describe('an answer without end', () => {
  it('is given up with the budget of seconds, also where bytes keep coming', async () => {
    let isOver = false;
    const server = createServer((request, response) => {
      request.resume();
      if (request.method === 'GET') return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const trickle = setInterval(() => response.write(': still there\n\n'), 20);
      response.on('close', () => {
        isOver = true;
        clearInterval(trickle);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    const at = ['--base-url', `http://127.0.0.1:${address.port}/v1`];
    const { code, stderr } = await run([warehouse, ...model, ...at, ...to(), '--budget-seconds', '1']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'skill-state: capped: The budget of 1 seconds is used up.\n',
    });
    expect(recordsOf().at(-1)).toMatchObject({ kind: 'end', outcome: 'capped', steps: 0 });
    await vi.waitUntil(() => isOver);
  });

  it('is cut where it is longer than a reply may be', async () => {
    const text = 'and so on '.repeat(110_000);
    const server = await startServer({ answer: { kind: 'reply', text, pieces: [text], hang: true } });
    const limits = ['--max-retries', '0', '--on-exhausted', 'stop'];
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...limits, ...episode, ...to()];
    expect((await run(args)).code).toBe(1);
    const [attempt] = recordsOf().filter((record) => record.kind === 'attempt');
    expect(attempt).toMatchObject({ finish: 'cut' });
    expect(attempt?.reply).toHaveLength(1_000_001);
    expect(recordsOf()).toContainEqual(expect.objectContaining({ kind: 'rejection', class: 'limit' }));
    await expect(server.requests[0]?.closed).resolves.toBe('gone');
  });
});

describe('what a probe found out', () => {
  it('is recorded, kept for the next run, and not found out again to resume one', async () => {
    const server = await startServer({ dialect: 'ollama', answer: policy });
    const args = ['--model', 'ollama:test-model', '--base-url', server.baseUrl, ...episode];
    expect((await run([warehouse, ...args, '--budget-steps', '2', ...to()])).code).toBe(1);
    const { settings } = headerOf().model;
    expect(settings).toMatchObject({ baseUrl: server.baseUrl, encoding: 'free' });
    const before = server.requests.length;
    // Two steps, and questions that the next run has no need of.
    expect(before).toBeGreaterThan(2);
    const { results } = JSON.parse(readFileSync(join(folder.path, 'cache', 'probes.json'), 'utf8'));
    expect(results).toMatchObject([
      [JSON.stringify([server.baseUrl, 'test-model']), { encoding: 'free', tries: { length: before - 2 } }],
    ]);
    expect((await run([warehouse, ...args, ...to('next.skilltrace.jsonl')])).code).toBe(0);
    expect(server.requests.length - before).toBe(6);
    expect(headerOf('next.skilltrace.jsonl').model.settings).toEqual(settings);

    // Without the cache, from the record.
    const lines = readFileSync(join(folder.path, 'next.skilltrace.jsonl'), 'utf8').split('\n');
    writeFileSync(join(folder.path, 'cut.skilltrace.jsonl'), `${lines.slice(0, 9).join('\n')}\n`);
    const resuming = server.requests.length;
    const { code } = await run(['--resume', 'cut.skilltrace.jsonl'], { SKILL_STATE_CACHE: undefined });
    expect(code).toBe(0);
    const left = recordsOf('cut.skilltrace.jsonl').filter(({ kind }) => kind === 'attempt').length;
    expect(left).toBe(6);
    expect(server.requests.length - resuming).toBeLessThan(6);
  });
});

describe('a key of the environment', () => {
  const variables = { OPENAI_API_KEY: plantedKey };

  /** Everything that a run leaves behind, and what it printed. */
  function left(...results: readonly { readonly stdout: string; readonly stderr: string }[]): string {
    const files = readdirSync(folder.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    return [...files, ...results.flatMap(({ stdout, stderr }) => [stdout, stderr])].join('\n');
  }

  it('goes with each request, and stands nowhere', async () => {
    const server = await startServer({ key: plantedKey, answer: policy });
    const args = [warehouse, '--model', 'openai:test-model', '--base-url', server.baseUrl, ...episode];
    const done = await run([...args, ...to()], variables);
    expect(done.code).toBe(0);
    for (const { headers } of server.requests) expect(headers.authorization).toBe(`Bearer ${plantedKey}`);
    const json = await run([...args, ...to('json.skilltrace.jsonl'), '--json'], variables);
    expect(json.code).toBe(0);
    expect(left(done, json)).not.toContain(plantedKey);
  });

  const echoed = `Incorrect key ${plantedKey}, as in Bearer%20${plantedKey}`;
  it.each<[string, Answer | ((nth: number) => Answer)]>([
    [
      'a server that echoes it in a refusal',
      { kind: 'error', status: 401, error: { error: { message: echoed } } },
    ],
    ['one that echoes it in a failure', { kind: 'error', status: 500, error: echoed }],
    [
      'one that echoes it in its headers',
      { kind: 'error', status: 400, error: {}, headers: { 'x-echo': plantedKey } },
    ],
    [
      'one that asks to be asked again',
      { kind: 'error', status: 429, error: { error: { message: echoed } } },
    ],
    ['one that says it in its reply', { kind: 'reply', text: `Your key is ${plantedKey}.` }],
    ['one that thinks of it', { kind: 'reply', text: 'x', thinking: plantedKey }],
    [
      'one that cuts its answer off at it',
      { kind: 'bytes', pieces: [`data: {"choices":"${plantedKey}`], ends: 'cut' },
    ],
    [
      'one that sends it to another place',
      { kind: 'error', status: 307, error: {}, headers: { location: `http://127.0.0.1:1/${plantedKey}` } },
    ],
    ['one that answers with no protocol', { kind: 'bytes', pieces: [echoed] }],
  ])('stands nowhere either with %s', async (_name, answer) => {
    const server = await startServer({
      answer: typeof answer === 'function' ? (_, nth) => answer(nth) : answer,
    });
    const limits = ['--request-retries', '0', '--max-retries', '1', '--on-exhausted', 'stop'];
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...limits, ...episode];
    const result = await run([...args, ...to()], variables);
    expect(result.code).toBe(1);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${plantedKey}`);
    expect(left(result)).not.toContain(plantedKey);
    expect(left(result)).not.toContain(encodeURIComponent(plantedKey));
  });

  it('is not sent where only a trace says so', async () => {
    const server = await startServer({ answer: policy });
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, '--budget-steps', '2'];
    await run([...args, ...to()], variables);
    const proxy = await startProxy(server.port);
    open.push(proxy);
    // A stranger's trace, of which the last record is lost, and whose model is at the stranger's.
    const lines = readFileSync(join(folder.path, trace), 'utf8')
      .replace(server.baseUrl, 'http://stranger.invalid/v1')
      .split('\n');
    writeFileSync(join(folder.path, 'stranger.skilltrace.jsonl'), `${lines.slice(0, 4).join('\n')}\n`);
    const through = { ...variables, HTTP_PROXY: proxy.url };
    const before = server.requests.length;
    await run(['--resume', 'stranger.skilltrace.jsonl'], through);
    const asked = server.requests.slice(before);
    expect(asked.length).toBeGreaterThan(0);
    for (const { headers } of asked) expect(headers.authorization ?? '').not.toContain('planted');
    for (const headers of proxy.headers) expect(JSON.stringify(headers)).not.toContain('planted');

    // Named by whoever resumes it, it is.
    writeFileSync(join(folder.path, 'named.skilltrace.jsonl'), `${lines.slice(0, 4).join('\n')}\n`);
    const named = server.requests.length;
    await run(['--resume', 'named.skilltrace.jsonl', '--base-url', 'http://stranger.invalid/v1'], through);
    expect(server.requests[named]?.headers.authorization).toBe(`Bearer ${plantedKey}`);
  });

  it('is not sent to the service itself where the address in a trace is none', async () => {
    const server = await startServer({ answer: policy });
    const proxy = await startProxy(server.port);
    open.push(proxy);
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, '--budget-steps', '2'];
    await run([...args, ...to()], variables);
    const text = readFileSync(join(folder.path, trace), 'utf8');
    const before = server.requests.length;
    for (const value of ['true', '8080', '""', '"  "']) {
      const lines = text.replace(`"baseUrl":"${server.baseUrl}"`, `"baseUrl":${value}`).split('\n');
      expect(lines[0]).toContain(`"baseUrl":${value}`);
      const file = 'wrong.skilltrace.jsonl';
      writeFileSync(join(folder.path, file), `${lines.slice(0, 4).join('\n')}\n`);
      const through = { ...variables, HTTPS_PROXY: proxy.url };
      const { code, stderr } = await run(['--resume', file], through);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `skill-state: What ${file} says of its model can't be used: The base URL has to begin with http:// or https://, such as http://127.0.0.1:8080/v1.\n`,
      });
    }
    expect(server.requests).toHaveLength(before);
    expect(proxy.asked).toEqual([]);
  });

  it('is said to be missing where a server of a trace wants one', async () => {
    const server = await startServer({ answer: policy });
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, '--budget-steps', '2'];
    await run([...args, ...to()]);
    const strict = await startServer({ key: plantedKey, answer: policy });
    const proxy = await startProxy(strict.port);
    open.push(proxy);
    const lines = readFileSync(join(folder.path, trace), 'utf8')
      .replace(server.baseUrl, 'http://stranger.invalid/v1')
      .split('\n');
    writeFileSync(join(folder.path, 'stranger.skilltrace.jsonl'), `${lines.slice(0, 4).join('\n')}\n`);
    const { code, stderr } = await run(['--resume', 'stranger.skilltrace.jsonl'], {
      ...variables,
      HTTP_PROXY: proxy.url,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'OPENAI_API_KEY is not sent to http://stranger.invalid: that is done only where --base-url or the variable OPENAI_BASE_URL names it.',
    );
  });

  it('goes where OPENAI_BASE_URL says, which is where models of openai are then', async () => {
    const server = await startServer({ key: plantedKey, answer: policy });
    const args = [warehouse, ...model, ...episode, ...to()];
    const { code } = await run(args, { ...variables, OPENAI_BASE_URL: server.baseUrl });
    expect(code).toBe(0);
    expect(headerOf().model.settings.baseUrl).toBe(server.baseUrl);
  });
});

describe('the way to the network', () => {
  it('goes through HTTPS_PROXY, to a certificate that NODE_EXTRA_CA_CERTS names', async () => {
    const certificate = selfSignedCertificate('models.invalid');
    const server = await startServer({ tls: certificate, answer: policy });
    const proxy = await startProxy(server.port);
    open.push(proxy);
    writeFileSync(join(folder.path, 'ca.pem'), certificate.cert);
    const args = [warehouse, ...model, '--base-url', 'https://models.invalid/v1', ...episode, ...to()];
    const variables = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(folder.path, 'ca.pem') };
    const { code, stderr } = await run(args, variables);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT models.invalid:443']));
    expect(server.requests).toHaveLength(6);

    const untrusted = await run([...args.slice(0, -1), 'no.skilltrace.jsonl'], { HTTPS_PROXY: proxy.url });
    expect(untrusted.code).toBe(1);
    expect(untrusted.stderr).toContain('NODE_EXTRA_CA_CERTS');
  });

  it('is direct to this machine, whatever proxies there are', async () => {
    const server = await startServer({ answer: policy });
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, ...to()];
    const { code } = await run(args, { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' });
    expect(code).toBe(0);
  });
});

describe('run --redact', () => {
  it('leaves nothing of what matches in trace and terminal, and goes on with the same patterns', async () => {
    const server = await startServer({ answer: policy });
    const redact = ['--redact', 'item_\\d+', '--redact', '(?:[A-Z]){20}'];
    const args = [warehouse, ...model, '--base-url', server.baseUrl, ...episode, ...redact];
    const { stdout } = await run([...args, ...to()]);
    const text = readFileSync(join(folder.path, trace), 'utf8');
    expect(text).toContain('[redacted]');
    for (const one of [text, stdout]) expect(one).not.toMatch(/item_\d/);
    for (const { text: asked } of server.requests) expect(asked).not.toMatch(/item_\d/);

    const lines = text.split('\n');
    const cut = `${lines.slice(0, 9).join('\n')}\n`;
    writeFileSync(join(folder.path, 'cut.skilltrace.jsonl'), cut);
    const without = await run(['--resume', 'cut.skilltrace.jsonl']);
    expect(without.stderr).toContain('go on with the same patterns of what is redacted');
    writeFileSync(join(folder.path, 'same.skilltrace.jsonl'), cut);
    const same = await run(['--resume', 'same.skilltrace.jsonl', ...redact]);
    expect(same.stdout).toContain('completed');
    expect(readFileSync(join(folder.path, 'same.skilltrace.jsonl'), 'utf8')).not.toMatch(/item_\d/);
  });
});
