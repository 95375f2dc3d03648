import { describe, expect, test } from 'vitest';
import type { DocumentSymbol, Range } from 'vscode-languageserver-types';
import { LineIndex } from '../../../schemas/text/position';
import { skillWorkspace } from '../../support/skillWorkspace';

async function outline(text: string, path = 'state.schema.yaml') {
  const { service, uri } = skillWorkspace({ [path]: text });
  return service.documentSymbols(uri(path));
}

/** One line a symbol, indented: its name, its detail, and the lines it covers. */
function shown(symbols: readonly DocumentSymbol[], indent = ''): string[] {
  return symbols.flatMap(({ name, detail, range, children }) => [
    `${indent}${name}${detail === undefined ? '' : `: ${detail}`} [${range.start.line}-${range.end.line}]`,
    ...shown(children ?? [], `${indent}  `),
  ]);
}

function expectNested(symbols: readonly DocumentSymbol[], text: string, parent?: Range): void {
  const lines = new LineIndex(text);
  const within = (inner: Range, outer: Range) =>
    lines.offsetAt(inner.start) >= lines.offsetAt(outer.start) &&
    lines.offsetAt(inner.end) <= lines.offsetAt(outer.end);
  for (const { name, range, selectionRange, children } of symbols) {
    expect(name).not.toBe('');
    expect(within(selectionRange, range), `the name of ${name} lies in it`).toBe(true);
    if (parent !== undefined) expect(within(range, parent), `${name} lies in its parent`).toBe(true);
    expectNested(children ?? [], text, range);
  }
}

const schema = `type: object
required: [inventory]
properties:
  inventory:
    type: object
    additionalProperties:
      type: string
      maxLength: 24
    maxProperties: 500
  log:
    type: array
    maxItems: 20
    items:
      $ref: '#/$defs/entry'
  mode:
    enum: [pick, store, idle, wait, off]
    deprecated: true
patternProperties:
  ^x-: {type: [integer, 'null'], minimum: 0, maximum: 9}
anyOf:
  - required: [log]
  - properties:
      extra: true
$defs:
  entry:
    type: object
    properties:
      text: {type: string, format: date}
x-invariants:
  - expression: size(state.log) < 3
    message: Not so much.
`;

describe('the outline of a state schema', () => {
  test('shows properties, definitions and invariants with types and bounds', async () => {
    const symbols = await outline(schema);
    expect(shown(symbols)).toEqual([
      'inventory: object of string ≤ 500 keys, required [3-8]',
      '  additionalProperties: string ≤ 24 [5-7]',
      'log: array of entry ≤ 20 [9-13]',
      '  items: → entry [12-13]',
      'mode: "pick" | "store" | "idle" | "wait" | … (5) [14-16]',
      '^x-: integer | null 0…9 [18-18]',
      'anyOf [19-22]',
      '  anyOf 2 [21-22]',
      '    extra [22-22]',
      '$defs [23-27]',
      '  entry: object [24-27]',
      '    text: string (date) [27-27]',
      'x-invariants [28-30]',
      '  size(state.log) < 3: Not so much. [29-30]',
    ]);
    expect(symbols[2]?.tags).toEqual([1]);
    expectNested(symbols, schema);
  });

  test('leaves out what an alias repeats, so that every symbol lies in its parent', async () => {
    const text =
      'properties:\n  a: &shared\n    type: object\n    properties:\n      x: {type: string}\n  b: *shared\n';
    const symbols = await outline(text);
    expect(shown(symbols)).toEqual(['a: object [1-4]', '  x: string [4-4]', 'b: object [5-5]']);
    expectNested(symbols, text);
  });

  test.each([
    ['broken text', 'properties:\n  a:\n    type: [string\n  b: {'],
    [
      'odd values',
      'properties: [a, b]\n$defs: 7\nx-invariants: {a: 1}\nitems: [true, {properties: {a: {}}}]',
    ],
    ['hostile names', "properties:\n  __proto__: {type: object}\n  '': {}\n  constructor:\n  '😀':\n"],
    ['CRLF', 'properties:\r\n  a:\r\n    type: object\r\n    properties:\r\n      b: {}\r\n'],
    ['an empty text', ''],
  ])('%s gives no invalid ranges', async (_name, text) => {
    expectNested(await outline(text), text);
  });

  test('reads JSON as well', async () => {
    const text = '{"properties": {"a": {"type": "integer", "minimum": 1}}}';
    expect(shown(await outline(text, 'state.schema.json'))).toEqual(['a: integer ≥ 1 [0-0]']);
  });

  test('covers 50,000 lines', async () => {
    const properties = Array.from({ length: 25_000 }, (_, index) => `  p${index}:\n    type: string\n`);
    expect(await outline(`properties:\n${properties.join('')}`)).toHaveLength(25_000);
  });
});
