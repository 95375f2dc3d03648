/** The warehouse's texts, to the letter, and what each action does. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Environment } from '../../../client/src/runtime/environment';

const signal = new AbortController().signal;

/** An episode that begins with shipments of item_0 and item_1 (seed found by trying), so that tests can say what follows. */
async function open(options: Partial<Parameters<Environment['reset']>[0]> = {}): Promise<Environment> {
  const warehouse = createWarehouse();
  await warehouse.reset(
    { seed: await seedOfTwoShipments(), horizon: 10, repeatUnserved: false, ...options },
    signal,
  );
  return warehouse;
}

async function seedOfTwoShipments(): Promise<number> {
  return seedThat((events) => events[1] === 'Shipment arrived containing item_1.');
}

/** The lowest seed whose first events satisfy a condition. */
async function seedThat(holds: (events: readonly string[]) => boolean): Promise<number> {
  for (let seed = 0; ; seed++) if (holds(await eventsOf(seed, 4))) return seed;
}

async function eventsOf(seed: number, horizon: number): Promise<readonly string[]> {
  const warehouse = createWarehouse();
  let { observation, done } = await warehouse.reset({ seed, horizon, repeatUnserved: false }, signal);
  const events = [];
  while (!done) {
    events.push(observation.split('\n').at(-1) ?? '');
    ({ observation, done } = await warehouse.execute('Wait', signal));
  }
  return events;
}

async function resultOf(warehouse: Environment, action: string): Promise<string> {
  const { observation } = await warehouse.execute(action, signal);
  return observation.split('\n')[0] ?? '';
}

describe('an episode', () => {
  it('observes the first event, then results and events, then the last result alone', async () => {
    const warehouse = createWarehouse();
    const seed = await seedOfTwoShipments();
    expect(await warehouse.reset({ seed, horizon: 2, repeatUnserved: false }, signal)).toEqual({
      observation: 'Shipment arrived containing item_0.',
      done: false,
    });
    expect(await warehouse.execute('Store item_0 shelf_0', signal)).toEqual({
      observation: 'Success: Stored item_0 on shelf_0.\nShipment arrived containing item_1.',
      accepted: true,
      done: false,
    });
    expect(await warehouse.execute('Wait', signal)).toEqual({
      observation: 'Success: Waited.',
      accepted: true,
      done: true,
    });
    expect(warehouse.score?.()).toEqual({ actionable: 2, successful: 1 });
    await expect(warehouse.execute('Wait', signal)).rejects.toThrow('The episode is over');
  });

  it('tells each kind of event', async () => {
    const events = await eventsOf(1, 200);
    for (const event of events) {
      expect(event).toMatch(
        /^(Shipment arrived containing item_\d+\.|Customer ordered item_\d+\.|Maintenance required on shelf_\d+\.)$/,
      );
    }
    expect(new Set(events.map((event) => event.split(' ')[0]))).toEqual(
      new Set(['Shipment', 'Customer', 'Maintenance']),
    );
  });

  it('has 25 events where no horizon is given, and none where it is 0', async () => {
    const warehouse = createWarehouse();
    let { done } = await warehouse.reset({ seed: 3, horizon: undefined, repeatUnserved: false }, signal);
    let steps = 0;
    for (; !done; steps++) ({ done } = await warehouse.execute('Wait', signal));
    expect(steps).toBe(25);
    const empty = await warehouse.reset({ seed: 3, horizon: 0, repeatUnserved: false }, signal);
    expect(empty).toEqual({ observation: '', done: true });
    expect(warehouse.score?.()).toEqual({ actionable: 0, successful: 0 });
  });

  it('starts again on reset', async () => {
    const warehouse = await open();
    await warehouse.execute('Store item_0 shelf_0', signal);
    await warehouse.reset({ seed: 1, horizon: 5, repeatUnserved: false }, signal);
    expect(warehouse.truth?.()).toEqual({ inventory: {} });
    expect(warehouse.score?.()).toEqual({ actionable: 0, successful: 0 });
  });

  it.each([-1, 0.5, Number.NaN])('refuses %d as seed and as horizon', async (number) => {
    const warehouse = createWarehouse();
    const options = { seed: 0, horizon: 1, repeatUnserved: false };
    await expect(warehouse.reset({ ...options, seed: number }, signal)).rejects.toThrow('The seed has to be');
    await expect(warehouse.reset({ ...options, horizon: number }, signal)).rejects.toThrow(
      'The horizon has to be',
    );
  });

  it('needs a reset first', async () => {
    await expect(createWarehouse().execute('Wait', signal)).rejects.toThrow('not reset');
  });

  it('stops for an aborted signal, and changes nothing', async () => {
    const warehouse = await open();
    const before = warehouse.snapshot?.();
    const aborted = AbortSignal.abort(new Error('stop'));
    await expect(warehouse.execute('Wait', aborted)).rejects.toThrow('stop');
    await expect(warehouse.skip('late', aborted)).rejects.toThrow('stop');
    expect(warehouse.snapshot?.()).toEqual(before);
  });
});

