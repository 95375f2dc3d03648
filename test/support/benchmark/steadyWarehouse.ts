/**
 * A warehouse in which every step is as much work as any other: 20 shelves are occupied at every t, and each step
 * empties the shelf that was filled first and fills another one. Shelves and items have names of equal length, so that
 * Σ, the prompt and the reply take the same number of characters at every t. Model and environment answer at once.
 */
import type { Environment } from '../../../client/src/runtime/environment';
import type { Model } from '../../../client/src/runtime/model';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { loadSkill, type Skill } from '../../../schemas/skill/skill';
import { replyOf, sampleFiles } from '../memoryRun';

const occupiedShelves = 20;
/** shelf_100 to shelf_499, in turn. */
const shelfCount = 400;

const shelfOf = (index: number): string => `shelf_${100 + (index % shelfCount)}`;
const itemOf = (index: number): string => `item_${1_000_000 + index}`;

/** The first and the next shelf of step t, and the item that goes onto the latter. */
function changeOf(step: number) {
  const added = step + occupiedShelves;
  return { emptied: shelfOf(step), filled: shelfOf(added), item: itemOf(added) };
}

/** ΔΣ_t: one shelf deleted, one set. */
export function steadyPatch(step: number): JsonObject {
  const { emptied, filled, item } = changeOf(step);
  return { inventory: { [emptied]: null, [filled]: item } };
}

function inventoryAt(step: number): JsonObject {
  const inventory: Record<string, string> = {};
  for (let index = step; index < step + occupiedShelves; index++) inventory[shelfOf(index)] = itemOf(index);
  return inventory;
}

/** The sample's skill, beginning with 20 occupied shelves. */
export function steadySkill(): Promise<Skill> {
  const sample = sampleFiles('warehouse');
  const initialState = JSON.stringify({ inventory: inventoryAt(0) });
  return loadSkill({
    ...sample,
    read: async (path) => (path === 'state.initial.json' ? initialState : sample.read(path)),
  });
}

/** Answers step t with {@link steadyPatch}, in one piece. */
export function steadyModel(): Model {
  return {
    name: 'steady',
    async *generate({ step }) {
      const { emptied, filled, item } = changeOf(step);
      yield { type: 'text', text: replyOf(steadyPatch(step), `Move ${item} ${emptied} ${filled}`) };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** Accepts `steps` actions; its truth is what Σ ought to be. */
export function steadyEnvironment(steps: number): Environment {
  let step = 0;
  const observe = (): string => {
    const { emptied, filled, item } = changeOf(step);
    return `Maintenance required on ${emptied}: ${item} takes its place on ${filled}.`;
  };
  const advance = (result: string, accepted: boolean) => {
    step += 1;
    return { observation: `${result}\n${observe()}`, accepted, done: step >= steps };
  };
  return {
    name: 'steady',
    deterministic: true,
    async reset() {
      step = 0;
      return { observation: observe(), done: steps === 0 };
    },
    execute: async (action) => advance(`Success: ${action}.`, true),
    skip: async (reason) => advance(`Rejected: ${reason}`, false),
    truth: () => ({ inventory: inventoryAt(step) }),
    score: () => ({ actionable: step, successful: step }),
  };
}
