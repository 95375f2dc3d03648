/** What models write under an encoding becomes the reply format of the prompt, or a reply that the runtime rejects for what it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReplyDecoder } from '../../../../client/src/models/decoding/replyDecoder';
import type { Encoding } from '../../../../client/src/models/modelSettings';
import { mergePatch } from '../../../../client/src/runtime/merge';
import { parseReply } from '../../../../client/src/runtime/replyParser';
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import { parseActions } from '../../../../schemas/skill/actionSignature';
import { anyJson, anyJsonObject } from '../../runtime/arbitraries';
import { appendixA, mergePatchByTheLetter } from '../../runtime/rfc7396';
import { limits, schemaOf } from '../../runtime/schemaOf';

const { actions } = parseActions({
  text: '# Actions\n\n- `Store <item> <shelf>`\n- `Say(text, tone)`\n- `Note <words...>`\n- `Wait`\n',
  file: 'SKILL.md',
});
const state: JsonObject = { count: 1, list: [1, 2], shelves: { shelf_1: 'item_1', shelf_2: 'item_2' } };
const expected = { stateSchema: schemaOf({ type: 'object' }), actions, state };

function decoded(text: string, encoding: Encoding = 'json-schema'): string {
  const decoder = createReplyDecoder(encoding, expected);
  return decoder.write(text) + decoder.end();
}

function inPieces(text: string, sizes: Iterable<number>, encoding: Encoding): string {
  const decoder = createReplyDecoder(encoding, expected);
  let result = '';
  let at = 0;
  for (const size of sizes) {
    result += decoder.write(text.slice(at, at + size));
    at += size;
  }
  return result + decoder.write(text.slice(at)) + decoder.end();
}

/** The patch and action of a reply, or why it is rejected. */
function outcome(reply: string): unknown {
  const parsed = parseReply(reply, limits);
  return parsed.ok
    ? { patch: parsed.reply.patch, action: parsed.reply.action, reasoning: parsed.reply.reasoning }
    : `${parsed.rejection.class}: ${parsed.rejection.message}`;
}

const fenced = (block: string, prose = 'So it is.'): string => `${prose}\n\n\`\`\`json\n${block}\n\`\`\``;

test('reasoning becomes prose, and the patch stays as it was written', () => {
  const text = '{"reasoning":"So it is.","state_patch":{"a" : 1.50,"b":null},"action":"Wait"}';
  expect(decoded(text)).toBe(fenced('{"state_patch":{"a" : 1.50,"b":null},"action":"Wait"}'));
  expect(decoded(` \n${text}\n`)).toBe(decoded(text));
});

test('free replies and those of a grammar pass through', () => {
  const text = 'Anything { at } all\n```';
  for (const encoding of ['free', 'grammar'] as const) expect(decoded(text, encoding)).toBe(text);
});

test('prose streams while it is written', () => {
  const decoder = createReplyDecoder('json-schema', expected);
  expect(decoder.write('{"reasoning":"One\\nt')).toBe('One\nt');
  expect(decoder.write('wo \\u00e')).toBe('wo ');
  expect(decoder.write('9 and \\ud83d')).toBe('é and \ud83d');
  expect(decoder.write('\\ude00"')).toBe('\ude00');
  expect(decoder.write(',"state_patch":{"a')).toBe('\n\n```json\n{"state_patch":{"a');
  expect(decoder.write('":1}')).toBe('":1}');
  expect(decoder.write(',"action":"Wait"}')).toBe(',"action":"Wait"}');
  expect(decoder.end()).toBe('\n```');
});

test('a fence in the reasoning opens no block', () => {
  const block = '{"state_patch":{"wrong":1},"action":"Wait"}';
  for (const fence of ['```json\n', '  ```\n', '`````\n', '~~~\n```JSON ', '\t```json ']) {
    const reasoning = `As here:\n${fence}${block}\n\`\`\`\nThat is it`;
    const reply = (rest: string): string => decoded(`{"reasoning":${JSON.stringify(reasoning)}${rest}`);
    expect(outcome(reply(',"state_patch":{"right":1},"action":"Wait"}'))).toMatchObject({
      patch: { right: 1 },
    });
    expect(outcome(reply('}'))).toMatch(/^missing-key/);
    expect(outcome(reply(''))).toMatch(/^no-block/);
  }
  expect(decoded('{"reasoning":"```js\\n``two`` and ```three","state_patch":{},"action":"Wait"}')).toBe(
    fenced('{"state_patch":{},"action":"Wait"}', "'''js\n``two`` and ```three"),
  );
});

