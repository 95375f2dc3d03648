import { describe, expect, it } from 'vitest';
import type { CompletionItem } from 'vscode-languageserver-types';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { LineIndex } from '../../../schemas/text/position';
import type { Settings } from '../../../server/src/languageService/workspace';
import { accepted } from '../../support/acceptedCompletion';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const skill = '---\nname: sample\ndescription: A sample.\n---\n\nBody.\n';

async function complete(
  marked: string,
  format: 'yaml' | 'json' = 'yaml',
  settings: Partial<Settings> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<readonly CompletionItem[]> {
  const { text, position } = cursorIn(marked);
  const name = `state.schema.${format}`;
  const workspace = skillWorkspace({ 'SKILL.md': skill, ...files, [name]: text }, { settings });
  return workspace.service.completion(workspace.uri(name), position);
}

async function labels(marked: string, format: 'yaml' | 'json' = 'yaml', settings: Partial<Settings> = {}) {
  return (await complete(marked, format, settings)).map(({ label }) => label);
}

async function accept(marked: string, label: string, format: 'yaml' | 'json' = 'yaml'): Promise<string> {
  const item = (await complete(marked, format)).find((candidate) => candidate.label === label);
  if (item === undefined) throw new Error(`${label} isn't offered.`);
  return accepted(cursorIn(marked).text, item);
}

async function errorsIn(text: string, format: 'yaml' | 'json'): Promise<readonly string[]> {
  const name = `state.schema.${format}`;
  // Without an initial state, a name in `required` asks for a default as well.
  const workspace = skillWorkspace({ 'SKILL.md': skill, [name]: text, 'state.initial.yaml': '{}\n' });
  const findings = (await workspace.service.findings(workspace.uri(name))) ?? [];
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);
}

