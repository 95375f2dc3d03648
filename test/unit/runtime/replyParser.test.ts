/** Replies as models give them: what is read, and what is rejected with which class, message and place. */
import { describe, expect, it } from 'vitest';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import type { Rejection } from '../../../client/src/runtime/rejection';
import { locateInReply, type ParsedReply, parseReply } from '../../../client/src/runtime/replyParser';

const { limits } = defaultRunOptions;

const block = (json: string): string => `Some reasoning.\n\n\`\`\`json\n${json}\n\`\`\`\n`;

function accepted(text: string, custom = limits): ParsedReply {
  const parse = parseReply(text, custom);
  if (!parse.ok) throw new Error(`Rejected as ${parse.rejection.class}: ${parse.rejection.message}`);
  return parse.reply;
}

function rejected(text: string, custom = limits): Rejection {
  const parse = parseReply(text, custom);
  if (parse.ok) throw new Error('Accepted');
  return parse.rejection;
}

/** `class: message @ the text from the offset on`. */
function summary(text: string, custom = limits): string {
  const { class: rejectionClass, message, offset } = rejected(text, custom);
  const place = offset === undefined ? '' : ` @ ${JSON.stringify(text.slice(offset, offset + 8))}`;
  return `${rejectionClass}: ${message}${place}`;
}

describe('accepted replies', () => {
  it('gives reasoning, patch, action and the place of the JSON text', () => {
    const text = block('{"state_patch":{"inventory":{"shelf_42":null}},"action":"Ship item_12 shelf_42"}');
    const reply = accepted(text);
    expect(reply.reasoning).toBe('Some reasoning.');
    expect(reply.patch).toEqual({ inventory: { shelf_42: null } });
    expect(reply.action).toBe('Ship item_12 shelf_42');
    expect(text.slice(reply.block.start, reply.block.end)).toBe(
      '{"state_patch":{"inventory":{"shelf_42":null}},"action":"Ship item_12 shelf_42"}',
    );
  });

  it('takes the last JSON block, and counts what stands around it as reasoning', () => {
    const reply = accepted(
      `${block('{"state_patch":{},"action":"First"}')}Or rather:\n${block('{"state_patch":{},"action":"Second"}')}That is all.`,
    );
    expect(reply.action).toBe('Second');
    expect(reply.reasoning).toContain('First');
    expect(reply.reasoning.endsWith('That is all.')).toBe(true);
  });

  it.each([
    ['an upper-case language', '```JSON\n{"state_patch":{},"action":"Wait"}\n```'],
    ['a bare fence around an object', '```\n{"state_patch":{},"action":"Wait"}\n```'],
    ['a fence indented as in a list', '1. So:\n   ```json\n   {"state_patch":{},"action":"Wait"}\n   ```'],
    ['longer fences', '````json\n{"state_patch":{},"action":"Wait"}\n````'],
    ['JSON on the line of the fence', '```json {"state_patch":{},"action":"Wait"}\n```'],
    ['Windows line ends', 'Hm.\r\n```json\r\n{\r\n"state_patch":{},\r\n"action":"Wait"\r\n}\r\n```\r\n'],
    ['a byte order mark', '\uFEFF```json\n{"state_patch":{},"action":"Wait"}\n```'],
    ['prose right behind the closing fence', '```json\n{"state_patch":{},"action":"Wait"}\n``` Done.'],
    [
      'another language before it',
      '```python\nprint("```json")\n```\n```json\n{"state_patch":{},"action":"Wait"}\n```',
    ],
    [
      'an abandoned block before it',
      '```json\n{"state_patch":\n```json\n{"state_patch":{},"action":"Wait"}\n```',
    ],
    [
      'a mention of the fence in prose',
      'I use ```json here.\n```json\n{"state_patch":{},"action":"Wait"}\n```',
    ],
    [
      'a longer block that quotes one',
      '````text\n```json\n{"state_patch":{},"action":"No"}\n```\n````\n```json\n{"state_patch":{},"action":"Wait"}\n```',
    ],
    ['a stray fence at the end', '```json\n{"state_patch":{},"action":"Wait"}\n```\n```'],
  ])('accepts %s', (_what, text) => {
    expect(accepted(text).action).toBe('Wait');
  });

  it('does not end a block at backticks inside a string, nor a line at U+2028', () => {
    const note = 'a ``` b\u2028```\ud800';
    const text = block(
      `{"state_patch":{"note":${JSON.stringify(note).replace('\\ud800', '\ud800')}},"action":"Wait"}`,
    );
    expect(accepted(text).patch).toEqual({ note });
  });

  it('reads __proto__ and constructor as keys like any other', () => {
    const { patch } = accepted(
      block('{"state_patch":{"__proto__":{"a":1},"constructor":2},"action":"Wait"}'),
    );
    expect(Object.keys(patch)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(patch)).toBe(Object.prototype);
  });
});

