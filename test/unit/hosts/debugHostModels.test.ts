/** What a debugged run has of its launch configuration and of its editor for its model. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LaunchFailure, type OpenedRun } from '../../../client/src/debug/debugHost';
import { createDebugHost, type DebugHostOptions } from '../../../client/src/hosts/node/debugHost';
import type { KeyOwner, KeySource } from '../../../client/src/models/modelResources';
import type { ModelNotice } from '../../../client/src/runtime/model';
import { parseLaunchConfiguration } from '../../../schemas/launch/launchConfiguration';
import launchSchema from '../../../schemas/launch/launchConfiguration.schema.json';
import type { WantedModel } from '../../../schemas/messages/samplingMessages';
import { readTrace } from '../../../schemas/trace/trace';
import { askModel } from '../../support/askedModel';
import { temporaryFolder } from '../../support/commandLine';
import { replyOf, repository } from '../../support/memoryRun';
import { type OpenAiServer, type OpenAiServerOptions, startOpenAiServer } from '../../support/openaiServer';

const { signal } = new AbortController();
const warehouse = join(repository, 'samples', 'warehouse');

let folder: ReturnType<typeof temporaryFolder>;
const open: { close(): Promise<void> | void }[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  folder.remove();
});

async function startServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const answer = { kind: 'reply', text: replyOf({}, 'Wait'), thinking: 'Hm, item_1.' } as const;
  const server = await startOpenAiServer({ answer, ...options });
  open.push(server);
  return server;
}

const notices: ModelNotice[] = [];

async function launch(
  attributes: Readonly<Record<string, unknown>>,
  options: Partial<DebugHostOptions> = {},
  aborted = signal,
): Promise<OpenedRun> {
  const { configuration, problems } = parseLaunchConfiguration({
    skill: warehouse,
    decoding: attributes.replay === undefined ? 'free' : undefined,
    horizon: 2,
    ...attributes,
  });
  if (configuration === undefined) throw new Error(JSON.stringify(problems));
  const host = createDebugHost({ folder: folder.path, ...options });
  const opened = await host.open(configuration, {
    asker: { ask: async () => undefined },
    signal: aborted,
    onNotice: (notice) => notices.push(notice),
  });
  open.push(opened);
  return opened;
}

async function toEnd({ execution }: OpenedRun): Promise<void> {
  await execution.start(signal);
  while (!execution.position.atEndOfRecord) await execution.advance(signal);
}

function traceOf(opened: OpenedRun) {
  const { records, problems } = readTrace(readFileSync(opened.tracePath() ?? ''));
  expect(problems).toEqual([]);
  const [header] = records;
  if (header?.kind !== 'run') throw new Error('The trace has no header');
  return { header, records };
}

/** An editor's keys: what it has for an origin. */
function keysOf(keys: Readonly<Record<string, string>>): KeySource & { readonly asked: KeyOwner[] } {
  const asked: KeyOwner[] = [];
  return {
    asked,
    async get(owner) {
      asked.push(owner);
      return keys[owner.origin];
    },
    advice: ({ origin }) => `Set a key for ${origin}.`,
  };
}

describe('a launch configuration', () => {
  it('has no attribute that nobody reads', async () => {
    const { configuration } = parseLaunchConfiguration({ skill: warehouse, horizon: 2 });
    if (configuration === undefined) throw new Error('The configuration is wrong.');
    const read = new Set<string | symbol>();
    const watched = new Proxy(configuration, {
      get(target, name) {
        read.add(name);
        return Reflect.get(target, name);
      },
    });
    const host = createDebugHost({ folder: folder.path });
    open.push(await host.open(watched, { asker: { ask: async () => undefined }, signal }));
    // These are the debugger's own.
    const all = [...read, 'stopOnEntry', 'stopOnEnd'];
    expect(all.toSorted()).toEqual(Object.keys(launchSchema.properties).toSorted());
  });
});

