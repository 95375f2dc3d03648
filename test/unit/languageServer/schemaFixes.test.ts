/** Fixes of findings in state schemas: each applied, the finding is gone and the text still reads. */
import { describe, expect, test } from 'vitest';
import { parseSourceFile } from '../../../schemas/text/sourceFile';
import { applied, findingsIn, head } from '../../support/schemaFindings';
import { skillWorkspace } from '../../support/skillWorkspace';

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
      text: `${head}  map:\n    type: object\n    additionalProperties: { type: boolean }\n`,
      fixes: ['Add maxProperties: 50 and propertyNames: { maxLength: 40 }'],
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
      code: 'state.null-deletes',
      text: `${head}  a:\n    anyOf:\n      # Nothing yet.\n      - type: 'null'\n      - type: integer\n      - type: boolean\n`,
      fixes: ['Leave null out of anyOf'],
    },
    {
      code: 'state.null-deletes',
      text: `${head}  a:\n    description: It.\n    anyOf:\n      - type: integer\n        minimum: 0\n      - { type: 'null' }\n`,
      fixes: ['Leave null out of anyOf'],
    },
    {
      code: 'state.null-deletes',
      text: `${head}  a: { oneOf: [{ $ref: '#/$defs/b' }, { type: 'null' }] }\n$defs:\n  b: { type: integer }\n`,
      fixes: ['Leave null out of oneOf'],
    },
    {
      code: 'state.default-deletion',
      text: `${head}  a:\n    type: boolean\n    default: false\n`,
      fixes: ['List "a" in required'],
    },
    {
      code: 'state.default-deletion',
      text: `${head}  a:\n    type: boolean\n    default: false\n  c: { type: integer, default: 1 }\n`,
      fixes: ['List the 2 properties with a default in required'],
    },
    {
      code: 'state.default-deletion',
      text: `${head}  a:\n    type: boolean\n    default: false\n  b: { type: boolean }\nrequired:\n  - b\n`,
      fixes: ['List "a" in required'],
    },
    {
      code: 'state.unbounded',
      text: `${head}  list:\n    type: array\n    maxItems: 3\n    items: { type: array, items: { type: boolean } }\n`,
      fixes: ['Add maxItems: 20'],
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
      code: 'state.invalid-keyword',
      text: `${head}  list:\n    type: arra\n    maxItems: 3\n    x-merge: append\n    items: { type: boolean }\n`,
      fixes: ['Change to array'],
    },
    {
      code: 'state.invalid-keyword',
      text: `${head}  note:\n    type: [strin, 'null']\n    maxLength: 3\n`,
      fixes: ['Change to string'],
    },
    {
      code: 'state.invalid-keyword',
      text: `${head}  note: { anyOf: [{ type: bool }] }\n`,
      fixes: ['Change to boolean'],
    },
    {
      code: 'state.optional-in-invariant',
      text: `${head}  open:\n    type: array\n    maxItems: 9\n    default: []\n    items: { type: integer }\nx-invariants:\n  - expression: size(state.open) <= 3\n    message: Three.\n`,
      fixes: ['Add !has(state.open) || (…)', 'Add "open" to required'],
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

  test('a property that is called type, or a type that the list has already, is no slip', async () => {
    for (const text of [
      'type: object\nproperties: { type: strin }\n',
      `${head}  a: { type: [strin, string] }\n`,
    ]) {
      const [finding] = (await findingsIn(text)).findings;
      expect([finding?.code, finding?.fixes?.()]).toEqual(['state.invalid-keyword', []]);
    }
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

test('fixes are looked for while the host says so', async () => {
  const text = `type: object\n${'type: object\n'.repeat(30)}`;
  const { service, uri } = skillWorkspace({ 'state.schema.yaml': text });
  const all = { start: { line: 0, character: 0 }, end: { line: 40, character: 0 } };
  const found = async (goOn?: () => Promise<boolean>) =>
    (await service.fixes(uri('state.schema.yaml'), all, goOn)).map(({ finding }) => finding.range.start.line);
  const lines = Array.from({ length: 30 }, (_, index) => index + 1);
  expect(await found()).toEqual(lines);
  let asked = 0;
  expect(await found(async () => asked++ < 3)).toEqual(lines.slice(0, 3));
  expect(asked).toBe(4);
  await expect(found(() => Promise.reject(new Error('cancelled')))).rejects.toThrow('cancelled');
});

test.each(['state.schema.yaml', 'state.schema.json'])(
  'every key of %s that is there before is taken out alone',
  async (path) => {
    const keys = ['a', 'b', 'a', 'c', 'b', 'a'].map((key, index) => `"${key}": {"maxLength": ${index}}`);
    const text = `{"type": "object", "properties": {${keys.join(', ')}}}`;
    const { findings, uri } = await findingsIn(text, path);
    const doubled = findings.filter(({ code }) => code === 'state.duplicate-key');
    const fixed = doubled.map(({ fixes }) => {
      const [fix] = fixes?.() ?? [];
      return fix === undefined ? '' : applied(text, fix, uri);
    });
    expect(fixed).toEqual(
      [2, 4, 5].map((gone) => {
        const kept = keys.filter((_, index) => index !== gone);
        return `{"type": "object", "properties": {${kept.join(', ')}}}`;
      }),
    );
  },
);
