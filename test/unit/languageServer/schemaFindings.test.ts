/** Findings in state schemas and their fixes: each fix applied, the finding is gone and the text still reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import { parseSourceFile } from '../../../schemas/text/sourceFile';
import type { Finding, Fix } from '../../../server/src/languageService/finding';
import { schemaFindingProblems } from '../../../server/src/languageService/schema/schemaFindings';
import { skillWorkspace } from '../../support/skillWorkspace';
import { filesBelow, sharedFolder } from '../schemas/sharedData';

const skill = '---\nname: sample\ndescription: A sample.\n---\n';

async function findingsIn(text: string, path = 'state.schema.yaml') {
  const workspace = skillWorkspace({ 'SKILL.md': skill, [path]: text });
  const findings = (await workspace.service.findings(workspace.uri(path))) ?? [];
  return { findings: findings.filter(({ code }) => code.startsWith('state.')), uri: workspace.uri(path) };
}

/** The text at a finding. */
function at(text: string, { range }: Finding): string {
  const lines = new LineIndex(text);
  return text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
}

function applied(text: string, fix: Fix, uri: string): string {
  const lines = new LineIndex(text);
  const edits = [...(fix.edits.get(uri) ?? [])]
    .map(({ range, text: replacement }) => ({
      start: lines.offsetAt(range.start),
      end: lines.offsetAt(range.end),
      replacement,
    }))
    .sort((a, b) => b.start - a.start || b.end - a.end);
  let result = text;
  let limit = text.length + 1;
  for (const { start, end, replacement } of edits) {
    expect(end).toBeLessThanOrEqual(limit);
    limit = start;
    result = result.slice(0, start) + replacement + result.slice(end);
  }
  return result;
}

interface Case {
  readonly code: string;
  readonly text: string;
  /** Titles of the fixes, in their order. */
  readonly fixes: readonly string[];
  readonly path?: string;
}

