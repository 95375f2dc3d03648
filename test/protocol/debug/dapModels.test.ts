/** `skill-state dap` with a model behind a server: which key goes where, and what no message of the adapter has. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CommandProcess,
  type CommandVariables,
  runCommand,
  startCommand,
  temporaryFolder,
} from '../../support/commandLine';
import { DebugClient } from '../../support/debugClient';
import { replyOf, repository } from '../../support/memoryRun';
import { type OpenAiServer, startOpenAiServer } from '../../support/openaiServer';
import { type ProxyServer, startProxy } from '../../support/proxyServer';

const skill = join(repository, 'samples', 'warehouse');
const plantedKey = 'sk-planted-0123456789-abcdef';
const text = `${replyOf({}, 'Wait')} It is item_77, and ${plantedKey}.`;
const answer = { kind: 'reply', text } as const;

let folder: ReturnType<typeof temporaryFolder>;
let server: OpenAiServer;
let proxy: ProxyServer;
let child: CommandProcess | undefined;

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startOpenAiServer({ answer });
  proxy = await startProxy(server.port);
});
afterEach(async () => {
  child?.kill();
  await proxy.close();
  await server.close();
  folder.remove();
});

/** A session from its launch to its end; gives all that the adapter said. */
async function session(
  attributes: Readonly<Record<string, unknown>>,
  variables: CommandVariables = {},
): Promise<string> {
  child = startCommand(['dap', '--redact', 'item_\\d+'], folder.path, {
    ...{
      OPENAI_API_KEY: plantedKey,
      OPENAI_BASE_URL: undefined,
      HTTP_PROXY: proxy.url,
      http_proxy: undefined,
    },
    ...{ NO_PROXY: undefined, no_proxy: undefined, SKILL_STATE_CACHE: join(folder.path, 'cache') },
    ...variables,
  });
  let said = '';
  let complaints = '';
  const started = child;
  const ended = new Promise<number | null>((resolve) => started.on('close', resolve));
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    complaints += part;
  });
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString('utf8');
  });
  const { stdout: input, stdin: output } = child;
  const client = new DebugClient({ input, output });
  const given = { skill, model: 'openai:test-model', decoding: 'free', horizon: 2, ...attributes };
  await client.launch({ ...given, trace: 'run.skilltrace.jsonl' });
  await client.event('stopped');
  // To just before the act, where the reply and all that is made of it is there to be looked at.
  await client.go('next');
  await client.stack();
  for (const { variablesReference } of await client.scopes()) await client.variables({ variablesReference });
  await client.evaluate('reply');
  await client.request('continue', { threadId: 1 });
  await client.event('terminated');
  await client.request('disconnect');
  expect(await ended).toBe(0);
  expect(complaints).toBe('');
  return said;
}

function trace(): string {
  const name = readdirSync(folder.path).find((one) => one.endsWith('.jsonl')) ?? '';
  return readFileSync(join(folder.path, name), 'utf8');
}

const sentKeys = () => server.requests.map(({ headers }) => headers.authorization);

describe('skill-state dap', () => {
  it('sends the key on this machine to who asks for it, and tells nothing of it, nor of what is redacted', async () => {
    await server.close();
    server = await startOpenAiServer({ answer, key: plantedKey });
    const said = await session({ baseUrl: server.baseUrl });
    expect(new Set(sentKeys())).toEqual(new Set([`Bearer ${plantedKey}`]));
    expect(proxy.asked).toEqual([]);
    for (const text of [said, trace()]) {
      expect(text).toContain('It is [redacted], and [key].');
      expect(text).not.toContain(plantedKey);
      expect(text).not.toContain('item_77');
    }
  });

  it('sends none to who does not ask', async () => {
    await session({ baseUrl: server.baseUrl });
    expect(server.requests.length).toBeGreaterThan(0);
    expect(new Set(sentKeys())).toEqual(new Set([undefined]));
  });

  it('sends it nowhere that only the launch configuration names', async () => {
    await session({ baseUrl: 'http://stranger.invalid/v1' });
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(sentKeys().join()).not.toContain('planted');
    expect(JSON.stringify(proxy.headers)).not.toContain('planted');
  });

  it('sends it where OPENAI_BASE_URL says so', async () => {
    const there = 'http://gateway.invalid/v1';
    await session({ baseUrl: there }, { OPENAI_BASE_URL: there });
    expect(new Set(sentKeys())).toEqual(new Set([`Bearer ${plantedKey}`]));
  });

  it('refuses a pattern that can not be used before it listens', async () => {
    const { code, stderr } = await runCommand(['dap', '--redact', '('], folder.path);
    expect(code).toBe(2);
    expect(stderr).toContain('What to redact can\'t be found by "(": ');
  });
});
