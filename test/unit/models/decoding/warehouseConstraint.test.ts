/** The constraints of the warehouse sample: what they let a model write, and what not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Dialect, replyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import { parseActions } from '../../../../schemas/skill/actionSignature';
import { loadStateSchema } from '../../../../schemas/state/stateSchema';
import { isOfGrammar } from '../../../support/grammarSample';
import { repository } from '../../../support/memoryRun';

function sample(name: string): string {
  return readFileSync(join(repository, 'samples', 'warehouse', name), 'utf8');
}

const stateSchema = loadStateSchema({ path: 'state.schema.yaml', text: sample('state.schema.yaml') });
const { actions } = parseActions({ text: sample('SKILL.md'), file: 'SKILL.md' });

function occupied(shelves: readonly number[]) {
  return { inventory: Object.fromEntries(shelves.map((shelf) => [`shelf_${shelf}`, `item_${shelf}`])) };
}

function grammarFor(shelves: readonly number[]): string {
  const constraint = replyConstraint(
    { stateSchema, actions, state: occupied(shelves) },
    'grammar',
    'llama.cpp',
  );
  expect(constraint.dropped).toEqual([]);
  return constraint.kind === 'grammar' ? constraint.grammar : '';
}

const fence = '```';

function replyOf(patch: string, action = 'Wait', prose = 'So it is.'): string {
  return `${prose}\n\n${fence}json\n{"state_patch":${patch},"action":"${action}"}\n${fence}`;
}

const someShelves = [0, 1, 3, 14, 42, 137, 499];
const manyShelves = Array.from({ length: 250 }, (_, index) => (index * 7) % 500);
const allShelves = Array.from({ length: 500 }, (_, index) => index);

describe.each([
  ['some shelves', someShelves],
  ['half of the shelves', manyShelves],
])('with %s occupied', (_name, shelves) => {
  const grammar = grammarFor(shelves);
  const free = allShelves.filter((shelf) => !shelves.includes(shelf));
  const takes = (inventory: string) => isOfGrammar(grammar, replyOf(`{"inventory":{${inventory}}}`));

  it('lets a shelf be filled and emptied', () => {
    for (const shelf of allShelves) {
      expect([shelf, takes(`"shelf_${shelf}":"item_7"`)]).toEqual([shelf, true]);
      expect([shelf, takes(`"shelf_${shelf}":null`)]).toEqual([shelf, shelves.includes(shelf)]);
    }
  });

  it('lets an item be moved between any two shelves, in either order', () => {
    for (let index = 0; index < 400; index++) {
      const from = shelves[(index * 31) % shelves.length];
      const to = free[(index * 17) % free.length];
      expect([from, to, takes(`"shelf_${from}":null,"shelf_${to}":"item_1"`)]).toEqual([from, to, true]);
      expect([from, to, takes(`"shelf_${to}":"item_1","shelf_${from}":null`)]).toEqual([from, to, true]);
    }
  });

  it('has no shelf twice, no other key, and no other value', () => {
    for (const shelf of [...shelves.slice(0, 40), ...free.slice(0, 40)]) {
      expect([shelf, takes(`"shelf_${shelf}":"item_1","shelf_${shelf}":"item_2"`)]).toEqual([shelf, false]);
    }
    const wrong = [
      '"shelf_500":"item_1"',
      '"shelf_01":"item_1"',
      '"shelf_":"item_1"',
      '"item_1":"shelf_1"',
      '"shelf_2":"item_01"',
      '"shelf_2":"thing"',
      '"shelf_2":7',
      '"shelf_2":{}',
      `"shelf_2":"item_1${'0'.repeat(30)}"`,
      '"shelf_2":"item_1",',
      '"shelf_2" : "item_1"',
    ];
    expect(wrong.filter(takes)).toEqual([]);
  });

  it('is short', () => {
    expect(grammar.length).toBeLessThan(12_000);
  });
});

describe('the grammar', () => {
  const grammar = grammarFor(someShelves);

  it('has the format of the prompt, and nothing else', () => {
    const good = [
      replyOf('{}'),
      replyOf('{"inventory":null}'),
      replyOf('{"inventory":{}}'),
      replyOf('{}', 'Wait', '1. Look.\n2. Think: 3 > 2, "so"!\n\nWait, then.'),
      replyOf('{"inventory":{"shelf_14":null,"shelf_8":"item_102"}}', 'Move item_102 shelf_14 shelf_8'),
      replyOf('{}').replace('\n\n', '\n'),
    ];
    const bad = [
      replyOf('{}').slice(0, -1),
      `${replyOf('{}')}\n`,
      replyOf('{}', 'Wait', ''),
      replyOf('{}', 'Wait', '{"state_patch":{},"action":"Wait"}'),
      replyOf('{"other":1}'),
      replyOf('[]'),
      replyOf('null'),
    ];
    expect(good.filter((reply) => !isOfGrammar(grammar, reply))).toEqual([]);
    expect(bad.filter((reply) => isOfGrammar(grammar, reply))).toEqual([]);
  });

  it('has the declared actions, whose arguments are shelves and items', () => {
    const good = ['Store item_1 shelf_499', 'Ship item_12 shelf_0', 'Move item_3 shelf_1 shelf_2', 'Wait'];
    const bad = [
      'store item_1 shelf_1',
      'Store item_1',
      'Store item_1 shelf_500',
      'Ship shelf_1 item_1',
      'Wait now',
      'Move item_3 shelf_1',
      ' Wait',
      '',
    ];
    expect(good.filter((action) => !isOfGrammar(grammar, replyOf('{}', action)))).toEqual([]);
    expect(bad.filter((action) => isOfGrammar(grammar, replyOf('{}', action)))).toEqual([]);
  });

  it('leaves room for the block in a reply of few tokens, and much where none are counted', () => {
    const expected = { stateSchema, actions, state: occupied([]) };
    const isIn = (maxTokens: number | undefined, prose: string) => {
      const constraint = replyConstraint(expected, 'grammar', 'llama.cpp', { maxTokens });
      return constraint.kind === 'grammar' && isOfGrammar(constraint.grammar, replyOf('{}', 'Wait', prose));
    };
    expect([isIn(240, 'x'.repeat(200)), isIn(240, 'x'.repeat(300))]).toEqual([true, false]);
    expect([isIn(1_000, 'x'.repeat(640)), isIn(1_000, 'x'.repeat(700))]).toEqual([true, false]);
    // In a model of bytes each of these is three tokens.
    expect([isIn(1_000, '棚'.repeat(160)), isIn(1_000, '棚'.repeat(200))]).toEqual([true, false]);
    expect([isIn(undefined, 'x'.repeat(40_000)), isIn(undefined, 'x'.repeat(41_000))]).toEqual([true, false]);
    expect(isIn(undefined, '棚は空です。\n'.repeat(1_000).trim())).toBe(true);
  });

  it('is the same for the same state', () => {
    expect(grammarFor(manyShelves)).toBe(grammarFor([...manyShelves]));
  });
});

describe('JSON Schemas', () => {
  const expected = { stateSchema, actions, state: occupied([0, 14]) };
  const schemaOf = (encoding: 'json-schema' | 'operations', dialect: Dialect) => {
    const constraint = replyConstraint(expected, encoding, dialect);
    if (constraint.kind !== 'json') throw new Error('No schema');
    const { properties } = constraint.schema as { properties: Record<string, object> };
    const dropped = constraint.dropped.map(
      ({ pointer, keyword, reason }) => `${pointer}: ${keyword} ${reason}`,
    );
    return [JSON.stringify(properties.state_patch), JSON.stringify(properties.action), ...dropped];
  };

  it('have the reasoning first', () => {
    for (const dialect of ['openai', 'gemini', 'llama.cpp', 'json-schema'] as const)
      expect(replyConstraint(expected, 'operations', dialect)).toMatchObject({
        schema: { required: ['reasoning', 'state_patch', 'action'] },
      });
  });

  it('have patterns of keys where those are known', () => {
    expect(schemaOf('json-schema', 'json-schema')).toMatchInlineSnapshot(`
      [
        "{"type":"object","properties":{"inventory":{"anyOf":[{"type":"object","additionalProperties":{"$ref":"#/$defs/d1"},"patternProperties":{"^shelf_(0|14)$":{"anyOf":[{"$ref":"#/$defs/d1"},{"type":"null"}]}},"propertyNames":{"type":"string","maxLength":9,"pattern":"^shelf_(0|[1-9][0-9]?|[1-4][0-9]{2})$"}},{"type":"null"}]}},"additionalProperties":false}",
        "{"anyOf":[{"type":"string","pattern":"^Store item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","pattern":"^Ship item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","pattern":"^Move item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","enum":["Wait"]}]}",
      ]
    `);
  });

  it('leave out for llama.cpp what its grammars lack, and say so', () => {
    expect(schemaOf('json-schema', 'llama.cpp')).toMatchInlineSnapshot(`
      [
        "{"type":"object","properties":{"inventory":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"type":"string","pattern":"^item_(0|[1-9][0-9]{0,18})$"},{"type":"null"}]}},{"type":"null"}]}},"additionalProperties":false}",
        "{"anyOf":[{"type":"string","pattern":"^Store item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","pattern":"^Ship item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","pattern":"^Move item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","enum":["Wait"]}]}",
        "/properties/inventory: propertyNames is unknown to llama.cpp grammars",
        "/properties/inventory: maxProperties is unknown to llama.cpp grammars",
        "/properties/inventory: additionalProperties may have one key twice, which makes the reply no JSON, and keys can be of any length and number there, so that a reply may not end by itself",
        ": reasoning can have no more than 2000 characters",
      ]
    `);
  });

  it('have actions as objects for Gemini, which knows no patterns', () => {
    expect(schemaOf('json-schema', 'gemini')).toMatchInlineSnapshot(`
      [
        "{"type":"object","properties":{"inventory":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}},{"type":"null"}]}},"additionalProperties":false}",
        "{"anyOf":[{"type":"object","properties":{"name":{"type":"string","enum":["Store"]},"arguments":{"type":"object","properties":{"item_id":{"type":"string"},"empty_shelf_id":{"type":"string"}},"required":["item_id","empty_shelf_id"],"additionalProperties":false,"propertyOrdering":["item_id","empty_shelf_id"]}},"required":["name","arguments"],"additionalProperties":false,"propertyOrdering":["name","arguments"]},{"type":"object","properties":{"name":{"type":"string","enum":["Ship"]},"arguments":{"type":"object","properties":{"item_id":{"type":"string"},"shelf_id":{"type":"string"}},"required":["item_id","shelf_id"],"additionalProperties":false,"propertyOrdering":["item_id","shelf_id"]}},"required":["name","arguments"],"additionalProperties":false,"propertyOrdering":["name","arguments"]},{"type":"object","properties":{"name":{"type":"string","enum":["Move"]},"arguments":{"type":"object","properties":{"item_id":{"type":"string"},"old_shelf_id":{"type":"string"},"new_shelf_id":{"type":"string"}},"required":["item_id","old_shelf_id","new_shelf_id"],"additionalProperties":false,"propertyOrdering":["item_id","old_shelf_id","new_shelf_id"]}},"required":["name","arguments"],"additionalProperties":false,"propertyOrdering":["name","arguments"]},{"type":"string","enum":["Wait"]}]}",
        "/properties/inventory/additionalProperties: pattern is unknown to Gemini",
        "/properties/inventory/additionalProperties: maxLength is unknown to Gemini",
        "/properties/inventory: propertyNames is unknown to Gemini",
        "/properties/inventory: maxProperties is unknown to Gemini",
      ]
    `);
  });

  it('have operations for OpenAI’s strict mode, the same at every step', () => {
    expect(schemaOf('operations', 'openai')).toMatchInlineSnapshot(`
      [
        "{"type":"array","items":{"anyOf":[{"type":"object","properties":{"op":{"type":"string","enum":["set"]},"path":{"type":"string","pattern":"^/inventory/shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},"value":{"type":"string","pattern":"^item_(0|[1-9][0-9]{0,18})$"}},"required":["op","path","value"],"additionalProperties":false},{"type":"object","properties":{"op":{"type":"string","enum":["set"]},"path":{"type":"string","enum":["/inventory"]},"value":{"type":"object","properties":{},"required":[],"additionalProperties":false}},"required":["op","path","value"],"additionalProperties":false},{"type":"object","properties":{"op":{"type":"string","enum":["delete"]},"path":{"type":"string","pattern":"^(/inventory/shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)|/inventory)$"}},"required":["op","path"],"additionalProperties":false}]},"maxItems":32}",
        "{"anyOf":[{"type":"string","pattern":"^Store item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","pattern":"^Ship item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","pattern":"^Move item_(0|[1-9][0-9]{0,18}) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?) shelf_(0|[1-4]([0-9][0-9]?)?|[5-9][0-9]?)$"},{"type":"string","enum":["Wait"]}]}",
        ": properties may be written by two operations, or as if values had keys, which makes the reply no patch",
      ]
    `);
    const other = replyConstraint({ ...expected, state: occupied(manyShelves) }, 'operations', 'openai');
    expect(other).toEqual(replyConstraint(expected, 'operations', 'openai'));
  });

  it('list for other servers what can be deleted', () => {
    expect(schemaOf('operations', 'llama.cpp')[0]).toMatchInlineSnapshot(
      `"{"type":"array","items":{"anyOf":[{"type":"object","properties":{"op":{"type":"string","enum":["set"]},"path":{"type":"string","pattern":"^(/inventory/(shelf_0|shelf_14)|/inventory/shelf_(1([0-35-9][0-9]?|4[0-9])?|[2-4]([0-9][0-9]?)?|[5-9][0-9]?))$"},"value":{"type":"string","pattern":"^item_(0|[1-9][0-9]{0,18})$"}},"required":["op","path","value"],"additionalProperties":false},{"type":"object","properties":{"op":{"type":"string","enum":["delete"]},"path":{"type":"string","enum":["/inventory/shelf_0","/inventory/shelf_14","/inventory"]}},"required":["op","path"],"additionalProperties":false}]},"maxItems":32}"`,
    );
  });
});