describe('an action', () => {
  it('stores, moves and ships', async () => {
    const warehouse = await open();
    expect(await resultOf(warehouse, 'Store item_0 shelf_42')).toBe('Success: Stored item_0 on shelf_42.');
    expect(warehouse.truth?.()).toEqual({ inventory: { shelf_42: 'item_0' } });
    expect(await resultOf(warehouse, 'Move item_0 shelf_42 shelf_3')).toBe(
      'Success: Moved item_0 from shelf_42 to shelf_3.',
    );
    expect(warehouse.truth?.()).toEqual({ inventory: { shelf_3: 'item_0' } });
    expect(await resultOf(warehouse, 'Ship item_0 shelf_3')).toBe('Success: Shipped item_0 from shelf_3.');
    expect(warehouse.truth?.()).toEqual({ inventory: {} });
    expect(await resultOf(warehouse, 'Wait')).toBe('Success: Waited.');
  });

  it.each([
    ['Store item_1 shelf_0', 'Error: shelf_0 is occupied by item_0.'],
    ['Store item_0 shelf_1', 'Error: item_0 has not arrived.'],
    ['Store item_99 shelf_1', 'Error: item_99 has not arrived.'],
    ['Store item_01 shelf_1', 'Error: item_01 has not arrived.'],
    ['Store banana shelf_1', 'Error: banana has not arrived.'],
    ['Store item_1 shelf_500', 'Error: unknown shelf shelf_500.'],
    ['Store item_1 shelf_007', 'Error: unknown shelf shelf_007.'],
    ['Store item_1 shelf_-1', 'Error: unknown shelf shelf_-1.'],
    ['Store shelf_1 item_1', 'Error: unknown shelf item_1.'],
    ['Ship item_1 shelf_0', 'Error: item_1 is not on shelf_0.'],
    ['Ship item_0 shelf_1', 'Error: item_0 is not on shelf_1.'],
    ['Ship item_0 SHELF_0', 'Error: unknown shelf SHELF_0.'],
    ['Move item_1 shelf_0 shelf_1', 'Error: item_1 is not on shelf_0.'],
    ['Move item_0 shelf_0 shelf_0', 'Error: shelf_0 is occupied by item_0.'],
    ['Move item_1 shelf_1 shelf_0', 'Error: shelf_0 is occupied by item_0.'],
    ['Move item_0 shelf_x shelf_y', 'Error: unknown shelf shelf_x.'],
    ['Move item_0 shelf_0 shelf_y', 'Error: unknown shelf shelf_y.'],
    ['Wait item_0', 'Error: unknown action "Wait item_0".'],
    ['wait', 'Error: unknown action "wait".'],
    ['Store item_1', 'Error: unknown action "Store item_1".'],
    ['Ship item_0 shelf_0 now', 'Error: unknown action "Ship item_0 shelf_0 now".'],
    ['Explode "all"', 'Error: unknown action "Explode "all"".'],
    ['', 'Error: unknown action "".'],
    ['Wait\nWait', 'Error: unknown action "Wait Wait".'],
    ['constructor', 'Error: unknown action "constructor".'],
  ])('is refused: %j', async (action, message) => {
    const warehouse = await open();
    await warehouse.execute('Store item_0 shelf_0', signal);
    const before = warehouse.truth?.();
    const outcome = await warehouse.execute(action, signal);
    expect(outcome.accepted).toBe(false);
    expect(outcome.observation.split('\n')[0]).toBe(message);
    expect(warehouse.truth?.()).toEqual(before);
    expect(warehouse.score?.()).toEqual({ actionable: 2, successful: 1 });
  });

  it('may have spaces around and between its words', async () => {
    expect(await resultOf(await open(), '  Store\titem_0   shelf_0 ')).toBe(
      'Success: Stored item_0 on shelf_0.',
    );
  });

  it('is quoted within bounds, however long', async () => {
    const warehouse = await open();
    for (const action of ['x'.repeat(100_000), `Ship item_0 ${'y'.repeat(100_000)}`]) {
      expect((await resultOf(warehouse, action)).length).toBeLessThan(250);
    }
  });

  it('may store later what arrived earlier', async () => {
    const warehouse = await open();
    await warehouse.execute('Wait', signal);
    expect(await resultOf(warehouse, 'Store item_0 shelf_0')).toBe('Success: Stored item_0 on shelf_0.');
    expect(warehouse.score?.().successful).toBe(0);
  });
});