describe('rejected replies', () => {
  it.each([
    ['', 'no-block: The reply is empty.'],
    [' \n', 'no-block: The reply is empty.'],
    [
      '{"state_patch":{},"action":"Wait"}',
      'no-block: The reply has no JSON block fenced with ```json and ```.',
    ],
    [
      'Use `state_patch`.\n```\nnot JSON\n```',
      'no-block: The reply has no JSON block fenced with ```json and ```.',
    ],
    [
      '```jsonc\n{"state_patch":{},"action":"Wait"}\n```',
      'no-block: The reply has no JSON block fenced with ```json and ```.',
    ],
    [
      'Hm.\n```json\n{"state_patch":{},"action":"Wait"}',
      'syntax: The JSON block is not closed: ``` has to stand at the start of a line after it. @ "```json\\n"',
    ],
    [
      '```json\n{"state_patch":{},"action":"Wait"}```',
      'syntax: The JSON block is not closed: ``` has to stand at the start of a line after it. @ "```json\\n"',
    ],
    [block(''), 'syntax: The JSON is not valid: expected a value, found the end of the block. @ "```\\n"'],
    [
      block('{"state_patch":{"a":1,},"action":"Wait"}'),
      'syntax: The JSON is not valid: a comma may not stand before "}". @ "},\\"actio"',
    ],
    [
      block('{"state_patch":{"a":[1,]},"action":"Wait"}'),
      'syntax: The JSON is not valid: a comma may not stand before "]". @ "]},\\"acti"',
    ],
    [
      block('{"state_patch":{"a" 1},"action":"Wait"}'),
      'syntax: The JSON is not valid: expected ":", found "1". @ "1},\\"acti"',
    ],
    [
      block('{"state_patch":{"a":1 "b":2},"action":"Wait"}'),
      'syntax: The JSON is not valid: expected "," or "}", found "\\"b\\"". @ "\\"b\\":2},\\""',
    ],
    [
      block('{"state_patch":{"a":[1,2},"action":"Wait"}'),
      'syntax: The JSON is not valid: expected "," or "]", found "}". @ "},\\"actio"',
    ],
    [
      block('{"state_patch":{"a":},"action":"Wait"}'),
      'syntax: The JSON is not valid: expected a value, found "}". @ "},\\"actio"',
    ],
    [
      block('{\'state_patch\':{},"action":"Wait"}'),
      'syntax: The JSON is not valid: strings stand in double quotes, not in single ones. @ "\'state_p"',
    ],
    [
      block('{state_patch:{},"action":"Wait"}'),
      'syntax: The JSON is not valid: "state_patch" is not a JSON value. @ "state_pa"',
    ],
    [
      block('{"state_patch":{"a":True},"action":"Wait"}'),
      'syntax: The JSON is not valid: "True" is not a JSON value. @ "True},\\"a"',
    ],
    [
      block('{"state_patch":{} // none\n,"action":"Wait"}'),
      'syntax: The JSON is not valid: JSON has no comments. @ "// none\\n"',
    ],
    [
      block('{"state_patch":{"a":01},"action":"Wait"}'),
      'syntax: The JSON is not valid: a number may not start with 0. @ "1},\\"acti"',
    ],
    [
      block('{"state_patch":{"a":1.},"action":"Wait"}'),
      'syntax: The JSON is not valid: a number is malformed. @ ".},\\"acti"',
    ],
    [
      block('{"state_patch":{"a":"\\x"},"action":"Wait"}'),
      'syntax: The JSON is not valid: a string contains an unknown escape. @ "\\\\x\\"},\\"ac"',
    ],
    [
      block('{"state_patch":{"a":"x\ty"},"action":"Wait"}'),
      'syntax: The JSON is not valid: a control character inside a string has to be escaped. @ "\\ty\\"},\\"ac"',
    ],
    [
      block('{"state_patch":{"a":"x},\n"action":"Wait"}'),
      'syntax: The JSON is not valid: a string is not closed before the end of its line. @ "\\n\\"action"',
    ],
    [
      block('{"state_patch":{},"action":"Wait"}\n{}'),
      'syntax: The JSON is not valid: expected the end of the block, found "{". @ "{}\\n```\\n"',
    ],
    [
      block('{"state_patch":{"a":1,"b":2,"a":3},"action":"Wait"}'),
      'syntax: The key "a" occurs twice in one object. @ "\\"a\\":3},\\""',
    ],
    [
      block('{"state_patch":{},"action":"Wait","action":"Go"}'),
      'syntax: The key "action" occurs twice in one object. @ "\\"action\\""',
    ],
    [
      block('[{"state_patch":{},"action":"Wait"}]'),
      'not-an-object: The JSON block has to be an object with the keys "state_patch" and "action". @ "[{\\"state"',
    ],
    [
      block('{"action":"Wait"}'),
      'missing-key: The JSON block lacks "state_patch"; its keys have to be "state_patch" and "action". @ "{\\"action"',
    ],
    [
      block('{"patch":{}}'),
      'missing-key: The JSON block lacks "state_patch" and "action"; its keys have to be "state_patch" and "action". @ "{\\"patch\\""',
    ],
    [
      block('{"state_patch":{},"action":"Wait","reasoning":"Hm"}'),
      'extra-key: The JSON block may not have "reasoning"; its keys have to be exactly "state_patch" and "action". @ "\\"reasoni"',
    ],
    [
      block('{"state_patch":[],"action":"Wait"}'),
      'not-an-object: "state_patch" has to be an object of the keys to change; {} changes nothing. @ "[],\\"acti"',
    ],
    [
      block('{"state_patch":null,"action":"Wait"}'),
      'not-an-object: "state_patch" has to be an object of the keys to change; {} changes nothing. @ "null,\\"ac"',
    ],
    [block('{"state_patch":{},"action":["Wait"]}'), 'action: "action" has to be a string. @ "[\\"Wait\\"]"'],
    [block('{"state_patch":{},"action":null}'), 'action: "action" has to be a string. @ "null}\\n``"'],
    [
      block('{"state_patch":{},"action":"  "}'),
      'action: "action" has to be a command, not blank. @ "\\"  \\"}\\n``"',
    ],
    [
      block('{"state_patch":{},"action":"Wait\\nWait"}'),
      'action: "action" has to be on one line. @ "\\"Wait\\\\nW"',
    ],
    [
      block('{"state_patch":{"n":12345678901234567890},"action":"Wait"}'),
      'limit: The number "12345678901234567890" is too large to be kept exactly; write it as a string. @ "12345678"',
    ],
    [
      block('{"state_patch":{"n":-1e999},"action":"Wait"}'),
      'limit: The number "-1e999" is too large to be kept exactly; write it as a string. @ "-1e999},"',
    ],
  ])('%j', (text, expected) => {
    expect(summary(text)).toBe(expected);
  });

  it('points to the patch where the patch is what is no object', () => {
    expect(rejected(block('{"state_patch":[],"action":"Wait"}')).pointer).toBe('');
    expect(rejected(block('[]')).pointer).toBeUndefined();
  });

  it('counts nesting from the patch', () => {
    const nested = (depth: number): string =>
      block(`{"state_patch":${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)},"action":"Wait"}`);
    expect(accepted(nested(limits.depth)).action).toBe('Wait');
    expect(summary(nested(limits.depth + 1))).toBe(
      `limit: The JSON nests more than ${limits.depth + 1} objects and arrays in each other. @ "{}}}}}}}"`,
    );
  });

  it('keeps integers that a double can hold, and decimals as they are', () => {
    const { patch } = accepted(
      block('{"state_patch":{"a":9007199254740992,"b":0.1,"c":1e21},"action":"Wait"}'),
    );
    expect(patch).toEqual({ a: 9007199254740992, b: 0.1, c: 1e21 });
  });

  it('rejects a reply over the limit without reading it', () => {
    const text = `${'x'.repeat(50_000_000)}\n${block('{"state_patch":{},"action":"Wait"}')}`;
    expect(rejected(text)).toEqual({
      class: 'limit',
      message: `The reply is longer than ${limits.replyCharacters} characters.`,
      offset: limits.replyCharacters,
    });
  });

  it('reads on in linear time where the limit allows more', () => {
    const generous = { ...limits, replyCharacters: 100_000_000 };
    expect(rejected('`'.repeat(5_000_000), generous).class).toBe('no-block');
    expect(rejected(block('['.repeat(5_000_000)), generous).class).toBe('limit');
    expect(rejected(block(`{"state_patch":{"a":"${'x'.repeat(5_000_000)}`), generous).class).toBe('syntax');
    expect(rejected('```\n'.repeat(1_000_000), generous).class).toBe('no-block');
  });

  it('rejects 10,000 levels, closed or not', () => {
    for (const tail of ['', `${']'.repeat(10_000)}},"action":"Wait"}`]) {
      expect(rejected(block(`{"state_patch":{"a":${'['.repeat(10_000)}${tail}`)).class).toBe('limit');
    }
  });

  it('quotes no more than a little of the reply', () => {
    const key = 'k'.repeat(10_000);
    expect(rejected(block(`{"state_patch":{},"action":"Wait","${key}":1}`)).message.length).toBeLessThan(200);
    expect(rejected(block(`{"state_patch":{},"action":"Wait" "${key}"}`)).message.length).toBeLessThan(200);
    expect(rejected(block(`{"state_patch":{},"action":${key}}`)).message.length).toBeLessThan(200);
  });
});

describe('locateInReply', () => {
  const text = block('{\n  "state_patch": {"a": {"b/c": [10, {"d": 1}]}},\n  "action": "Wait"\n}');
  const reply = accepted(text);
  const at = (pointer: string): string | undefined => {
    const place = locateInReply(text, reply, pointer);
    return place && text.slice(place.start, place.end);
  };

  it('finds members with their keys, and items', () => {
    expect(at('')).toBe('"state_patch": {"a": {"b/c": [10, {"d": 1}]}}');
    expect(at('/a')).toBe('"a": {"b/c": [10, {"d": 1}]}');
    expect(at('/a/b~1c/0')).toBe('10');
    expect(at('/a/b~1c/1/d')).toBe('"d": 1');
  });

  it('finds nothing where the patch has nothing', () => {
    expect(at('/a/x')).toBeUndefined();
    expect(at('/a/b~1c/2')).toBeUndefined();
    expect(at('/a/b~1c/00')).toBeUndefined();
    expect(at('a')).toBeUndefined();
  });
});