/** Applies every fix of every finding of a code. */
async function checkFixes({ code, text, fixes, path = 'state.schema.yaml' }: Case): Promise<string[]> {
  const { findings, uri } = await findingsIn(text, path);
  const finding = findings.find((candidate) => candidate.code === code);
  expect(finding?.code, JSON.stringify(findings)).toBe(code);
  if (finding === undefined) return [];
  const offered = finding.fixes?.() ?? [];
  expect(offered.map(({ title }) => title)).toEqual(fixes);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const results: string[] = [];
  for (const fix of offered) {
    const fixed = applied(text, fix, uri);
    results.push(fixed);
    expect(parseSourceFile({ path, text: fixed }).problems, fixed).toEqual([]);
    const after = (await findingsIn(fixed, path)).findings;
    const same = after.filter((other) => other.code === code && other.message === finding.message);
    expect(same, `${fix.title}\n${fixed}`).toEqual([]);
    const left = after.filter(({ severity }) => severity === 'error');
    expect(left.length, JSON.stringify(left)).toBeLessThanOrEqual(Math.max(0, errors - 1));
    if (text.includes('\r\n')) expect(fixed.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    const comments = text.match(/# .*/g) ?? [];
    for (const comment of comments) expect(fixed).toContain(comment);
  }
  return results;
}

const head = 'type: object\nadditionalProperties: false\nproperties:\n';
const list = [
  'Add maxItems: 20',
  'Add x-merge: append, maxItems: 20, x-evict: oldest',
  'Add x-merge: union, maxItems: 20',
  'Turn the list into a map by keys, so that a patch names only what changes',
];
const listText = `${head}  log: # grows
    type: array # of lines
    items:
      type: string
      maxLength: 5
  other: { type: boolean }
`;

/** The same schema in flow style, as JSON on many lines and on one, with CRLF. */
function variants({ code, text, fixes }: Case): readonly (readonly [string, Case])[] {
  const { root } = parseSourceFile({ path: 'a.yaml', text });
  const json = JSON.stringify(root?.value, null, 2);
  return [
    ['block YAML', { code, text, fixes }],
    ['CRLF', { code, text: text.replaceAll('\n', '\r\n'), fixes }],
    ['no line break at the end', { code, text: text.trimEnd(), fixes }],
    ['a byte order mark', { code, text: `\uFEFF${text}`, fixes }],
    ['flow YAML', { code, text: JSON.stringify(root?.value), fixes }],
    ['flow YAML on many lines', { code, text: json.replace(/"(?!null)([\w$-]+)"/g, '$1'), fixes }],
    ['JSON', { code, text: `${json}\n`, fixes, path: 'state.schema.json' }],
    ['JSON with CRLF', { code, text: json.replaceAll('\n', '\r\n'), fixes, path: 'state.schema.json' }],
    ['JSON on one line', { code, text: JSON.stringify(root?.value), fixes, path: 'state.schema.json' }],
  ];
}

describe('fixes in every style', () => {
  const cases: readonly Case[] = [
    { code: 'state.unbounded', text: listText, fixes: list },
    {
      code: 'state.unbounded',
      text: `${head}  note:\n    type: string\n    description: Free.\n`,
      fixes: ['Add maxLength: 200'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  at:\n    format: date-time\n    type: string\n`,
      fixes: ['Add maxLength: 40'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  map:\n    type: object\n    additionalProperties: { type: boolean }\n    propertyNames: { maxLength: 9 }\n`,
      fixes: ['Add maxProperties: 50'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  map:\n    type: object\n    additionalProperties: { type: boolean }\n    maxProperties: 9\n`,
      fixes: ['Add propertyNames: { maxLength: 40 }'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  map:\n    type: object\n    additionalProperties: { type: boolean }\n    maxProperties: 9\n    propertyNames: { pattern: a }\n`,
      fixes: ['Add maxLength: 40 to propertyNames'],
    },
    {
      code: 'state.unbounded',
      text: 'type: object\nproperties:\n  a: { type: boolean }\n',
      fixes: ['Add additionalProperties: false', 'Allow up to 50 other keys with strings'],
    },
    {
      code: 'state.unbounded',
      text: 'type: object\nadditionalProperties: true\n',
      fixes: ['Add additionalProperties: false', 'Allow up to 50 other keys with strings'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  any: true\n`,
      fixes: [
        'Add type: string and maxLength: 200',
        'Add type: integer',
        'Add type: number',
        'Add type: boolean',
      ],
    },
    {
      code: 'state.unbounded',
      text: `${head}  any: {}\n`,
      fixes: [
        'Add type: string and maxLength: 200',
        'Add type: integer',
        'Add type: number',
        'Add type: boolean',
      ],
    },
    {
      code: 'state.unbounded',
      text: `${head}  any:\n    description: What it is.\n    properties: {}\n    additionalProperties: false\n`,
      fixes: ['Add type: object'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  all:\n    maxItems: 3\n    type: array\n`,
      fixes: ['Add items: strings of at most 200 characters'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  log:\n    type: array\n    x-merge: append\n    items: { type: boolean }\n`,
      fixes: ['Add maxItems: 20', 'Add maxItems: 20 and x-evict: oldest'],
    },
    {
      code: 'state.unknown-keyword',
      text: `${head}  a: { type: string, maxLenght: 5 }\n`,
      fixes: ['Change to maxLength'],
    },
    {
      code: 'state.unknown-keyword',
      text: `${head}  a:\n    colour: red\n    type: boolean\n`,
      fixes: ['Remove colour', 'Change to x-colour, a note of yours'],
    },
    {
      code: 'state.unknown-keyword',
      text: `${head}  a: { type: array, x-merg: append, items: true }\n`,
      fixes: ['Change to x-merge'],
    },
    {
      code: 'state.misplaced-annotation',
      text: `${head}  a:\n    type: string\n    x-merge: append\n`,
      fixes: ['Remove x-merge'],
    },
    {
      code: 'state.misplaced-annotation',
      text: `${head}  a:\n    type: array\n    items: { type: boolean }\n    x-evict: oldest\n`,
      fixes: ['Add x-merge: append', 'Remove x-evict'],
    },
    {
      code: 'state.misplaced-annotation',
      text: `${head}  a:\n    type: array\n    x-evict: oldest\n    x-merge: append\n    items: { type: boolean }\n`,
      fixes: ['Add maxItems: 20', 'Remove x-evict'],
    },
    {
      code: 'state.invalid-annotation',
      text: `${head}  a:\n    type: array\n    items: { type: boolean }\n    x-merge: apend\n`,
      fixes: ['Change to append', 'Change to union', 'Change to replace', 'Remove x-merge'],
    },
    {
      code: 'state.invalid-annotation',
      text: `${head}  a:\n    type: boolean\n    x-writer: tool\n`,
      fixes: ['Change to environment', 'Change to model', 'Remove x-writer'],
    },
    {
      code: 'state.unknown-dialect',
      text: '$schema: https://json-schema.org/draft/2019-09/schema\ntype: object\nadditionalProperties: false\n',
      fixes: ['Use 2020-12', 'Use draft-07'],
    },
    {
      code: 'state.unresolved-reference',
      text: `${head}  a:\n    $ref: '#/$defs/nodee'\n$defs:\n  node: { type: boolean }\n  other: { type: boolean }\n`,
      fixes: ['Change to #/$defs/node'],
    },
    {
      code: 'state.untyped-root',
      text: 'additionalProperties: false\nproperties: {}\n',
      fixes: ['Add type: object'],
    },
    { code: 'state.root-not-object', text: 'type: array\n', fixes: ['Change to type: object'] },
    {
      code: 'state.unsupported-keyword',
      text: `${head}  a: { id: 'https://example.org/a', type: boolean }\n`,
      fixes: ['Change to $id', 'Remove id'],
    },
    {
      code: 'state.unsupported-keyword',
      text: `${head}  a:\n    nullable: true\n    description: It.\n`,
      fixes: ['Remove nullable'],
    },
    {
      code: 'state.required-null',
      text: `${head}  a:\n    type: [string, 'null']\n    maxLength: 3\nrequired: [a]\n`,
      fixes: ['Leave null out of its types'],
    },
    {
      code: 'state.null-deletes',
      text: `${head}  a:\n    enum: [x, null]\n    type:\n      - string\n      - 'null'\n`,
      fixes: ['Leave null out of its types'],
    },
    {
      code: 'state.default-deletion',
      text: `${head}  a:\n    type: boolean\n    default: false\n`,
      fixes: ['List "a" in required'],
    },
    {
      code: 'state.default-deletion',
      text: `${head}  a:\n    type: boolean\n    default: false\n  b: { type: boolean }\nrequired:\n  - b\n`,
      fixes: ['List "a" in required'],
    },
    {
      code: 'state.list-rewritten',
      text: `${head}  log:\n    type: array\n    maxItems: 500\n    default: []\n    items: { type: integer }\n`,
      fixes: [
        'Add x-merge: append, x-evict: oldest',
        'Add x-merge: union',
        'Turn the list into a map by keys, so that a patch names only what changes',
      ],
    },
    {
      code: 'state.same-fact',
      text: `${head}  order_count: { type: integer }\n  orders:\n    type: array\n    maxItems: 3\n    items: { type: boolean }\n`,
      fixes: ['Remove "order_count"'],
    },
    {
      code: 'state.unknown-state-path',
      text: `${head}  shelves: { type: integer }\nx-invariants:\n  - expression: state.shelfes < 3\n    message: Few.\n`,
      fixes: ['Change to shelves'],
    },
  ];
  test.each(cases.flatMap((each) => variants(each).map(([style, it]) => [each.code, style, it] as const)))(
    '%s in %s',
    async (_code, _style, each) => {
      expect((await checkFixes(each)).length).toBeGreaterThan(0);
    },
  );

  test('an open object that something else bounds', async () => {
    const text =
      'type: object\nmaxProperties: 2\nallOf:\n  - additionalProperties: { type: boolean }\n    propertyNames: { maxLength: 3 }\nproperties: { a: { type: object, properties: { b: { type: boolean } }, maxProperties: 1, allOf: [{ additionalProperties: false }] } }\n';
    expect((await findingsIn(text)).findings.map(({ code }) => code)).not.toContain('state.unbounded');
  });

  test('a key that stands twice', async () => {
    for (const text of [
      `${head}  a:\n    type: boolean\n  b: { type: boolean }\n  a: # again\n    type: string\n    maxLength: 3\n  c: { type: boolean }\n`,
      `${head}  a: { type: boolean }\n  a: { type: string }`,
      `type: object\nproperties: { a: true, a: false, c: true }\n`,
    ]) {
      const { findings, uri } = await findingsIn(text);
      const finding = findings.find(({ code }) => code === 'state.duplicate-key');
      const [fix] = finding?.fixes?.() ?? [];
      expect(fix?.title).toBe('Remove the second one');
      const fixed = fix === undefined ? '' : applied(text, fix, uri);
      expect(parseSourceFile({ path: 'a.yaml', text: fixed }).problems).toEqual([]);
      expect(fixed).toContain('a');
    }
    const path = 'state.schema.json';
    const text = '{"type": "object", "properties": {"a": true, "a": {"type": "string"}}}';
    const { findings, uri } = await findingsIn(text, path);
    const [fix] = findings.find(({ code }) => code === 'state.duplicate-key')?.fixes?.() ?? [];
    expect(fix && applied(text, fix, uri)).toBe('{"type": "object", "properties": {"a": true}}');
  });
});

test('what a fix writes', async () => {
  const [limited, appended, united, keyed] = await checkFixes({
    code: 'state.unbounded',
    text: listText,
    fixes: list,
  });
  const before = `${head}  log: # grows\n    type: `;
  const after = '    items:\n      type: string\n      maxLength: 5\n  other: { type: boolean }\n';
  expect(limited).toBe(`${before}array # of lines\n    maxItems: 20\n${after}`);
  expect(appended).toBe(
    `${before}array # of lines\n    x-merge: append\n    maxItems: 20\n    x-evict: oldest\n${after}`,
  );
  expect(united).toBe(`${before}array # of lines\n    x-merge: union\n    maxItems: 20\n${after}`);
  expect(keyed).toBe(
    `${before}object # of lines\n    propertyNames: { maxLength: 40 }\n    maxProperties: 20\n${after.replace('items', 'additionalProperties')}`,
  );
});

describe('what is said of a schema', () => {
  async function codes(text: string, path?: string) {
    const { findings } = await findingsIn(text, path);
    return findings
      .filter(({ code }) => code !== 'state.provider-keyword')
      .map((finding) => `${finding.severity} ${finding.code} ${at(text, finding)}`);
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

  test('what providers can not express, once for each keyword', async () => {
    const text = `${head}  a: { type: string, maxLength: 3 }\n  b: { type: string, maxLength: 3 }\n`;
    const { findings } = await findingsIn(text);
    const found = findings.filter(({ code }) => code === 'state.provider-keyword');
    expect(found.map(({ message }) => message)).toEqual([
      'maxLength (2 times in this schema) cannot be part of constrained decoding everywhere: refused by OpenAI strict mode, ignored by Gemini; patches are checked against it all the same.',
    ]);
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
      .map((finding) => `${finding.code} ${at(text, finding)}`);
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

describe('hostile and broken schemas', () => {
  const many = (count: number, make: (index: number) => unknown) =>
    Array.from({ length: count }, (_, index) => make(index));

  test('what an alias repeats is reported once, and not edited through the alias', async () => {
    const text = `${head}  a: &t\n    type: string\n  b: *t\n  c: *t\n`;
    const { findings, uri } = await findingsIn(text);
    const unbounded = findings.filter(({ code }) => code === 'state.unbounded');
    expect(unbounded.map((finding) => at(text, finding))).toEqual(['string']);
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
