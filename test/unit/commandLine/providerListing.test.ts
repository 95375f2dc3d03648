/** What `models list` finds out of each provider, and to whom it sends a key. */
import { describe, expect, it } from 'vitest';
import { type ListingRequest, listProvider } from '../../../client/src/commandLine/providerListing';
import { commandKeys } from '../../../client/src/hosts/node/keys';
import { modelProviders, serverProviders } from '../../../client/src/models/modelName';

const { signal } = new AbortController();
const variables = { OPENAI_API_KEY: 'sk-planted-openai', GEMINI_API_KEY: 'AIza-planted-gemini' };

/** A network where each request gets the same answer; what was sent, by its origin. */
function network(answer: () => Response) {
  const sent: [origin: string, key: string | null][] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    const headers = new Headers(init?.headers);
    sent.push([new URL(url).origin, headers.get('authorization') ?? headers.get('x-goog-api-key')]);
    return answer();
  };
  return { sent, fetch };
}

const keyWanted = () => Response.json({ error: { message: 'Invalid API Key' } }, { status: 401 });
const oneModel = () => Response.json({ object: 'list', data: [{ id: 'm', object: 'model' }] });

function request(fetch: typeof globalThis.fetch, more: Partial<ListingRequest> = {}): ListingRequest {
  const keys = commandKeys({ ...variables, OPENAI_BASE_URL: more.variable }, more.baseUrl);
  return { models: { keys, fetch }, isNamed: more.baseUrl !== undefined, signal, ...more };
}

describe('a key', () => {
  it('goes to its service, and to no server on this machine that nobody named', async () => {
    for (const answer of [keyWanted, oneModel]) {
      const { sent, fetch } = network(answer);
      const listed = await Promise.all(
        modelProviders.map((provider) => listProvider(provider, request(fetch))),
      );
      expect(new Map(sent)).toEqual(
        new Map([
          ['https://api.openai.com', 'Bearer sk-planted-openai'],
          ['https://generativelanguage.googleapis.com', 'AIza-planted-gemini'],
          ['http://127.0.0.1:11434', null],
          ['http://127.0.0.1:8080', null],
          ['http://127.0.0.1:8000', null],
          ['http://127.0.0.1:1234', null],
        ]),
      );
      expect(sent).toHaveLength(6);
      expect(JSON.stringify(listed)).not.toContain('planted');
    }
    const { fetch } = network(keyWanted);
    expect(await listProvider('llama.cpp', request(fetch))).toMatchObject({
      usable: false,
      key: 'missing',
      about:
        'llama.cpp at http://127.0.0.1:8080 asks for a key (Invalid API Key). None is sent before the server is named: use --provider llama.cpp.',
    });
  });

  it('goes to a server that was named, once that asks for one; at once where its address was given', async () => {
    for (const provider of serverProviders) {
      const asking = network(keyWanted);
      const refused = await listProvider(provider, request(asking.fetch, { isNamed: true }));
      expect(asking.sent.map(([, key]) => key)).toEqual([null, 'Bearer sk-planted-openai']);
      expect(refused).toMatchObject({ usable: false, key: 'set' });
      expect(refused.about).toContain('Check the key in OPENAI_API_KEY.');
      const open = network(oneModel);
      const taken = await listProvider(provider, request(open.fetch, { isNamed: true }));
      expect(open.sent.map(([, key]) => key)).toEqual([null]);
      expect(taken).toMatchObject({ usable: true, key: 'not needed' });
    }
    for (const given of [
      { baseUrl: 'http://127.0.0.1:4711/v1' },
      { variable: ' http://127.0.0.1:4711/v1 ' },
      { variable: 'https://gateway.invalid' },
    ]) {
      const { sent, fetch } = network(oneModel);
      const listed = await listProvider('openai', request(fetch, given));
      expect(sent.map(([, key]) => key)).toEqual(['Bearer sk-planted-openai']);
      expect(listed).toMatchObject({ usable: true, key: 'set', models: [{ name: 'openai:m' }] });
    }
  });
});

describe('what is wrong with one provider', () => {
  it('is said there, and hides no other', async () => {
    const { fetch } = network(oneModel);
    for (const variable of [
      'foo',
      'ftp://models.invalid',
      'https://u:planted@models.invalid/v1',
      'http://',
    ]) {
      const openai = await listProvider('openai', request(fetch, { variable }));
      expect(openai).toMatchObject({ usable: false, server: null, models: [] });
      expect(openai.about).toMatch(/^OPENAI_BASE_URL can't be used\. The base URL (has to|must not) .*\.$/);
      expect(openai.about).not.toContain('planted');
      expect(await listProvider('ollama', request(fetch, { variable }))).toMatchObject({ usable: true });
    }
    const { about } = await listProvider('ollama', request(fetch, { baseUrl: 'foo' }));
    expect(about).toMatch(/^The base URL has to begin with/);
  });

  it('tells whether it runs, how to start it, whether it wants a key, or is something else', async () => {
    const aboutOf = async (answer: () => Response) => {
      const { usable, about } = await listProvider('vllm', request(network(answer).fetch));
      return [usable, about];
    };
    expect(await aboutOf(oneModel)).toEqual([true, 'It is running.']);
    expect(await aboutOf(() => Response.json({ data: [] }))).toEqual([
      true,
      'It is running. It lists no models.',
    ]);
    expect(await aboutOf(() => Response.json({ data: [{ id: 'm', owned_by: 'llamacpp' }] }))).toEqual([
      true,
      'llama.cpp is running there.',
    ]);
    expect(await aboutOf(() => new Response('', { status: 404 }))).toEqual([
      false,
      'What listens at http://127.0.0.1:8000 has no list of models, so it is not vLLM: start it with `vllm serve <model>`, or install it from https://docs.vllm.ai.',
    ]);
    expect(
      await aboutOf(() => {
        const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        throw new TypeError('fetch failed', { cause });
      }),
    ).toEqual([
      false,
      'There is no answer from vLLM at http://127.0.0.1:8000 (ECONNREFUSED): start it with `vllm serve <model>`, or install it from https://docs.vllm.ai.',
    ]);
    // A gateway is used by the ids of its models.
    const gateway = request(network(() => new Response('', { status: 404 })).fetch, {
      baseUrl: 'https://gateway.invalid/v1',
    });
    expect(await listProvider('openai', gateway)).toMatchObject({
      usable: true,
      about: 'The server at https://gateway.invalid has no list of models: name one by its id.',
    });
  });
});
