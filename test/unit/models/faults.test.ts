/** Faults on purpose: their rate, their split 68/20/12, and what each class does to a reply. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { drawFault, type FaultClass } from '../../../client/src/models/scripted/faults';
import { faultyReply } from '../../../client/src/models/scripted/faultyReply';
import type { Decision } from '../../../client/src/models/scripted/policy';
import { createScriptedModel } from '../../../client/src/models/scripted/scriptedModel';
import { warehousePolicy } from '../../../client/src/models/scripted/warehousePolicy';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { modelRequest } from '../../support/modelRequest';
import { promptFor } from './promptText';

const signal = new AbortController().signal;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Situations that an agent meets, from an empty warehouse on. */
async function situations(
  seed: number,
  count: number,
): Promise<readonly { state: JsonObject; observation: string }[]> {
  const warehouse = createWarehouse();
  let { observation } = await warehouse.reset({ seed, horizon: count, repeatUnserved: false }, signal);
  const seen = [];
  for (let step = 0; step < count; step++) {
    const state = warehouse.truth?.() ?? {};
    seen.push({ state, observation });
    const { action } = warehousePolicy({ instructions: '', state, observation });
    ({ observation } = await warehouse.execute(action, signal));
  }
  return seen;
}

/** Every variant of a class of fault for one situation. */
function variantsOf(faultClass: FaultClass, state: JsonObject, decision: Decision): ReadonlySet<string> {
  const positions = Array.from({ length: 60 }, (_, index) => (index + 0.5) / 60);
  return new Set(
    positions.map((variant) => faultyReply(decision, state, { class: faultClass, variant, place: 0.5 })),
  );
}

function replyBlock(reply: string): JsonValue | undefined {
  const [, block = ''] = /```json\n([\s\S]*)\n```\n$/.exec(reply) ?? [];
  try {
    return JSON.parse(block);
  } catch {
    return undefined;
  }
}

/** The class of mistake that a reply shows, judged from outside; undefined for a right one. */
function diagnose(reply: string, decision: Decision): FaultClass | undefined {
  const block = replyBlock(reply);
  if (!isJsonObject(block) || Object.keys(block).join() !== 'state_patch,action') return 'syntax';
  const patch = block.state_patch;
  if (!isJsonObject(patch)) return 'coercion';
  const inventory = patch.inventory ?? null;
  if (JSON.stringify(patch) === JSON.stringify(decision.patch)) return undefined;
  if (inventory === null) return 'overwrite';
  if (!isJsonObject(inventory)) return 'coercion';
  return Object.values(inventory).some((item) => typeof item === 'number') ? 'coercion' : 'overwrite';
}

describe('the draw of faults', () => {
  it('has the rate and the split that are asked for', () => {
    const prompts = Array.from({ length: 20_000 }, (_, index) => `prompt ${index}`);
    const counts = { overwrite: 0, coercion: 0, syntax: 0 };
    for (const prompt of prompts) {
      const fault = drawFault(prompt, { rate: 0.3, seed: 1, sha256 });
      if (fault) counts[fault.class]++;
    }
    const total = counts.overwrite + counts.coercion + counts.syntax;
    expect(total / prompts.length).toBeCloseTo(0.3, 1.7);
    expect(counts.overwrite / total).toBeCloseTo(0.68, 1.4);
    expect(counts.coercion / total).toBeCloseTo(0.2, 1.4);
    expect(counts.syntax / total).toBeCloseTo(0.12, 1.4);
  });

  it('depends on the seed and the prompt alone', () => {
    const draw = (prompt: string, seed: number) => drawFault(prompt, { rate: 0.5, seed, sha256 });
    expect(draw('a', 1)).toEqual(draw('a', 1));
    const seeds = Array.from({ length: 50 }, (_, seed) => JSON.stringify(draw('a', seed)));
    expect(new Set(seeds).size).toBeGreaterThan(20);
  });

  it('draws none at rate 0 and one each time at rate 1', () => {
    expect(drawFault('a', { rate: 0, seed: 1, sha256 })).toBeUndefined();
    for (let index = 0; index < 200; index++) {
      expect(drawFault(`${index}`, { rate: 1, seed: 1, sha256 })).toBeDefined();
    }
  });
});

