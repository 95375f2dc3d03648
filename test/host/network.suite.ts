/** Runs through what VS Code is set to: its proxy, and the certificates that it trusts. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { startHttpServer } from '../support/httpServer';
import { type OpenAiServer, startOpenAiServer } from '../support/openaiServer';
import { type ProxyServer, startProxy } from '../support/proxyServer';
import { farHost, type Trusted, testCertificate } from '../support/testCertificates';
import { changeSetting, listedModels } from './modelAccess';
import { SessionDriver } from './sessionDriver';
import { untilAnswered, within } from './waiting';
import { workspaceFile } from './workspaceFiles';

const reply = `\`\`\`json\n${JSON.stringify({ state_patch: {}, action: 'Wait' })}\n\`\`\``;

/** One step of the warehouse by a server. */
function warehouse(baseUrl: string) {
  return {
    type: debugType,
    request: 'launch',
    name: 'Warehouse by a far server',
    skill: workspaceFile('warehouse').fsPath,
    environment: 'warehouse',
    model: 'openai:far',
    baseUrl,
    decoding: 'free',
    requestRetries: 0,
    horizon: 1,
    stopOnEntry: false,
  };
}

describe("VS Code's network", () => {
  let server: OpenAiServer | undefined;
  let proxy: ProxyServer | undefined;
  let driver: SessionDriver | undefined;

  afterEach(async () => {
    await driver?.dispose();
    driver = undefined;
    for (const name of ['skill-state.servers', 'http.proxy', 'http.systemCertificates'])
      await changeSetting(name, undefined);
    await proxy?.close();
    await server?.close();
    [proxy, server] = [undefined, undefined];
  });

  /** A server that is reached through a proxy alone, by https where it has a certificate. */
  async function startFarServer(certificate?: Trusted): Promise<{ readonly baseUrl: string }> {
    const tls = certificate === undefined ? {} : { tls: testCertificate(certificate) };
    server = await startOpenAiServer({ models: ['far'], answer: { kind: 'reply', text: reply }, ...tls });
    proxy = await startProxy(server.port);
    await changeSetting('http.proxy', proxy.url);
    return { baseUrl: `${certificate === undefined ? 'http' : 'https'}://${farHost}/v1` };
  }

  /** VS Code takes in a changed setting some time after it was set: waits until the list of models tells of it. */
  async function untilListed(baseUrl: string, expected: string): Promise<string> {
    await changeSetting('skill-state.servers', [{ name: 'Far', baseUrl }]);
    return untilAnswered(expected, listedModels, (text) => (text.includes(expected) ? text : undefined));
  }

  async function runsThrough(baseUrl: string): Promise<void> {
    driver = await SessionDriver.start(warehouse(baseUrl));
    await driver.ended();
    assert.equal(server?.requests.length, 1);
  }

  it('takes a run through the proxy of http.proxy', async () => {
    const { baseUrl } = await startFarServer();
    await untilListed(baseUrl, '`openai:far`');
    await runsThrough(baseUrl);
    const asked = proxy?.asked ?? [];
    assert.ok(asked.length > 0 && asked.every((request) => request.includes(farHost)), asked.join(', '));
  });

  it('says where a proxy is not there', async () => {
    const { baseUrl } = await startFarServer();
    await proxy?.close();
    const text = await untilListed(baseUrl, 'the proxy that the setting "http.proxy" names');
    assert.match(text, /can't be reached \(ECONNREFUSED\)\. Correct the setting, or name the server in/);
  });

  it('follows no redirection, after which a key would be at another server', async () => {
    const elsewhere = await startOpenAiServer({ models: ['far'], answer: { kind: 'reply', text: reply } });
    const redirecting = await startHttpServer(async (message, response) => {
      response.writeHead(307, { location: `${elsewhere.origin}${message.url}` }).end();
    });
    try {
      const says = `sends requests on to another address "${elsewhere.origin}", where no key is sent`;
      // By the network of the desktop too, which would follow it.
      for (const electronFetch of [false, true]) {
        await changeSetting('http.electronFetch', electronFetch);
        await untilListed(redirecting.origin, says);
        await assert.rejects(
          within('a session', vscode.debug.startDebugging(undefined, warehouse(redirecting.origin))),
          (error: Error) => error.message.includes(says),
        );
      }
      assert.deepEqual([elsewhere.others, elsewhere.requests], [[], []]);
    } finally {
      await changeSetting('http.electronFetch', undefined);
      await redirecting.close();
      await elsewhere.close();
    }
  });

  it('trusts what the system trusts', async function () {
    // Elsewhere it is the system's own list, which no test changes.
    if (process.platform !== 'linux') {
      console.log(`Skipped: what ${process.platform} trusts is the system's own list.`);
      this.skip();
    }
    const { baseUrl } = await startFarServer('system');
    await untilListed(baseUrl, '`openai:far`');
    await runsThrough(baseUrl);
    assert.ok(proxy?.asked.includes(`CONNECT ${farHost}:443`), proxy?.asked.join(', '));
  });

  it('trusts NODE_EXTRA_CA_CERTS where http.systemCertificates is off, and says what to do where it is on', async () => {
    const { baseUrl } = await startFarServer('variable');
    await untilListed(baseUrl, "can't be trusted");
    await assert.rejects(
      within('a session', vscode.debug.startDebugging(undefined, warehouse(baseUrl))),
      /The certificate of the server at https:\/\/models\.invalid can't be trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): .* turn off "http\.systemCertificates" and name it in NODE_EXTRA_CA_CERTS\./,
    );
    assert.equal(server?.requests.length, 0);

    await changeSetting('http.systemCertificates', false);
    await untilListed(baseUrl, '`openai:far`');
    await runsThrough(baseUrl);
  });
});