test('a reply that ends early is what it is', () => {
  const text = '{"reasoning":"So it is.","state_patch":{"a":{"b":1}},"action":"Wait"}';
  const classes = new Set<string>();
  for (const encoding of ['json-schema', 'operations'] as const) {
    for (let length = 0; length < text.length; length++) {
      const rejection = outcome(decoded(text.slice(0, length), encoding));
      expect(rejection).toBeTypeOf('string');
      classes.add(String(rejection).split(':')[0] ?? '');
    }
  }
  expect([...classes].sort()).toEqual(['no-block', 'syntax']);
});

test('what is no object of these members is rejected for what it is', () => {
  const texts = {
    'no object': 'I will wait.',
    'a fenced block': fenced('{"state_patch":{},"action":"Wait"}'),
    'reasoning alone': '{"reasoning":"x"}',
    'a comma at the end': '{"reasoning":"x",}',
    'a comma after the action': '{"state_patch":{},"action":"Wait",}',
    'another key': '{"reasoning":"x","state_patch":{},"action":"Wait","more":1}',
    'a key twice': '{"state_patch":{},"state_patch":{},"action":"Wait"}',
    'a key of the patch twice': '{"reasoning":"x","state_patch":{"a":1,"a":2},"action":"Wait"}',
    'text behind': '{"state_patch":{},"action":"Wait"} Done.',
    'two objects': '{"state_patch":{},"action":"Wait"}{"state_patch":{},"action":"Store a b"}',
    'no colon': '{"reasoning" "x"}',
    'a bare key': '{reasoning:1}',
    'a text for the patch': '{"reasoning":"x","state_patch":"none","action":"Wait"}',
    'a wrong number': '{"state_patch":{"a":01},"action":"Wait"}',
    'a list': '[{"state_patch":{}}]',
    nothing: '',
  };
  const found = Object.entries(texts).map(
    ([name, text]) => `${name}: ${JSON.stringify(outcome(decoded(text)))}`,
  );
  expect(found).toMatchInlineSnapshot(`
    [
      "no object: "no-block: The reply has no JSON block fenced with \`\`\`json and \`\`\`."",
      "a fenced block: {"patch":{},"action":"Wait","reasoning":"So it is."}",
      "reasoning alone: "missing-key: The JSON block lacks \\"state_patch\\" and \\"action\\"; its keys have to be \\"state_patch\\" and \\"action\\"."",
      "a comma at the end: "syntax: The JSON is not valid: expected a key in double quotes or \\"}\\", found \\",\\"."",
      "a comma after the action: "syntax: The JSON is not valid: a comma may not stand before \\"}\\"."",
      "another key: "extra-key: The JSON block may not have \\"more\\"; its keys have to be exactly \\"state_patch\\" and \\"action\\"."",
      "a key twice: "syntax: The key \\"state_patch\\" occurs twice in one object."",
      "a key of the patch twice: "syntax: The key \\"a\\" occurs twice in one object."",
      "text behind: "syntax: The JSON is not valid: \\"Done\\" is not a JSON value."",
      "two objects: "syntax: The JSON is not valid: expected the end of the block, found \\"{\\"."",
      "no colon: "syntax: The JSON is not valid: expected \\":\\", found \\"\\\\\\"x\\\\\\"\\"."",
      "a bare key: "syntax: The JSON is not valid: \\"reasoning\\" is not a JSON value."",
      "a text for the patch: "not-an-object: \\"state_patch\\" has to be an object of the keys to change, not the text \\"none\\"; {} changes nothing."",
      "a wrong number: "syntax: The JSON is not valid: a number may not start with 0."",
      "a list: "no-block: The reply has no JSON block fenced with \`\`\`json and \`\`\`."",
      "nothing: "no-block: The reply is empty."",
    ]
  `);
});

