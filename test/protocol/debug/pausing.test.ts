/** Pausing, restarting and leaving while the model is still answering. */
import { describe, expect, it } from 'vitest';
import { type Model, type ModelEvent, ModelFailure } from '../../../client/src/runtime/model';
import { connectInMemory } from '../../support/debugClient';
import { HeldModel, ManualClock, memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyOf } from '../../support/memoryRun';

const answer = replyOf({ inventory: { shelf_0: 'item_0' } }, 'Store item_0 shelf_0');

async function paused() {
  const model = new HeldModel();
  const host = memoryHost({ model: () => model });
  const session = connectInMemory(host);
  const { client } = session;
  await client.launch({ skill: 'warehouse', horizon: 2 });
  await client.event('stopped');
  const requested = model.requested();
  await client.request('continue', { threadId: 1 });
  await requested;
  model.say('The shelf is');
  await client.go('pause');
  return { model, host, ...session };
}

describe('pause while the model answers', () => {
  it('stops at once and shows the reply so far, while the request goes on', async () => {
    const { client, model } = await paused();
    await client.stack();
    const [top] = await client.stack();
    await client.request('source', { sourceReference: top?.source?.sourceReference });
    expect(await client.evaluate('reply')).toBe('"The shelf is"');
    expect(await client.evaluate('phase')).toBe('"generate"');
    expect(model).toMatchObject({ requests: 1, aborted: 0 });

    model.say(` empty. ${answer}`);
    model.finish();
    await client.event('invalidated');
    await client.stack();
    expect(await client.evaluate('phase')).toBe('"parse"');
    await client.go('next');
    await client.stack();
    expect(await client.evaluate('action')).toBe('"Store item_0 shelf_0"');
    expect(model).toMatchObject({ requests: 1, aborted: 0 });
    expectGolden('debug/pause.txt', client.transcript());
  });

  it('goes on with the same request when the run goes on before the reply is there', async () => {
    const { client, model } = await paused();
    const stopped = client.event('stopped');
    await client.request('next', { threadId: 1 });
    model.say(` empty. ${answer}`);
    model.finish();
    await stopped;
    expect(await client.evaluate('action')).toBe('"Store item_0 shelf_0"');
    expect(model).toMatchObject({ requests: 1, aborted: 0 });
  });

  it('stops before the first phase where it was asked for before the run began', async () => {
    const model = new HeldModel();
    const { client } = connectInMemory(memoryHost({ model: () => model }));
    await client.request('initialize', { adapterID: 'skill-state' });
    const initialized = client.event('initialized');
    await client.request('launch', { skill: 'warehouse', horizon: 2, stopOnEntry: false });
    await initialized;
    await client.request('pause', { threadId: 1 });
    const stopped = client.event('stopped');
    await client.request('configurationDone');
    expect(await stopped).toMatchObject({ reason: 'pause' });
    expect(model.requests).toBe(0);
    // Once: the run goes on as if it had not been asked for.
    const requested = model.requested();
    await client.request('continue', { threadId: 1 });
    await requested;
    expect(await client.go('pause')).toMatchObject({ reason: 'pause' });
  });

  it('can pause again and again', async () => {
    const { client, model } = await paused();
    await client.request('continue', { threadId: 1 });
    await client.go('pause');
    await client.request('stepIn', { threadId: 1 });
    await client.go('pause');
    expect((await client.stack())[0]?.name).toBe('generate');
    expect(model).toMatchObject({ requests: 1, aborted: 0 });
  });

  it('is answered with success where the run stands already, without a second stop', async () => {
    const { client } = await paused();
    await client.request('pause', { threadId: 1 });
    await client.request('threads');
    expect(
      client.exchanges.filter(({ message }) => 'event' in message && message.event === 'stopped'),
    ).toHaveLength(2);
  });
});

describe('leaving while the model answers', () => {
  it('terminate aborts the request and ends the session once', async () => {
    const { client, model, host } = await paused();
    await client.request('terminate');
    await client.event('terminated');
    await client.request('disconnect');
    expect(model.aborted).toBe(1);
    expect(host.closed.count).toBe(1);
    expect(host.runs[0]?.at(-1)).toMatchObject({ kind: 'end', outcome: 'cancelled', resumable: true });
    expectGolden('debug/terminate.txt', client.transcript());
  });

  it('disconnect does so while the run goes on, too', async () => {
    const { client, model, closed } = await paused();
    await client.request('continue', { threadId: 1 });
    await client.request('disconnect');
    await closed;
    expect(model.aborted).toBe(1);
    expectGolden('debug/disconnect.txt', client.transcript());
  });

  it('a client that hangs up has its request aborted', async () => {
    const { model, closed, hangUp, host } = await paused();
    hangUp();
    await closed;
    expect(model.aborted).toBe(1);
    expect(host.closed.count).toBe(1);
  });
});

