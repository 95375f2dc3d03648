/** Which models are offered, as it becomes known. */
import { describe, expect, it } from 'vitest';
import {
  type CatalogSources,
  lookForModels,
  type OfferSection,
} from '../../../client/src/hosts/modelCatalog';
import { createEnvironmentKeys } from '../../../client/src/hosts/node/keys';
import { createStoredKeys } from '../../../client/src/hosts/storedKeys';
import { checkServer, type ServerHealth } from '../../../client/src/models/openai/modelList';
import type { Server } from '../../../client/src/models/servers';

const never = new AbortController().signal;

function running(ids: readonly string[]): ServerHealth {
  return { state: 'running', kind: 'unknown', models: ids.map((id) => ({ id })) };
}

function absent({ title }: Server): ServerHealth {
  return { state: 'absent', message: `${title} is not there. Start it.` };
}

/** Nothing runs, nothing has a key. */
function sources(given: Partial<CatalogSources> = {}): CatalogSources {
  return {
    ownServers: [],
    listEditorModels: async () => [],
    checkServer: async (server) => absent(server),
    hasKey: async () => false,
    ...given,
  };
}

/** A line for each offer, indented below its section. */
function lines(sections: readonly OfferSection[]): string[] {
  return sections.flatMap(({ title, offers }) => [
    title,
    ...offers.map(({ label, description }) => `  ${label}${description ? ` (${description})` : ''}`),
  ]);
}

async function told(given: CatalogSources, signal = never) {
  const all: (readonly OfferSection[])[] = [];
  await lookForModels(given, signal, (sections) => all.push(sections));
  return all;
}

