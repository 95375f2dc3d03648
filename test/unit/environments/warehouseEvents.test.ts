/** The generator: seeded, lazy, independent of the agent, with the drift of occupancy that the paper's rules imply. */
import { describe, expect, it } from 'vitest';
import { EventGenerator, eventText } from '../../../client/src/environments/warehouse/events';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';

const signal = new AbortController().signal;

function take(seed: number, count: number): readonly string[] {
  const generator = EventGenerator.fromSeed(seed);
  return Array.from({ length: count }, () => eventText(generator.next()));
}

/** The generator's world, worked out from the events' texts alone. */
function occupancies(events: readonly string[]): readonly number[] {
  const shelves: (string | undefined)[] = [];
  const lowest = () => (shelves.includes(undefined) ? shelves.indexOf(undefined) : shelves.length);
  return events.map((event) => {
    const [, item] = /(item_\d+)/.exec(event) ?? [];
    const [, shelf] = /shelf_(\d+)/.exec(event) ?? [];
    if (event.startsWith('Shipment')) shelves[lowest()] = item;
    else if (event.startsWith('Customer')) {
      expect(shelves).toContain(item);
      shelves[shelves.indexOf(item)] = undefined;
    } else {
      const occupant = shelves[Number(shelf)];
      expect(occupant).toBeDefined();
      const target = lowest();
      shelves[Number(shelf)] = undefined;
      shelves[target] = occupant;
    }
    return shelves.filter((occupant) => occupant !== undefined).length;
  });
}

describe('the event generator', () => {
  it('begins with a shipment and numbers items in order of arrival', () => {
    for (let seed = 0; seed < 50; seed++) {
      const arrivals = take(seed, 200).filter((event) => event.startsWith('Shipment'));
      expect(arrivals).toEqual(arrivals.map((_, index) => `Shipment arrived containing item_${index}.`));
      expect(take(seed, 1)).toEqual(['Shipment arrived containing item_0.']);
    }
  });

  it('only orders items and maintains shelves that are there in its own world', () => {
    for (let seed = 0; seed < 20; seed++) occupancies(take(seed, 1_000));
  });

  it('gives each kind an equal chance where a shelf is occupied', () => {
    const counts = { Shipment: 0, Customer: 0, Maintenance: 0 };
    for (let seed = 0; seed < 50; seed++) {
      const events = take(seed, 400);
      const occupied = occupancies(events);
      for (const [index, event] of events.entries()) {
        const kind = event.split(' ')[0];
        if ((occupied[index - 1] ?? 0) === 0) expect(kind).toBe('Shipment');
        else if (kind === 'Shipment' || kind === 'Customer' || kind === 'Maintenance') counts[kind]++;
      }
    }
    const total = counts.Shipment + counts.Customer + counts.Maintenance;
    for (const count of Object.values(counts)) expect(count / total).toBeCloseTo(1 / 3, 1.7);
  });

  it('lets occupancy drift up as the rules imply', () => {
    const seeds = Array.from({ length: 200 }, (_, seed) => seed);
    const means = [100, 1_000].map((horizon) => {
      const final = seeds.map((seed) => occupiedAfter(seed, horizon));
      return final.reduce((sum, count) => sum + count, 0) / seeds.length;
    });
    // A walk with steps of variance 2/3 that turns at 0 has the mean √(4T/3π): 6.5 after 100 steps, 20.6 after 1,000.
    expect(means[0]).toBeGreaterThan(5.5);
    expect(means[0]).toBeLessThan(7.5);
    expect(means[1]).toBeGreaterThan(18);
    expect(means[1]).toBeLessThan(23);
  });

  it('only orders where no shelf is left', () => {
    let generator = EventGenerator.fromSeed(1);
    const full = { ...generator.toJson(), world: Array.from({ length: 500 }, (_, shelf) => [shelf, shelf]) };
    generator = EventGenerator.fromJson({ ...full, arrived: 500 });
    expect(generator.next().kind).toBe('order');
  });

  it('differs from seed to seed, beyond 32 bits too', () => {
    const seeds = [0, 1, 2, 3, 2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    expect(new Set(seeds.map((seed) => take(seed, 60).join('\n'))).size).toBe(seeds.length);
  });

  it('serves a short episode as the beginning of a long one, whatever the agent does', async () => {
    const reference = take(7, 60);
    for (const [horizon, action] of [
      [60, 'Wait'],
      [1_000_000, 'Wait'],
      [1_000_000, 'Jump'],
      [60, 'Store item_0 shelf_499'],
    ] as const) {
      const warehouse = createWarehouse();
      let { observation } = await warehouse.reset({ seed: 7, horizon, repeatUnserved: true }, signal);
      const events = [];
      while (events.length < 60) {
        events.push(observation.split('\n').at(-1));
        ({ observation } = await warehouse.execute(action, signal));
      }
      expect(events).toEqual(reference);
    }
  });
});

function occupiedAfter(seed: number, horizon: number): number {
  const generator = EventGenerator.fromSeed(seed);
  let occupied = 0;
  for (let step = 0; step < horizon; step++) {
    const { kind } = generator.next();
    if (kind === 'shipment') occupied++;
    if (kind === 'order') occupied--;
  }
  return occupied;
}