test('members may come in any order, reasoning last', () => {
  const text = '{"action":"Wait","state_patch":{"a":1},"reasoning":"```json\\n{}\\n```\\nlast"}';
  expect(outcome(decoded(text))).toEqual({
    patch: { a: 1 },
    action: 'Wait',
    reasoning: "'''json\n{}\n'''\nlast",
  });
});

test('reasoning that is missing, no text or there twice is what it is', () => {
  const rest = '"state_patch":{},"action":"Wait"';
  expect(decoded(`{${rest}}`)).toBe(`\`\`\`json\n{${rest}}\n\`\`\``);
  const texts = [
    `{${rest}}`,
    `{"reasoning":"",${rest}}`,
    ...['5', 'null', '["x"]', '{"x":"y"}'].map((value) => `{"reasoning":${value},${rest}}`),
    `{"reasoning":"\\u0061","reasoning":"b",${rest}}`,
    `{"reasoning":"a",${rest},"re\\u0061soning":"b"}`,
    `{${rest},"reasoning":"a","reasoning":"b"}`,
    `{"reasoning":"a","reasoning":"b","reasoning":"c",${rest}}`,
    `{"reasoning":5,"reasoning":"b",${rest}}`,
    `{"reasoning":"a","reasoning":5,${rest}}`,
  ];
  const found = texts.map((text) => {
    const result = outcome(decoded(text));
    return `${text.replace(rest, '…')} → ${isJsonObject(result) ? `"${result.reasoning}"` : result}`;
  });
  expect(found).toMatchInlineSnapshot(`
    [
      "{…} → """,
      "{"reasoning":"",…} → """,
      "{"reasoning":5,…} → extra-key: The JSON block may not have "reasoning"; its keys have to be exactly "state_patch" and "action".",
      "{"reasoning":null,…} → extra-key: The JSON block may not have "reasoning"; its keys have to be exactly "state_patch" and "action".",
      "{"reasoning":["x"],…} → extra-key: The JSON block may not have "reasoning"; its keys have to be exactly "state_patch" and "action".",
      "{"reasoning":{"x":"y"},…} → extra-key: The JSON block may not have "reasoning"; its keys have to be exactly "state_patch" and "action".",
      "{"reasoning":"\\u0061","reasoning":"b",…} → syntax: The key "reasoning" occurs twice in one object.",
      "{"reasoning":"a",…,"re\\u0061soning":"b"} → syntax: The key "reasoning" occurs twice in one object.",
      "{…,"reasoning":"a","reasoning":"b"} → syntax: The key "reasoning" occurs twice in one object.",
      "{"reasoning":"a","reasoning":"b","reasoning":"c",…} → syntax: The key "reasoning" occurs twice in one object.",
      "{"reasoning":5,"reasoning":"b",…} → syntax: The key "reasoning" occurs twice in one object.",
      "{"reasoning":"a","reasoning":5,…} → syntax: The key "reasoning" occurs twice in one object.",
    ]
  `);
});

test('actions that are objects become command lines', () => {
  const lines = (
    [
      { name: 'Store', arguments: { shelf: 'shelf_3', item: 'item_1' } },
      { name: 'Wait', arguments: {} },
      { name: 'Wait' },
      { name: 'Note', arguments: { words: 'all that is "left"' } },
      { name: 'Say', arguments: { text: 'Hello, you', tone: 'soft' } },
      { name: 'Store', arguments: { item: 'item_1' } },
      { name: 'Store', arguments: { item: 'item_1', shelf: 'a', more: 'b' } },
      { name: 'Unknown', arguments: { a: '1' } },
      { name: 7 },
    ] as JsonObject[]
  ).map((action) => outcome(decoded(JSON.stringify({ reasoning: '', state_patch: {}, action }))));
  expect(lines.map((line) => (isJsonObject(line) ? line.action : line))).toMatchInlineSnapshot(`
    [
      "Store item_1 shelf_3",
      "Wait",
      "Wait",
      "Note all that is "left"",
      "Say("Hello, you", soft)",
      "Store item_1",
      "Store item_1 a b",
      "Unknown 1",
      "action: "action" has to be a string.",
    ]
  `);
});