describe('keywords', () => {
  it('begins with those that a root needs', async () => {
    expect((await labels('‸')).slice(0, 4)).toEqual(['$schema', 'type', 'description', 'properties']);
    expect((await labels('type: object\n‸')).slice(0, 4)).toEqual([
      'description',
      'properties',
      'required',
      'additionalProperties',
    ]);
  });

  it('offers a whole schema where there is nothing yet', async () => {
    for (const format of ['yaml', 'json'] as const) {
      const text = await accept('‸', 'state schema', format);
      expect(loadStateSchema({ path: `state.schema.${format}`, text }).problems).toEqual([]);
    }
  });

  it('offers in branches and conditions what fits the value that they describe', async () => {
    for (const branch of ['if:\n  ‸', 'allOf:\n  - ‸', 'allOf:\n  - anyOf:\n      - ‸']) {
      const found = await labels(`type: object\n${branch}`);
      expect(found.slice(0, 4)).toEqual(['type', 'description', 'properties', 'required']);
      expect(found).not.toContain('maxLength');
    }
    expect(await labels('properties:\n  a:\n    type: string\n    not: {‸}')).toContain('pattern');
  });

  it('offers items where a list of schemas begins', async () => {
    const text = 'type: object\nproperties:\n  a:\n    anyOf:\n      ‸\n$defs:\n  x: { type: string }\n';
    expect(await labels(text)).toEqual(['- type', '- $ref: #/$defs/x']);
    const chosen = await accept(text, '- $ref: #/$defs/x');
    expect(chosen).toContain('anyOf:\n      - $ref: "#/$defs/x"\n');
    expect(await errorsIn(chosen, 'yaml')).toEqual([]);
  });

  it.each([
    ['enum: [3, "4", x, null, true]', ['3', '"4"', 'x', 'null', 'true']],
    ['type: integer\n    enum: [3, x, 5]', ['3', '5']],
    ['type: boolean\n    enum: [true]', ['true']],
    ['type: string\n    const: EUR', ['EUR']],
    ['const: 7', ['7']],
  ])('offers as default what %s allows, as it is written', async (rest, expected) => {
    const marked = `type: object\nproperties:\n  a:\n    ${rest}\n    default: ‸\n`;
    const items = await complete(marked);
    const written = items.map((item) => accepted(cursorIn(marked).text, item).split('default: ')[1]?.trim());
    expect(written.map((text) => text?.replaceAll("'", '"'))).toEqual(expected);
  });

  it('offers what `$ref` can lead to in other files of the folder', async () => {
    const files = {
      'state.initial.yaml': '{}\n',
      'notes.json': '[1]',
      'parts.yaml': '$defs:\n  "a b": { type: boolean, description: Yes or no. }\n',
      'parts/one.json': '{"type": "object"}',
      'broken.yaml': '$defs:\n  x: {type: [\n',
    };
    const offered = ['broken.yaml#/$defs/x', 'parts.yaml#/$defs/a%20b', 'parts/one.json'];
    for (const [marked, format, own] of [
      ['properties:\n  a:\n    $ref: ‸\n$defs:\n  y: {}\n', 'yaml', ['#/$defs/y']],
      ['properties:\n  a: {$ref: "par‸\n  b: [\n', 'yaml', []],
      ['{"properties": {"a": {"$ref": "‸"}}}', 'json', []],
    ] as const) {
      const items = await complete(marked, format, {}, files);
      expect(items.map(({ label }) => label)).toEqual([...own, ...offered]);
      expect(items.at(-2)?.documentation).toEqual({ kind: 'markdown', value: 'Yes or no\\.' });
    }
  });

  it('offers what fits the type beside it', async () => {
    const of = (type: string) => labels(`properties:\n  a:\n    type: ${type}\n    ‸`);
    expect(await of('array')).toContain('maxItems');
    expect(await of('array')).not.toContain('maxLength');
    expect(await of('string')).toContain('maxLength');
    expect(await of('[string, "null"]')).toContain('maxLength');
    expect(await of('[string, "null"]')).not.toContain('maximum');
    expect(await of('\n      - integer\n      - array')).toEqual(
      expect.arrayContaining(['maximum', 'items']),
    );
    expect(await of('boolean')).not.toContain('properties');
    expect(await labels('properties:\n  a:\n    minimum: 1\n    ‸')).not.toContain('items');
  });

  it('leaves out what is there, and what has no effect', async () => {
    const found = await labels('properties:\n  a:\n    type: array\n    ‸\n    maxItems: 3');
    expect(found).not.toContain('maxItems');
    expect(found).not.toContain('type');
    expect(found).not.toContain('x-evict');
    expect(found).not.toContain('minContains');
    expect(found).not.toContain('x-invariants');
    expect(found).not.toContain('$schema');
    expect(found).not.toContain('$ref');
    expect(await labels('properties:\n  a:\n    type: array\n    x-merge: append\n    ‸')).toContain(
      'x-evict',
    );
  });

  it('offers for a key with a value what the value fits', async () => {
    expect(await labels('properties:\n  a:\n    type: array\n    maxItem‸: 5')).toEqual([
      'maxItems',
      'minItems',
      'default',
      'const',
    ]);
    expect(await labels('properties:\n  a:\n    type: array\n    item‸:\n      type: string')).toEqual(
      expect.arrayContaining(['items', 'contains', 'not']),
    );
    expect(await labels('properties:\n  a:\n    type: array\n    item‸:\n      type: string')).not.toContain(
      'maxItems',
    );
    expect(await labels('typ‸: object')).toEqual(expect.arrayContaining(['type', 'description']));
    expect(await labels('propertie‸\n  a:\n    type: string')).toContain('properties');
    expect(await labels('{"requ‸": ["a"]}', 'json')).toContain('required');
    expect(await labels('properties:\n  a:\n    x-mer‸: append')).toContain('x-merge');
  });

  it('adds the limit that x-evict needs', async () => {
    const text = 'properties:\n  a:\n    x-merge: append\n    ';
    expect(await accept(`${text}‸`, 'x-evict')).toBe(`${text}x-evict: oldest\n    maxItems: 20`);
    expect(await accept(`${text}maxItems: 3\n    ‸`, 'x-evict')).toBe(
      `${text}maxItems: 3\n    x-evict: oldest`,
    );
  });

  it('knows that keys are strings', async () => {
    const found = await labels('properties:\n  a:\n    propertyNames:\n      ‸');
    expect(found).toContain('maxLength');
    expect(found).not.toContain('maxItems');
    expect(found).not.toContain('counter');
  });

  it('knows the dialect', async () => {
    const draft07 = '$schema: http://json-schema.org/draft-07/schema#\n‸';
    expect(await labels(draft07)).toEqual(expect.arrayContaining(['definitions', 'dependencies']));
    expect(await labels(draft07)).not.toContain('$defs');
    expect(await labels('type: object\n‸')).toContain('$defs');
    expect(await labels('type: object\n‸')).not.toContain('definitions');
    expect(await labels(`${draft07.slice(0, -1)}properties:\n  a:\n    items:\n      ‸`)).toContain('type');
  });

  it('documents each', async () => {
    for (const { label, documentation, kind } of await complete('‸')) {
      if (kind !== 15) expect(documentation, label).toBeDefined();
    }
  });

  it('writes the value with its placeholder', async () => {
    const at = 'properties:\n  a:\n    type: array\n    ‸';
    expect(await accept(at, 'maxItems')).toBe('properties:\n  a:\n    type: array\n    maxItems: 20');
    expect(await accept(at, 'items')).toBe(
      'properties:\n  a:\n    type: array\n    items:\n      type: string',
    );
    expect(await accept('type: object\n‸', 'properties')).toBe(
      'type: object\nproperties:\n  name:\n    type: string',
    );
    expect(await accept('type: object\nproperties:\n  a:\n    type: string\nreq‸', 'required')).toContain(
      '\nrequired: [a]',
    );
    expect(await accept('a: 1\nty‸pe: x', 'title')).toBe('a: 1\ntitle: x');
    expect(await accept('properties:\n    a: {‸}', 'type')).toBe('properties:\n    a: {type: string}');
    expect(await accept('{\n  "type": "object",\n  ‸\n}', 'properties', 'json')).toBe(
      '{\n  "type": "object",\n  "properties": {\n    "name": {\n      "type": "string"\n    }\n  }\n}',
    );
    expect(await accept('{\n  "ty‸"\n}', 'type', 'json')).toBe('{\n  "type": "object"\n}');
    expect(await accept('{\n  ‸\n  "title": "x"\n}', 'type', 'json')).toBe(
      '{\n  "type": "object",\n  "title": "x"\n}',
    );
  });
});

