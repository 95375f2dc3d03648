/** When a model of an OpenAI server asks what it can be held to, and that this is told. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ProbeResult, ProbeStore } from '../../../../client/src/models/decoding/probe';
import { openAiProber } from '../../../../client/src/models/openai/openaiProber';
import { askModel, modelResources } from '../../../support/askedModel';
import { probeReply } from '../../../support/keepingServer';
import { closeServers, modelAt, openServer } from './askedServer';

afterEach(closeServers);

const { signal } = new AbortController();
const now = 1_000_000;
const waiting = { now: () => now, random: () => 0, wait: () => Promise.reject(new Error('A wait')) };

function storeOf(...known: readonly (readonly [string, ProbeResult])[]) {
  const results = new Map(known);
  const asked: string[] = [];
  const store: ProbeStore = {
    async get(server, model) {
      asked.push(`${server} ${model}`);
      return results.get(`${server} ${model}`);
    },
    async set(server, model, result) {
      results.set(`${server} ${model}`, result);
    },
  };
  return { store, results, asked };
}

async function made(kept?: Omit<ProbeResult, 'tries' | 'explanation'>, settings = {}) {
  const server = await openServer({
    dialect: 'ollama',
    answer: (request) => probeReply(request) ?? { kind: 'reply', text: 'Hello.' },
  });
  const name = `${server.baseUrl} test-model`;
  const about = { tries: [], explanation: 'It was known.' };
  const known = storeOf(...(kept === undefined ? [] : [[name, { ...kept, ...about }] as const]));
  const told: string[] = [];
  const model = modelAt(server.baseUrl, {
    provider: 'ollama',
    settings: { encoding: undefined, ...settings },
    resources: {
      probes: known.store,
      waiting,
      onProbe: (...probed) => told.push(probed.join(' ')),
    },
  });
  return { server, name, model, told, ...known };
}

describe('a model whose decoding is chosen by itself', () => {
  it('asks what is known of the server before it asks the server', async () => {
    const { server, name, model, asked, told } = await made({
      encoding: 'free',
      placement: undefined,
      at: now,
    });
    await model.prepare?.(signal);
    expect(asked).toEqual([name]);
    expect(server.requests).toEqual([]);
    expect(told).toEqual([]);
    expect(model.found).toEqual({ encoding: 'free' });
    expect((await askModel(model)).text).toBe('Hello.');
    expect(server.requests).toHaveLength(1);
  });

  it('asks the server where nothing is known, says so once before, and keeps what it finds out', async () => {
    const { server, name, model, told, results } = await made();
    await model.prepare?.(signal);
    expect(told).toEqual([name]);
    expect(server.requests).toHaveLength(1);
    expect(model.found).toEqual({ encoding: 'json-schema', placement: 'response_format' });
    expect(results.get(name)).toMatchObject({ encoding: 'json-schema', at: now });
    await model.prepare?.(signal);
    expect(server.requests).toHaveLength(1);
  });

  it('asks it again where what is known is too old', async () => {
    const old = { encoding: 'free', placement: undefined, at: now - 15 * 24 * 60 * 60 * 1_000 } as const;
    const { server, model, told, results, name } = await made(old);
    await model.prepare?.(signal);
    expect([server.requests.length, told]).toEqual([1, [name]]);
    expect(results.get(name)).toMatchObject({ at: now });
  });

  it('asks nothing where it is set', async () => {
    for (const decoding of ['free', 'json-schema'] as const) {
      const { server, model, told } = await made(undefined, { decoding });
      await model.prepare?.(signal);
      expect([server.requests, told]).toEqual([[], []]);
    }
  });

  it('tells of each prober once', async () => {
    const { server, name } = await made();
    const told: string[] = [];
    const resources = modelResources({
      settings: { baseUrl: server.baseUrl },
      onProbe: (...probed) => told.push(probed.join(' ')),
    });
    const prober = await openAiProber({ provider: 'openai', model: 'test-model' }, resources, signal);
    expect(told).toEqual([]);
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const constraint = { kind: 'json', encoding: 'json-schema', schema: {}, dropped: [] } as const;
    await prober.ask(placement, 'Count.', constraint, signal);
    await prober.ask(placement, 'Count.', constraint, signal);
    expect(told).toEqual([name]);
  });
});
