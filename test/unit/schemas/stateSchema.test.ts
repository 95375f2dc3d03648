import { describe, expect, test } from 'vitest';
import { stateSchemaProblems } from '../../../schemas/state/stateProblems';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { findings, marked } from './located';

function load(text: string, path = 'state.schema.yaml') {
  return loadStateSchema({ path, text });
}

function found(text: string, path?: string): string[] {
  return findings(text, load(text, path).problems);
}

const head = 'type: object\nproperties:\n';

describe('a text that breaks off', () => {
  test.each([
    ['type: [\n', undefined],
    ['{"type": [', 'state.schema.json'],
    ['type: object\nproperties:\n\ta: {type: string}\n', undefined],
    ['type: object\nproperties: {a: {maxLength: "\n', undefined],
    ['type: object\nrequired: a: b\n', undefined],
  ])('%j is told once, without what follows from it', (text, path) => {
    expect(load(text, path).problems).toHaveLength(1);
  });
  test('keeps what is wrong before the break', () => {
    const text = 'type: object\nminProperties: many\nproperties: {a: [\n';
    expect(load(text).problems.map(({ code }) => code)).toEqual(['state.invalid-keyword', 'state.syntax']);
  });
});

describe('a state schema that is too large', () => {
  test('is not looked into, and is still a text with places', () => {
    const patterns = Array.from({ length: 201 }, (_, index) => `  ^k${index}$: {}\n`).join('');
    const schema = load(`type: object\npatternProperties:\n${patterns}`);
    expect(schema.problems.map(({ code }) => code)).toEqual(['state.too-large']);
    expect(schema.schema).toBe(true);
    expect(schema.pointersAt(['k1'])).toEqual([]);
    expect(schema.rangesOf('/patternProperties/^k1$')?.key.start.line).toBe(3);
  });
});

describe('a state schema', () => {
  const text = `${head}  inventory:\n    type: object\n    maxProperties: 500\n`;
  const schema = load(text);

  test('has its value, its dialect and no problems', () => {
    expect(schema.problems).toEqual([]);
    expect(schema.dialect).toBe('2020-12');
    expect(schema.origin).toBe('file');
    expect(schema.schema).toEqual({
      type: 'object',
      properties: { inventory: { type: 'object', maxProperties: 500 } },
    });
  });
  test('knows where a pointer stands', () => {
    const ranges = schema.rangesOf('/properties/inventory/maxProperties');
    expect(ranges && [marked(text, ranges.key), marked(text, ranges.value)]).toEqual([
      'maxProperties',
      '500',
    ]);
    expect(schema.rangesOf('/properties/other')).toBeUndefined();
    expect(schema.rangesOf('properties')).toBeUndefined();
    const root = schema.rangesOf('');
    expect(root && marked(text, root.value)).toBe(text.trimEnd());
  });
  test('is read as JSON by its name', () => {
    const json = '\uFEFF{"type": "object",\r\n "properties": {"a/b": {"type": "string"}}}';
    const loaded = load(json, 'x.JSON');
    const ranges = loaded.rangesOf('/properties/a~1b');
    expect(loaded.problems).toEqual([]);
    expect(ranges && [marked(json, ranges.key), marked(json, ranges.value)]).toEqual([
      '"a/b"',
      '{"type": "string"}',
    ]);
    expect(found('{"type": "object",}', 'x.json')).toEqual(['state.syntax «}»']);
  });
  test.each([
    ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
    ['http://json-schema.org/draft-07/schema#', 'draft-07'],
    ['https://json-schema.org/draft-07/schema', 'draft-07'],
  ])('$schema: %s', (uri, dialect) => {
    const loaded = load(`$schema: ${uri}\ntype: object`);
    expect([loaded.dialect, loaded.problems]).toEqual([dialect, []]);
  });
});