test('operations become one patch, or a sentence that says why not', () => {
  const lists: readonly JsonValue[] = [
    [],
    [
      { op: 'set', path: '/shelves/shelf_8', value: 'item_1' },
      { op: 'delete', path: '/shelves/shelf_1' },
    ],
    [{ op: 'set', path: '/a~1b/c~0d', value: { e: [null] } }],
    [
      { op: 'set', path: '/new', value: {} },
      { op: 'set', path: '/new/x', value: 1 },
    ],
    [{ op: 'set', path: '/__proto__/x', value: 1 }],
    [{ op: 'delete', path: '/count', value: null }],
    [{ op: 'delete', path: '' }],
    [{ op: 'set', path: '', value: {} }],
    [{ op: 'delete', path: '/nowhere' }],
    [{ op: 'delete', path: '/shelves/shelf_9' }],
    [{ op: 'delete', path: '/nowhere/inside' }],
    [{ op: 'delete', path: '/count/x' }],
    [{ op: 'delete', path: '/list/0' }],
    [{ op: 'set', path: '/list/0', value: 1 }],
    [{ op: 'set', path: '/list/-', value: 1 }],
    [{ op: 'set', path: '/count/x', value: 1 }],
    [{ op: 'set', path: 'count', value: 1 }],
    [{ op: 'set', path: '/a~2', value: 1 }],
    [{ op: 'add', path: '/a', value: 1 }],
    [{ op: 'set', path: '/a' }],
    [{ op: 'set', path: '/a', value: null }],
    [{ op: 'set', path: '/a', value: { b: { c: null } } }],
    [{ op: 'delete', path: '/count', value: 1 }],
    [{ op: 'set', path: '/a', value: 1, why: '' }],
    [
      { op: 'set', path: '/a', value: 1 },
      { op: 'set', path: '/a', value: 2 },
    ],
    [
      { op: 'set', path: '/a', value: 1 },
      { op: 'set', path: '/a/b', value: 2 },
    ],
    [
      { op: 'set', path: '/a/b', value: 1 },
      { op: 'set', path: '/a', value: { b: 2 } },
    ],
    [
      { op: 'delete', path: '/shelves' },
      { op: 'set', path: '/shelves/shelf_1', value: 'x' },
    ],
    [
      { op: 'delete', path: '/a' },
      { op: 'delete', path: '/a' },
    ],
    [{ path: '/a', value: 1 }],
    [7],
    { count: 2 },
    'nothing',
  ];
  const found = lists.map((list) => {
    const text = JSON.stringify({ reasoning: 'x', state_patch: list, action: 'Wait' });
    const result = outcome(decoded(text, 'operations'));
    const shown = isJsonObject(result) ? result.patch : result;
    return `${JSON.stringify(list)} → ${typeof shown === 'string' ? shown : JSON.stringify(shown)}`;
  });
  expect(found).toMatchInlineSnapshot(`
    [
      "[] → {}",
      "[{"op":"set","path":"/shelves/shelf_8","value":"item_1"},{"op":"delete","path":"/shelves/shelf_1"}] → {"shelves":{"shelf_8":"item_1","shelf_1":null}}",
      "[{"op":"set","path":"/a~1b/c~0d","value":{"e":[null]}}] → {"a/b":{"c~d":{"e":[null]}}}",
      "[{"op":"set","path":"/new","value":{}},{"op":"set","path":"/new/x","value":1}] → {"new":{"x":1}}",
      "[{"op":"set","path":"/__proto__/x","value":1}] → {"__proto__":{"x":1}}",
      "[{"op":"delete","path":"/count","value":null}] → {"count":null}",
      "[{"op":"delete","path":""}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The path of operation 1 is the whole state; write to its keys one by one."; {} changes nothing.",
      "[{"op":"set","path":"","value":{}}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The path of operation 1 is the whole state; write to its keys one by one."; {} changes nothing.",
      "[{"op":"delete","path":"/nowhere"}] → {"nowhere":null}",
      "[{"op":"delete","path":"/shelves/shelf_9"}] → {"shelves":{"shelf_9":null}}",
      "[{"op":"delete","path":"/nowhere/inside"}] → {"nowhere":{"inside":null}}",
      "[{"op":"delete","path":"/count/x"}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/count/x\\" leads into what is no object."; {} changes nothing.",
      "[{"op":"delete","path":"/list/0"}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/list/0\\" leads into a list; set the list as a whole."; {} changes nothing.",
      "[{"op":"set","path":"/list/0","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/list/0\\" leads into a list; set the list as a whole."; {} changes nothing.",
      "[{"op":"set","path":"/list/-","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/list/-\\" leads into a list; set the list as a whole."; {} changes nothing.",
      "[{"op":"set","path":"/count/x","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/count/x\\" leads into what is no object."; {} changes nothing.",
      "[{"op":"set","path":"count","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The path of operation 1 has to be a JSON Pointer, such as \\"/key\\" or \\"/key/inner\\"."; {} changes nothing.",
      "[{"op":"set","path":"/a~2","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The path of operation 1 has to be a JSON Pointer, such as \\"/key\\" or \\"/key/inner\\"."; {} changes nothing.",
      "[{"op":"add","path":"/a","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The op of operation 1 has to be \\"set\\" or \\"delete\\"."; {} changes nothing.",
      "[{"op":"set","path":"/a"}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The operation that sets \\"/a\\" has no value."; {} changes nothing.",
      "[{"op":"set","path":"/a","value":null}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/a\\" can't be set to null; delete it instead."; {} changes nothing.",
      "[{"op":"set","path":"/a","value":{"b":{"c":null}}}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/a\\" can't be set to null; delete it instead."; {} changes nothing.",
      "[{"op":"delete","path":"/count","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The operation that deletes \\"/count\\" may have no value."; {} changes nothing.",
      "[{"op":"set","path":"/a","value":1,"why":""}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "Operation 1 may not have the key \\"why\\"."; {} changes nothing.",
      "[{"op":"set","path":"/a","value":1},{"op":"set","path":"/a","value":2}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/a\\", or something around it or in it, is written by two operations; write it once, since their order means nothing."; {} changes nothing.",
      "[{"op":"set","path":"/a","value":1},{"op":"set","path":"/a/b","value":2}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/a/b\\", or something around it or in it, is written by two operations; write it once, since their order means nothing."; {} changes nothing.",
      "[{"op":"set","path":"/a/b","value":1},{"op":"set","path":"/a","value":{"b":2}}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/a\\", or something around it or in it, is written by two operations; write it once, since their order means nothing."; {} changes nothing.",
      "[{"op":"delete","path":"/shelves"},{"op":"set","path":"/shelves/shelf_1","value":"x"}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/shelves/shelf_1\\", or something around it or in it, is written by two operations; write it once, since their order means nothing."; {} changes nothing.",
      "[{"op":"delete","path":"/a"},{"op":"delete","path":"/a"}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "\\"/a\\", or something around it or in it, is written by two operations; write it once, since their order means nothing."; {} changes nothing.",
      "[{"path":"/a","value":1}] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "The op of operation 1 has to be \\"set\\" or \\"delete\\"."; {} changes nothing.",
      "[7] → not-an-object: "state_patch" has to be an object of the keys to change, not the text "Operation 1 is no object with op, path and, to set something, value."; {} changes nothing.",
      "{"count":2} → {"count":2}",
      ""nothing" → not-an-object: "state_patch" has to be an object of the keys to change, not the text "nothing"; {} changes nothing.",
    ]
  `);
});

