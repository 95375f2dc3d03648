/** The scripted policy for the warehouse: the lowest-numbered empty shelf, found in Σ as the prompt shows it. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import type { Decision, Policy } from './policy';

/** As many as the warehouse has, which models don't import: a test holds one to the other. */
const shelfCount = 500;
/** Before lines that never matter, as the warehouse's instructions say; an environment with noise writes it. */
const noiseHeader = '--- BACKGROUND TELEMETRY ---';
const nothingToDo: Decision = { reasoning: 'No event asks for an action.', patch: {}, action: 'Wait' };

/**
 * Serves the last event of the observation. Where nothing can be done about it but to wait, serves an event that is
 * shown once more before it. An error that tells what is on a shelf corrects Σ; everything else Σ is believed.
 */
export const warehousePolicy: Policy = ({ state, observation }) => {
  const lines = linesBeforeNoise(observation);
  const believed = inventoryOf(state);
  const facts = lines.flatMap((line) => corrections(line, believed));
  const inventory = new Map(believed);
  for (const [shelf, item] of facts) setOrDelete(inventory, shelf, item);

  const decisions = lines.flatMap((line) => decide(line, inventory) ?? []).reverse();
  const decision = decisions.find(({ action }) => action !== 'Wait') ?? decisions[0] ?? nothingToDo;
  if (facts.length === 0) return decision;

  const changes = { ...Object.fromEntries(facts), ...inventoryPatch(decision) };
  return {
    reasoning: `The error corrects what the state says. ${decision.reasoning}`,
    patch: { inventory: changes },
    action: decision.action,
  };
};

function linesBeforeNoise(observation: string): readonly string[] {
  const lines = observation.split(/\r?\n/).map((line) => line.trim());
  const header = lines.indexOf(noiseHeader);
  return header < 0 ? lines : lines.slice(0, header);
}

/** Occupied shelves and what Σ says is on them. */
function inventoryOf(state: JsonObject): ReadonlyMap<string, string> {
  const inventory = ownProperty(state, 'inventory');
  const entries = isJsonObject(inventory) ? Object.entries(inventory) : [];
  return new Map(
    entries.flatMap(([shelf, item]) => (typeof item === 'string' ? [[shelf, item] as const] : [])),
  );
}

function inventoryPatch(decision: Decision): JsonObject {
  const patch = ownProperty(decision.patch, 'inventory');
  return isJsonObject(patch) ? patch : {};
}

type Change = readonly [shelf: string, item: string | null];

/** What an error line shows to be wrong in Σ. */
function corrections(line: string, inventory: ReadonlyMap<string, string>): readonly Change[] {
  const [, shelf, occupant] = /^Error: (shelf_\d+) is occupied by (item_\d+)\.$/.exec(line) ?? [];
  if (shelf !== undefined && occupant !== undefined) {
    if (inventory.get(shelf) === occupant) return [];
    const wrong = shelfOf(occupant, inventory);
    return [...(wrong === undefined ? [] : [[wrong, null] as const]), [shelf, occupant]];
  }
  const [, absent, emptied] = /^Error: (item_\d+) is not on (shelf_\d+)\.$/.exec(line) ?? [];
  if (absent !== undefined && emptied !== undefined && inventory.get(emptied) === absent)
    return [[emptied, null]];
  return [];
}

function decide(line: string, inventory: ReadonlyMap<string, string>): Decision | undefined {
  const [, arrived] = /^Shipment arrived containing (item_\d+)\.$/.exec(line) ?? [];
  if (arrived !== undefined) return store(arrived, inventory);
  const [, ordered] = /^Customer ordered (item_\d+)\.$/.exec(line) ?? [];
  if (ordered !== undefined) return ship(ordered, inventory);
  const [, shelf] = /^Maintenance required on (shelf_\d+)\.$/.exec(line) ?? [];
  if (shelf !== undefined) return vacate(shelf, inventory);
  return undefined;
}

function store(item: string, inventory: ReadonlyMap<string, string>): Decision {
  const target = lowestEmpty(inventory);
  if (target === undefined) return waiting(`${item} arrived, but no shelf is empty.`);
  const wrong = shelfOf(item, inventory);
  return {
    reasoning: `${item} arrived. The lowest-numbered empty shelf is ${target}, so it goes there.`,
    patch: { inventory: { ...(wrong === undefined ? {} : { [wrong]: null }), [target]: item } },
    action: `Store ${item} ${target}`,
  };
}

function ship(item: string, inventory: ReadonlyMap<string, string>): Decision {
  const shelf = shelfOf(item, inventory);
  if (shelf === undefined) return waiting(`${item} was ordered, but the state has it on no shelf.`);
  return {
    reasoning: `${item} was ordered. The state has it on ${shelf}, so it ships from there.`,
    patch: { inventory: { [shelf]: null } },
    action: `Ship ${item} ${shelf}`,
  };
}

function vacate(shelf: string, inventory: ReadonlyMap<string, string>): Decision {
  const item = inventory.get(shelf);
  if (item === undefined) return waiting(`Maintenance is due on ${shelf}, which is empty already.`);
  const target = lowestEmpty(inventory);
  if (target === undefined) return waiting(`Maintenance is due on ${shelf}, but no shelf is empty.`);
  return {
    reasoning: `Maintenance is due on ${shelf}. The lowest-numbered empty shelf is ${target}, so ${item} moves there.`,
    patch: { inventory: { [shelf]: null, [target]: item } },
    action: `Move ${item} ${shelf} ${target}`,
  };
}

function waiting(reasoning: string): Decision {
  return { reasoning: `${reasoning} So I wait.`, patch: {}, action: 'Wait' };
}

function lowestEmpty(inventory: ReadonlyMap<string, string>): string | undefined {
  for (let shelf = 0; shelf < shelfCount; shelf++) {
    if (!inventory.has(`shelf_${shelf}`)) return `shelf_${shelf}`;
  }
  return undefined;
}

function shelfOf(item: string, inventory: ReadonlyMap<string, string>): string | undefined {
  for (const [shelf, occupant] of inventory) if (occupant === item) return shelf;
  return undefined;
}

function setOrDelete(inventory: Map<string, JsonValue & string>, shelf: string, item: string | null): void {
  if (item === null) inventory.delete(shelf);
  else inventory.set(shelf, item);
}