describe('texts that are no schema', () => {
  test.each([
    ['', 'state.not-a-schema «»'],
    ['# only a comment', 'state.not-a-schema «#»'],
    ['- a', 'state.not-a-schema «- a»'],
    ['text', 'state.not-a-schema «text»'],
    ['a: [1', 'state.syntax «»'],
    ['a: b: c', 'state.unquoted-colon «b»'],
    ['type: object\n---\ntype: object', 'state.multiple-documents «-»'],
    ['type: object\ntype: object', 'state.duplicate-key «type»'],
    ['type: object\nx: &a {<<: {}}', 'state.unsupported-yaml «<<»'],
    [`type: object\nx: ${'['.repeat(10_000)}`, 'state.too-deep «[»'],
  ])('%.20j', (text, finding) => {
    const loaded = load(text);
    expect(findings(text, loaded.problems)).toEqual([finding]);
    expect(loaded.pointersAt(['a', 'b'])).toEqual([]);
  });
  test('without a readable schema everything is allowed, so that the editor goes on', () => {
    expect(load('- a').schema).toBe(true);
  });
});

describe('the root', () => {
  test.each([
    ['type: string', 'state.root-not-object «string»'],
    ['type: [array, "null"]', 'state.root-not-object «[array, "null"]»'],
    ['false', 'state.root-not-object «false»'],
    ['properties: {}', 'state.untyped-root «properties»'],
    ['true', 'state.untyped-root «true»'],
  ])('%s', (text, finding) => expect(found(text)).toEqual([finding]));
  test.each(['type: object', 'type: [object, "null"]', '$ref: "#/$defs/a"\n$defs: {a: {type: object}}'])(
    'allows %j',
    (text) => expect(found(text)).toEqual([]),
  );
});

