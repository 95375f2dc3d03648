/** `validate` held against a run's own check: what a run refuses is an error, and what it takes is none. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRun } from '../../../client/src/hosts/node/openRun';
import { runCommand, temporaryFolder } from '../../support/commandLine';

const folder = temporaryFolder();
afterAll(() => folder.remove());

type Texts = Readonly<Record<string, string | Uint8Array>>;

const skillText = (name: string, metadata = '') =>
  `---\nname: ${name}\ndescription: Counts things.\n${metadata === '' ? '' : `metadata:\n${metadata}`}---\n# Count\n\nKeep \`count\`.\n`;
const counted = 'type: object\nproperties:\n  count: {type: integer, minimum: 0, default: 0}\n';
const schema = (text: string): Texts => ({ 'state.schema.yaml': text });
const jsonSchema = (text: string): Texts => ({ 'state.schema.json': text });
const initial = (text: string, schemaText = counted): Texts => ({
  'state.schema.yaml': schemaText,
  'state.initial.yaml': text,
});
const invariants = (...expressions: readonly string[]) =>
  schema(
    `${counted}x-invariants:\n${expressions.map((expression) => `  - {expression: ${JSON.stringify(expression)}, message: No.}\n`).join('')}`,
  );
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const metadata =
  (text: string, files: Texts = {}) =>
  (name: string) => ({
    'SKILL.md': skillText(name, text),
    ...files,
  });

type Case = Texts | ((name: string) => Texts);

/** A skill without a `SKILL.md` of its own gets one that keeps every rule of the standard. */
const refused: Readonly<Record<string, Case>> = {
  'schema-open-flow': schema('type: [object\n'),
  'schema-bad-type': schema('type: objekt\n'),
  'schema-array-root': schema('type: array\n'),
  'schema-false': schema('false\n'),
  'schema-empty': schema(''),
  'schema-number': schema('7\n'),
  'schema-two-documents': schema(`${counted}---\n${counted}`),
  'schema-tabs': schema('type: object\nproperties:\n\tcount: {type: integer}\n'),
  'schema-duplicate-key': schema(`${counted}type: object\n`),
  'schema-not-utf-8': { 'state.schema.yaml': Buffer.from('title: caf\xe9\n', 'latin1') },
  'schema-minimum-text': schema('type: object\nproperties: {a: {minimum: "3"}}\n'),
  'schema-negative-length': schema('type: object\nproperties: {a: {type: string, maxLength: -1}}\n'),
  'schema-required-twice': schema('type: object\nrequired: [a, a]\nproperties: {a: {default: 1}}\n'),
  'schema-bad-pattern': schema('type: object\nproperties: {a: {pattern: "("}}\n'),
  'schema-lookbehind': schema('type: object\nproperties: {a: {pattern: "(?<=a)b"}}\n'),
  'schema-bad-pattern-key': schema('type: object\npatternProperties: {"[": {}}\n'),
  'schema-unknown-dialect': schema('$schema: "http://json-schema.org/draft-03/schema#"\ntype: object\n'),
  'schema-lost-reference': schema('type: object\nproperties: {a: {$ref: "#/$defs/a"}}\n'),
  'schema-far-reference': schema('type: object\nproperties: {a: {$ref: "https://example.org/a.json"}}\n'),
  'schema-outer-reference': schema('type: object\nproperties: {a: {$ref: "../a.yaml"}}\n'),
  'schema-lost-file': schema('type: object\nproperties: {a: {$ref: "a.yaml"}}\n'),
  'schema-broken-part': {
    'state.schema.yaml': 'type: object\nproperties: {a: {$ref: "a.yaml"}}\n',
    'a.yaml': 'type: [\n',
  },
  'schema-other-dialect': {
    'state.schema.yaml': 'type: object\nproperties: {a: {$ref: "a.yaml"}}\n',
    'a.yaml': '$schema: "http://json-schema.org/draft-07/schema#"\ntype: string\n',
  },
  'schema-same-anchor': schema('type: object\n$defs: {a: {$anchor: x}, b: {$anchor: x}}\n'),
  'schema-same-id': schema('type: object\n$defs: {a: {$id: "x:/y"}, b: {$id: "x:/y"}}\n'),
  'schema-merge-way': schema('type: object\nproperties: {a: {type: array, x-merge: add}}\n'),
  'schema-writer': schema('type: object\nproperties: {a: {x-writer: nobody}}\n'),
  'schema-endless': schema('allOf: [{$ref: "#"}]\ntype: object\n'),
  'schema-required-missing': schema('type: object\nrequired: [a]\nproperties: {a: {type: integer}}\n'),
  'schema-default-type': schema('type: object\nproperties: {a: {type: integer, default: x}}\n'),
  'schema-default-nested': schema(
    'type: object\nproperties: {a: {type: object, default: {}, required: [b], properties: {b: {type: string}}}}\n',
  ),
  'schema-default-of-part': {
    'state.schema.yaml': 'type: object\nproperties: {a: {$ref: "a.yaml"}}\n',
    'a.yaml': 'type: integer\ndefault: x\n',
  },
  'schema-least-properties': schema('type: object\nminProperties: 1\n'),
  'schema-large-default': schema(
    `type: object\nproperties: {a: {type: string, default: "${'x'.repeat(1_000_001)}"}}\n`,
  ),
  'schema-json-comma': jsonSchema('{"type": "object",}'),
  'schema-json-twice': jsonSchema('{"type": "object", "type": "object"}'),
  'schema-json-default': jsonSchema('{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}'),
  'schema-draft-07': schema(
    '$schema: "http://json-schema.org/draft-07/schema#"\ntype: object\nproperties: {a: {type: integer, default: x}}\n',
  ),
  'schema-outside': metadata('  state-schema: ../other.yaml\n'),
  'schema-not-there': metadata('  state-schema: my.yaml\n'),
  'invariant-syntax': invariants('state.count >'),
  'invariant-false': invariants('state.count > 0'),
  'invariant-fails': invariants('state.nothing.at.all == 1'),
  'invariant-no-boolean': invariants('state.count'),
  'invariant-long': invariants(`state.count >= 0 ${'&& true '.repeat(700)}&&`),
  'invariant-last-of-many': invariants(...Array(250).fill('state.count >= 0'), 'state.count >'),
  'initial-syntax': initial('count: [\n'),
  'initial-list': initial('- 1\n'),
  'initial-empty': initial(''),
  'initial-type': initial('count: x\n'),
  'initial-unknown-key': initial('other: 1\n', `${counted}additionalProperties: false\n`),
  'initial-deep': initial(`a: ${nested(100)}\n`),
  'initial-large': initial(`a: "${'x'.repeat(1_000_001)}"\n`),
  'initial-free-form': { 'state.initial.yaml': `a: "${'x'.repeat(2_000)}"\n` },
  'initial-invariant': {
    'state.schema.yaml': `${counted}x-invariants: [{expression: state.count > 0, message: No.}]\n`,
    'state.initial.yaml': 'count: 0\n',
  },
  'initial-not-there': metadata('  initial-state: my.yaml\n'),
  'initial-json': { 'state.schema.yaml': counted, 'state.initial.json': '{"count": "x"}' },
  'include-not-there': metadata('  include: a.md\n'),
  'include-outside': metadata('  include: ../../a.md\n'),
  'include-commas': metadata('  include: a.md, b.md\n', { 'a.md': '# A\n', 'b.md': '# B\n' }),
  'include-not-utf-8': metadata('  include: a.md\n', { 'a.md': Buffer.from('caf\xe9', 'latin1') }),
  'environment-unknown': metadata('  environment: moon\n'),
  'skill-without-body': (name) => ({ 'SKILL.md': `---\nname: ${name}\ndescription: Some.\n---\n` }),
  'skill-not-utf-8': (name) => ({ 'SKILL.md': Buffer.from(`${skillText(name)}caf\xe9\n`, 'latin1') }),
};

