/** The warehouse's events and their seeded generator, whose course does not depend on what an agent does. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';
import { type Item, itemName, type Shelf, shelfName } from './names';
import { Shelves } from './shelves';
import { integer, integers, member, shelvesFrom, unfit } from './snapshotReader';

export type WarehouseEvent =
  | { readonly kind: 'shipment'; readonly item: Item }
  | { readonly kind: 'order'; readonly item: Item }
  | { readonly kind: 'maintenance'; readonly shelf: Shelf };

/** The line by which an observation tells an event. */
export function eventText(event: WarehouseEvent): string {
  switch (event.kind) {
    case 'shipment':
      return `Shipment arrived containing ${itemName(event.item)}.`;
    case 'order':
      return `Customer ordered ${itemName(event.item)}.`;
    case 'maintenance':
      return `Maintenance required on ${shelfName(event.shelf)}.`;
  }
}

const kinds = ['shipment', 'order', 'maintenance'] as const;

/**
 * Makes the events of an episode one by one: a shipment, or, where any shelf of its own world is occupied, one of
 * shipment, order and maintenance with equal chance (where all are, only an order is left). In that world items go to
 * the lowest-numbered empty shelf. A longer episode begins with the events of a shorter one of the same seed.
 */
export class EventGenerator {
  readonly #random: RandomGenerator;
  readonly #world: Shelves;
  #arrived: number;

  private constructor(random: RandomGenerator, world: Shelves, arrived: number) {
    this.#random = random;
    this.#world = world;
    this.#arrived = arrived;
  }

  /** @param seed A non-negative integer. */
  static fromSeed(seed: number): EventGenerator {
    const low = seed | 0;
    const high = Math.floor(seed / 2 ** 32) | 0;
    const random = xoroshiro128plusFromState([-1, ~low, low, high]);
    // A jump spreads every bit of the seed over the whole state, so that neighbouring seeds have nothing in common.
    random.jump();
    return new EventGenerator(random, new Shelves(), 0);
  }

  static fromJson(value: JsonValue): EventGenerator {
    const state = integers(member(value, 'random'));
    if (state.length !== 4) throw unfit('the state of a random generator was expected');
    const random = xoroshiro128plusFromState(state);
    return new EventGenerator(random, shelvesFrom(member(value, 'world')), integer(member(value, 'arrived')));
  }

  toJson(): JsonObject {
    return { random: [...this.#random.getState()], world: this.#world.toJson(), arrived: this.#arrived };
  }

  next(): WarehouseEvent {
    const target = this.#world.lowestEmpty();
    const kind = this.#nextKind(target);
    if (kind === 'shipment' && target !== undefined) {
      const item = this.#arrived++;
      this.#world.put(item, target);
      return { kind, item };
    }
    const [shelf, item] = this.#anyOccupied();
    this.#world.clear(shelf);
    if (kind === 'maintenance' && target !== undefined) {
      this.#world.put(item, target);
      return { kind, shelf };
    }
    return { kind: 'order', item };
  }

  #nextKind(lowestEmpty: Shelf | undefined): WarehouseEvent['kind'] {
    if (this.#world.occupiedCount === 0) return 'shipment';
    if (lowestEmpty === undefined) return 'order';
    return kinds[uniformInt(this.#random, 0, kinds.length - 1)] ?? 'shipment';
  }

  #anyOccupied(): readonly [Shelf, Item] {
    const entry = this.#world.occupiedAt(uniformInt(this.#random, 0, this.#world.occupiedCount - 1));
    if (entry === undefined) throw new RangeError('No shelf is occupied.');
    return entry;
  }
}
