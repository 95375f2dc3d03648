/** `skill-state models list` and `models probe`: what there is, what it needs, and that no key is shown. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type CommandResult, runCommand, temporaryFolder } from '../../support/commandLine';
import { probeReply } from '../../support/keepingServer';
import { repository } from '../../support/memoryRun';
import {
  type Answer,
  type OpenAiServer,
  type OpenAiServerOptions,
  startOpenAiServer,
} from '../../support/openaiServer';

const key = 'sk-planted-models-0123456789';
/** As the prompt of a probe asks, whatever the format. */
const plum: Answer = { kind: 'reply', text: 'plum' };
const folder = temporaryFolder();
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

/** Nothing of this machine's user is looked at. */
function models(
  args: readonly string[],
  keys: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return runCommand(['models', ...args], folder.path, '', {
    OPENAI_API_KEY: undefined,
    GEMINI_API_KEY: undefined,
    GOOGLE_API_KEY: undefined,
    OPENAI_BASE_URL: undefined,
    SKILL_STATE_CACHE: folder.path,
    ...keys,
  });
}

describe('models list', () => {
  it('names every provider with what it needs', async () => {
    const { code, stdout, stderr } = await models(['list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of [
      'scripted: A built-in policy',
      'manual: A person types the replies.',
      'openai: Set OPENAI_API_KEY to a key for https://api.openai.com.',
      'gemini: Set GEMINI_API_KEY or GOOGLE_API_KEY to a key for https://generativelanguage.googleapis.com.',
      "vscode: VS Code's own language models",
      'replay: The replies of a recorded run',
    ])
      expect(stdout).toContain(line);
    for (const provider of ['ollama', 'llama.cpp', 'vllm', 'lm-studio'])
      expect(stdout).toMatch(new RegExp(`^${provider.replace('.', '\\.')}(?: at|: )`, 'm'));
  });

  it('lists the models of a server at a base URL, with a price where the user gives one', async () => {
    const server = await start({ dialect: 'llama.cpp', models: ['one', 'two'] });
    const at = ['--base-url', server.baseUrl];
    const plain = await models(['list', ...at]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(
      /^openai at http:\S+: It is running\.\n {2}openai:one {2}.*\n {2}openai:two/,
    );
    const named = await models(['list', '--provider', 'llama.cpp', ...at, '--json']);
    const { providers } = JSON.parse(named.stdout);
    expect(providers).toMatchObject([
      { provider: 'llama.cpp', usable: true, key: 'not needed', server: server.baseUrl },
    ]);
    expect(providers[0].models).toMatchObject([
      { name: 'llama.cpp:one', price: null },
      { name: 'llama.cpp:two', price: null },
    ]);
  });

  it('fails for a provider that was named and is not there, and says how to start it', async () => {
    const server = await startOpenAiServer();
    await server.close();
    const { code, stdout } = await models(['list', '--provider', 'ollama', '--base-url', server.baseUrl]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ollama: There is no answer from Ollama at .*`ollama serve`/);
    const unknown = await models(['list', '--provider', 'oracle']);
    expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('scripted') });
    const idle = await models(['list', '--provider', 'scripted', '--base-url', server.baseUrl]);
    expect(idle).toMatchObject({ code: 2, stderr: expect.stringContaining('--base-url is for servers') });
  });

  it.each([
    ['list', '--base-url', '127.0.0.1:8080'],
    ['list', '--provider', 'ollama', '--base-url', ''],
    ['list', '--provider', 'gemini', '--base-url', 'ftp://127.0.0.1', '--json'],
    ['probe', 'ollama:m', '--base-url', 'http://'],
    ['probe', 'gemini:m', '--base-url', 'http://me:pw@127.0.0.1'],
    ['probe', 'gemini:m', '--vertex-location', 'us'],
  ])('is wrong usage where no address can be made: %s %s %s %s %s', async (...args) => {
    const { code, stdout, stderr } = await models(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^skill-state: The (base URL|Vertex AI location) .+\.\n$/);
    expect(stderr).not.toContain('pw');
  });

  it('shows no key, whether it is taken or not', async () => {
    const taking = await start({ key });
    const refusing = await start({ key: 'another' });
    for (const [server, code] of [
      [taking, 0],
      [refusing, 1],
    ] as const) {
      for (const format of [[], ['--json']]) {
        const result = await models(['list', '--base-url', server.baseUrl, ...format], {
          OPENAI_API_KEY: key,
        });
        expect(result.code).toBe(code);
        expect(result.stdout + result.stderr).not.toContain(key);
      }
    }
    const { stdout } = await models(['list', '--base-url', taking.baseUrl, '--json'], {
      OPENAI_API_KEY: key,
    });
    expect(JSON.parse(stdout).providers[0]).toMatchObject({ key: 'set', usable: true });
  });
});

