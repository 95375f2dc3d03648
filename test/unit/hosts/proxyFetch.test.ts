/** The command line's way through proxies, over a real one. */
import { afterEach, describe, expect, it } from 'vitest';
import { createProxyFetch } from '../../../client/src/hosts/node/proxyFetch';
import { ProxyFailure } from '../../../client/src/models/http/connectionFailure';
import { type OpenAiServer, startOpenAiServer } from '../../support/openaiServer';
import { type ProxyServer, startProxy } from '../../support/proxyServer';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function proxied(): Promise<{ readonly server: OpenAiServer; readonly proxy: ProxyServer }> {
  const server = await startOpenAiServer({ dialect: 'ollama' });
  const proxy = await startProxy(server.port);
  open.push(proxy, server);
  return { server, proxy };
}

function fetchWith(variables: Record<string, string>): ReturnType<typeof createProxyFetch> {
  return createProxyFetch(variables, globalThis.fetch);
}

describe('fetch through proxies', () => {
  it('is the direct one where no variable names one', () => {
    const direct = async () => new Response();
    expect(createProxyFetch({}, direct)).toBe(direct);
    expect(createProxyFetch({ HTTP_PROXY: '', HTTPS_PROXY: ' ', NO_PROXY: 'a' }, direct)).toBe(direct);
  });

  it.each(['HTTP_PROXY', 'http_proxy'])('reaches by %s what has no other way', async (name) => {
    const { server, proxy } = await proxied();
    const get = fetchWith({ [name]: proxy.url });
    const response = await get('http://models.invalid/v1/models', {
      headers: new Headers({ authorization: 'Bearer x' }),
    });
    expect(await response.json()).toMatchObject({ data: [{ id: 'test-model' }] });
    expect(server.others).toEqual(['GET /v1/models']);
    expect(proxy.asked).toEqual(['GET http://models.invalid/v1/models']);
  });

  it('tunnels to https by HTTPS_PROXY, and by HTTP_PROXY where that is the only one', async () => {
    for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) {
      const { proxy } = await proxied();
      // At the other end is no TLS: what matters is that the tunnel was asked for.
      await expect(fetchWith({ [name]: proxy.url })('https://models.invalid/v1')).rejects.toThrow();
      expect(proxy.asked).toEqual(['CONNECT models.invalid:443']);
    }
  });

  it('tells the proxy who asks, where its URL has a user', async () => {
    const { proxy } = await proxied();
    const url = proxy.url.replace('http://', 'http://me:secret@');
    await (await fetchWith({ HTTP_PROXY: url })('http://models.invalid/v1/models')).text();
    const credentials = Buffer.from('me:secret').toString('base64');
    expect(proxy.headers[0]).toMatchObject({ 'proxy-authorization': `Basic ${credentials}` });
  });

  it('leaves out this machine, and what NO_PROXY names', async () => {
    const { server, proxy } = await proxied();
    const get = fetchWith({ HTTP_PROXY: proxy.url });
    expect((await get(`${server.baseUrl}/models`)).status).toBe(200);
    expect((await get(`http://localhost:${server.port}/v1/models`)).status).toBe(200);
    for (const [exceptions, url] of [
      ['a.invalid .invalid', 'http://models.invalid/'],
      ['*.INVALID', 'http://models.invalid/'],
      ['a,invalid', 'http://models.invalid/'],
      ['models.invalid:80', 'http://models.invalid/'],
      ['*', 'http://models.invalid/'],
    ] as const)
      await expect(fetchWith({ HTTP_PROXY: proxy.url, NO_PROXY: exceptions })(url)).rejects.toThrow();
    expect(proxy.asked).toEqual([]);
    for (const exceptions of ['models.invalid:8080', 'odels.invalid', 'a.models.invalid', ' , '])
      await fetchWith({ HTTP_PROXY: proxy.url, NO_PROXY: exceptions })('http://models.invalid/v1/models');
    expect(proxy.asked).toHaveLength(4);
  });

  it('takes a proxy without a scheme, and says of one that can not be used which variable names it', async () => {
    const { proxy } = await proxied();
    const bare = proxy.url.replace('http://', '');
    expect((await fetchWith({ HTTP_PROXY: bare })('http://models.invalid/v1/models')).status).toBe(200);
    const gone = await startProxy(1);
    await gone.close();
    for (const [variables, url, message] of [
      [
        { HTTP_PROXY: gone.url },
        'http://a.invalid',
        "the proxy that HTTP_PROXY names can't be reached (ECONNREFUSED)",
      ],
      [{ HTTPS_PROXY: gone.url }, 'https://a.invalid', "the proxy that HTTPS_PROXY names can't be reached"],
      [{ HTTP_PROXY: 'socks5://a' }, 'https://a.invalid', 'HTTP_PROXY names no proxy that can be used'],
      [{ HTTP_PROXY: 'http://[a' }, 'http://a.invalid', 'HTTP_PROXY names no proxy that can be used'],
    ] as const) {
      const failing = fetchWith(variables)(url);
      await expect(failing).rejects.toBeInstanceOf(ProxyFailure);
      await expect(failing).rejects.toThrow(message);
    }
  });

  it('says what a proxy answers that opens no tunnel', async () => {
    for (const [status, message] of [
      [407, 'the proxy that HTTP_PROXY names wants a user name and a password'],
      [502, 'the proxy that HTTP_PROXY names refused with status 502.'],
    ] as const) {
      const proxy = await startProxy(1, { refuses: status });
      open.push(proxy);
      await expect(fetchWith({ HTTP_PROXY: proxy.url })('https://models.invalid')).rejects.toThrow(message);
    }
  });

  it('streams, and ends the request with its signal', async () => {
    const { server, proxy } = await proxied();
    server.answer({ kind: 'reply', text: 'One two three.', hang: true });
    const aborting = new AbortController();
    const response = await fetchWith({ HTTP_PROXY: proxy.url })('http://models.invalid/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'test-model', messages: [], stream: true }),
      headers: { 'content-type': 'application/json' },
      signal: aborting.signal,
    });
    const reading = response.body?.getReader();
    expect((await reading?.read())?.done).toBe(false);
    const { closed } = await server.nextRequest();
    aborting.abort(new Error('enough'));
    const drained = async () => {
      while (!(await reading?.read())?.done);
    };
    await expect(drained()).rejects.toThrow();
    expect(await closed).toBe('gone');
  });
});
