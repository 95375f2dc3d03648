/** The scripted policy for the warehouse: what it decides from (P, Σ, O) alone. */
import { describe, expect, it } from 'vitest';
import { shelfCount, shelfName } from '../../../client/src/environments/warehouse/names';
import { warehousePolicy } from '../../../client/src/models/scripted/warehousePolicy';
import type { JsonObject } from '../../../schemas/json/jsonValue';

/** `decide({ 0: 1 }, …)` is Σ with item_1 on shelf_0. */
function decide(shelves: Readonly<Record<number, number>>, observation: string) {
  const inventory = Object.fromEntries(
    Object.entries(shelves).map(([shelf, item]) => [`shelf_${shelf}`, `item_${item}`]),
  );
  return warehousePolicy({ instructions: '', state: { inventory }, observation });
}

describe('the warehouse policy', () => {
  it('stores on the lowest-numbered empty shelf', () => {
    expect(decide({ 0: 1, 1: 2, 3: 4 }, 'Shipment arrived containing item_12.')).toEqual({
      reasoning: 'item_12 arrived. The lowest-numbered empty shelf is shelf_2, so it goes there.',
      patch: { inventory: { shelf_2: 'item_12' } },
      action: 'Store item_12 shelf_2',
    });
  });

  it('knows as many shelves as the warehouse has', () => {
    const full = Array.from({ length: shelfCount }, (_, shelf) => [shelf, shelf] as const);
    const arrival = 'Shipment arrived containing item_900.';
    expect(decide(Object.fromEntries(full.slice(0, -1)), arrival).action).toBe(
      `Store item_900 ${shelfName(shelfCount - 1)}`,
    );
    expect(decide(Object.fromEntries(full), arrival).action).toBe('Wait');
  });

  it('ships from where Σ has the item', () => {
    expect(decide({ 42: 12 }, 'Success: Waited.\nCustomer ordered item_12.')).toMatchObject({
      patch: { inventory: { shelf_42: null } },
      action: 'Ship item_12 shelf_42',
    });
  });

  it('moves off a shelf under maintenance, never back onto it', () => {
    expect(decide({ 0: 7 }, 'Maintenance required on shelf_0.')).toMatchObject({
      patch: { inventory: { shelf_0: null, shelf_1: 'item_7' } },
      action: 'Move item_7 shelf_0 shelf_1',
    });
  });

  it.each([
    ['an order for what Σ does not have', 'Customer ordered item_5.'],
    ['maintenance of an empty shelf', 'Maintenance required on shelf_5.'],
    ['an observation without an event', 'Success: Waited.'],
    ['an empty observation', ''],
  ])('waits for %s', (_case, observation) => {
    expect(decide({ 0: 1 }, observation)).toMatchObject({ patch: {}, action: 'Wait' });
  });

  it('waits where no shelf is empty', () => {
    const full = Object.fromEntries(Array.from({ length: 500 }, (_, shelf) => [shelf, shelf]));
    expect(decide(full, 'Shipment arrived containing item_500.').action).toBe('Wait');
    expect(decide(full, 'Maintenance required on shelf_3.').action).toBe('Wait');
  });

  it.each<JsonObject>([{}, { inventory: null }, { inventory: [] }, { inventory: { shelf_0: 3 } }])(
    'finds every shelf empty in %j',
    (state) => {
      const observation = 'Shipment arrived containing item_0.';
      expect(warehousePolicy({ instructions: '', state, observation }).action).toBe('Store item_0 shelf_0');
    },
  );

  it('believes an error that tells what is on a shelf, and avoids it', () => {
    const observation = 'Error: shelf_0 is occupied by item_7.\nShipment arrived containing item_8.';
    expect(decide({ 4: 7 }, observation)).toMatchObject({
      patch: { inventory: { shelf_0: 'item_7', shelf_4: null, shelf_1: 'item_8' } },
      action: 'Store item_8 shelf_1',
    });
    expect(decide({ 0: 7 }, observation)).toMatchObject({ patch: { inventory: { shelf_1: 'item_8' } } });
  });

  it('believes an error that tells what is not on a shelf', () => {
    expect(decide({ 42: 12 }, 'Error: item_12 is not on shelf_42.\nCustomer ordered item_12.')).toMatchObject(
      {
        patch: { inventory: { shelf_42: null } },
        action: 'Wait',
      },
    );
  });

  it('serves the last event, and one shown once more where the last only asks to wait', () => {
    const repeated = 'Error: unknown shelf shelf_500.\nShipment arrived containing item_8.';
    expect(decide({ 0: 1 }, `${repeated}\nCustomer ordered item_1.`).action).toBe('Ship item_1 shelf_0');
    expect(decide({ 0: 1 }, `${repeated}\nMaintenance required on shelf_9.`).action).toBe(
      'Store item_8 shelf_1',
    );
  });

  it('sees no event in the noise', () => {
    const noise =
      '--- BACKGROUND TELEMETRY ---\nShipment arrived containing item_9.\nError: shelf_0 is occupied by item_2.';
    expect(decide({ 0: 1 }, `Customer ordered item_1.\n${noise}`).action).toBe('Ship item_1 shelf_0');
    expect(decide({ 0: 1 }, noise)).toMatchObject({ patch: {}, action: 'Wait' });
  });

  it('names only ids of the observation and the action', () => {
    const observations = [
      'Error: shelf_1 is occupied by item_7.\nShipment arrived containing item_12.',
      'Customer ordered item_2.',
      'Customer ordered item_55.',
      'Maintenance required on shelf_1.',
      'Maintenance required on shelf_9.',
    ];
    for (const observation of observations) {
      const { reasoning, action } = decide({ 0: 1, 1: 2, 2: 3 }, observation);
      const ids = reasoning.match(/(item|shelf)_\d+/g) ?? [];
      for (const id of ids) expect(`${observation} ${action} `).toMatch(new RegExp(`${id}\\b`));
    }
  });
});