describe('a debugged run with a model behind a server', () => {
  it('has the settings of its launch configuration, and the key of the editor', async () => {
    const server = await startServer({ key: 'sk-editor' });
    const keys = keysOf({ [server.origin]: 'sk-editor' });
    notices.splice(0);
    const opened = await launch(
      {
        ...{ model: 'openai:test-model', baseUrl: server.baseUrl, temperature: 0.3, topP: 0.8 },
        ...{ maxTokens: 77, retryTemperature: 0.9, requestRetries: 2, timeout: 9, reasoningEffort: 'low' },
      },
      { models: { keys } },
    );
    expect(opened.mostRequests).toBe(3);
    await toEnd(opened);
    const { header, records } = traceOf(opened);
    expect(header.options).toMatchObject({
      ...{ temperature: 0.3, topP: 0.8, maxTokens: 77, retryTemperature: 0.9 },
    });
    expect(header.model).toEqual({
      name: 'openai:test-model',
      settings: {
        ...{ baseUrl: server.baseUrl, decoding: 'free', encoding: 'free' },
        ...{ requestRetries: 2, timeout: 9, reasoningEffort: 'low' },
      },
    });
    expect(records.find(({ kind }) => kind === 'attempt')).toMatchObject({ thinking: 'Hm, item_1.' });
    expect(new Set(notices.map(({ type }) => type))).toEqual(new Set(['request', 'response', 'thinking']));
    expect(readFileSync(opened.tracePath() ?? '', 'utf8')).not.toContain('sk-editor');
    expect(JSON.stringify(notices)).not.toContain('sk-editor');
    for (const { origin } of keys.asked) expect(origin).toBe(server.origin);
  });

  it('has the prices and the patterns of the editor', async () => {
    const server = await startServer();
    const prices = new Map([['test-model', { prompt: 1, completion: 2 }]]);
    const attributes = { model: 'openai:test-model', baseUrl: server.baseUrl, budget: { cost: 10 } };
    notices.splice(0);
    const opened = await launch(attributes, { models: { prices }, redact: ['item_\\d+'] });
    await toEnd(opened);
    const { records } = traceOf(opened);
    const attempt = records.find(({ kind }) => kind === 'attempt');
    expect(attempt).toMatchObject({ cost: expect.any(Number), thinking: 'Hm, [redacted].' });
    expect(readFileSync(opened.tracePath() ?? '', 'utf8')).not.toMatch(/item_\d/);
    expect(JSON.stringify(notices)).not.toMatch(/item_\d/);
    await expect(launch(attributes)).rejects.toThrow('no price is known for the model openai:test-model');
    await expect(launch(attributes, { redact: ['('] })).rejects.toThrow(LaunchFailure);
  });

  it('begins no run, and asks no model, where the settings keep it from that', async () => {
    const server = await startServer();
    const attributes = { model: 'openai:test-model', baseUrl: server.baseUrl };
    const refused = launch(attributes, { refusal: 'skill-state.redact has to be a list.' });
    await expect(refused).rejects.toThrow(new LaunchFailure('skill-state.redact has to be a list.'));
    expect(server.requests).toEqual([]);
  });

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ model: 'scripted', decoding: undefined, maxTokens: 5 }, 'maxTokens is for models of '],
    [
      { model: 'openai:m', vertexProject: 'p' },
      'vertexProject is for models of gemini; the model is openai:m.',
    ],
    [{ model: 'openai:m', baseUrl: 'http://me:pw@a/v1' }, 'must not have a user name or a password'],
    [{ model: 'vscode:copilot', decoding: undefined }, "is one of VS Code's own"],
    [
      { model: 'gpt', decoding: undefined },
      'There is no model "gpt"; there is scripted, manual, openai:<model>',
    ],
    [{ model: 'openai:gpt-4.1' }, 'key'],
  ])('is refused %j', async (attributes, message) => {
    await expect(launch(attributes, { models: { keys: keysOf({}) } })).rejects.toThrow(message);
    await expect(launch(attributes, { models: { keys: keysOf({}) } })).rejects.toBeInstanceOf(LaunchFailure);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it.each([
    [{ model: 'openai:gpt-4.1' }, true],
    [{ model: 'gpt', decoding: undefined }, true],
    [{ model: 'scripted', environment: 'manual', decoding: undefined }, true],
    [{ model: 'openai:m', baseUrl: 'http://a', environment: 'nowhere' }, false],
    [{ model: 'openai:m', baseUrl: 'http://a', skill: 'nowhere' }, false],
  ])(
    'that keeps a run from beginning is offered to be another one, and nothing else is: %j',
    async (attributes, isModel) => {
      const modelRemedy = { label: 'Choose Model…', url: 'command:skill-state.chooseModel' };
      const failed = launch(attributes, { models: { keys: keysOf({}) }, modelRemedy });
      await expect(failed).rejects.toMatchObject({ remedy: isModel ? modelRemedy : undefined });
      const bare = launch(attributes, { models: { keys: keysOf({}) } });
      await expect(bare).rejects.toMatchObject({ remedy: undefined });
    },
  );

  it('is sampled beside the model of the same name elsewhere, which has another server, key and settings', async () => {
    const server = await startServer();
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (url.startsWith(server.origin)) return globalThis.fetch(input, init);
      sent.push(`${new URL(url).origin} ${new Headers(init?.headers).get('authorization')}`);
      return Response.json({ error: { message: 'No.' } }, { status: 500 });
    };
    const models = { keys: keysOf({ 'https://api.openai.com': 'sk-open-12345' }), fetch };
    const opened = await launch({ model: 'openai:test-model', baseUrl: server.baseUrl }, { models });
    const asks = async (wanted: WantedModel | undefined) => {
      const before = [sent.length, server.requests.length];
      const sampled = await opened.sampling?.model(wanted);
      if (sampled === undefined) throw new Error('Nothing can be sampled');
      await askModel(sampled.model);
      return [sent.length > (before[0] ?? 0), server.requests.length > (before[1] ?? 0)];
    };
    const [hosted, own] = [
      [true, false],
      [false, true],
    ];
    const name = 'openai:test-model';
    expect(await asks(undefined)).toEqual(own);
    expect(await asks({ name, isOwn: true })).toEqual(own);
    // Its model, whatever name somebody has for it.
    expect(await asks({ name: 'scripted', isOwn: true })).toEqual(own);
    expect((await opened.sampling?.model({ name: 'scripted', isOwn: true }))?.model.name).toBe(name);
    expect(await asks({ name, baseUrl: `${server.origin}/` })).toEqual(own);
    expect(await asks({ name })).toEqual(hosted);
    expect(new Set(sent)).toEqual(new Set(['https://api.openai.com Bearer sk-open-12345']));
  });

  it('is given up while it is made ready, once nobody wants it any more', async () => {
    const leaving = new AbortController();
    const keys: KeySource = {
      advice: () => '',
      get: (_owner, asking) =>
        new Promise((_resolve, reject) => {
          asking.addEventListener('abort', () => reject(asking.reason), { once: true });
          leaving.abort(new Error('gone'));
        }),
    };
    await expect(launch({ model: 'openai:gpt-4.1' }, { models: { keys } }, leaving.signal)).rejects.toThrow(
      'gone',
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe('a replayed run', () => {
  async function recorded(server: OpenAiServer): Promise<string> {
    const opened = await launch({ model: 'openai:test-model', baseUrl: server.baseUrl });
    await toEnd(opened);
    await opened.close();
    return opened.tracePath() ?? '';
  }

  it('is gone on with by the recorded model, at another address where one is given', async () => {
    const server = await startServer();
    const replay = await recorded(server);
    const other = await startServer();
    for (const [baseUrl, expected] of [
      [undefined, server],
      [other.baseUrl, other],
    ] as const) {
      const opened = await launch({ replay, baseUrl });
      expect(opened.model).toBe('openai:test-model');
      const { execution } = opened;
      await execution.start(signal);
      const before = expected.requests.length;
      // Nothing is asked while it is only looked at.
      await execution.goTo({ branch: 0, step: 1, index: 0 });
      expect(expected.requests).toHaveLength(before);
      expect(await execution.fork()).toMatchObject({ ok: true });
      for (let phase = 0; phase < 3; phase++) await execution.advance(signal);
      expect(expected.requests).toHaveLength(before + 1);
      await opened.close();
    }
  });

  it('refuses what the record decides, and what its model does not have', async () => {
    const replay = await recorded(await startServer());
    await expect(launch({ replay, maxTokens: 5 })).rejects.toThrow(
      'maxTokens is as the trace that is replayed has it: leave it out.',
    );
    await expect(launch({ replay, vertexProject: 'p' })).rejects.toThrow(
      'vertexProject is for models of gemini',
    );
    await expect(launch({ replay, model: 'scripted', timeout: 3 })).rejects.toThrow('the model is scripted.');
  });

  it('can be gone through where its model is none of this host, and says so', async () => {
    const replay = await recorded(await startServer());
    const text = readFileSync(replay, 'utf8');
    const headers = [
      ['"openai:test-model"', '"vscode:copilot/gpt"', "is one of VS Code's own"],
      ['"http://127', '"ftp://127', 'The base URL has to begin with http:// or https://'],
    ] as const;
    for (const [before, after, message] of headers) {
      const path = join(folder.path, `${after.replace(/\W/g, '')}.skilltrace.jsonl`);
      writeFileSync(path, text.replace(before, after));
      const opened = await launch({ replay: path });
      await toEnd(opened);
      await opened.execution.goTo({ branch: 0, step: 1, index: 0 });
      expect(opened.execution.forkObstacle).toContain(`Nobody can go on with this trace: `);
      expect(opened.execution.forkObstacle).toContain(message);
    }
  });
});