describe('keywords', () => {
  test.each([
    ['type: strin', 'state.invalid-keyword «strin»'],
    ['type: [string, string]', 'state.invalid-keyword «[string, string]»'],
    ['maxLength: -1', 'state.invalid-keyword «-1»'],
    ['maxLength: "1"', 'state.invalid-keyword «"1"»'],
    ['maxItems: 1.5', 'state.invalid-keyword «1.5»'],
    ['minimum: low', 'state.invalid-keyword «low»'],
    ['multipleOf: 0', 'state.invalid-keyword «0»'],
    ['uniqueItems: maybe', 'state.invalid-keyword «maybe»'],
    ['required: name', 'state.invalid-keyword «name»'],
    ['required: [a, a]', 'state.invalid-keyword «[a, a]»'],
    ['enum: []', 'state.invalid-keyword «[]»'],
    ['allOf: []', 'state.invalid-keyword «[]»'],
    ['anyOf: {type: string}', 'state.invalid-keyword «{type: string}»'],
    ['oneOf: [string]', 'state.invalid-keyword «string»'],
    ['items: [string]', 'state.invalid-keyword «[string]»'],
    ['items: string', 'state.invalid-keyword «string»'],
    ['properties: [a]', 'state.invalid-keyword «[a]»'],
    ['properties: {a: string}', 'state.invalid-keyword «string»'],
    ['properties: {a: }', 'state.invalid-keyword «a»'],
    ['dependentRequired: {a: b}', 'state.invalid-keyword «b»'],
    ['$anchor: 1a', 'state.invalid-keyword «1a»'],
    ['$id: a#b', 'state.invalid-keyword «a#b»'],
    ['title: 1', 'state.invalid-keyword «1»'],
    ['$ref: 1', 'state.invalid-keyword «1»'],
    ['additionalProperties: no', 'state.invalid-keyword «no»'],
  ])('%s', (line, finding) => expect(found(`${head}  a:\n    ${line}`)).toEqual([finding]));

  test('of other standards that stop the validator', () => {
    expect(
      found(`${head}  a: {id: x}\n  b: {nullable: true}\n  c: {type: string, nullable: true}\n  id: {}`),
    ).toEqual(['state.unsupported-keyword «id»', 'state.unsupported-keyword «nullable»']);
  });
  test('names that are given twice', () => {
    expect(
      found(
        `${head}  a: {$anchor: x}\n  b: {$anchor: x}\n  c: {$id: y}\n  d: {$id: y}\n  e: {$id: z, $anchor: x}`,
      ),
    ).toEqual(['state.duplicate-identifier «x»', 'state.duplicate-identifier «y»']);
  });
  test('the later of two names is the one that is marked', () => {
    const { problems } = load(`${head}  a: {$anchor: x}\n  b: {$anchor: x}\n`);
    expect(problems.map(({ range }) => range.start.line)).toEqual([3]);
  });
  test.each([
    ['minimun: 1', 'minimun', 'Did you mean minimum?'],
    ['requried: [a]', 'requried', 'Did you mean required?'],
    ['tpye: string', 'tpye', 'Did you mean type?'],
    ['maxitems: 1', 'maxitems', 'Did you mean maxItems?'],
    ['if_: {}', 'if_', 'Did you mean if?'],
    ['xmerge: append', 'xmerge', 'Did you mean x-merge?'],
    ['x-mergee: append', 'x-mergee', 'Did you mean x-merge?'],
    ['x-Writer: model', 'x-Writer', 'Did you mean x-writer?'],
    ['x-invariant: []', 'x-invariant', 'Did you mean x-invariants?'],
    ['colour: red', 'colour', 'Remove it, or let its name begin with x- if it is a note of yours.'],
    ['additionalItems: false', 'additionalItems', 'has no effect in 2020-12: it is a keyword of draft-07.'],
  ])('that are not known: %s', (line, key, advice) => {
    const text = `${head}  a:\n    ${line}`;
    const { problems } = load(text);
    expect(findings(text, problems)).toEqual([`state.unknown-keyword «${key}»`]);
    expect(problems[0]?.severity).toBe('warning');
    expect(problems[0]?.message.endsWith(advice)).toBe(true);
  });
  test('of the other dialect, and not of the ones that both have', () => {
    const draft07 = '$schema: http://json-schema.org/draft-07/schema#\ntype: object\n';
    const text = `${draft07}dependentRequired: {a: [b]}\nprefixItems: []\ndefinitions: {}\n$defs: {}`;
    expect(load(text).problems.map(({ message }) => message)).toEqual([
      'dependentRequired has no effect in draft-07: it is a keyword of 2020-12.',
      'prefixItems has no effect in draft-07: it is a keyword of 2020-12.',
      '$defs has no effect in draft-07: it is a keyword of 2020-12.',
    ]);
    expect(found('type: object\ndefinitions: {}\ndependencies: {}')).toEqual([]);
  });
  test('that only hold what references lead to', () => {
    expect(
      found(`${head}  a: {$ref: '#/shapes/b'}\nshapes: {b: {type: string, minimun: 1}}\nforms: {}`),
    ).toEqual(['state.unknown-keyword «minimun»', 'state.unknown-keyword «forms»']);
  });
  test('are told up to a number, and then that there are more', () => {
    const { problems } = load(
      `type: object\n${Array.from({ length: 600 }, (_, index) => `tipe${index}: 1\n`).join('')}`,
    );
    expect(problems).toHaveLength(501);
    expect(problems.at(-1)?.message).toBe(
      'Only the first 500 keys that are no keywords of JSON Schema are told; remove them to see the others.',
    );
    expect(problems.at(-1)?.range.start.line).toBe(501);
  });
  test('names of properties are no keywords', () => {
    expect(found(`${head}  minimun: {}\n  x-mergee: true\n$defs: {requried: {}}`)).toEqual([]);
  });
  test('annotations of others, values and examples are nobody’s business', () => {
    expect(
      found(
        `${head}  a:\n    x-mine: {type: 1}\n    x-order: 1\n    default: {type: 1}\n    examples: [{type: 1}]\n    const: {type: 1}\n    enum: [{type: 1}]`,
      ),
    ).toEqual([]);
  });
  test('a list of items is draft-07’s way', () => {
    expect(
      found(
        '$schema: http://json-schema.org/draft-07/schema#\ntype: object\nproperties: {a: {items: [{type: string}]}}',
      ),
    ).toEqual([]);
  });
  test('an unknown dialect is one problem', () => {
    const text =
      '$schema: https://json-schema.org/draft/2019-09/schema\ntype: object\nproperties: {a: {type: 1}}';
    expect(found(text)).toEqual(['state.unknown-dialect «https://json-schema.org/draft/2019-09/schema»']);
  });
});

