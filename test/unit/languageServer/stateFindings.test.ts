/** Initial states, and the values that a schema gives itself, held against the schema. */
import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import type { Finding, Fix } from '../../../server/src/languageService/finding';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';
import { marked } from '../schemas/located';

const skillText = '---\nname: sample\ndescription: A sample for tests.\n---\nDo it.\n';

const schema = `type: object
required: [phase, count]
properties:
  phase: {type: string, enum: [search, order, done]}
  count: {type: integer, minimum: 0}
  note: {type: string, maxLength: 20}
  flag: {type: boolean}
  stock:
    type: object
    additionalProperties: false
    required: [shelf]
    properties:
      shelf: {type: string}
      items: {type: array, items: {type: string}}
additionalProperties: false
x-invariants:
  - expression: state.phase != 'done' || state.count > 0
    message: What is done has a count.
`;

function workspaceOf(initial: string, name = 'state.initial.yaml', schemaText = schema): SkillWorkspace {
  return skillWorkspace({ 'SKILL.md': skillText, 'state.schema.yaml': schemaText, [name]: initial });
}

/** A finding as the text that it marks, its code and its message. */
function shown(workspace: SkillWorkspace, path: string, findings: readonly Finding[] | undefined): string[] {
  return (findings ?? []).map(
    ({ code, severity, message, range }) =>
      `${range.start.line + 1} «${marked(workspace.text(path), range)}» ${severity} ${code} ${message}`,
  );
}

async function found(initial: string, name = 'state.initial.yaml', schemaText = schema): Promise<string[]> {
  const workspace = workspaceOf(initial, name, schemaText);
  return shown(workspace, name, await workspace.service.findings(workspace.uri(name)));
}

/** The text with the fix of that title applied. */
async function fixed(initial: string, title: string, name = 'state.initial.yaml'): Promise<string> {
  const workspace = workspaceOf(initial, name);
  const fixes = await fixesOf(workspace, name);
  const fix = fixes.find((one) => one.title === title);
  if (fix === undefined) throw new Error(`${title} is not offered, but ${fixes.map((one) => one.title)}`);
  return applied(initial, fix, workspace.uri(name));
}

async function fixesOf(workspace: SkillWorkspace, path: string): Promise<readonly Fix[]> {
  const findings = (await workspace.service.findings(workspace.uri(path))) ?? [];
  return findings.flatMap((finding) => finding.fixes?.() ?? []);
}

function applied(text: string, fix: Fix, uri: string): string {
  const lines = new LineIndex(text);
  const edits = [...(fix.edits.get(uri) ?? [])].sort(
    (a, b) => lines.offsetAt(b.range.start) - lines.offsetAt(a.range.start),
  );
  return edits.reduce(
    (result, { range, text: written }) =>
      result.slice(0, lines.offsetAt(range.start)) + written + result.slice(lines.offsetAt(range.end)),
    text,
  );
}

const fine = 'phase: search\ncount: 0\n';

