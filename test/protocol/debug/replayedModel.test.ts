/** Debugging a run whose model answers from a recording, live and from its own trace. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { readTrace } from '../../../schemas/trace/trace';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryRun, replyOf, repository, traceText } from '../../support/memoryRun';
import { startOpenAiServer } from '../../support/openaiServer';

const skill = join(repository, 'samples', 'warehouse');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skill-state-replayed-'));
  await mkdir(join(folder, 'recordings'));
  const run = await memoryRun({ faults: 0.4, faultSeed: 5, options: { horizon: 4, seed: 42 } });
  await run.finish();
  await writeFile(join(folder, 'recordings', 'r.skilltrace.jsonl'), traceText(run.records));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function session(attributes: object): Promise<DebugClient> {
  const { client } = connectInMemory(createDebugHost({ folder }), { masks: [[folder, '<folder>']] });
  await client.launch(attributes);
  await client.event('stopped');
  return client;
}

async function ended(client: DebugClient): Promise<void> {
  await client.request('disconnect');
  await client.event('terminated');
}

const isAboutDecoding = (body: unknown) => JSON.stringify(body).includes('Decoding: free');

const live = {
  skill,
  model: 'replay:recordings/r.skilltrace.jsonl',
  horizon: 4,
  seed: 42,
  trace: 'own.skilltrace.jsonl',
  stopOnEnd: true,
};

describe('a session whose model is a recording', () => {
  it('runs to the recorded end, steps back and tries a step again with the same reply', async () => {
    const client = await session(live);
    await client.go('next');
    const action = await client.evaluate('action');
    const [top] = await client.stack();
    await client.request('restartFrame', { frameId: top?.id });
    await client.event('stopped');
    await client.go('next');
    expect(await client.evaluate('action')).toBe(action);
    await client.go('continue');
    expect(await client.evaluate('score.actionable')).toBe('4');
    await ended(client);
    const { records, problems } = readTrace(await readFile(join(folder, 'own.skilltrace.jsonl')));
    expect(problems).toEqual([]);
    expect(records[0]).toMatchObject({ model: { name: 'replay:r.skilltrace.jsonl' } });
  });

  it('goes on from its own trace where the recording lies beside it, and says where it doesn’t', async () => {
    const first = await session(live);
    await first.go('continue');
    await ended(first);
    const attributes = { replay: 'own.skilltrace.jsonl', skill, stopOnEnd: true };
    const tryAgain = async () => {
      const client = await session(attributes);
      await client.go('next');
      const [top] = await client.stack();
      await client.request('restartFrame', { frameId: top?.id });
      await client.event('stopped');
      const stopped = await client.go('next');
      const action = stopped.reason === 'step' ? await client.evaluate('action') : undefined;
      await ended(client);
      return { stopped, action };
    };
    const { stopped } = await tryAgain();
    expect(JSON.stringify(stopped)).toContain(
      'The recording \\"r.skilltrace.jsonl\\", from which this run\'s model answers, is neither beside its trace',
    );
    await writeFile(
      join(folder, 'r.skilltrace.jsonl'),
      await readFile(join(folder, 'recordings', 'r.skilltrace.jsonl')),
    );
    expect((await tryAgain()).action).toBeDefined();
  });

  it('tells how another model is asked once that one goes on with a trace', async () => {
    const first = await session({ ...live, model: 'scripted', environment: 'warehouse' });
    await first.go('next');
    await ended(first);
    const answer = { kind: 'reply', text: replyOf({}, 'Wait') } as const;
    const server = await startOpenAiServer({ answer });
    try {
      const client = await session({
        ...{ replay: 'own.skilltrace.jsonl', skill, stopOnEnd: true },
        ...{ model: 'openai:test-model', baseUrl: server.baseUrl, decoding: 'free' },
      });
      const told = () =>
        client.exchanges.filter(
          ({ message }) => 'event' in message && message.event === 'output' && isAboutDecoding(message.body),
        );
      expect(told()).toEqual([]);
      await client.go('continue');
      expect(told()).toHaveLength(1);
      expect(server.requests.length).toBeGreaterThan(1);
      await ended(client);
    } finally {
      await server.close();
    }
  });
});