describe('models probe', () => {
  it('prints what a server can be held to, why, and what of a skill that leaves out; once, then from memory', async () => {
    const server = await start({
      dialect: 'llama.cpp',
      models: ['m'],
      refuses: { grammar: 'unknown' },
      answer: (request) => probeReply(request) ?? plum,
    });
    const skill = `${repository}/samples/warehouse`;
    const args = ['probe', 'llama.cpp:m', '--base-url', server.baseUrl];
    const first = await models([...args, '--skill', skill]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(`model      llama.cpp:m at ${server.baseUrl}\n`);
    expect(first.stdout).toContain('replies    json-schema by response_format: ');
    expect(first.stdout).toMatch(/^because {4}\S/m);
    expect(first.stdout).toMatch(/^ {2}grammar by grammar: the server refus/m);
    expect(first.stdout).toMatch(/held to/);
    expect(first.stdout).toContain('\nRuns with the decoding auto use this from now on.\n');
    expect(server.requests).toHaveLength(2);
    const again = JSON.parse((await models([...args, '--skill', skill, '--json'])).stdout);
    expect(again).toMatchObject({
      model: 'llama.cpp:m',
      server: server.baseUrl,
      encoding: 'json-schema',
      placement: 'response_format',
      tried: false,
      kept: true,
      dropped: expect.any(Array),
    });
    expect((await models(args)).stdout).toMatch(/^Found out at \S+Z; --refresh tries again\.$/m);
    expect(server.requests).toHaveLength(2);
    const refreshed = JSON.parse((await models([...args, '--refresh', '--json'])).stdout);
    expect(refreshed).toMatchObject({ tried: true, dropped: null, encoding: 'json-schema' });
    expect(server.requests).toHaveLength(4);
  });

  it('says that what it found out could not be kept, and why', async () => {
    const server = await start({
      dialect: 'ollama',
      models: ['m'],
      answer: (one) => probeReply(one) ?? plum,
    });
    writeFileSync(join(folder.path, 'file'), '');
    const cache = { SKILL_STATE_CACHE: join(folder.path, 'file') };
    const args = ['probe', 'ollama:m', '--base-url', server.baseUrl];
    const { code, stdout, stderr } = await models(args, cache);
    expect(code).toBe(0);
    expect(stdout).toContain('replies    json-schema by response_format: ');
    expect(stdout).toContain(
      '\nThis could not be kept, so each run with the decoding auto finds it out anew.\n',
    );
    expect(stdout).not.toContain('from now on');
    expect(stderr).toMatch(/^skill-state: What was found out about \S+ can't be kept in \S+: .+\.\n$/);
    const { stdout: json } = await models([...args, '--json'], cache);
    expect(JSON.parse(json)).toMatchObject({ tried: true, kept: false });
  });

  it('is wrong usage for a model without a server, and fails where the server is not there', async () => {
    for (const model of ['scripted', 'manual', 'replay:x', 'vscode:a'])
      expect(await models(['probe', model])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('has no server'),
      });
    expect(await models(['probe', 'gpt'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('openai:'),
    });
    const server = await startOpenAiServer();
    await server.close();
    const gone = await models(['probe', 'vllm:m', '--base-url', server.baseUrl]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('vllm serve') });
  });
});