test('operations that are no JSON are rejected as such', () => {
  for (const list of ['[{"op":"set","path":"/a","value":1},]', '[{"op":"set","op":"set"}]', '[01]']) {
    const reply = decoded(`{"reasoning":"","state_patch":${list},"action":"Wait"}`, 'operations');
    expect(outcome(reply)).toMatch(/^syntax/);
  }
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const text = `{"state_patch":[{"op":"set","path":"/a","value":${deep}}],"action":"Wait"}`;
  expect(outcome(decoded(text, 'operations'))).toMatch(/^limit/);
  const long = `/a${'/b'.repeat(5_000)}`;
  const far = `{"state_patch":[{"op":"set","path":"${long}","value":1}],"action":"Wait"}`;
  expect(outcome(decoded(far, 'operations'))).toMatch(/deeper than 64/);
});

/** The operations of a patch: one for each value and each deletion. */
function operationsOf(patch: JsonObject, path: readonly string[] = []): readonly JsonObject[] {
  return Object.entries(patch).flatMap(([key, value]): readonly JsonObject[] => {
    const at = formatPointer([...path, key]);
    if (value === null) return [{ op: 'delete', path: at }];
    if (isJsonObject(value) && Object.keys(value).length > 0) return operationsOf(value, [...path, key]);
    return [{ op: 'set', path: at, value }];
  });
}