describe('annotations', () => {
  test('that are right', () => {
    const text = `${head}  log: {type: array, maxItems: 5, x-merge: append, x-evict: oldest}\n  clock: {type: integer, x-writer: environment}\nx-invariants:\n  - {expression: size(state.log) > 0, message: Log something.}\n`;
    const schema = load(text);
    expect(schema.problems).toEqual([]);
    expect([schema.hasMergePolicies, schema.hasWriters]).toEqual([true, true]);
    expect(schema.invariants).toEqual([
      { expression: 'size(state.log) > 0', message: 'Log something.', schemaLocation: '/x-invariants/0' },
    ]);
    const plain = load('type: object\nproperties: {a: {type: array, x-merge: replace, x-writer: model}}');
    expect([plain.hasMergePolicies, plain.hasWriters]).toEqual([false, false]);
  });
  test.each([
    ['x-merge: prepend', 'state.invalid-annotation «prepend»'],
    ['x-writer: tool', 'state.invalid-annotation «tool»'],
    // Of a value that can't be read nothing follows.
    ['{type: arra, x-merge: append, maxItems: 3}', 'state.invalid-keyword «arra»'],
    ['{type: [arra, "null"], x-merge: append, maxItems: 3}', 'state.invalid-keyword «arra»'],
    ['{type: array, x-merge: apend, x-evict: oldest}', 'state.invalid-annotation «apend»'],
    ['x-evict: newest', 'state.invalid-annotation «newest»'],
    ['{type: object, x-merge: append}', 'state.misplaced-annotation «append»'],
    ['{type: array, maxItems: 1, x-evict: oldest}', 'state.misplaced-annotation «oldest»'],
    ['{type: array, x-merge: union, x-evict: oldest}', 'state.misplaced-annotation «oldest»'],
    ['x-invariants: []', 'state.misplaced-annotation «[]»'],
  ])('%s', (line, finding) => expect(found(`${head}  a:\n    ${line}`)).toEqual([finding]));
  test.each([
    ['x-invariants: a > b', 'state.invalid-annotation «a > b»'],
    ['x-invariants: [a]', 'state.invalid-annotation «a»'],
    ['x-invariants: [{message: a}]', 'state.invalid-annotation «{message: a}»'],
    ['x-invariants: [{expression: 1}]', 'state.invalid-annotation «1»'],
    ['x-invariants: [{expression: a, note: b}]', 'state.invalid-annotation «b»'],
  ])('%s', (line, finding) => expect(found(`type: object\n${line}`)).toEqual([finding]));
});

describe('references', () => {
  test.each([
    ['#/$defs/a', []],
    ['#a', []],
    ['https://example.org/a', []],
    ['a', []],
    ['https://json-schema.org/draft/2020-12/schema', []],
    ['#/$defs/none', ['state.unresolved-reference']],
    ['#none', ['state.unresolved-reference']],
    ['#/%zz', ['state.unresolved-reference']],
    ['other.yaml', ['state.unresolved-reference']],
    ['other', ['state.external-reference']],
    ['../other.json#/a', ['state.external-reference']],
    ['https://example.com/schema', ['state.external-reference']],
    ['file:///etc/passwd', ['state.external-reference']],
    ['http://[', ['state.external-reference']],
  ])('%s', (reference, codes) => {
    const text = `$id: https://example.org/root\ntype: object\nproperties: {x: {$ref: "${reference}"}}\n$defs:\n  a: {$id: a, $anchor: top}\n  b: {$anchor: a}\n`;
    expect(load(text).problems.map(({ code }) => code)).toEqual(codes);
  });
  test('their place is the reference', () => {
    expect(found(`${head}  a: {$ref: b.json}`)).toEqual(['state.unresolved-reference «b.json»']);
  });
  test('to a place that no keyword makes a schema are followed further', () => {
    expect(found(`${head}  a: {$ref: "#/components/b"}\ncomponents:\n  b: {$ref: c.json}`)).toEqual([
      'state.unresolved-reference «c.json»',
    ]);
  });
  test('a name with / and ~ in it', () => {
    const text = `${head}  a: {$ref: "#/$defs/b~1c~0d"}\n$defs:\n  b/c~d: {type: string}`;
    expect(found(text)).toEqual([]);
    expect(load(text).pointersAt(['a'])).toEqual(['/properties/a', '/$defs/b~1c~0d']);
  });
});

