/** `skill-state run` on a server that speaks OpenAI's protocol: what is recorded, and that its key is nowhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type CommandResult, runCommand, temporaryFolder } from '../../support/commandLine';
import { repository, scriptedModel } from '../../support/memoryRun';
import { modelRequest } from '../../support/modelRequest';
import { openAiError } from '../../support/openaiDialects';
import {
  type Answer,
  type ChatRequest,
  type OpenAiServer,
  type OpenAiServerOptions,
  startOpenAiServer,
} from '../../support/openaiServer';

const key = 'sk-planted-0123456789';
const folder = temporaryFolder();
afterAll(() => folder.remove());

const servers: OpenAiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer({ key, ...options });
  servers.push(server);
  return server;
}

/** The scripted policy's reply to the prompt of a request. */
async function rightAnswer({ body }: ChatRequest): Promise<Answer> {
  let text = '';
  const request = modelRequest({ prompt: body.messages[0]?.content ?? '' });
  for await (const event of scriptedModel({ name: 'warehouse' }).generate(
    request,
    new AbortController().signal,
  )) {
    if (event.type === 'text') text += event.text;
  }
  return { kind: 'reply', text };
}

function run(args: readonly string[]): Promise<CommandResult> {
  const variables = {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: undefined,
    HOME: folder.path,
    XDG_CACHE_HOME: folder.path,
  };
  return runCommand(['run', ...args], folder.path, '', variables);
}

function runOn(server: OpenAiServer, trace: string, ...more: readonly string[]): Promise<CommandResult> {
  const warehouse = join(repository, 'samples', 'warehouse');
  const options = [
    '--model',
    'openai:test-model',
    '--base-url',
    server.baseUrl,
    '--decoding',
    'free',
    '--horizon',
    '6',
  ];
  return run([warehouse, ...options, '--seed', '5', '--request-retries', '0', '--trace', trace, ...more]);
}

/** Every file that there is under the folder. */
function written(): readonly string[] {
  return readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

describe('run --model openai:…', () => {
  it('runs the warehouse, with the tokens that the server reports', async () => {
    const server = await start({ answer: rightAnswer });
    const { code, stdout, stderr } = await runOn(server, 'right.skilltrace.jsonl', '--json');
    expect([code, stderr]).toEqual([0, '']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      model: 'openai:test-model',
      score: 1,
      successful: 6,
      outcome: 'completed',
    });
    expect(report.tokens.source).toBe('reported');
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  it('keeps the key to itself, whatever a server makes of it', async () => {
    const said = `${key} and ${encodeURIComponent(key)}`;
    const answers: readonly Answer[] = [
      { kind: 'reply', text: said, pieces: [...said], thinking: said },
      { kind: 'error', status: 401, error: openAiError(said, 'invalid_request_error') },
      { kind: 'error', status: 500, text: said },
      { kind: 'error', status: 302, text: '', headers: { location: `http://127.0.0.1:9/?${said}` } },
    ];
    for (const [nth, answer] of answers.entries()) {
      const server = await start({ answer });
      const { code, stdout, stderr } = await runOn(server, `said-${nth}.skilltrace.jsonl`);
      expect([nth, code]).toEqual([nth, 1]);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
      expect(stdout + stderr).not.toContain('planted');
      // A failure is one sentence or two, and never a stack.
      expect(stderr).not.toMatch(/\n\s+at /);
    }
    const files = written();
    expect(files.length).toBeGreaterThanOrEqual(answers.length);
    expect(files.filter((text) => text.includes('planted'))).toEqual([]);
  });

  it('stops where the server goes away, and goes on where it is there again', async () => {
    const whole = await start({ answer: rightAnswer });
    await runOn(whole, 'whole.skilltrace.jsonl');

    const first = await start({
      answer: (request, nth) => (nth < 3 ? rightAnswer(request) : { kind: 'reset' }),
    });
    const stopped = await runOn(first, 'broken.skilltrace.jsonl');
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain(`The connection to the server at ${first.origin} failed`);
    await first.close();

    const gone = await run(['--resume', 'broken.skilltrace.jsonl']);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('(ECONNREFUSED): start it')]);
    await start({ answer: rightAnswer, port: first.port });
    const { code, stderr } = await run(['--resume', 'broken.skilltrace.jsonl']);
    expect([code, stderr]).toEqual([0, '']);

    const replies = (name: string) =>
      readFileSync(join(folder.path, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): { kind: string; reply?: string } => JSON.parse(line))
        .flatMap(({ kind, reply }) => (kind === 'attempt' ? [reply] : []));
    expect(replies('broken.skilltrace.jsonl')).toEqual(replies('whole.skilltrace.jsonl'));
  });
});
