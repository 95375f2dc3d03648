/** Findings in state schemas: what is reported, where, and what is not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { schemaFindingProblems } from '../../../server/src/languageService/schema/schemaFindings';
import { applied, findingsIn, head, textAt } from '../../support/schemaFindings';
import { filesBelow, sharedFolder } from '../schemas/sharedData';

describe('what is said of a schema', () => {
  async function codes(text: string, path?: string) {
    const { findings } = await findingsIn(text, path);
    return findings
      .filter(({ code }) => code !== 'state.provider-keyword')
      .map((finding) => `${finding.severity} ${finding.code} ${textAt(text, finding)}`);
  }

  test('the warehouse sample has hints at most', async () => {
    const text = readFileSync(
      new URL('../../../samples/warehouse/state.schema.yaml', import.meta.url),
      'utf8',
    );
    expect(await codes(text)).toEqual(['hint state.default-deletion default']);
    const { findings } = await findingsIn(text);
    expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(['hint']));
  });

  test('a bounded schema without conflicts has none', async () => {
    expect(
      await codes(
        `${head}  a: { type: boolean }\n  b: { type: array, maxItems: 5, items: { type: integer } }\n`,
      ),
    ).toEqual([]);
  });

  test('with an error in it, that alone', async () => {
    expect(await codes('type: object\nproperties:\n  a: { type: strin }\n')).toEqual([
      'error state.invalid-keyword strin',
    ]);
  });

  test('unbounded places once, where they are', async () => {
    const text = `${head}  a: { $ref: '#/$defs/t' }\n  b: { $ref: '#/$defs/t' }\n$defs:\n  t: { type: string }\n`;
    expect(await codes(text)).toEqual(['information state.unbounded string']);
  });

  test('null in the types', async () => {
    const text = `${head}  a: { type: [boolean, 'null'] }\n  b: { anyOf: [{ type: boolean }, { type: 'null' }] }\n  c: { const: null }\n  d: { $ref: '#/$defs/n' }\n  e: { enum: [null, 1], type: integer }\n  f: { type: array, maxItems: 1, items: { type: object, properties: { g: { type: 'null' } }, additionalProperties: false } }\nrequired: [a]\n$defs:\n  n: { type: 'null' }\n`;
    expect(await codes(text)).toEqual([
      'warning state.required-null a',
      'information state.null-deletes b',
      'information state.null-deletes c',
      'information state.null-deletes d',
      'hint state.required-deletion required',
    ]);
  });

  test('required keys that only the environment writes', async () => {
    expect(await codes(`${head}  a: { type: boolean, x-writer: environment }\nrequired: [a]\n`)).toEqual([]);
  });

  test('lists that grow', async () => {
    const item = 'items: { type: string, maxLength: 99 }';
    const text = `${head}  a: { type: array, maxItems: 99, ${item} }\n  b: { type: array, maxItems: 9, ${item} }\n  c: { type: array, maxItems: 99, ${item}, x-merge: replace }\n  d: { type: array, maxItems: 99, items: { type: boolean } }\n  e: { type: array, maxItems: 99, ${item}, x-writer: environment }\n  f: { type: array, maxItems: 9, items: { type: array, maxItems: 99, ${item} } }\n`;
    expect(await codes(text)).toEqual(['hint state.list-rewritten a']);
  });

  test('one fact in two fields', async () => {
    const map =
      '{ type: object, additionalProperties: { type: string, maxLength: 3 }, propertyNames: { maxLength: 3 }, maxProperties: 3 }';
    const text = `${head}  item_to_shelf: ${map}\n  shelf_to_item: ${map}\n  itemCount: { type: integer }\n  item_count: { type: integer }\n  items: ${map}\n  dog: { type: boolean, description: True once the report has been sent. }\n  cat: { type: boolean, description: True once the report has been sent. }\n  retry_count: { type: integer }\n  from_to_date: { type: integer }\n`;
    expect(await codes(text)).toEqual([
      'hint state.same-fact shelf_to_item',
      'hint state.same-fact itemCount',
      'hint state.same-fact item_count',
      'hint state.same-fact cat',
    ]);
  });

  test('one fact in many fields, once', async () => {
    const described = Array.from({ length: 50 }, (_, index) => {
      const description =
        index % 2 === 0 ? 'True once the report has been sent.' : 'When this was last seen there.';
      return `  ${'abcdefghij'[index % 10]}${index}: { type: boolean, description: ${description} }\n`;
    });
    const text = `${head}${described.join('')}  oneName: { type: boolean }\n  one_name: { type: boolean }\n  one-name: { type: boolean }\n  OneName: { type: boolean }\n`;
    const { findings } = await findingsIn(text);
    const found = findings.filter(({ code }) => code === 'state.same-fact');
    expect(found.map(({ message }) => message)).toEqual([
      '"c2" has the same description as "a0", and so have 23 more properties; if they hold the same fact keep one of them, else say how they differ.',
      '"d3" has the same description as "b1", and so have 23 more properties; if they hold the same fact keep one of them, else say how they differ.',
      '"one_name" and "oneName", like 2 more of that name, seem to hold the same fact, and a patch may change one alone; keep one of them.',
    ]);
  });

  test('patterns that backtrack, and those that do not', async () => {
    const slow = [
      '^(a+)+$',
      '^(\\w+\\s?)*$',
      '^(a|a)*b',
      '^([a-z]+(-[a-z]+)?)+$',
      '^(\\d|\\d\\d)+$',
      '^(a+a)+$',
      '^(.*,?)*x$',
    ];
    const fast = [
      '^(a+b)+$',
      '^[a-z]+(-[a-z]+)*$',
      '^(0|[1-9][0-9]*)$',
      '^(\\w+\\s)*$',
      '^(a|b)*c$',
      '^(a+)+',
      '^(ab?)+$',
      '^(\\d{3},)*\\d+$',
    ];
    const properties = [...slow, ...fast].map(
      (pattern, index) => `  p${index}: { type: string, maxLength: 3, pattern: '${pattern}' }\n`,
    );
    expect(await codes(head + properties.join(''))).toEqual(
      slow.map((pattern) => `hint state.backtracking-pattern '${pattern}'`),
    );
  });

  test('what providers can not express, once for a schema, with the place of each keyword', async () => {
    const text = `${head}  a: { type: string, maxLength: 3, pattern: ^a$ }\n  b: { type: array, maxItems: 2, uniqueItems: true, items: { type: string, maxLength: 3 } }\n`;
    const { findings } = await findingsIn(text);
    const found = findings.filter(({ code }) => code === 'state.provider-keyword');
    expect(found.map(({ message }) => message)).toEqual([
      'Constrained decoding can not hold a model to all of this schema: OpenAI strict mode refuses maxLength and uniqueItems; Gemini ignores maxLength, pattern and uniqueItems; llama.cpp grammars ignore uniqueItems; patches are checked against it all the same.',
    ]);
    expect(found.flatMap(({ related }) => related?.map(({ message }) => message))).toEqual([
      'maxLength is refused by OpenAI strict mode, ignored by Gemini.',
      'pattern is ignored by Gemini.',
      'uniqueItems is refused by OpenAI strict mode, ignored by Gemini and llama.cpp grammars.',
    ]);
  });

  test('an ordinary schema has a hint for each kind, not for each key', async () => {
    const text = `${head}  a: { type: boolean, default: false }\n  b: { type: integer, default: 0 }\n  c: { type: object, required: [d, kind], additionalProperties: false, properties: { d: { type: string, maxLength: 9 }, kind: { const: x } } }\n  e: { type: integer }\nrequired: [e]\n`;
    expect(await codes(text)).toEqual([
      'hint state.default-deletion default',
      'hint state.required-deletion required',
    ]);
    const { findings } = await findingsIn(text);
    expect(findings.map(({ message }) => message).filter((message) => message.startsWith('A patch'))).toEqual(
      [
        'A patch that sets one of "a", "b" to null deletes it, and its default does not come back: it counts for the initial state alone; list them in required to have such a patch rejected.',
        'A patch that sets one of "e", "d" to null is rejected as a whole, and the model is asked again; say in the instructions what to write there instead.',
      ],
    );
  });
});

describe('invariants', () => {
  const declared =
    'type: object\nadditionalProperties: false\nproperties:\n  n: { type: integer }\n  list: { type: array, maxItems: 2, items: { type: object, additionalProperties: false, properties: { id: { type: integer } } } }\n  any: { type: object, maxProperties: 0 }\n';

  async function findingsOf(expression: string) {
    const text = `${declared}x-invariants:\n  - message: No.\n    expression: ${expression}`;
    const { findings } = await findingsIn(text);
    return findings
      .filter(({ code }) => code === 'state.invalid-invariant' || code === 'state.unknown-state-path')
      .map((finding) => `${finding.code} ${textAt(text, finding)}`);
  }

  test.each([
    ['state.n < 3'],
    ['size(state.list) < 3 && state.list[0].id == 1'],
    ["state['n'] == 1"],
    ['state.list.all(x, x.id > 0)'],
    ['state.any.thing == 1'],
    ['"state.missing" != "a"'],
  ])('%s is fine', async (expression) => {
    expect(await findingsOf(expression)).toEqual([]);
  });

  test.each([
    ['state.m < 3', 'state.unknown-state-path m'],
    ['state.list[0].ids == 1', 'state.unknown-state-path ids'],
    ["state['m'] == 1", "state.unknown-state-path 'm'"],
    ['"state.n == 1 && state.m == 1"', 'state.unknown-state-path m'],
    ["'state[''m''] == 1'", "state.unknown-state-path ''m''"],
    ['|\n      state.n == 1 &&\n        state.m == 1\n', 'state.unknown-state-path m'],
    ['>-\n      state.n == 1 &&\n      state.m == 1\n', 'state.unknown-state-path m'],
    ['state.n == 1 &&\n      state.m == 1\n', 'state.unknown-state-path m'],
    ['"state.n == \\u0031 && state.m == 1"', 'state.unknown-state-path "state.n == \\u0031 && state.m == 1"'],
    ['state.n ==', 'state.invalid-invariant'],
    ['stat.n == 1', 'state.invalid-invariant stat'],
    ['state.n == = 1', 'state.invalid-invariant ='],
  ])('%s', async (expression, expected) => {
    const [found, ...more] = await findingsOf(expression);
    expect(more).toEqual([]);
    expect(found?.startsWith(expected), found).toBe(true);
  });
});

describe('invariants over what need not be there', () => {
  const declared = `type: object
required: [sure, box]
properties:
  sure: { type: object, properties: { deep: { type: integer } } }
  open: { type: array, items: { $ref: '#/$defs/bug' } }
  map: { type: object, additionalProperties: { type: integer } }
  box: { $ref: '#/$defs/box' }
$defs:
  bug: { type: object, required: [id], properties: { id: { type: integer }, done: { type: boolean } } }
  box: { allOf: [{ required: [key] }], properties: { key: { type: integer }, lid: { type: integer } } }
`;
  async function readsOf(expression: string) {
    const text = `${declared}x-invariants:\n  - message: No.\n    expression: ${JSON.stringify(expression)}`;
    const { findings } = await findingsIn(text);
    return findings
      .filter(({ code }) => code === 'state.optional-in-invariant')
      .map(({ message }) => message.split(' need not')[0]);
  }

  test.each([
    ['size(state.open) <= 3', ['state.open']],
    ["size(state['open']) <= 3", ["state['open']"]],
    ['state.sure.deep > 1', ['state.sure.deep']],
    ['state.box.key > state.box.lid', ['state.box.lid']],
    ['has(state.open) && state.open.all(b, b.done || b.id > 1)', ['b.done']],
    ['state.map.a > 1', ['state.map', 'state.map.a']],
    ['has(state.open) || size(state.open) > 1', ['state.open']],
    ['has(state.map) ? size(state.open) > 1 : true', ['state.open']],
    ['(has(state.open) || true) && size(state.open) > 1', ['state.open']],
    ['has(state.map.a) || true', ['state.map']],
    ['state.open.exists(a, has(a.done)) && state.open.all(b, b.done)', ['state.open', 'b.done']],
  ])('%s', async (expression, reads) => expect(await readsOf(expression)).toEqual(reads));

  test.each([
    ['!has(state.open) || size(state.open) <= 3'],
    ['size(state.open) <= 3 || !has(state.open)'],
    ['has(state.open) && size(state.open) <= 3'],
    ['!("open" in state) || size(state.open) <= 3'],
    ['"open" in state ? size(state.open) <= 3 : true'],
    ['!has(state.open) ? true : size(state["open"]) <= 3'],
    ['(has(state.open) ? size(state.open) > 1 : false) ? state.open[0].id > 1 : true'],
    ['!(has(state.open) && has(state.map)) || size(state.open) < size(state.map)'],
    ['!has(state.open) || state.open.all(b, !has(b.done) || b.done)'],
    ['!has(state.open) || state.open.filter(b, has(b.done) && b.done).size() < 3'],
    ['!has(state.map) || state.map.all(k, state.map[k] > 0)'],
    ['state.box.key > 1 && size(state.sure) > 0'],
  ])('%s is guarded', async (expression) => expect(await readsOf(expression)).toEqual([]));
});

describe('hostile and broken schemas', () => {
  const many = (count: number, make: (index: number) => unknown) =>
    Array.from({ length: count }, (_, index) => make(index));

  test('what an alias repeats is reported once, and not edited through the alias', async () => {
    const text = `${head}  a: &t\n    type: string\n  b: *t\n  c: *t\n`;
    const { findings, uri } = await findingsIn(text);
    const unbounded = findings.filter(({ code }) => code === 'state.unbounded');
    expect(unbounded.map((finding) => textAt(text, finding))).toEqual(['string']);
    const [fix] = unbounded[0]?.fixes?.() ?? [];
    const fixed = fix && applied(text, fix, uri);
    expect(fixed).toContain('    type: string\n    maxLength: 200\n  b: *t\n');
    expect((await findingsIn(fixed ?? '')).findings.map(({ code }) => code)).not.toContain('state.unbounded');
  });

  test.each([
    [
      'a ladder of references, each taken three times',
      {
        type: 'object',
        $ref: '#/$defs/d0',
        $defs: {
          ...Object.fromEntries(
            many(300, (index) => {
              const next = { $ref: `#/$defs/d${index + 1}` };
              return [`d${index}`, { anyOf: [next, { properties: { a: next, b: next } }] }];
            }) as [string, unknown][],
          ),
          d300: { type: 'object' },
        },
      },
    ],
    [
      'references in a circle',
      {
        type: 'object',
        properties: Object.fromEntries(
          many(200, (index) => [
            `p${index}`,
            { allOf: [{ $ref: '#' }, { $ref: `#/properties/p${(index + 1) % 200}` }] },
          ]) as [string, unknown][],
        ),
      },
    ],
    [
      'patterns that all lead back to the root',
      {
        type: 'object',
        allOf: many(100, (index) => ({
          patternProperties: { [`^p${index}`]: { properties: { a: { $ref: '#' } } } },
        })),
      },
    ],
  ])('%s', async (_name, schema) => {
    const { findings } = await findingsIn(JSON.stringify(schema), 'state.schema.json');
    expect(findings.map(({ code }) => code)).toContain('state.unbounded');
    for (const finding of findings) finding.fixes?.();
  });

  test.each([
    '',
    '{',
    'a: [',
    '[]',
    'null',
    'true',
    'false',
    '"text"',
    '- a\n- b',
    'type:',
    '? {a: b}\n: c',
    '\u0000',
  ])('%j', async (text) => {
    for (const path of ['state.schema.yaml', 'state.schema.json']) {
      const { findings } = await findingsIn(text, path);
      for (const finding of findings) finding.fixes?.();
      expect(Array.isArray(findings)).toBe(true);
    }
  });

  test('the JSON Schema Test Suite has no error of ours', async () => {
    const files = ['draft2020-12', 'draft7'].flatMap((draft) =>
      filesBelow(sharedFolder(join('json-schema-test-suite', 'tests', draft)), '.json'),
    );
    const own = new Set(Object.keys(schemaFindingProblems));
    for (const file of files) {
      const $schema = file.includes('draft7')
        ? 'http://json-schema.org/draft-07/schema#'
        : 'https://json-schema.org/draft/2020-12/schema';
      const groups = JSON.parse(readFileSync(file, 'utf8')) as { schema: unknown }[];
      const properties = Object.fromEntries(groups.map(({ schema }, index) => [`g${index}`, schema]));
      const text = JSON.stringify({ $schema, type: 'object', properties });
      const { findings } = await findingsIn(text, 'state.schema.json');
      const errors = findings.filter(({ code, severity }) => own.has(code) && severity === 'error');
      expect(errors, file).toEqual([]);
      for (const finding of findings) finding.fixes?.();
    }
  });
});
