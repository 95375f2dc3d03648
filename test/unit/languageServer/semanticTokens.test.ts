import { describe, expect, test } from 'vitest';
import { semanticTokensLegend } from '../../../server/src/languageService/schema/semanticTokens';
import { skillWorkspace } from '../../support/skillWorkspace';

/** Each token by its line: `text:type.modifier`. */
async function tokens(text: string, path = 'state.schema.yaml'): Promise<string[]> {
  const { service, uri } = skillWorkspace({ [path]: text });
  const data = await service.semanticTokens(uri(path));
  expect(data.length % 5).toBe(0);
  const lines = text.split(/\r\n?|\n/);
  const shown: string[] = [];
  let [line, character, last] = [0, 0, -1];
  for (let index = 0; index < data.length; index += 5) {
    const [lineDelta = 0, characterDelta = 0, length = 0, type = 0, modifiers = 0] = data.slice(index);
    line += lineDelta;
    character = lineDelta === 0 ? character + characterDelta : characterDelta;
    expect(length).toBeGreaterThan(0);
    expect(character + length).toBeLessThanOrEqual(lines[line]?.length ?? 0);
    const names = semanticTokensLegend.tokenModifiers.filter((_, bit) => (modifiers >> bit) & 1);
    const text = lines[line]?.slice(character, character + length);
    const token = [`${text}:${semanticTokensLegend.tokenTypes[type]}`, ...names].join('.');
    if (line === last) shown.push(`${shown.pop()} ${token}`);
    else shown.push(token);
    last = line;
  }
  return shown;
}

describe('semantic tokens of a state schema', () => {
  test('tell keywords, annotations, properties, references and types apart', async () => {
    const text = `$schema: https://json-schema.org/draft/2020-12/schema
type: [object, 'null']
required: [items, type]
properties:
  type:
    type: string
    pattern: ^a
    format: date
  items:
    type: array
    items: {$ref: '#/$defs/item'}
    x-merge: union
    x-writer: environment
    x-note: mine
    enum: [type]
patternProperties:
  ^p: {}
dependentRequired:
  items: [type]
$defs:
  item:
    const: type
    unknown: type
x-invariants:
  - expression: size(state.items) < 3
`;
    expect(await tokens(text)).toEqual([
      '$schema:keyword',
      "type:keyword object:type 'null':type",
      'required:keyword items:property type:property',
      'properties:keyword',
      'type:property.declaration',
      'type:keyword string:type',
      'pattern:keyword ^a:regexp',
      'format:keyword date:enumMember',
      'items:property.declaration.readonly',
      'type:keyword array:type',
      "items:keyword $ref:keyword '#/$defs/item':class",
      'x-merge:decorator union:enumMember',
      'x-writer:decorator environment:enumMember',
      'enum:keyword',
      'patternProperties:keyword',
      '^p:regexp.declaration',
      'dependentRequired:keyword',
      'items:property',
      '$defs:keyword',
      'item:class.declaration',
      'const:keyword',
      'x-invariants:decorator',
    ]);
  });

  test('in JSON', async () => {
    expect(await tokens('{"properties": {"a": {"type": "null"}}}', 'state.schema.json')).toEqual([
      '"properties":keyword "a":property.declaration "type":keyword "null":type',
    ]);
  });

  test('never span lines, and stand once where an alias repeats them', async () => {
    const text =
      'properties:\r\n  a: &x\r\n    pattern: |\r\n      long\r\n      er\r\n    type: string\r\n  b: *x\r\n  😀: {}\r\n';
    expect(await tokens(text)).toEqual([
      'properties:keyword',
      'a:property.declaration',
      'pattern:keyword',
      'type:keyword string:type',
      'b:property.declaration',
      '😀:property.declaration',
    ]);
  });

  test.each(['', 'properties: [', 'a\0b', '- x'])('a broken text: %j', async (text) => {
    expect((await tokens(text)).length).toBeLessThanOrEqual(1);
  });
});
