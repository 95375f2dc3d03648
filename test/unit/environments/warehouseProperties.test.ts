/** Properties of the warehouse under any actions: snapshots continue identically, and the score is what the rules say. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Environment } from '../../../client/src/runtime/environment';

const signal = new AbortController().signal;

/** One agent's behaviour at a step, given what the rules of the test's own world would call right. */
type Move = 'right' | 'wait' | 'nonsense' | 'unknown-shelf' | 'wrong-shelf' | 'skip';
const moves = fc.array(
  fc.constantFrom<Move>(
    'right',
    'right',
    'right',
    'wait',
    'nonsense',
    'unknown-shelf',
    'wrong-shelf',
    'skip',
  ),
  { minLength: 1, maxLength: 80 },
);

/** The rules written once more, with a plain map. Follows an episode from outside by its texts. */
class Referee {
  readonly shelves = new Map<string, string>();
  readonly #dock = new Set<string>();
  successful = 0;
  actionable = 0;

  see(observation: string): void {
    const [, item] = /containing (item_\d+)\.$/.exec(observation) ?? [];
    if (item !== undefined) this.#dock.add(item);
  }

  rightAction(event: string): string {
    const [, item = ''] = /(item_\d+)/.exec(event) ?? [];
    const [, shelf = ''] = /(shelf_\d+)/.exec(event) ?? [];
    const on = [...this.shelves].find(([, occupant]) => occupant === item)?.[0];
    if (event.startsWith('Shipment')) return `Store ${item} ${this.#lowest()}`;
    if (event.startsWith('Customer')) return on === undefined ? 'Wait' : `Ship ${item} ${on}`;
    const occupant = this.shelves.get(shelf);
    return occupant === undefined ? 'Wait' : `Move ${occupant} ${shelf} ${this.#lowest()}`;
  }

  /** Judges an action by every event line that was shown with it. */
  judge(action: string, events: readonly string[]): void {
    this.actionable++;
    const before = new Map(this.shelves);
    if (!this.#apply(action)) return;
    const [name, item] = action.split(' ');
    for (const event of events) {
      const subject = /(item|shelf)_\d+/.exec(event)?.[0] ?? '';
      if (event.startsWith('Shipment') && name === 'Store' && item === subject) this.successful++;
      if (event.startsWith('Customer') && name === 'Ship' && item === subject) this.successful++;
      if (event.startsWith('Maintenance')) {
        const emptied = before.has(subject) && !this.shelves.has(subject);
        if (emptied || (name === 'Wait' && !before.has(subject))) this.successful++;
      }
    }
  }

  #lowest(): string {
    let shelf = 0;
    while (this.shelves.has(`shelf_${shelf}`)) shelf++;
    return `shelf_${shelf}`;
  }

  #apply(action: string): boolean {
    const [name, item = '', first = '', second = ''] = action.split(' ');
    const exists = (shelf: string) => /^shelf_\d{1,3}$/.test(shelf) && Number(shelf.slice(6)) < 500;
    if (name === 'Wait') return true;
    if (!exists(first)) return false;
    if (name === 'Store') {
      if (this.shelves.has(first) || !this.#dock.delete(item)) return false;
      this.shelves.set(first, item);
      return true;
    }
    if (this.shelves.get(first) !== item) return false;
    if (name === 'Ship') return this.shelves.delete(first);
    if (!exists(second) || this.shelves.has(second)) return false;
    this.shelves.delete(first);
    this.shelves.set(second, item);
    return true;
  }
}

function actionFor(move: Move, right: string): string {
  if (move === 'wait') return 'Wait';
  if (move === 'nonsense') return 'Dance';
  if (move === 'unknown-shelf') return right.replace(/shelf_\d+/, 'shelf_512');
  if (move === 'wrong-shelf') return right.replace(/shelf_\d+$/, 'shelf_0');
  return right;
}

/** What is done at a step: an action, or undefined for a step without one. */
function choose(referee: Referee, observation: string, move: Move): string | undefined {
  const events = observation.split('\n').filter((line) => !/^(Success|Error|Rejected):/.test(line));
  const action = move === 'skip' ? undefined : actionFor(move, referee.rightAction(events.at(-1) ?? ''));
  referee.judge(action ?? 'none', action === undefined ? [] : events);
  return action;
}

function perform(warehouse: Environment, action: string | undefined) {
  return action === undefined ? warehouse.skip('a reason', signal) : warehouse.execute(action, signal);
}

describe('the warehouse, whatever is done in it', () => {
  it('scores and stands as an independent reading of the rules says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.boolean(), moves, async (seed, repeatUnserved, agent) => {
        const warehouse = createWarehouse();
        const referee = new Referee();
        let { observation } = await warehouse.reset({ seed, horizon: agent.length, repeatUnserved }, signal);
        for (const move of agent) {
          referee.see(observation);
          ({ observation } = await perform(warehouse, choose(referee, observation, move)));
          expect(warehouse.truth?.()).toEqual({ inventory: Object.fromEntries(referee.shelves) });
          const { actionable, successful } = referee;
          expect(warehouse.score?.()).toEqual({ actionable, successful });
        }
      }),
    );
  });

  it('continues identically from a snapshot, in another instance too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.boolean(), moves, fc.nat(), async (seed, repeatUnserved, agent, cut) => {
        const original = createWarehouse();
        const restored = createWarehouse();
        const referee = new Referee();
        let { observation } = await original.reset({ seed, horizon: agent.length, repeatUnserved }, signal);
        for (const [index, move] of agent.entries()) {
          referee.see(observation);
          if (index === cut % agent.length)
            restored.restore?.(JSON.parse(JSON.stringify(original.snapshot?.())));
          const action = choose(referee, observation, move);
          const outcome = await perform(original, action);
          if (index >= cut % agent.length) expect(await perform(restored, action)).toEqual(outcome);
          observation = outcome.observation;
        }
        expect(restored.snapshot?.()).toEqual(original.snapshot?.());
      }),
    );
  });

  it('refuses snapshots that are none of its own', () => {
    const warehouse = createWarehouse();
    for (const snapshot of [[], {}, 'x', { horizon: '3' }, { horizon: 3, repeatUnserved: 1 }]) {
      expect(() => warehouse.restore?.(snapshot)).toThrow('This is not a snapshot of the warehouse');
    }
    warehouse.restore?.(null);
    expect(warehouse.truth?.()).toEqual({ inventory: {} });
  });
});
