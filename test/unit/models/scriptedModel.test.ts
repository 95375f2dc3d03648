/** The scripted model in a closed loop with the warehouse, and as a stream. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { createScriptedModel } from '../../../client/src/models/scripted/scriptedModel';
import { warehousePolicy } from '../../../client/src/models/scripted/warehousePolicy';
import type { Model, ModelRequest } from '../../../client/src/runtime/model';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { modelRequest } from '../../support/modelRequest';
import { promptFor } from './promptText';

const signal = new AbortController().signal;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const model = createScriptedModel({ policy: warehousePolicy, sha256 });

function requestFor(prompt: string): ModelRequest {
  return modelRequest({ prompt });
}

async function chunksOf(of: Model, prompt: string): Promise<readonly string[]> {
  const chunks = [];
  for await (const event of of.generate(requestFor(prompt), signal))
    if (event.type === 'text') chunks.push(event.text);
  return chunks;
}

/** The block of a reply without faults. */
function blockOf(reply: string): { patch: JsonObject; action: string } {
  const [, block = ''] = /```json\n(.*)\n```\n$/.exec(reply) ?? [];
  const value = JSON.parse(block);
  expect(Object.keys(value)).toEqual(['state_patch', 'action']);
  return { patch: value.state_patch, action: value.action };
}

/** RFC 7396, in its own words. */
function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, JsonValue> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

describe('the scripted model', () => {
  it('answers in the format that the prompt asks for', async () => {
    const prompt = promptFor({ inventory: { shelf_42: 'item_12' } }, 'Customer ordered item_12.');
    expect(
      (await chunksOf(model, prompt)).join(''),
    ).toBe(`item_12 was ordered. The state has it on shelf_42, so it ships from there.

\`\`\`json
{"state_patch":{"inventory":{"shelf_42":null}},"action":"Ship item_12 shelf_42"}
\`\`\`
`);
  });

  it.each([0, 1, 2, 42, 1_234_567])('succeeds at all of 1,000 events of seed %d', async (seed) => {
    const warehouse = createWarehouse();
    let state: JsonObject = { inventory: {} };
    let { observation, done } = await warehouse.reset(
      { seed, horizon: 1_000, repeatUnserved: false },
      signal,
    );
    while (!done) {
      const { patch, action } = blockOf((await chunksOf(model, promptFor(state, observation))).join(''));
      const next = merged(state, patch);
      expect(isJsonObject(next)).toBe(true);
      if (isJsonObject(next)) state = next;
      ({ observation, done } = await warehouse.execute(action, signal));
      expect(state).toEqual(warehouse.truth?.());
    }
    expect(warehouse.score?.()).toEqual({ actionable: 1_000, successful: 1_000 });
  });

  it('streams the same pieces for the same prompt', async () => {
    const prompt = promptFor({ inventory: {} }, 'Shipment arrived containing item_0.');
    const chunks = await chunksOf(model, prompt);
    expect(chunks.length).toBeGreaterThan(5);
    expect(await chunksOf(model, prompt)).toEqual(chunks);
  });

  it('says why it ended', async () => {
    const events = [];
    for await (const event of model.generate(requestFor(promptFor({}, '')), signal)) events.push(event);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('ends in the middle of a reply for an aborted signal', async () => {
    const controller = new AbortController();
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const event of model.generate(requestFor(promptFor({}, '')), controller.signal)) {
        if (event.type === 'text') chunks.push(event.text);
        if (chunks.length === 2) controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(chunks).toHaveLength(2);
  });

  const other = composePrompt({ instructions: 'Wait.', state: {}, observation: '' }).text;
  it.each(['', 'Say hello.', other.replace('{}', '[]'), other.replace('{}', '{')])(
    'fails at a prompt that it cannot read: %j',
    async (prompt) => {
      await expect(chunksOf(model, prompt)).rejects.toMatchObject({ name: 'ModelFailure', retryable: false });
    },
  );

  it.each([-0.1, 1.1, Number.NaN])('has no rate of faults of %d', (faults) => {
    expect(() => createScriptedModel({ policy: warehousePolicy, faults, sha256 })).toThrow(RangeError);
  });
});