describe('the offers', () => {
  it('are there at once as far as they need no asking', async () => {
    const [first = []] = await told(sources());
    expect(lines(first)).toEqual([
      'Built in',
      '  Automatic (scripted where the environment has a policy, else manual)',
      '  scripted (a built-in policy for the sample environments)',
      '  manual (you type the replies)',
      'Services',
      '  OpenAI…',
      '  Google Gemini…',
      'Others',
      "  Server at Another Address… (any that speaks OpenAI's protocol)",
      '  Replies of a Trace… (what was answered in a recorded run)',
    ]);
  });

  it('grow by what is found, servers that run before those that do not', async () => {
    const all = await told(
      sources({
        ownServers: [{ name: 'Lab', baseUrl: 'http://lab:9000/v1' }],
        listEditorModels: async () => [
          { vendor: 'copilot', family: 'gpt', id: 'gpt-9', name: 'GPT 9', maxInputTokens: 9 },
        ],
        checkServer: async (server) => {
          const { provider, baseUrl } = server;
          if (provider === 'ollama') return running(['qwen3:8b', 'llama4']);
          if (baseUrl === 'http://lab:9000/v1') return running(['own']);
          return provider === 'vllm' ? running([]) : absent(server);
        },
        hasKey: async ({ provider }) => provider === 'gemini',
      }),
    );
    const last = all.at(-1) ?? [];
    expect(lines(last)).toEqual([
      'Built in',
      '  Automatic (scripted where the environment has a policy, else manual)',
      '  scripted (a built-in policy for the sample environments)',
      '  manual (you type the replies)',
      'VS Code',
      '  GPT 9 (vscode:copilot/gpt/gpt-9)',
      'Lab at http://lab:9000/v1',
      '  own (openai:own)',
      'Ollama at http://127.0.0.1:11434',
      '  qwen3:8b (ollama:qwen3:8b)',
      '  llama4 (ollama:llama4)',
      'Services',
      '  OpenAI… (needs a key)',
      '  Google Gemini… (has a key)',
      'Others',
      "  Server at Another Address… (any that speaks OpenAI's protocol)",
      '  Replies of a Trace… (what was answered in a recorded run)',
      '  llama.cpp at http://127.0.0.1:8080 (not there)',
      '  vLLM at http://127.0.0.1:8000 (has no models)',
      '  LM Studio at http://127.0.0.1:1234 (not there)',
    ]);
    const offered = last.flatMap(({ offers }) => offers);
    expect(offered.find(({ label }) => label === 'own')?.offered).toEqual({
      kind: 'model',
      chosen: { model: 'openai:own', baseUrl: 'http://lab:9000/v1' },
    });
    expect(offered.find(({ label }) => label === 'qwen3:8b')?.offered).toEqual({
      kind: 'model',
      chosen: { model: 'ollama:qwen3:8b' },
    });
    expect(offered.find(({ label }) => label.startsWith('LM Studio'))).toMatchObject({
      detail:
        'Start it with `lms server start` or on the Developer page of its app, or install it from https://lmstudio.ai.',
      offered: { message: 'LM Studio at http://127.0.0.1:1234 is not there. Start it.' },
    });
    expect(offered.find(({ label }) => label.startsWith('vLLM'))?.detail).toBe(
      'vLLM at http://127.0.0.1:8000 has no models.',
    );
    // One id for one offer, by which the chosen row is found again as others come.
    const ids = offered.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('say what each server is like, and have those be chosen that can do more then', async () => {
    const offersOf = async (health: ServerHealth) => {
      const all = await told(
        sources({
          ownServers: [{ name: 'Lab', baseUrl: 'http://lab:9000/v1' }],
          checkServer: async () => health,
        }),
      );
      const offers = (all.at(-1) ?? []).flatMap((section) => section.offers);
      return ['Lab', 'Ollama'].map((name) => {
        const offer = offers.find(({ label }) => label.startsWith(name));
        return [offer?.description, offer?.offered.kind, offer?.detail];
      });
    };
    const message = 'What it is.';
    expect(await offersOf({ state: 'failing', message })).toEqual([
      ['not ready', 'absent', message],
      ['not ready', 'absent', message],
    ]);
    expect(await offersOf({ state: 'unlisted', message })).toEqual([
      ['has no list of models', 'service', message],
      ['not there', 'absent', message],
    ]);
    const asking = 'It asks for a key: choose it to send it one.';
    expect(await offersOf({ state: 'wants-key', message })).toEqual([
      ['asks for a key', 'service', asking],
      ['asks for a key', 'service', asking],
    ]);
    const all = await told(sources({ checkServer: async () => ({ state: 'wants-key', message }) }));
    const ollama = (all.at(-1) ?? [])
      .flatMap((section) => section.offers)
      .find(({ id }) => /Ollama/.test(id));
    expect(ollama?.offered).toEqual({
      kind: 'service',
      service: {
        provider: 'ollama',
        title: 'Ollama at http://127.0.0.1:11434',
        owner: { provider: 'openai', origin: 'http://127.0.0.1:11434', required: true },
      },
    });
  });

  it('take no key to whatever listens on this machine, also where it asks for one', async () => {
    const sent: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      return Response.json({ error: { message: 'Invalid API Key' } }, { status: 401 });
    };
    const asked: string[] = [];
    const stored = new Map([['key:https://api.openai.com', 'sk-planted-stored']]);
    const keys = createStoredKeys({
      secrets: {
        get: async (name) => stored.get(name),
        store: async () => undefined,
        delete: async () => undefined,
        keys: async () => [...stored.keys()],
      },
      environment: createEnvironmentKeys({ variables: { OPENAI_API_KEY: 'sk-planted-variable' } }),
      ask: async (origin) => {
        asked.push(origin);
        return undefined;
      },
    });
    const all = await told(
      sources({
        ownServers: [{ name: 'Own', baseUrl: 'http://localhost:9000/v1' }],
        checkServer: ({ provider, baseUrl }, signal) =>
          checkServer({ provider, baseUrl, keys: keys.silent, fetch, signal }),
        hasKey: keys.has,
      }),
    );
    expect(sent).toEqual([null, null, null, null, null]);
    expect(asked).toEqual([]);
    expect(lines(all.at(-1) ?? []).filter((line) => line.includes('asks for a key'))).toHaveLength(5);
  });

  it("follow the editor's models until nobody looks any more, whatever was asked before", async () => {
    const model = (id: string) => ({ vendor: 'v', family: 'f', id, name: id, maxInputTokens: 9 });
    let change: () => void = () => undefined;
    const answers: ((ids: readonly string[]) => void)[] = [];
    const looking = new AbortController();
    const shown: string[] = [];
    const done = lookForModels(
      sources({
        listEditorModels: () =>
          new Promise((resolve) => answers.push((ids) => resolve(ids.map((id) => model(id))))),
        watchEditorModels(changed, signal) {
          change = changed;
          signal.addEventListener('abort', () => {
            change = () => undefined;
          });
        },
      }),
      looking.signal,
      (sections) =>
        shown.push(
          sections
            .find(({ title }) => title === 'VS Code')
            ?.offers.map(({ label }) => label)
            .join() ?? '',
        ),
    );
    change();
    answers[1]?.(['new']);
    answers[0]?.(['old']);
    await done;
    expect(shown.at(-1)).toBe('new');
    change();
    answers[2]?.([]);
    await expect.poll(() => shown.at(-1)).toBe('');
    looking.abort();
    change();
    expect(answers.length).toBe(3);
  });

  it('come one by one: a slow server keeps nobody waiting', async () => {
    let answer: (ids: readonly string[]) => void = () => undefined;
    const slow = new Promise<ServerHealth>((resolve) => {
      answer = (ids) => resolve(running(ids));
    });
    const all: string[][] = [];
    const looking = lookForModels(
      sources({
        checkServer: ({ provider }) => (provider === 'ollama' ? slow : Promise.resolve(running(['m']))),
      }),
      never,
      (sections) => {
        all.push(lines(sections));
        if (lines(sections).includes('  m (vllm:m)')) answer(['late']);
      },
    );
    await looking;
    expect(
      all.some((shown) => shown.includes('  m (vllm:m)') && !shown.includes('  late (ollama:late)')),
    ).toBe(true);
    expect(all.at(-1)).toContain('  late (ollama:late)');
  });

  it('say what an extension with models failed with', async () => {
    const all = await told(sources({ listEditorModels: () => Promise.reject(new Error('no network')) }));
    const offers = (all.at(-1) ?? []).flatMap((section) => section.offers);
    expect(offers.find(({ label }) => label === "VS Code's own models")?.detail).toBe('no network');
  });

  it('are told of no more once nobody looks', async () => {
    const looking = new AbortController();
    const all: unknown[] = [];
    await lookForModels(
      sources({
        checkServer: async () => {
          looking.abort();
          return running(['m']);
        },
      }),
      looking.signal,
      (sections) => all.push(sections),
    );
    expect(all).toHaveLength(1);
  });

  it('hide no bug', async () => {
    const bug = new TypeError('x is undefined');
    await expect(told(sources({ checkServer: () => Promise.reject(bug) }))).rejects.toBe(bug);
  });
});

describe('a key that can not be looked for', () => {
  it.each([
    [
      'of one service',
      async ({ provider }: { provider: string }) => {
        if (provider === 'openai') throw new Error('The keyring is locked.');
        return true;
      },
    ],
    [
      'of a service whose look fails at once',
      ({ provider }: { provider: string }) => {
        if (provider === 'openai') throw new Error('The keyring is locked.');
        return Promise.resolve(true);
      },
    ],
  ])('%s is said at its offer, and ends nothing else', async (_name, hasKey) => {
    const all = await told(
      sources({
        hasKey,
        checkServer: async (server) => (server.provider === 'ollama' ? running(['qwen3']) : absent(server)),
      }),
    );
    const last = all.at(-1) ?? [];
    expect(lines(last)).toEqual(
      expect.arrayContaining([
        '  qwen3 (ollama:qwen3)',
        '  OpenAI… (key unknown)',
        '  Google Gemini… (has a key)',
      ]),
    );
    const offered = last.flatMap(({ offers }) => offers).find(({ label }) => label === 'OpenAI…');
    expect(offered).toMatchObject({
      detail: 'Whether there is a key could not be found out: The keyring is locked.',
      offered: { kind: 'service' },
    });
  });
});