describe('patterns', () => {
  test.each([
    ['pattern: "(?=a)"', 'state.unsupported-pattern «"(?=a)"»'],
    ['pattern: "["', 'state.invalid-pattern «"["»'],
    ['patternProperties: {"(a)\\\\1": true}', 'state.unsupported-pattern «"(a)\\\\1"»'],
    ['patternProperties: {"^(a+)+$": true}', undefined],
  ])('%s', (line, finding) => {
    expect(found(`${head}  a:\n    ${line}`)).toEqual(finding === undefined ? [] : [finding]);
  });

  test('that are refused lead to another way to check a state', () => {
    const [problem] = load(`${head}  a: {pattern: "(?=a)"}`).problems;
    expect(problem?.message).toBe(
      'The pattern cannot be run safely: it looks ahead or behind; write it without, or check it with an x-invariants entry.',
    );
  });
});

describe('declared properties', () => {
  const text = `${head}  a: {type: string}\n  b:\n    patternProperties:\n      ^x: {type: string}\n    additionalProperties:\n      properties: {c: true, d: true}\n    required: [a]\n$defs:\n  e:\n    additionalProperties: false\n    properties:\n      f: {}\n`;
  const schema = load(text);

  test('are found by their lines', () => {
    const lines = text.split('\n').map((_, line) => schema.propertyAtLine(line)?.pointer);
    expect(lines.flatMap((pointer, line) => (pointer === undefined ? [] : [`${line} ${pointer}`]))).toEqual([
      '2 /properties/a',
      '3 /properties/b',
      '5 /properties/b/patternProperties/^x',
      '6 /properties/b/additionalProperties',
      '7 /properties/b/additionalProperties/properties/c',
      '13 /$defs/e/properties/f',
    ]);
    expect(schema.propertyAtLine(-1)).toBeUndefined();
  });
  test('are listed in the order of the text, with the ranges of their keys', () => {
    expect(schema.declaredProperties.map(({ range }) => marked(text, range))).toEqual([
      'a',
      'b',
      '^x',
      'additionalProperties',
      'c',
      'd',
      'f',
    ]);
  });
});

test.each([
  ['type: arra', 'Did you mean array?'],
  ['type: String', 'Did you mean string?'],
  ['type: int', 'Did you mean integer?'],
  ['type: [strin, "null"]', 'Did you mean string?'],
  ['type: array, x-merge: apend', 'Did you mean append?'],
  ['type: array, x-writer: enviroment', 'Did you mean environment?'],
  ['type: array, maxItems: 1, x-merge: union, x-evict: oldset', 'Did you mean oldest?'],
  ['type: colour', 'number, object, string, or an array of different ones of them.'],
])('%s says what was probably meant', (keywords, end) => {
  const messages = load(`${head}  a: {${keywords}}\n`).problems.map(({ message }) => message);
  expect(messages).toEqual([expect.stringMatching(new RegExp(`${end.replace(/[?.]/g, '\\$&')}$`))]);
});

test('every finding has the severity of its code', () => {
  const { problems } = load(`${head}  a: {type: 1}\n  b: {type: object, x-merge: append}\n`);
  expect(problems.map(({ code, severity }) => [code, severity, stateSchemaProblems[code]])).toEqual([
    ['state.invalid-keyword', 'error', 'error'],
    ['state.misplaced-annotation', 'warning', 'warning'],
  ]);
});