describe('an initial state', () => {
  it('that fits has no findings', async () => {
    expect(await found(fine)).toEqual([]);
    expect(await found('{"phase": "search", "count": 0}', 'state.initial.json')).toEqual([]);
  });

  it.each([
    [
      'phase: search\ncount: "1"\n',
      '2 «"1"» error initial.does-not-fit',
      '/count must be integer, not string.',
    ],
    ['phase: serch\ncount: 1\n', '1 «serch» error initial.does-not-fit', '"search", "order" or "done"'],
    [
      'phase: done\ncount: 1\nnoet: a\n',
      '3 «noet» error initial.does-not-fit',
      'may not have the key "noet"',
    ],
    ['phase: done\n', '1 «phase» error initial.does-not-fit', 'must have the key "count"'],
    ['phase: done\ncount: 1\nstock: {}\n', '3 «stock» error', '/stock must have the key "shelf"'],
    ['phase: done\ncount: 1\nstock:\n  shelf: a\n  items: [b, 1]\n', '5 «1» error', '/stock/items/1 must be'],
    ['phase: done\r\ncount: 1\r\nnote: null\r\n', '3 «null» error', '/note must be string, not null.'],
    [
      'phase: done\ncount: 0\n',
      '1 «phase» error state.invariant-of-initial-state',
      'What is done has a count.',
    ],
  ])('%j', async (initial, place, message) => {
    const findings = await found(initial);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(place);
    expect(findings[0]).toContain(message);
  });

  it('says where in the schema the rule stands', async () => {
    const workspace = workspaceOf('phase: done\ncount: -1\n');
    const findings = await workspace.service.findings(workspace.uri('state.initial.yaml'));
    const [related] = findings?.[0]?.related ?? [];
    expect(related?.uri).toBe(workspace.uri('state.schema.yaml'));
    expect(related && marked(schema, related.range)).toBe('minimum');
  });

  it('is checked by rules in other files, too', async () => {
    const workspace = skillWorkspace({
      'SKILL.md': skillText,
      'state.schema.yaml': 'type: object\nproperties:\n  shelf: {$ref: "parts.yaml#/$defs/shelf"}\n',
      'parts.yaml': '$defs:\n  shelf:\n    type: string\n',
      'state.initial.yaml': 'shelf: 1\n',
    });
    const findings = (await workspace.service.findings(workspace.uri('state.initial.yaml'))) ?? [];
    expect(findings).toHaveLength(1);
    const [related] = findings[0]?.related ?? [];
    expect(related?.uri).toBe(workspace.uri('parts.yaml'));
    expect(related && marked(workspace.text('parts.yaml'), related.range)).toBe('type');
    workspace.set('state.initial.yaml', 'shelf: a\n');
    expect(await workspace.service.findings(workspace.uri('state.initial.yaml'))).toEqual([]);
  });

  it('is not checked where its text is broken, or the schema is', async () => {
    const broken = await found('phase: [\n');
    expect(broken).toHaveLength(1);
    expect(broken[0]).toContain('initial.syntax');
    expect(await found('phase: 1\n', 'state.initial.yaml', 'type: objekt\n')).toEqual([]);
  });

  it('is checked where an invariant can not be read', async () => {
    const text = `${schema}  - expression: "state.("\n`;
    const findings = await found('phase: 1\ncount: 1\n', 'state.initial.yaml', text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain('/phase must be');
  });

  it('without a schema only has to be an object', async () => {
    const workspace = skillWorkspace({ 'SKILL.md': skillText, 'state.initial.yaml': 'a: 1\n' });
    expect(await workspace.service.findings(workspace.uri('state.initial.yaml'))).toEqual([]);
  });
});

describe('fixes of an initial state', () => {
  it.each([
    ['Write 1', 'phase: done\ncount: "1" # one\n', 'phase: done\ncount: 1 # one\n'],
    ['Write "search"', 'phase: serch # s\ncount: 1\n', 'phase: search # s\ncount: 1\n'],
    ['Write "search"', `phase: 'serch'\ncount: 1\n`, `phase: 'search'\ncount: 1\n`],
    ['Write false', 'phase: done\ncount: 1\nflag: No\n', 'phase: done\ncount: 1\nflag: false\n'],
    ['Write "5"', 'phase: done\ncount: 1\nnote: 5\n', 'phase: done\ncount: 1\nnote: "5"\n'],
    ['Write true', 'phase: done\ncount: 1\nflag: "true"\n', 'phase: done\ncount: 1\nflag: true\n'],
    ['Rename "noet" to "note"', 'phase: done\ncount: 1\nnoet: a\n', 'phase: done\ncount: 1\nnote: a\n'],
    ['Remove "odd"', 'phase: done\nodd:\n  - 1\n  - 2\ncount: 1\n', 'phase: done\ncount: 1\n'],
    ['Remove "note"', 'phase: done\ncount: 1\nnote: null\n', 'phase: done\ncount: 1\n'],
    ['Remove "note"', 'phase: done\ncount: 1\nnote:\n', 'phase: done\ncount: 1\n'],
    ['Add "count": 0', 'phase: search # begin\n', 'phase: search # begin\ncount: 0\n'],
    [
      'Add "count": 0',
      'phase: search\r\nnote: |\r\n  a\r\n',
      'phase: search\r\nnote: |\r\n  a\r\ncount: 0\r\n',
    ],
    [
      'Add "shelf": ""',
      'phase: done\ncount: 1\nstock: {}\n',
      'phase: done\ncount: 1\nstock: { shelf: "" }\n',
    ],
    [
      'Remove "odd"',
      'phase: done\ncount: 1\nstock: {shelf: a, odd: 1}\n',
      'phase: done\ncount: 1\nstock: {shelf: a}\n',
    ],
  ])('%s: %j', async (title, before, after) => {
    expect(await fixed(before, title)).toBe(after);
  });

  it.each([
    ['Add "count": 0', '{\n  "phase": "search"\n}\n', '{\n  "phase": "search",\n  "count": 0\n}\n'],
    ['Add "count": 0', '\uFEFF{"phase": "search"}', '\uFEFF{"phase": "search", "count": 0}'],
    ['Remove "odd"', '{"phase": "done", "count": 1, "odd": {}}', '{"phase": "done", "count": 1}'],
    ['Remove "odd"', '{"odd": {}, "phase": "done", "count": 1}', '{"phase": "done", "count": 1}'],
    ['Rename "cuont" to "count"', '{"phase": "done", "cuont": 1}', '{"phase": "done", "count": 1}'],
  ])('%s in JSON: %j', async (title, before, after) => {
    expect(await fixed(before, title, 'state.initial.json')).toBe(after);
  });
});

describe('what a schema gives itself', () => {
  const own = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    const workspace = skillWorkspace({ 'SKILL.md': skillText, 'state.schema.yaml': text, ...files });
    const uri = workspace.uri('state.schema.yaml');
    const codes = /^state\.(?:default|example)-does-not-fit|^initial\.defaults-/;
    const findings = ((await workspace.service.findings(uri)) ?? []).filter(({ code }) => codes.test(code));
    return shown(workspace, 'state.schema.yaml', findings);
  };

  it('a default that its subschema forbids is a warning where Σ₀ comes from elsewhere', async () => {
    const text = 'type: object\nproperties:\n  count: {type: integer, default: "0"}\n';
    const findings = await own(text, { 'state.initial.yaml': 'count: 1\n' });
    expect(findings).toEqual([
      '3 «"0"» warning state.default-does-not-fit This default does not fit the schema that it stands in: /count must be integer, not string. Correct it, or that schema.',
    ]);
  });

  it('follows references, and looks into definitions, items and branches', async () => {
    const text = `type: object
properties:
  a: {$ref: '#/$defs/count', default: -1}
  b: {type: array, items: {type: string, examples: [ok, 1]}, default: [x]}
  c: {anyOf: [{type: string, default: 2}, {type: 'null'}]}
$defs:
  count: {type: integer, minimum: 0, default: 0}
  a/b~c: {type: object, properties: {deep: {type: string}}, default: {deep: 1}}
`;
    const findings = await own(text, { 'state.initial.yaml': '{}\n' });
    expect(findings.map((finding) => finding.replace(/ (?:warning|error) .*?: /, ' '))).toEqual([
      '3 «-1» /a must be at least 0, not -1. Correct it, or that schema.',
      '4 «1» /b must be string, not number. Correct it, or that schema.',
      '5 «2» /c must be string, not number. Correct it, or that schema.',
      '8 «1» /value/deep must be string, not number. Correct it, or that schema.',
    ]);
  });

  it('defaults that make no initial state are reported once', async () => {
    const findings = await own('type: object\nrequired: [count]\nproperties:\n  count: {type: integer}\n');
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain('4 «count» warning initial.defaults-do-not-fit');
    const wrong = await own('type: object\nproperties:\n  count: {type: integer, default: a}\n');
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain('3 «a» warning initial.defaults-do-not-fit');
  });

  it('what is missing in another file is reported in the schema, with its place', async () => {
    const workspace = skillWorkspace({
      'SKILL.md': skillText,
      'state.schema.yaml': 'type: object\nproperties: {}\nallOf: [{$ref: parts.yaml}]\n',
      'parts.yaml': 'type: object\nrequired: [shelf]\nproperties:\n  shelf: {type: string}\n',
    });
    const findings = (await workspace.service.findings(workspace.uri('state.schema.yaml'))) ?? [];
    const found = findings.filter(({ code }) => code === 'initial.defaults-do-not-fit');
    expect(found.map(({ range }) => range.start)).toEqual([{ line: 0, character: 0 }]);
    const [related] = found[0]?.related ?? [];
    expect(related?.uri).toBe(workspace.uri('parts.yaml'));
    expect(related && marked(workspace.text('parts.yaml'), related.range)).toBe('shelf');
  });

  it('a missing default can be added', async () => {
    const text =
      'type: object\nrequired: [count]\nproperties:\n  count:\n    type: integer\n    minimum: 3\n';
    const workspace = skillWorkspace({ 'SKILL.md': skillText, 'state.schema.yaml': text });
    const uri = workspace.uri('state.schema.yaml');
    const fix = (await fixesOf(workspace, 'state.schema.yaml')).find(
      ({ title }) => title === 'Add default: 3',
    );
    expect(fix && applied(text, fix, uri)).toBe(`${text.trimEnd()}\n    default: 3\n`);
  });

  it('an invariant that the defaults break is found at the expression', async () => {
    const text =
      'type: object\nproperties:\n  a: {type: integer, default: 0}\nx-invariants:\n  - expression: state.a > 0\n';
    const findings = await own(text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain('5 «state.a > 0» warning initial.defaults-break-invariant');
  });
});