const runnable: Readonly<Record<string, Case>> = {
  plain: {},
  'with-schema': schema(counted),
  'with-carriage-returns': (name) => ({
    'SKILL.md': skillText(name).replaceAll('\n', '\r\n'),
    'state.schema.yaml': counted.replaceAll('\n', '\r\n'),
  }),
  'with-initial': initial('count: 3\n'),
  'with-required-and-initial': initial('a: 1\n', 'type: object\nrequired: [a]\n'),
  'with-invariant': invariants('state.count >= 0'),
  'with-draft-07': schema(`$schema: "http://json-schema.org/draft-07/schema#"\n${counted}`),
  'with-part': {
    'state.schema.yaml': 'type: object\nproperties: {a: {$ref: "a.yaml"}}\n',
    'a.yaml': 'type: string\n',
  },
  'with-json-mark': jsonSchema('\uFEFF{"type":"object","properties":{"a":{"type":"integer","default":1}}}'),
  'with-unused-default': initial('a: 1\n', 'type: object\nproperties: {a: {type: integer, default: x}}\n'),
  'with-environment': metadata('  environment: manual\n'),
  'with-include': metadata('  include: a.md\n', { 'a.md': '# A\n' }),
  'with-open-reference': schema('type: object\nproperties: {a: {$ref: "#"}}\n'),
  'with-untyped-root': schema('properties: {a: {type: integer}}\n'),
  'with-true': schema('true\n'),
};