describe('values', () => {
  it.each([
    ['type: ‸', ['object']],
    ['properties:\n  a:\n    type: ‸', ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null']],
    ['properties:\n  a:\n    type: [string, ‸]', ['integer', 'number', 'boolean', 'object', 'array', 'null']],
    ['properties:\n  a:\n    x-merge: ‸', ['replace', 'append', 'union']],
    ['properties:\n  a:\n    x-evict: ‸', ['oldest']],
    ['properties:\n  a:\n    x-writer: en‸', ['model', 'environment']],
    ['properties:\n  a:\n    uniqueItems: ‸', ['true', 'false']],
    ['additionalProperties: ‸', ['false', 'true']],
    ['properties:\n  a:\n    type: integer\n    default: ‸', ['0']],
    ['properties:\n  a:\n    enum: [x, y]\n    default: ‸', ['x', 'y']],
    ['properties:\n  a:\n    enum:\n      - x\n      - y\n    const: ‸', ['x', 'y']],
    ['properties:\n  a:\n    type: boolean\n    default: ‸', ['false', 'true']],
    ['properties:\n  a:\n    type: array\n    default: ‸', ['[]']],
    ['properties:\n  a: 1\n  b: 2\nrequired: [a, ‸]', ['b']],
    ['properties:\n  a: 1\n  b: 2\nrequired:\n  - ‸\n  - b', ['a']],
    ['properties:\n  a: 1\n  b: 2\nrequired:\n  ‸', ['a', 'b']],
    ['properties:\n  a: 1\n  b: 2\nrequired: ‸', ['a', 'b']],
    ['properties:\n  a: 1\n  b: 2\ndependentRequired:\n  ‸', ['a', 'b']],
    ['properties:\n  a: 1\n  b: 2\ndependentRequired:\n  a: [‸]', ['b']],
    [
      '$defs:\n  x/y:\n    type: string\n  z:\n    type: string\nproperties:\n  a:\n    $ref: ‸',
      ['#/$defs/x~1y', '#/$defs/z'],
    ],
    [
      '$schema: ‸',
      ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'],
    ],
    ['title: ‸', []],
    ['description: |\n  type: ‸', []],
    ['x-invariants:\n  - ‸', ['expression']],
    ['x-invariants:\n  - expression: a\n    ‸', ['message']],
    ['properties:\n  a: 1\n  b-c: 2\nx-invariants:\n  - expression: size(state.‸', ['state.a']],
    [
      'properties:\n  a:\n    properties:\n      b:\n        type: string\nx-invariants:\n  - expression: state.a.‸',
      ['state.a.b'],
    ],
    ['x-invariants:\n  - expression: ‸', ['state']],
  ])('after %j are %j', async (marked, expected) => {
    expect(await labels(marked)).toEqual(expected);
  });

  it('offers them in JSON too', async () => {
    expect(await labels('{"properties": {"a": 1, "b": 2}, "required": ["a", "‸"]}', 'json')).toEqual(['b']);
    expect(
      await labels('{"$defs": {"x": {"description": "An x."}}, "properties": {"a": {"$ref": "‸"}}}', 'json'),
    ).toEqual(['#/$defs/x']);
    expect(await labels('{"properties": {"a": {"type": ‸}}}', 'json')).toContain('integer');
  });

  it('shows the descriptions of what it refers to, not as markup', async () => {
    const text = '$defs:\n  x:\n    description: An [x](command:y) *z*.\nproperties:\n  a:\n    $ref: ‸';
    const [item] = await complete(text);
    expect(item?.documentation).toEqual({
      kind: 'markdown',
      value: 'An \\[x\\]\\(command\\:y\\) \\*z\\*\\.',
    });
  });

  it('puts the blank that is missing after the colon', async () => {
    expect(await accept('properties:\n  a:\n    type:‸', 'integer')).toBe(
      'properties:\n  a:\n    type: integer',
    );
  });

  it('keeps quotes', async () => {
    expect(await accept("properties:\n  a:\n    type: 'str‸'", 'integer')).toBe(
      "properties:\n  a:\n    type: 'integer'",
    );
    const [item] = await complete("properties:\n  a:\n    type: 'str‸'");
    expect(item?.filterText).toBe("'string");
  });
});

describe('shapes of fields', () => {
  it('takes what has been typed as the name', async () => {
    expect(await accept('type: object\nproperties:\n  visits‸', 'counter')).toBe(
      'type: object\nproperties:\n  visits:\n    type: integer\n    minimum: 0\n    maximum: 1000\n    default: 0',
    );
  });

  it('takes a name that is free', async () => {
    expect(await accept('type: object\nproperties:\n  log: {}\n  ‸', 'capped log')).toContain(
      '\n  log_2:\n    type: array\n',
    );
  });

  it('fits an empty field', async () => {
    expect(await accept('properties:\n  log:\n    ‸', 'flag')).toBe(
      'properties:\n  log:\n    type: boolean\n    default: false',
    );
  });
});

describe('beside an editor’s own JSON support', () => {
  const json = { builtInJson: true };

  it('leaves it what it knows', async () => {
    const inField = await labels(
      '{"$defs": {"x": {}}, "properties": {"a": {"type": "array", ‸}}}',
      'json',
      json,
    );
    expect(inField).toEqual(['$ref', 'x-merge', 'x-writer']);
    expect(await labels('{"properties": {"a": {"type": ‸}}}', 'json', json)).toEqual([]);
    expect(await labels('{"properties": {"a": {"x-merge": ‸}}}', 'json', json)).toHaveLength(3);
    expect(await labels('{"properties": {"a": 1}, "required": [‸]}', 'json', json)).toEqual(['a']);
    expect(await labels('{"properties": {‸}}', 'json', json)).toContain('counter');
  });

  it('changes nothing in YAML', async () => {
    expect(await labels('properties:\n  a:\n    type: ‸', 'yaml', json)).toContain('string');
  });
});

const yaml = `$schema: https://json-schema.org/draft/2020-12/schema
type: object
description: A state.
properties:
  inventory:
    type: object
    propertyNames:
      pattern: ^shelf_\\d+$
      maxLength: 9
    additionalProperties:
      $ref: '#/$defs/item'
    maxProperties: 20
  log:
    type: array
    items:
      type: object
      properties:
        id:
          type: integer
      required: [id]
    maxItems: 5
    x-merge: append
  phase:
    enum:
      - start
      - end
  either:
    anyOf:
      - type: string
        maxLength: 3
      - type: boolean
  pair: {type: array, prefixItems: [{type: string}, {type: integer}], items: false}
required:
  - log
  - phase
$defs:
  item:
    type: string
    description: An item.
    maxLength: 20
x-invariants:
  - expression: size(state.log) < 5
    message: The log is short.
additionalProperties: false
`;

const json = `{
  "type": "object",
  "properties": {
    "log": {
      "type": "array",
      "items": { "$ref": "#/$defs/item" },
      "maxItems": 5
    },
    "phase": { "enum": ["start", "end"] }
  },
  "required": ["log"],
  "$defs": {
    "item": {
      "type": "string",
      "maxLength": 20
    }
  },
  "additionalProperties": false
}
`;

const wide = `type: object
properties:
    a:
        type: array
        items:
            type: string
    b:
        allOf:
        -   type: string
        -   maxLength: 4
required:
-   a
`;

describe('a value with a great many blanks', () => {
  // Looked for from every blank on, its end would take minutes to be found.
  it.each(['yaml', 'json'] as const)('is read like others, in %s', async (format) => {
    const value = `x${' \t'.repeat(250_000)}y`;
    const marked = `{"properties": {"a": {"type": ${value}, ‸}}}`;
    expect(await labels(marked, format)).toContain('description');
  });
});

describe('every completion, once accepted,', () => {
  it('begins with documents without errors', async () => {
    expect(await errorsIn(yaml, 'yaml')).toEqual([]);
    expect(await errorsIn(json, 'json')).toEqual([]);
  });

  it('leaves no error on a new line of a YAML schema', async () => {
    await acceptEverywhere(newLines(yaml), 'yaml', 300);
  }, 120_000);

  it('leaves no error on a new line with CRLF and wider indentation', async () => {
    await acceptEverywhere(newLines(wide.replaceAll('\n', '\r\n'), '\r\n'), 'yaml', 100);
  }, 120_000);

  it('leaves no error where a value of a YAML schema is written anew', async () => {
    await acceptEverywhere([...emptiedValues(yaml)], 'yaml', 40);
  }, 120_000);

  it('leaves no error where an entry of a JSON schema is added', async () => {
    await acceptEverywhere([...newEntries(json)], 'json', 100);
  }, 120_000);

  it('leaves no error where a value of a JSON schema is written anew', async () => {
    await acceptEverywhere([...emptiedValues(json)], 'json', 15);
  }, 120_000);
});

describe('while a schema is typed from its first key to its last', () => {
  it.each([
    ['yaml', yaml],
    ['json', json],
    ['yaml', wide.replaceAll('\n', '\r\n')],
    ['yaml', json],
  ] as const)(
    'every completion in %s leaves no error that was not there',
    async (format, whole) => {
      const name = `state.schema.${format}`;
      const errorsOf = (text: string) =>
        loadStateSchema({ path: name, text }).problems.filter(({ severity }) => severity === 'error');
      const workspace = skillWorkspace({ 'SKILL.md': skill });
      let count = 0;
      for (let end = 0; end <= whole.length; end++) {
        const text = whole.slice(0, end);
        // No editor stands inside of a line end.
        if (text.endsWith('\r')) continue;
        workspace.set(name, text);
        const position = new LineIndex(text).positionAt(end);
        for (const item of await workspace.service.completion(workspace.uri(name), position)) {
          count++;
          const { textEdit } = item;
          if (textEdit === undefined || !('range' in textEdit)) throw new Error('no edit');
          expect(textEdit.range.end).toEqual(position);
          expect(textEdit.range.start.line).toBe(position.line);
          if (count % 7 !== 0) continue;
          const after = accepted(text, item);
          // A key without its colon breaks the text, and the break alone is told then.
          const before = text.slice(0, Math.max(0, text.lastIndexOf('\n')));
          const known = new Set([...errorsOf(text), ...errorsOf(before)].map(({ code }) => code));
          const added = errorsOf(after).filter(({ code }) => !known.has(code));
          expect(added, `${item.label} behind ${text.slice(-100)}`).toEqual([]);
        }
      }
      expect(count).toBeGreaterThan(500);
    },
    60_000,
  );
});

/** An empty line, and one with a letter on it, below every line in every column. */
function* newLines(text: string, lineEnd = '\n'): Iterable<string> {
  const lines = text.split(lineEnd);
  for (let line = 0; line < lines.length; line++) {
    const indent = /^ */.exec(lines[line] ?? '')?.[0].length ?? 0;
    for (let column = 0; column <= indent + 2; column += 2) {
      for (const typed of ['', '- ']) {
        yield [...lines.slice(0, line + 1), `${' '.repeat(column)}${typed}‸`, ...lines.slice(line + 1)].join(
          lineEnd,
        );
      }
    }
  }
}

/** Every scalar behind a colon, taken out. */
function* emptiedValues(text: string): Iterable<string> {
  for (const found of text.matchAll(/: ("[^"]*"|'[^']*'|[\w^][^\n,{}[\]]*)(?=[\n,}\]])/g)) {
    const start = found.index + 2;
    yield `${text.slice(0, start)}‸${text.slice(start + (found[1]?.length ?? 0))}`;
  }
}

/** Before every entry of JSON. */
function* newEntries(text: string): Iterable<string> {
  for (const { index } of text.matchAll(/[{[,]/g)) {
    yield `${text.slice(0, index + 1)}‸${text.slice(index + 1)}`;
    yield `${text.slice(0, index + 1)}\n ‸${text.slice(index + 1)}`;
  }
}

/** @param least How many completions there have to be in all, so that the test can't pass by finding none. */
async function acceptEverywhere(
  texts: Iterable<string>,
  format: 'yaml' | 'json',
  least: number,
): Promise<void> {
  const name = `state.schema.${format}`;
  const workspace = skillWorkspace({ 'SKILL.md': skill });
  let count = 0;
  for (const marked of texts) {
    const { text, offset, position } = cursorIn(marked);
    workspace.set(name, text);
    for (const item of await workspace.service.completion(workspace.uri(name), position)) {
      count++;
      const after = accepted(text, item);
      const { problems } = loadStateSchema({ path: name, text: after });
      const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
      // All findings take longer.
      if (count % 100 === 0) errors.push(...(await errorsIn(after, format)));
      const around = marked.slice(Math.max(0, offset - 120), offset + 60);
      expect(errors, `${item.label} in ${around}`).toEqual([]);
    }
  }
  expect(count).toBeGreaterThan(least);
}
