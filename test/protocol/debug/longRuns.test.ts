/** Runs that go on for long: progress, a session that still listens, and no flood of messages. */
import { describe, expect, it } from 'vitest';
import { connectInMemory } from '../../support/debugClient';
import { HeldModel, ManualClock, memoryHost } from '../../support/debugHosts';
import { replyOf } from '../../support/memoryRun';

describe('a run of 10,000 steps', () => {
  it('hears a pause, and sends its lines in batches', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ skill: 'warehouse', horizon: 10_000, stopOnEntry: false });
    await client.go('pause');
    const paused = Number(await client.evaluate('step'));
    expect(paused).toBeLessThan(10_000);
    await client.request('continue', { threadId: 1 });
    await client.request('terminate');
    await client.event('terminated');
    const outputs = client.exchanges.filter(
      ({ message }) => 'event' in message && message.event === 'output',
    );
    expect(outputs.length).toBeLessThan(10);
  });

  it('keeps the line of each step', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ skill: 'warehouse', horizon: 1_000, stopOnEntry: false });
    await client.event('terminated');
    const text = client.exchanges
      .map(({ message }) =>
        'event' in message && message.event === 'output' ? String(message.body.output) : '',
      )
      .join('');
    expect([...text.matchAll(/^t=\d+ /gm)]).toHaveLength(1_000);
    const steps = client.exchanges.filter(
      ({ message }) => 'event' in message && message.event === 'skill-state/step',
    );
    expect(steps.length).toBeLessThan(100);
  });
});

describe('progress', () => {
  async function running(client: object = {}) {
    const clock = new ManualClock();
    const model = new HeldModel();
    const session = connectInMemory(memoryHost({ model: () => model, clock }));
    await session.client.launch({ skill: 'warehouse', horizon: 10 }, { client });
    await session.client.event('stopped');
    const requested = model.requested();
    await session.client.request('continue', { threadId: 1 });
    await requested;
    return { clock, model, ...session };
  }

  it('is reported after two seconds, with steps, until the run stops', async () => {
    const { client, clock, model } = await running();
    clock.advance(1_999);
    clock.advance(1);
    expect(await client.event('progressStart')).toEqual({
      progressId: 'run-1',
      title: 'Running warehouse',
      message: 'step 0 of 10, generate',
      percentage: 0,
      cancellable: true,
    });
    const next = model.requested();
    model.say(replyOf({ inventory: { shelf_0: 'item_0' } }, 'Store item_0 shelf_0'));
    model.finish();
    await next;
    clock.advance(500);
    expect(await client.event('progressUpdate')).toEqual({
      progressId: 'run-1',
      message: 'step 1 of 10, generate',
      percentage: 10,
    });
    await client.go('pause');
    expect(await client.event('progressEnd')).toEqual({ progressId: 'run-1' });
    clock.advance(60_000);
    await client.request('threads');
    const started = client.exchanges.filter(
      ({ message }) => 'event' in message && message.event === 'progressStart',
    );
    expect(started).toHaveLength(1);
  });

  it('can be cancelled, which pauses', async () => {
    const { client, clock } = await running();
    clock.advance(2_000);
    await client.event('progressStart');
    await client.request('cancel', { progressId: 'run-1' });
    expect(await client.event('stopped')).toMatchObject({ reason: 'pause' });
  });

  it('is not reported to clients that do not show it', async () => {
    const { client, clock } = await running({ supportsProgressReporting: false });
    clock.advance(10_000);
    await client.go('pause');
    const events = client.exchanges.flatMap(({ message }) => ('event' in message ? [message.event] : []));
    expect(events.filter((name) => name.startsWith('progress'))).toEqual([]);
  });
});