describe('maintenance', () => {
  const maintainedFirst = (events: readonly string[]) => events[1] === 'Maintenance required on shelf_0.';

  it.each([
    ['Move item_0 shelf_0 shelf_9', 'Store item_0 shelf_0', 2],
    ['Wait', 'Store item_0 shelf_5', 2],
    ['Wait', 'Store item_0 shelf_0', 1],
    ['Move item_0 shelf_5 shelf_6', 'Store item_0 shelf_5', 1],
  ])('is answered by %j after %j', async (action, before, successful) => {
    const warehouse = await open({ seed: await seedThat(maintainedFirst) });
    await warehouse.execute(before, signal);
    expect((await warehouse.execute(action, signal)).accepted).toBe(true);
    expect(warehouse.score?.()).toEqual({ actionable: 2, successful });
  });
});

describe('a refused action with repeatUnserved', () => {
  it('shows the event once more, which may then still succeed', async () => {
    const warehouse = await open({ repeatUnserved: true });
    const refused = await warehouse.execute('Store item_0 shelf_500', signal);
    expect(refused.observation).toBe(
      'Error: unknown shelf shelf_500.\nShipment arrived containing item_0.\nShipment arrived containing item_1.',
    );
    const served = await warehouse.execute('Store item_0 shelf_0', signal);
    expect(served.observation.split('\n')).toHaveLength(2);
    expect(warehouse.score?.()).toEqual({ actionable: 2, successful: 1 });
  });

  it('shows it only once', async () => {
    const warehouse = await open({ repeatUnserved: true });
    await warehouse.execute('Ship item_0 shelf_0', signal);
    const second = await warehouse.execute('Ship item_0 shelf_0', signal);
    expect(second.observation.split('\n').slice(0, 2)).toEqual([
      'Error: item_0 is not on shelf_0.',
      'Shipment arrived containing item_1.',
    ]);
    expect(second.observation.split('\n')).toHaveLength(3);
  });

  it('shows nothing once more at the end', async () => {
    const warehouse = await open({ repeatUnserved: true, horizon: 1 });
    const last = await warehouse.execute('Jump', signal);
    expect(last).toEqual({ observation: 'Error: unknown action "Jump".', accepted: false, done: true });
  });

  it('is not how a run without it goes on', async () => {
    const warehouse = await open();
    const { observation } = await warehouse.execute('Store item_0 shelf_500', signal);
    expect(observation).toBe('Error: unknown shelf shelf_500.\nShipment arrived containing item_1.');
  });
});

describe('a step without action', () => {
  it('misses the event and goes on, with the rejection in place of the result', async () => {
    const warehouse = await open({ repeatUnserved: true });
    expect(await warehouse.skip('The reply has no JSON block.', signal)).toEqual({
      observation: 'Rejected: The reply has no JSON block.\nShipment arrived containing item_1.',
      accepted: false,
      done: false,
    });
    expect(warehouse.score?.()).toEqual({ actionable: 1, successful: 0 });
  });
});

describe('names and completion', () => {
  it('declares its shelves', () => {
    const { declares } = createWarehouse();
    expect(['shelf_0', 'shelf_499'].map((name) => declares?.(name))).toEqual([true, true]);
    expect(['shelf_500', 'shelf_00', 'item_1', 'shelf_'].map((name) => declares?.(name))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('completes actions, items and shelves that would be accepted', async () => {
    const warehouse = await open();
    const complete = (typed: string) => warehouse.complete?.(typed);
    expect(complete('')).toEqual(['Store ', 'Ship ', 'Move ', 'Wait']);
    expect(complete('S')).toEqual(['Store ', 'Ship ']);
    expect(complete('Store ')).toEqual(['Store item_0 ']);
    expect(complete('Store item_0 shelf_49')?.slice(0, 2)).toEqual([
      'Store item_0 shelf_49',
      'Store item_0 shelf_490',
    ]);
    expect(complete('Ship ')).toEqual([]);
    await warehouse.execute('Store item_0 shelf_7', signal);
    expect(complete('Ship ')).toEqual(['Ship item_0 ']);
    expect(complete('Ship item_0 ')).toEqual(['Ship item_0 shelf_7']);
    expect(complete('Move item_0 ')).toEqual(['Move item_0 shelf_7 ']);
    expect(complete('Move item_0 shelf_7 shelf_7')?.[0]).toBe('Move item_0 shelf_7 shelf_70');
    expect(complete('Jump ')).toEqual([]);
    expect(complete('Wait ')).toEqual([]);
  });
});
