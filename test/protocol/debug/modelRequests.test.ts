/** What a session tells of the requests to its model: what was sent and came back, failures and waits, and the reply so far. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { type ModelEvent, ModelFailure } from '../../../client/src/runtime/model';
import { exchangeText } from '../../../client/src/views/exchanges/exchangeText';
import { curlCommand } from '../../../client/src/views/exchanges/requestCommand';
import {
  exchangeRequest,
  isExchangeBody,
  stepRequestsRequest,
} from '../../../schemas/messages/exchangeMessages';
import { connectInMemory } from '../../support/debugClient';
import { HeldModel, ManualClock, memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyOf, repository } from '../../support/memoryRun';
import { startOpenAiServer } from '../../support/openaiServer';

const answer = replyOf({ inventory: { shelf_0: 'item_0' } }, 'Store item_0 shelf_0');

const url = 'https://models.example/v1/chat/completions';

function sent(prompt: string): ModelEvent {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer $OPENAI_API_KEY' };
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }], stream: true });
  return { type: 'request', request: { method: 'POST', url, headers, body } };
}

function received(status: number, body: string): ModelEvent {
  return { type: 'response', response: { status, headers: { 'content-type': 'text/event-stream' }, body } };
}

const busy: readonly ModelEvent[] = [
  received(429, '{"error":{"message":"Slow down."}}'),
  {
    type: 'retry',
    failure: { class: 'rate-limit', message: 'models.example is busy: Slow down.', wait: 2_000 },
  },
];

/** A session whose model was asked and holds its answer. */
async function asking(launch: object = {}) {
  const model = new HeldModel();
  const clock = new ManualClock();
  const session = connectInMemory(memoryHost({ model: () => model, clock, mostRequests: 5 }));
  const { client } = session;
  await client.launch({ skill: 'warehouse', horizon: 3, maxRetries: 1, ...launch });
  await client.event('stopped');
  const requested = model.requested();
  await client.request('continue', { threadId: 1 });
  await requested;
  return { ...session, model, clock };
}

/** Waits until the console shows a text. */
async function said(client: Awaited<ReturnType<typeof asking>>['client'], text: string): Promise<string> {
  for (;;) {
    const { output } = await client.event<{ output: string }>('output');
    if (output.includes(text)) return output;
  }
}

describe('a request that fails for a while', () => {
  it('is told as it happens, in console, progress and status, apart from rejected replies', async () => {
    const { client, model, clock } = await asking();
    model.tell(sent('one'));
    model.say('The shelf');
    for (const event of busy) model.tell(event);
    expect(await said(client, 'rate limited')).toBe(
      't=0 rate limited, waiting 2 s, then request 2 of 5: models.example is busy: Slow down.\n',
    );
    clock.advance(2_000);
    const { message } = await client.event<{ message: string }>('progressStart');
    expect(message).toBe('step 0 of 3, rate limited, waiting 2 s, then request 2 of 5');
    const waiting = { words: 'rate limited', milliseconds: 2_000, request: 2, of: 5 };
    for (;;) {
      const step = await client.event<{ waiting?: object }>('skill-state/step');
      if (step.waiting === undefined) continue;
      expect(step.waiting).toEqual(waiting);
      break;
    }
    model.tell(sent('one'));
    model.say(answer);
    model.tell(received(200, 'data: [DONE]\n\n'));
    const again = model.requested();
    model.finish();
    await again;
    clock.advance(100);
    expect(await said(client, 't=0 Store')).toContain(
      'tokens (estimated) · cost unknown · 1 request failed: rate limited',
    );
    expect((await client.event<{ waiting?: object }>('skill-state/step')).waiting).toBeUndefined();
  });

  it('voids the reply so far, which stays current while the run is paused', async () => {
    const { client, model, clock } = await asking();
    model.tell(sent('one'));
    model.tell({ type: 'thinking', text: 'Is a shelf ' });
    model.say('The shelf');
    await client.go('pause');
    expect(await client.evaluate('thinking')).toBe('"Is a shelf "');
    expect(await client.evaluate('reply')).toBe('"The shelf"');
    model.tell({ type: 'thinking', text: 'free?' });
    model.say(' is empty.');
    clock.advance(1_000);
    expect(await client.event('invalidated')).toEqual({ areas: ['variables'], threadId: 1 });
    expect(await reasoning(client)).toEqual({
      'thinking so far': '"Is a shelf free?"',
      'reply so far': '"The shelf is empty."',
    });
    for (const event of busy) model.tell(event);
    await said(client, 'rate limited');
    clock.advance(1_000);
    await client.event('invalidated');
    expect(await reasoning(client)).toEqual({ 'reply so far': '""' });
    const attempts = (await client.scopes()).find(({ name }) => name === 'Attempts');
    const [failed] = await client.variables({ variablesReference: attempts?.variablesReference ?? 0 });
    expect(failed?.name).toBe('failed requests of attempt 1, under way');
    model.tell(sent('one'));
    model.tell({ type: 'thinking', text: 'Yes.' });
    model.say(answer);
    model.finish();
    await client.event('invalidated');
    await client.stack();
    expect(await client.evaluate('thinking')).toBe('"Yes."');
    expect(await client.evaluate('attempts[0].failedRequests[0].class')).toBe('"rate-limit"');
    expect(await client.evaluate('attempts[0].thinking')).toBe('"Yes."');
    const answered = (await client.scopes()).find(({ name }) => name === 'Attempts');
    const [first] = await client.variables({ variablesReference: answered?.variablesReference ?? 0 });
    // By which VS Code's menus know that there is a request to open.
    expect(first).toMatchObject({ name: '[0]', __vscodeVariableMenuContext: 'attempt' });
    expect(Object.keys(await reasoning(client))).toEqual(['thinking (no part of the reply)']);
  });
});

