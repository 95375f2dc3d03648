/** The warehouse of SkillExecBench: 500 shelves, seeded events, one action for each, scored against its own world. */
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';
import {
  type Environment,
  EnvironmentFailure,
  type Outcome,
  type ResetOptions,
  type Score,
} from '../../runtime/environment';
import { actionSignatures, onOneLine, perform, type WarehouseAction, type World } from './actions';
import { completeAction } from './completion';
import { EventGenerator, eventText, type WarehouseEvent } from './events';
import { itemName, parseShelf, shelfName } from './names';
import { Shelves } from './shelves';
import { boolean, integer, integers, member, shelvesFrom, unfit } from './snapshotReader';

const defaultHorizon = 25;

/** One episode in progress. */
interface Episode {
  readonly horizon: number;
  readonly repeatUnserved: boolean;
  readonly generator: EventGenerator;
  readonly world: World;
  /** The event of this step; undefined once the episode is over. */
  current: WarehouseEvent | undefined;
  /** The event of the step before, where its action was refused and `repeatUnserved` shows it once more. */
  repeated: WarehouseEvent | undefined;
  /** How many events had their step, which is t. */
  answered: number;
  successful: number;
}

/**
 * A fresh warehouse. T events are T steps: O_0 is the first event, O_{t+1} the result of a_t, a line break and the next
 * event; after the last event the result stands alone. An event succeeds when its action was accepted and met its goal
 * in the agent's world: the item stored, the item shipped, the shelf emptied (or `Wait`, where it is empty already).
 * Only events that had their step count, so that a run that was cut short is scored for what it did.
 */
export function createWarehouse(): Environment {
  let episode: Episode | undefined;

  function running(): Episode & { current: WarehouseEvent } {
    if (episode === undefined)
      throw new EnvironmentFailure('The warehouse was not reset before its first action.');
    if (!hasEvent(episode)) throw new EnvironmentFailure('The episode is over: every event had its step.');
    return episode;
  }

  return {
    name: 'warehouse',
    defaultHorizon,
    deterministic: true,
    actions: actionSignatures,

    async reset(options: ResetOptions, signal: AbortSignal) {
      signal.throwIfAborted();
      episode = start(options);
      const { current } = episode;
      return { observation: current === undefined ? '' : eventText(current), done: current === undefined };
    },

    async execute(action: string, signal: AbortSignal): Promise<Outcome> {
      const now = running();
      signal.throwIfAborted();
      const result = perform(action, now.world);
      if (result.accepted) {
        for (const event of [now.repeated, now.current]) {
          if (event !== undefined && meets(result.action, event, now.world)) now.successful++;
        }
      }
      const repeated = !result.accepted && now.repeatUnserved ? now.current : undefined;
      return { ...advance(now, result.result, repeated), accepted: result.accepted };
    },

    async skip(reason: string, signal: AbortSignal): Promise<Outcome> {
      const now = running();
      signal.throwIfAborted();
      return { ...advance(now, `Rejected: ${onOneLine(reason)}`, undefined), accepted: false };
    },

    snapshot: () => (episode === undefined ? null : toJson(episode)),

    restore(snapshot: JsonValue) {
      episode = snapshot === null ? undefined : fromJson(snapshot);
    },

    truth(): JsonObject {
      const inventory: Record<string, JsonValue> = {};
      for (const [shelf, item] of episode?.world.shelves.occupied() ?? [])
        inventory[shelfName(shelf)] = itemName(item);
      return { inventory };
    },

    score: (): Score => ({ actionable: episode?.answered ?? 0, successful: episode?.successful ?? 0 }),

    declares: (name: string) => parseShelf(name) !== undefined,

    complete: (typed: string) => (episode === undefined ? [] : completeAction(typed, episode.world)),
  };
}

function start({ seed, horizon = defaultHorizon, repeatUnserved }: ResetOptions): Episode {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new EnvironmentFailure(`The seed has to be a whole number of 0 or more, not ${seed}.`);
  }
  if (!Number.isSafeInteger(horizon) || horizon < 0) {
    throw new EnvironmentFailure(`The horizon has to be a whole number of 0 or more, not ${horizon}.`);
  }
  const episode: Episode = {
    horizon,
    repeatUnserved,
    generator: EventGenerator.fromSeed(seed),
    world: { shelves: new Shelves(), dock: new Set() },
    current: undefined,
    repeated: undefined,
    answered: 0,
    successful: 0,
  };
  serveNext(episode);
  return episode;
}

function hasEvent(episode: Episode): episode is Episode & { current: WarehouseEvent } {
  return episode.current !== undefined;
}

/** Makes the next event the current one, if the episode has one left; a shipment reaches the dock with it. */
function serveNext(episode: Episode): void {
  episode.current = episode.answered < episode.horizon ? episode.generator.next() : undefined;
  if (episode.current?.kind === 'shipment') episode.world.dock.add(episode.current.item);
}

/** Ends the step and gives the next observation: the result, an event shown once more, the next event. */
function advance(
  episode: Episode,
  result: string,
  repeated: WarehouseEvent | undefined,
): { observation: string; done: boolean } {
  episode.answered++;
  serveNext(episode);
  episode.repeated = episode.current === undefined ? undefined : repeated;
  const lines = [result];
  if (episode.repeated !== undefined) lines.push(eventText(episode.repeated));
  if (episode.current !== undefined) lines.push(eventText(episode.current));
  return { observation: lines.join('\n'), done: episode.current === undefined };
}

/** Whether an accepted action met an event's goal. */
function meets(action: WarehouseAction, event: WarehouseEvent, { shelves }: World): boolean {
  switch (event.kind) {
    case 'shipment':
      return action.kind === 'store' && action.item === event.item;
    case 'order':
      return action.kind === 'ship' && action.item === event.item;
    case 'maintenance':
      if (action.kind === 'move') return action.from === event.shelf;
      if (action.kind === 'ship') return action.shelf === event.shelf;
      return action.kind === 'wait' && shelves.itemOn(event.shelf) === undefined;
  }
}

function toJson(episode: Episode): JsonObject {
  return {
    horizon: episode.horizon,
    repeatUnserved: episode.repeatUnserved,
    generator: episode.generator.toJson(),
    shelves: episode.world.shelves.toJson(),
    dock: [...episode.world.dock],
    current: episode.current === undefined ? null : { ...episode.current },
    repeated: episode.repeated === undefined ? null : { ...episode.repeated },
    answered: episode.answered,
    successful: episode.successful,
  };
}

function fromJson(value: JsonValue): Episode {
  return {
    horizon: integer(member(value, 'horizon')),
    repeatUnserved: boolean(member(value, 'repeatUnserved')),
    generator: EventGenerator.fromJson(member(value, 'generator')),
    world: { shelves: shelvesFrom(member(value, 'shelves')), dock: new Set(integers(member(value, 'dock'))) },
    current: eventFrom(member(value, 'current')),
    repeated: eventFrom(member(value, 'repeated')),
    answered: integer(member(value, 'answered')),
    successful: integer(member(value, 'successful')),
  };
}

function eventFrom(value: JsonValue): WarehouseEvent | undefined {
  if (value === null) return undefined;
  const kind = member(value, 'kind');
  if (kind === 'maintenance') return { kind, shelf: integer(member(value, 'shelf')) };
  if (kind === 'shipment' || kind === 'order') return { kind, item: integer(member(value, 'item')) };
  throw unfit('an event was expected');
}