/** Whether a patch deletes only what is there, and goes through objects. */
function isApplicable(target: JsonValue | undefined, patch: JsonObject): boolean {
  return Object.entries(patch).every(([key, value]) => {
    const current = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    if (value === null) return current !== undefined;
    if (!isJsonObject(value) || Object.keys(value).length === 0) return true;
    return (current === undefined || isJsonObject(current)) && isApplicable(current, value);
  });
}

function patchOf(operations: readonly JsonValue[], at: JsonObject): unknown {
  const decoder = createReplyDecoder('operations', { ...expected, state: at });
  const text = JSON.stringify({ reasoning: '', state_patch: operations, action: 'Wait' });
  const parsed = parseReply(decoder.write(text) + decoder.end(), limits);
  return parsed.ok ? parsed.reply.patch : undefined;
}

test('a patch and its operations mean the same, in any order', () => {
  fc.assert(
    fc.property(anyJsonObject, anyJsonObject, fc.integer(), (target, patch, seed) => {
      fc.pre(isApplicable(target, patch));
      const operations = [...operationsOf(patch)];
      operations.sort((a, b) => hash(String(a.path), seed) - hash(String(b.path), seed));
      const merged = patchOf(operations, target);
      expect(isJsonObject(merged) ? mergePatch(target, merged) : merged).toEqual(
        mergePatchByTheLetter(target, patch),
      );
    }),
  );
});

function hash(text: string, seed: number): number {
  return [...text].reduce((sum, character) => Math.imul(sum, 31) + (character.codePointAt(0) ?? 0), seed);
}

test('the examples of RFC 7396 as operations', () => {
  for (const { original, patch, result } of appendixA) {
    if (!isJsonObject(original) || !isJsonObject(patch) || !isApplicable(original, patch)) continue;
    const merged = patchOf(operationsOf(patch), original);
    expect(isJsonObject(merged) && mergePatch(original, merged)).toEqual(result);
  }
});

test('cutting a text anywhere changes nothing, and nothing throws', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '"',
      ':',
      ',',
      '[',
      ']',
      '\\',
      '\\u',
      '`',
      '```',
      '```json',
      '\n',
      ' ',
      '\ud83d',
      '\ude00',
    ),
    fc.constantFrom('"reasoning":', '"state_patch":', '"action":', '"x"', '{"name":"Wait"}', 'null', '1e9'),
    anyJson.map((value) => JSON.stringify(value)),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 20 }).map((parts) => parts.join('')),
    fc
      .record({ reasoning: fc.string(), state_patch: anyJson, action: fc.oneof(fc.string(), anyJson) })
      .map((reply) => JSON.stringify(reply)),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('json-schema', 'operations'), (value, encoding) => {
      const whole = decoded(value, encoding);
      parseReply(whole, limits);
      expect(inPieces(value, Array(value.length).fill(1), encoding)).toBe(whole);
      for (let cut = 0; cut <= value.length; cut++) {
        expect(inPieces(value, [cut], encoding)).toBe(whole);
        parseReply(decoded(value.slice(0, cut), encoding), limits);
      }
    }),
    { numRuns: 300 },
  );
});

test('what the object says is what the reply says', () => {
  fc.assert(
    fc.property(fc.string(), anyJsonObject, (reasoning, patch) => {
      const text = JSON.stringify({ reasoning, state_patch: patch, action: 'Wait' });
      const result = outcome(decoded(text));
      expect(result).toMatchObject({ patch, action: 'Wait' });
    }),
  );
});