beforeAll(() => {
  for (const [name, files] of Object.entries({ ...refused, ...runnable })) {
    const texts = {
      'SKILL.md': skillText(name),
      ...(typeof files === 'function' ? files(name) : files),
    };
    for (const [path, text] of Object.entries(texts)) write(`${name}/${path}`, text);
  }
  // A run reads no file outside of the skill's folder, also not through a link.
  write('elsewhere/schema.yaml', counted);
  write('schema-link/SKILL.md', skillText('schema-link'));
  symlinkSync(
    join(folder.path, 'elsewhere', 'schema.yaml'),
    join(folder.path, 'schema-link/state.schema.yaml'),
  );
  mkdirSync(join(folder.path, 'schema-folder/state.schema.yaml'), { recursive: true });
  write('schema-folder/SKILL.md', skillText('schema-folder'));
});

function write(path: string, text: string | Uint8Array): void {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Whether a run of the skill begins. */
async function begins(name: string): Promise<boolean> {
  const nobody = () => Promise.reject(new Error('Nobody answers.'));
  try {
    const opened = await openRun({
      skill: join(folder.path, name),
      trace: { file: join(folder.path, `${name}.skilltrace.jsonl`) },
      callbacks: { asker: { ask: nobody } },
    });
    opened.close();
    return true;
  } catch (error) {
    if (error instanceof Error && ['SkillFailure', 'RunFailure'].includes(error.name)) return false;
    throw error;
  }
}

interface Report {
  readonly files: readonly {
    readonly path: string;
    readonly problems: readonly {
      readonly severity: string;
      readonly code: string;
      readonly message: string;
    }[];
  }[];
}

describe('what stops a run', () => {
  const refusedNames = [...Object.keys(refused), 'schema-link', 'schema-folder'];
  let report: Report;
  beforeAll(async () => {
    const { stdout, code, stderr } = await runCommand(['validate', '.', '--format', 'json'], folder.path);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    report = JSON.parse(stdout);
  }, 60_000);
  const errorsIn = (name: string) =>
    report.files
      .filter(({ path }) => path.startsWith(`${name}/`))
      .flatMap(({ problems }) => problems.filter(({ severity }) => severity === 'error'));

  it.each(refusedNames)('is an error: %s', async (name) => {
    expect(await begins(name)).toBe(false);
    expect(errorsIn(name)).not.toEqual([]);
  });

  it.each(Object.keys(runnable))('is nothing: %s', async (name) => {
    expect(await begins(name)).toBe(true);
    expect(errorsIn(name)).toEqual([]);
  });

  it('is told once', () => {
    const twice = refusedNames.filter((name) => {
      const messages = errorsIn(name).map(({ code, message }) => `${code} ${message}`);
      return new Set(messages).size < messages.length;
    });
    expect(twice).toEqual([]);
  });

  it('is an error of a schema that is checked by itself, too', async () => {
    const { code, stdout } = await runCommand(
      ['validate', 'schema-required-missing/state.schema.yaml'],
      folder.path,
    );
    expect(code).toBe(1);
    expect(stdout).toContain(' error ');
  });
});