describe('a reply with a fault', () => {
  it('shows the class that was drawn, in every situation', async () => {
    for (const { state, observation } of await situations(5, 300)) {
      const decision = warehousePolicy({ instructions: '', state, observation });
      for (const faultClass of ['overwrite', 'coercion', 'syntax'] as const) {
        for (const reply of variantsOf(faultClass, state, decision)) {
          expect(diagnose(reply, decision)).toBe(faultClass);
        }
      }
    }
  });

  it('makes the mistakes that models make', () => {
    const state = { inventory: { shelf_0: 'item_1', shelf_1: 'item_2' } };
    const decision = warehousePolicy({ instructions: '', state, observation: 'Customer ordered item_1.' });
    const patches = (faultClass: FaultClass) =>
      [...variantsOf(faultClass, state, decision)].map((reply) => {
        const block = replyBlock(reply);
        return isJsonObject(block) ? block.state_patch : undefined;
      });
    expect(patches('overwrite')).toEqual([
      { inventory: { shelf_0: null, shelf_1: null } },
      { inventory: { shelf_0: 'item_1', shelf_1: 'item_2' } },
      { inventory: null },
    ]);
    expect(patches('coercion')).toEqual([
      { inventory: [{ key: 'shelf_1', value: 'item_2' }] },
      [{ op: 'remove', path: '/inventory/shelf_0' }],
    ]);
    const arrival = warehousePolicy({
      instructions: '',
      state,
      observation: 'Shipment arrived containing item_5.',
    });
    const numbers = [...variantsOf('coercion', state, arrival)].map(replyBlock);
    expect(numbers).toContainEqual({
      state_patch: { inventory: { shelf_2: 5 } },
      action: 'Store item_5 shelf_2',
    });
    const resent = [...variantsOf('overwrite', state, arrival)].map(replyBlock);
    expect(resent).toContainEqual({ state_patch: state, action: 'Store item_5 shelf_2' });
  });

  it('breaks the syntax in six ways', () => {
    const state = { inventory: {} };
    const decision = warehousePolicy({
      instructions: '',
      state,
      observation: 'Shipment arrived containing item_5.',
    });
    const tails = [...variantsOf('syntax', state, decision)].map((reply) =>
      reply.slice(decision.reasoning.length).trim(),
    );
    const patch = '"state_patch":{"inventory":{"shelf_0":"item_5"}}';
    const action = '"action":"Store item_5 shelf_0"';
    expect(tails).toEqual([
      `\`\`\`json\n{${patch},${action},}\n\`\`\``,
      `\`\`\`json\n{${patch},${action}\n\`\`\``,
      `\`\`\`json\n{${patch},${action}}\n\`\`\``.replaceAll('"', "'"),
      `\`\`\`json\n{${patch};${action}}\n\`\`\``,
      `{${patch},${action}}`,
      `\`\`\`json\n{${patch},${action},"reasoning":${JSON.stringify(decision.reasoning)}}\n\`\`\``,
    ]);
  });

  it('comes at the rate that the model was given, and the rest of the replies are right', async () => {
    const model = createScriptedModel({ policy: warehousePolicy, faults: 0.3, faultSeed: 7, sha256 });
    const all = await situations(11, 2_000);
    let faulty = 0;
    for (const { state, observation } of all) {
      const request = modelRequest({ prompt: promptFor(state, observation) });
      let reply = '';
      for await (const event of model.generate(request, signal))
        if (event.type === 'text') reply += event.text;
      if (diagnose(reply, warehousePolicy({ instructions: '', state, observation })) !== undefined) faulty++;
    }
    expect(faulty / all.length).toBeCloseTo(0.3, 1.2);
  });
});