async function reasoning(
  client: Awaited<ReturnType<typeof asking>>['client'],
): Promise<Readonly<Record<string, string>>> {
  const scope = (await client.scopes()).find(({ name }) => name.startsWith('Reasoning'));
  if (!scope?.variablesReference) return {};
  const variables = await client.variables({ variablesReference: scope.variablesReference });
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

describe(exchangeRequest, () => {
  it('gives each request and its answer to the letter, and says why there is none', async () => {
    const { client, model } = await asking();
    const ask = (args: object) => client.ask(exchangeRequest, args);
    await ask({ branch: 0, step: 0 });
    model.tell(sent('one'));
    for (const event of busy) model.tell(event);
    model.tell(sent('one'));
    model.say('No block.');
    model.tell(received(200, 'data: {"text":"No block."}\n\ndata: [DONE]\n\n'));
    const retried = model.requested();
    model.finish();
    await retried;
    model.tell(sent('one, corrected'));
    model.say('half');
    await client.go('pause');
    expect(isExchangeBody((await ask({ branch: 0, step: 0 })).body)).toBe(true);
    await ask({ branch: 0, step: 0, attempt: 1 });
    await ask({ branch: 0, step: 0, attempt: 1, request: 1 });
    await ask({ branch: 0, step: 0, attempt: 1, request: 3 });
    await ask({ branch: 0, step: 0, attempt: 4 });
    await ask({ branch: 0, step: 7 });
    await ask({ branch: 9, step: 0 });
    await ask({ branch: 0, step: -1 });
    await ask({ branch: 0, step: '0' });
    await ask({});
    expectGolden('debug/exchange.txt', client.transcript());
  });

  it('says why the last one failed, and that one was given up', async () => {
    const { client, model } = await asking({ stopOnEnd: true });
    model.tell(sent('one'));
    const stopped = client.event('stopped');
    model.tell(received(401, 'no'));
    model.fail(new ModelFailure('The key is not taken.', { class: 'authentication', retryable: false }));
    await stopped;
    const summary = async () => {
      const { body } = await client.ask(exchangeRequest, { branch: 0, step: 0 });
      return isExchangeBody(body)
        ? body.requests.map(({ outcome, failure }) => [outcome, failure?.class])
        : body;
    };
    expect(await summary()).toEqual([['failed', 'authentication']]);
    const again = model.requested();
    await client.request('continue', { threadId: 1 });
    await again;
    model.tell(sent('one'));
    await client.go('pause');
    await client.go('stepBack');
    expect(await summary()).toEqual([
      ['failed', 'authentication'],
      ['given-up', undefined],
    ]);
    const { requests } = await client.request<{ requests: readonly object[] }>(stepRequestsRequest, {
      branch: 0,
      step: 0,
    });
    expect(requests).toMatchObject([
      { attempt: 1, request: 1, outcome: 'failed' },
      { attempt: 1, request: 2, outcome: 'given-up' },
    ]);
  });
});

describe('request() and response() on the console', () => {
  it('show the same, with the headers and what the JSON says below', async () => {
    const { client, model } = await asking();
    const evaluated = async (expression: string) => {
      const { result, variablesReference } = await client.request<{
        result: string;
        variablesReference: number;
      }>('evaluate', { expression, context: 'repl' });
      const parts = variablesReference > 0 ? await client.variables({ variablesReference }) : [];
      return { result, names: parts.map(({ name }) => name) };
    };
    await client.go('pause');
    const refused = await client.ask('evaluate', { expression: 'request()', context: 'repl' });
    expect(refused.message).toMatch(/^This session made no request at step 0: /);
    model.tell(sent('one'));
    for (const event of busy) model.tell(event);
    model.tell(sent('one'));
    await said(client, 'rate limited');
    expect(await evaluated('request( )')).toEqual({
      result: `POST ${url} (step 0, attempt 1, request 2): under way`,
      names: ['method', 'url', 'headers', 'body as JSON', 'body'],
    });
    expect(await evaluated('response()')).toEqual({
      result: 'under way (step 0, attempt 1, request 2)',
      names: [],
    });
    expect(await evaluated('response(1, 1)')).toEqual({
      result:
        'failed with status 429 (rate-limit): models.example is busy: Slow down. Made again after 2 s. (step 0, attempt 1, request 1)',
      names: ['status', 'headers', 'body as JSON', 'body'],
    });
    model.say(answer);
    model.tell(received(200, 'data: [DONE]\n\n'));
    model.finish();
    await client.event('invalidated');
    await client.go('stepOut');
    // At the start of the next step, the latest one is that of the step before.
    expect((await evaluated('response()')).result).toBe(
      'answered with status 200 (step 0, attempt 1, request 2)',
    );
  });
});

describe('the requests of a real provider', () => {
  const key = 'sk-planted-0123456789';
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('are those that its server got, without the key; a copied curl makes one of them once more', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skill-state-exchange-'));
    folders.push(folder);
    const server = await startOpenAiServer({
      key,
      models: ['m'],
      answer: (_request, nth) =>
        nth === 0
          ? {
              kind: 'error',
              status: 503,
              error: { message: `Busy, ${key}.` },
              headers: { 'retry-after': '0' },
            }
          : { kind: 'reply', text: answer, thinking: 'The first shelf is free.' },
    });
    const keys = { get: async () => key, advice: () => 'Set a key.' };
    const { client } = connectInMemory(createDebugHost({ folder, models: { keys } }));
    const skill = join(repository, 'samples', 'warehouse');
    const model = { model: 'openai:m', baseUrl: server.baseUrl, decoding: 'free', requestRetries: 1 };
    await client.launch({ skill, ...model, horizon: 1 });
    await client.event('stopped');
    await client.go('next');
    expect(await client.evaluate('thinking')).toBe('"The first shelf is free."');
    const told = await said(client, 'server error');
    expect(told).toContain('t=0 server error, now request 2 of 2: ');
    const exchange = async (request: number) => {
      const { body } = await client.ask(exchangeRequest, { branch: 0, step: 0, attempt: 1, request });
      if (!isExchangeBody(body)) throw new Error('no exchange');
      return body.exchange;
    };
    const [failed, answered] = [await exchange(1), await exchange(2)];
    expect(failed.received).toMatchObject({ status: 503, body: expect.stringContaining('Busy, [key].') });
    expect(answered.summary).toMatchObject({ outcome: 'answered', status: 200 });
    expect(answered.received?.body).toMatch(/^data: [\s\S]*\ndata: \[DONE\]\n\n$/);
    const [first, second] = server.requests;
    expect([failed.sent.body, answered.sent.body]).toEqual([first?.text, second?.text]);
    expect(client.transcript()).not.toContain(key);
    if (spawnSync('curl', ['--version']).error === undefined) {
      const env = { PATH: process.env.PATH, NO_PROXY: '*', OPENAI_API_KEY: key };
      await promisify(execFile)('bash', ['-c', curlCommand(answered.sent)], { env });
      const again = server.requests[2];
      expect(again?.text).toBe(second?.text);
      expect(again?.headers.authorization).toBe(`Bearer ${key}`);
      expect(again?.headers['content-type']).toBe(second?.headers['content-type']);
    }
    await client.request('disconnect');
    await server.close();
  });

  it('have what came of an answer while it comes, and once it was given up', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skill-state-exchange-'));
    folders.push(folder);
    const pieces = ['Zinnias ', 'bloom.'];
    const server = await startOpenAiServer({
      models: ['m'],
      answer: { kind: 'reply', text: pieces.join(''), pieces, hang: true },
    });
    const { client } = connectInMemory(createDebugHost({ folder }));
    const skill = join(repository, 'samples', 'warehouse');
    await client.launch({ skill, model: 'openai:m', baseUrl: server.baseUrl, decoding: 'free', horizon: 1 });
    await client.event('stopped');
    const text = async () => {
      const { body } = await client.ask(exchangeRequest, { branch: 0, step: 0 });
      if (!isExchangeBody(body)) throw new Error('no exchange');
      return exchangeText(body);
    };
    await client.request('continue', { threadId: 1 });
    const request = await server.nextRequest();
    await client.go('pause');
    await vi.waitFor(async () => expect(await text()).toContain('Zinnias '));
    expect(await text()).toMatch(/Under way with status 200\.[\s\S]*## Response body as it came/);
    await client.go('stepBack');
    await expect(request.closed).resolves.toBe('gone');
    expect(await text()).toMatch(/Given up before it was answered\.[\s\S]*status 200[\s\S]*Zinnias /);
    await client.request('disconnect');
    await server.close();
  });
});
