/** Trying a step in a session: samples at the place where the run is stopped, of which nothing is left in the run. */
import { describe, expect, it } from 'vitest';
import { type DebugHost, LaunchFailure, type SamplingHost } from '../../../client/src/debug/debugHost';
import { type Model, ModelFailure, type ModelRequest } from '../../../client/src/runtime/model';
import {
  exchangeRequest,
  isExchangeBody,
  stepRequestsRequest,
} from '../../../schemas/messages/exchangeMessages';
import type { SamplingReport } from '../../../schemas/messages/samplingMessages';
import { isSamplingReport, sampleStepRequest } from '../../../schemas/messages/samplingMessages';
import { connectInMemory } from '../../support/debugClient';
import { HeldModel, ManualClock, memoryHost } from '../../support/debugHosts';
import { replyOf, wordTokenizer } from '../../support/memoryRun';

const wait = replyOf({}, 'Wait');

/** Answers the same again and again, and keeps what it was asked. */
function answering(
  name: string,
  ...replies: readonly string[]
): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    async *generate(request) {
      const text = replies[requests.length % replies.length] ?? wait;
      requests.push(request);
      yield { type: 'text', text };
    },
  };
}

/** The same host, whose runs have models to draw samples of, by their names; the session's own is the first. */
function withModels(host: DebugHost, models: readonly Model[], concurrency = 1): DebugHost {
  const sampling: SamplingHost = {
    async model(wanted) {
      const model = wanted === undefined ? models[0] : models.find(({ name }) => name === wanted.name);
      if (model === undefined) throw new LaunchFailure(`There is no model "${wanted?.name}".`);
      return { model, concurrency };
    },
    tokenizer: async () => wordTokenizer,
  };
  return {
    clock: host.clock,
    open: async (...request) => Object.assign(await host.open(...request), { sampling }),
  };
}

async function stoppedAtEntry(
  models: readonly Model[],
  { concurrency = 1, ...options }: Parameters<typeof memoryHost>[0] & { readonly concurrency?: number } = {},
) {
  const host = memoryHost(options);
  const session = connectInMemory(withModels(host, models, concurrency));
  const { client } = session;
  await client.launch({ skill: 'warehouse', horizon: 3 });
  await client.event('stopped');
  const sample = async (request: object = {}): Promise<SamplingReport> => {
    const report: unknown = await client.request(sampleStepRequest, request);
    if (!isSamplingReport(report)) throw new Error('No report');
    return report;
  };
  return { ...session, host, sample };
}