describe('restart', () => {
  it('aborts what is under way and begins anew, with other arguments where they are given', async () => {
    const { client, model, host } = await paused();
    await client.request('restart');
    await client.event('stopped');
    expect(model.aborted).toBe(1);
    expect(await client.evaluate('step')).toBe('0');
    await client.request('restart', { arguments: { skill: 'warehouse', seed: 7, stopOnEntry: true } });
    await client.event('stopped');
    await client.stack();
    expect(host.runs).toHaveLength(3);
    expect(host.runs[2]?.[0]).toMatchObject({ kind: 'run', options: { seed: 7 } });
    expect(host.closed.count).toBe(2);
    expectGolden('debug/restart.txt', client.transcript());
  });

  it('leaves the run alone where the new arguments are wrong', async () => {
    const { client, host } = await paused();
    const refused = await client.ask('restart', { arguments: { skill: 'warehouse', seed: -1 } });
    expect(refused.message).toBe('seed has to be a whole number from 0, not -1.');
    expect((await client.stack())[0]?.name).toBe('generate');
    expect(host.closed.count).toBe(0);
  });

  it('binds breakpoints anew and says so', async () => {
    const { client } = await paused();
    const path = '/skills/skill/SKILL.md';
    await client.request('setBreakpoints', { source: { path }, breakpoints: [{ line: 50 }] });
    await client.request('restart');
    expect(await client.event('breakpoint')).toEqual({
      reason: 'changed',
      breakpoint: { id: 1, verified: true, line: 50 },
    });
  });
});

describe('a model that fails', () => {
  it('ends the run with its message, and the exit code says so', async () => {
    const silent: AsyncIterable<ModelEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          Promise.reject(
            new ModelFailure('The model gave no answer for 30 s.', { class: 'timeout', retryable: true }),
          ),
      }),
    };
    const model: Model = { name: 'failing', generate: () => silent };
    const { client } = connectInMemory(memoryHost({ model: () => model }));
    await client.launch({ skill: 'warehouse', stopOnEntry: false });
    await client.event('terminated');
    expectGolden('debug/modelFailure.txt', client.transcript());
  });
});

/** A model that never answers and heeds no abort. */
function deafModel(): { readonly model: Model; readonly requested: Promise<void> } {
  let asked: () => void = () => {};
  const requested = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const deaf: AsyncIterable<ModelEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        asked();
        return new Promise(() => {});
      },
    }),
  };
  return { model: { name: 'deaf', generate: () => deaf }, requested };
}

describe('what does not do as it should', () => {
  it('is left behind after two seconds, where it does not heed the abort', async () => {
    const clock = new ManualClock();
    const { model, requested } = deafModel();
    const host = memoryHost({ model: () => model, clock });
    const { client, closed } = connectInMemory(host);
    await client.launch({ skill: 'warehouse', stopOnEntry: false });
    await requested;
    await client.request('disconnect');
    clock.advance(2_000);
    await client.event('terminated');
    await closed;
    expect(host.runs[0]?.at(-1)).toMatchObject({ kind: 'end', outcome: 'cancelled' });
  });

  it('keeps nothing open where the session ends while a restart waits for it', async () => {
    const clock = new ManualClock();
    const { model, requested } = deafModel();
    const host = memoryHost({ model: () => model, clock });
    let opened: () => void = () => {};
    const reopened = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const { client, closed } = connectInMemory({
      ...host,
      open: async (...args: Parameters<typeof host.open>) => {
        const run = await host.open(...args);
        if (host.runs.length === 2) opened();
        return run;
      },
    });
    await client.launch({ skill: 'warehouse', stopOnEntry: false });
    await requested;
    const restarted = client.ask('restart');
    await reopened;
    await clock.yieldToMessages();
    await client.request('disconnect');
    clock.advance(2_000);
    expect(await restarted).toMatchObject({ success: false });
    await closed;
    expect(host.closed.count).toBe(2);
  });

  it('a disk that refuses to sync is told on the console, and the session goes on', async () => {
    const host = memoryHost();
    const full = {
      ...host,
      open: async (...args: Parameters<typeof host.open>) => ({
        ...(await host.open(...args)),
        sync: () => {
          throw new Error('The disk is full.');
        },
      }),
    };
    const { client } = connectInMemory(full);
    await client.launch({ skill: 'warehouse' });
    await client.event('stopped');
    await client.go('next');
    await client.go('next');
    const lines = client.exchanges.filter(
      ({ message }) => 'event' in message && message.event === 'output' && message.body.category === 'stderr',
    );
    expect(lines[0]?.message).toMatchObject({ body: { output: 'The disk is full.\n' } });
  });
});