describe('skill-state/sampleStep', () => {
  it('samples the prompt that comes next, leaves the run where it is, and records nothing', async () => {
    const model = answering('own', wait, 'No block.');
    const { client, host, sample } = await stoppedAtEntry([model]);
    const before = [host.runs[0]?.length, await client.evaluate('tokens'), await client.evaluate('phase')];
    const report = await sample({ samples: 4 });
    expect(report).toMatchObject({ skill: 'warehouse', step: 0, branch: 0, attempt: 1, cancelled: false });
    expect(report.models).toMatchObject([
      {
        model: 'own',
        asked: 4,
        actions: [{ value: 'Wait', samples: [1, 3] }],
        rejections: [{ value: 'no-block', samples: [2, 4] }],
        agreement: 0.5,
        differing: { first: 1, second: 2 },
      },
    ]);
    expect([host.runs[0]?.length, await client.evaluate('tokens'), await client.evaluate('phase')]).toEqual(
      before,
    );
    // The run's own prompt, to the letter.
    await client.go('stepIn');
    await client.go('stepIn');
    const [top] = await client.stack();
    const { content } = await client.request<{ content: string }>('source', {
      sourceReference: top?.source?.sourceReference,
    });
    expect(model.requests[0]?.prompt).toBe(content);
  });

  it('keeps the requests of each sample, also of those that are under way at once, with what failed', async () => {
    const arrived: (() => void)[] = [];
    /** Answers once two have asked, the last one first. */
    const model: Model = {
      name: 'openai:m',
      async *generate({ seed }) {
        const body = JSON.stringify({ seed });
        const request = { method: 'POST', url: 'https://models.example/v1', headers: {}, body };
        yield { type: 'request', request };
        if (arrived.length < 2) {
          await new Promise<void>((resolve) => {
            arrived.push(resolve);
            if (arrived.length === 2) arrived[1]?.();
          });
          if (seed % 2 === 0) {
            yield { type: 'response', response: { status: 429, headers: {}, body: 'busy' } };
            yield { type: 'retry', failure: { class: 'rate-limit', message: 'Slow down.', wait: 0 } };
            yield { type: 'request', request };
          }
        }
        arrived[0]?.();
        yield { type: 'text', text: wait };
        yield { type: 'response', response: { status: 200, headers: {}, body: `for ${seed}` } };
      },
    };
    const { client, sample } = await stoppedAtEntry([model, answering('scripted', wait)], { concurrency: 2 });
    const models = [{ name: 'scripted' }, { name: 'openai:m' }];
    const report = await sample({ samples: 2, models });
    expect(report.tried).toBe(1);
    const counts = report.models.map(({ samples }) => samples.map(({ requests }) => requests ?? 0));
    expect(counts[0]).toEqual([0, 0]);
    expect([...(counts[1] ?? [])].sort()).toEqual([1, 2]);
    const retried = (counts[1] ?? []).indexOf(2) + 1;
    const ask = async (attempt: number, more: object = {}) => {
      const which = { branch: 0, step: 0, sampled: { tried: 1, model: 1 }, attempt, ...more };
      const { body, message } = await client.ask(exchangeRequest, which);
      return isExchangeBody(body) ? body : message;
    };
    for (const number of [1, 2]) {
      const body = await ask(number);
      if (typeof body !== 'object') throw new Error(body);
      const { summary, sent, received } = body.exchange;
      expect(body.sampledModel).toBe('openai:m');
      expect(summary).toMatchObject({ attempt: number, outcome: 'answered', status: 200 });
      expect(received?.body).toBe(`for ${(JSON.parse(sent.body) as { seed: number }).seed}`);
      expect(body.requests.length).toBe(3);
    }
    expect(await ask(retried, { request: 1 })).toMatchObject({
      exchange: { summary: { outcome: 'failed', status: 429, failure: { class: 'rate-limit' } } },
    });
    expect(await ask(1, { sampled: { tried: 1, model: 0 } })).toBe(
      'No request of this sample is kept: the models scripted and replay make none.',
    );
    expect(await ask(1, { sampled: { tried: 7, model: 0 } })).toMatch(/^No request of this sample is kept/);
    // The run itself has made none.
    const own = await client.request<object>(stepRequestsRequest, { branch: 0, step: 0 });
    expect(own).toEqual({ requests: [] });
  });

  it('samples the prompt that was answered, once a reply is there', async () => {
    const model = answering('own', wait);
    const { client, sample } = await stoppedAtEntry([model]);
    await sample({ samples: 1 });
    await client.go('next');
    expect(await client.evaluate('phase')).toBe('"act"');
    await sample({ samples: 1 });
    expect(model.requests[1]?.prompt).toBe(model.requests[0]?.prompt);
  });

  it('samples a retry with its correction', async () => {
    const own = answering('own', 'No block.');
    const { client, sample } = await stoppedAtEntry([own], {
      model: () => answering('run', 'No block.', wait),
    });
    for (let phase = 0; phase < 4; phase++) await client.go('stepIn');
    expect(await client.evaluate('attempts.size()')).toBe('1');
    const report = await sample({ samples: 1 });
    expect(report).toMatchObject({ attempt: 2, correction: expect.stringContaining('rejected (no-block)') });
    expect(own.requests[0]?.prompt.endsWith(report.correction ?? '?')).toBe(true);
  });

  it('samples the start of another step without going there', async () => {
    const own = answering('own', wait);
    const { client, sample } = await stoppedAtEntry([own]);
    await client.go('next');
    await client.go('next');
    await client.go('next');
    const report = await sample({ samples: 1, step: 0 });
    expect(report).toMatchObject({ step: 0, branch: 0 });
    expect(own.requests[0]?.expected.state).toEqual({ inventory: {} });
    expect(await client.evaluate('step')).toBe('2');
    const gone = await client.ask(sampleStepRequest, { step: 99 });
    expect(gone.message).toBe('There is no step 99 on branch 0.');
  });

  it('samples several models, each as often, at a temperature of choice', async () => {
    const [own, other] = [answering('own', wait), answering('openai:x', wait)];
    const { sample } = await stoppedAtEntry([own, other]);
    const report = await sample({
      samples: 2,
      temperature: 0.7,
      models: [{ name: 'own' }, { name: 'openai:x' }],
    });
    expect(
      report.models.map(({ model, temperature, samples }) => [model, temperature, samples.length]),
    ).toEqual([
      ['own', 0.7, 2],
      ['openai:x', 0.7, 2],
    ]);
    expect(other.requests.map(({ temperature }) => temperature)).toEqual([0.7, 0.7]);
  });

  it('asks nobody where one of the models is not there', async () => {
    const own = answering('own', wait);
    const { client } = await stoppedAtEntry([own]);
    const refused = await client.ask(sampleStepRequest, { models: [{ name: 'own' }, { name: 'gone' }] });
    expect(refused).toMatchObject({ success: false, message: 'There is no model "gone".' });
    expect(own.requests).toEqual([]);
  });

  it('tells what a model fails with as part of the result', async () => {
    const failing: Model = {
      name: 'own',
      // biome-ignore lint/correctness/useYield: it fails before
      async *generate() {
        throw new ModelFailure('The key is wrong.', { class: 'authentication', retryable: false });
      },
    };
    const { sample } = await stoppedAtEntry([failing]);
    const [report] = (await sample({ samples: 3 })).models;
    expect(report).toMatchObject({
      stopped: 'The key is wrong.',
      samples: [{ outcome: 'failed', failure: { class: 'authentication' } }],
    });
  });

  it('is refused where no model can be asked, with wrong arguments, and while the run goes on', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ skill: 'warehouse', horizon: 1 });
    await client.event('stopped');
    const messageOf = async (request?: object) => (await client.ask(sampleStepRequest, request)).message;
    expect(await messageOf({})).toBe('No model can be asked in this session.');
    expect(await messageOf({ samples: 0 })).toContain('samples has to be from 1 to 100.');
    expect(await messageOf({ samples: 1_000_000 })).toContain('samples has to be from 1 to 100.');
    expect(await messageOf({ models: 'x' })).toContain('The arguments of "skill-state/sampleStep" are wrong');
    expect(await messageOf({ temperature: -1 })).toContain('at least 0');
  });

  it('is refused while a reply or an answer is awaited', async () => {
    const held = new HeldModel();
    const { client } = await stoppedAtEntry([answering('own', wait)], { model: () => held });
    const requested = held.requested();
    await client.request('continue', { threadId: 1 });
    await requested;
    expect((await client.ask(sampleStepRequest, {})).message).toBe('The skill is running: pause it first.');
    await client.go('pause');
    expect((await client.ask(sampleStepRequest, {})).message).toMatch(/^The reply is still awaited: /);
    const asking = connectInMemory(withModels(memoryHost(), [answering('own', wait)])).client;
    await asking.launch({ skill: 'warehouse', environment: 'warehouse', model: 'manual', horizon: 1 });
    await asking.event('stopped');
    await asking.request('continue', { threadId: 1 });
    let output = '';
    while (!output.includes('Reply to step 0'))
      output += (await asking.event<{ output: string }>('output')).output;
    await asking.go('pause');
    expect((await asking.ask(sampleStepRequest, {})).message).toBe('An answer is awaited: give it first.');
  });

  it('shows its progress after a while, and gives what has come where it is cancelled', async () => {
    const clock = new ManualClock();
    const held = new HeldModel();
    const { client, sample } = await stoppedAtEntry([held], { clock });
    let requested = held.requested();
    const sampling = sample({ samples: 3 });
    await requested;
    const twice = await client.ask(sampleStepRequest, {});
    expect(twice.message).toBe('Samples are being drawn already.');
    requested = held.requested();
    held.say(wait);
    held.finish();
    await requested;
    const started = client.event<{ progressId: string }>('progressStart');
    clock.advance(2_000);
    const body = await started;
    expect(body).toMatchObject({ title: 'Trying the step', message: '1 of 3 samples', cancellable: true });
    const ended = client.event('progressEnd');
    await client.request('cancel', { progressId: body.progressId });
    await ended;
    const report = await sampling;
    expect(report).toMatchObject({
      cancelled: true,
      models: [{ asked: 3, samples: [{ number: 1 }], stopped: 'It was given up.' }],
    });
    expect(held.aborted).toBe(1);
    // The run stands where it stood.
    expect(await client.evaluate('phase')).toBe('"observe"');
  });

  it('is given up when the session ends', async () => {
    const held = new HeldModel();
    const { client } = await stoppedAtEntry([held]);
    const requested = held.requested();
    const sampling = client.ask(sampleStepRequest, { samples: 2 });
    await requested;
    await client.request('disconnect');
    await sampling;
    expect(held.aborted).toBe(1);
  });
});
