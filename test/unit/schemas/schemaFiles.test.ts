/** State schemas that are spread over files. */
import { describe, expect, test } from 'vitest';
import { blocksRun, loadSkill, type Skill } from '../../../schemas/skill/skill';
import { fileTargetOf, maxReferencedFiles } from '../../../schemas/state/schemaFiles';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { marked } from './located';

const skillText = '---\nname: skill\ndescription: Test.\n---\nDo it.\n';

/** Loads a skill whose schema is `state.schema.yaml`, unless other files say so, and notes what was read. */
async function load(files: Readonly<Record<string, string>>) {
  const contents: Readonly<Record<string, string>> = { 'SKILL.md': skillText, ...files };
  const asked: string[] = [];
  const skill = await loadSkill({
    folderName: 'skill',
    async read(path) {
      asked.push(path);
      return Object.hasOwn(contents, path) ? contents[path] : undefined;
    },
  });
  return { skill, asked, found: problemsOf(skill, contents) };
}

/** Each problem as `path: code «marked text»`. */
function problemsOf({ problems }: Skill, files: Readonly<Record<string, string>>): string[] {
  return problems.map(
    ({ path, problem: { code, range } }) => `${path}: ${code} «${marked(files[path] ?? '', range)}»`,
  );
}

const root = (properties: string) => `type: object\nproperties:\n${properties}`;
const items = `$defs:
  item:
    type: object
    properties:
      name: {type: string, maxLength: 9}
      next: {$ref: '#/$defs/item'}
`;

describe('a schema over two files', () => {
  const files = {
    'state.schema.yaml': root("  first: {$ref: 'items.yaml#/$defs/item'}\n  other: {type: string}\n"),
    'items.yaml': items,
  };

  test('is one to look-ups, and each place is in its file', async () => {
    const { skill, found } = await load(files);
    const { stateSchema } = skill;
    expect(found).toEqual([]);
    const [own = '', target = ''] = stateSchema.pointersAt(['first', 'next', 'name']).concat('');
    expect([own, target]).toEqual(['/$files/items.yaml/$defs/item/properties/name', '']);
    expect(stateSchema.subschemasAt(['first', 'name'])).toEqual([{ type: 'string', maxLength: 9 }]);
    expect(stateSchema.locationText(`${own}/maxLength`)).toBe(
      'items.yaml#/$defs/item/properties/name/maxLength',
    );
    for (const pointer of [`${own}/maxLength`, stateSchema.locationText(`${own}/maxLength`)]) {
      const place = stateSchema.placeOf(pointer);
      expect(place?.path).toBe('items.yaml');
      expect(place && [marked(items, place.key), marked(items, place.value)]).toEqual(['maxLength', '9']);
    }
    expect(stateSchema.rangesOf(own)).toBeUndefined();
    expect(stateSchema.placeOf('/properties/other')?.path).toBe('state.schema.yaml');
    expect(stateSchema.locationText('/properties/other')).toBe('/properties/other');
    expect(stateSchema.placeOf('/$files/none.yaml')).toBeUndefined();
    expect(stateSchema.placeOf('none.yaml#/a')).toBeUndefined();
  });

  test('declares properties in both', async () => {
    const { stateSchema } = (await load(files)).skill;
    expect(stateSchema.declaredProperties.map(({ pointer }) => pointer)).toEqual([
      '/properties/first',
      '/properties/other',
    ]);
    expect(stateSchema.parts.map(({ path }) => path)).toEqual(['items.yaml']);
    const [name] = stateSchema.parts[0]?.declaredProperties ?? [];
    expect(name?.pointer).toBe('/$files/items.yaml/$defs/item/properties/name');
    expect(stateSchema.propertyAtLine(4, 'items.yaml')).toBe(name);
    expect(stateSchema.propertyAtLine(4)).toBeUndefined();
    expect(stateSchema.propertyAtLine(3)?.pointer).toBe('/properties/other');
  });

  test('is recorded with both files', async () => {
    const { skill } = await load(files);
    expect(skill.files.map(({ path, role }) => `${path} ${role}`)).toEqual([
      'SKILL.md skill',
      'state.schema.yaml state-schema',
      'items.yaml state-schema-part',
    ]);
  });

  test('gives the defaults of both', async () => {
    const { skill } = await load({
      'state.schema.yaml': root('  a: {$ref: a.yaml}\n  b: {default: 1}\n'),
      'a.yaml': 'default: [2]\n',
    });
    expect(skill.initialState).toEqual({ a: [2], b: 1 });
  });

  test('says where references lead', async () => {
    const { stateSchema } = (await load(files)).skill;
    expect(stateSchema.resolveReference('items.yaml#/$defs/item')).toEqual({
      path: 'items.yaml',
      pointer: '/$defs/item',
    });
    expect(stateSchema.resolveReference('#/properties/other')).toEqual({
      path: 'state.schema.yaml',
      pointer: '/properties/other',
    });
    expect(stateSchema.resolveReference('#/$defs/item', 'items.yaml')).toEqual({
      path: 'items.yaml',
      pointer: '/$defs/item',
    });
    expect(stateSchema.resolveReference('#/nowhere')).toBeUndefined();
    expect(stateSchema.resolveReference('https://example.com')).toBeUndefined();
  });
});

describe('references between files', () => {
  test('go on from file to file, from folder to folder, YAML to JSON, and in circles', async () => {
    const { skill, asked, found } = await load({
      'state.schema.yaml': root('  a: {$ref: parts/a.json}\n'),
      'parts/a.json': '{"type": "object",\r\n "properties": {"b": {"$ref": "./more/b.yml#start"}}}',
      'parts/more/b.yml':
        '$defs:\r\n  b:\r\n    $anchor: start\r\n    properties:\r\n      a: {$ref: ../a.json#}\r\n      root: {$ref: ../../state.schema.yaml}\r\n',
    });
    expect(found).toEqual([]);
    expect(skill.stateSchema.pointersAt(['a', 'b', 'a', 'b', 'root', 'a', 'b'])).toEqual([
      '/$files/parts~1a.json/properties/b',
      '/$files/parts~1more~1b.yml/$defs/b',
    ]);
    expect(asked.filter((path) => path.startsWith('parts/'))).toEqual(['parts/a.json', 'parts/more/b.yml']);
  });

  test('go by the path of the file, whatever its $id; two files may use the same names', async () => {
    const part = (type: string) =>
      `$id: https://example.com/x\n$anchor: here\n$defs: {t: {type: ${type}}}\n$ref: '#/$defs/t'\n`;
    const { skill, found } = await load({
      'state.schema.yaml': `$id: https://example.com/root\n${root('  a: {$ref: a.yaml}\n  b: {$ref: b.yaml}\n')}`,
      'a.yaml': part('string'),
      'b.yaml': part('integer').replace('example.com/x', 'example.com/y'),
    });
    expect(found).toEqual([]);
    const types = (name: string) =>
      skill.stateSchema.subschemasAt([name]).flatMap((schema) => Object.entries(schema ?? {}).flat());
    expect(types('a')).toContain('string');
    expect(types('b')).toContain('integer');
    expect(JSON.stringify(skill.stateSchema.schema)).not.toContain('example.com');
  });

  test.each([
    ['missing.yaml', 'state.unresolved-reference', 'there is no file missing.yaml in'],
    ['items.yaml#/$defs/none', 'state.unresolved-reference', 'there is no such place in items.yaml'],
    ['../items.yaml', 'state.external-reference', "outside of the skill's folder"],
    ['/etc/items.yaml', 'state.external-reference', "outside of the skill's folder"],
    ['a/../../items.yaml', 'state.external-reference', "outside of the skill's folder"],
    ['%2e%2e/items.yaml', 'state.external-reference', "outside of the skill's folder"],
    ['https://example.com/a.yaml', 'state.external-reference', 'nothing is fetched'],
    ['//example.com/a.yaml', 'state.external-reference', 'nothing is fetched'],
    ['file:///etc/a.yaml', 'state.external-reference', 'nothing is fetched'],
    ['SKILL.md', 'state.external-reference', 'nothing is fetched'],
  ])('%s is refused at its place: %s', async (reference, code, words) => {
    const { skill, found, asked } = await load({
      'state.schema.yaml': root(`  a: {$ref: '${reference}'}\n`),
      'items.yaml': items,
    });
    expect(found).toEqual([`state.schema.yaml: ${code} «'${reference}'»`]);
    expect(skill.problems[0]?.problem.message).toContain(words);
    expect(skill.problems.some(blocksRun)).toBe(true);
    expect(asked.filter((path) => path.includes('..') || path.startsWith('/'))).toEqual([]);
  });

  test('to a file that the host refuses to read say why', async () => {
    const skill = await loadSkill({
      folderName: 'skill',
      async read(path) {
        if (path === 'SKILL.md') return skillText;
        if (path === 'state.schema.yaml') return root('  a: {$ref: a.yaml}\n');
        if (path === 'a.yaml') throw new Error('a.yaml is a link.');
        return undefined;
      },
    });
    expect(skill.problems.map(({ problem }) => problem.message)).toEqual([
      '$ref leads to "a.yaml", which can\'t be read: a.yaml is a link.',
    ]);
  });

  test('to more files than are read are refused', async () => {
    const names = Array.from({ length: maxReferencedFiles + 1 }, (_, index) => `p${index}`);
    const { found, asked } = await load({
      'state.schema.yaml': root(names.map((name) => `  ${name}: {$ref: ${name}.yaml}\n`).join('')),
      ...Object.fromEntries(names.map((name) => [`${name}.yaml`, 'type: string\n'])),
    });
    expect(asked.filter((path) => /^p\d/.test(path))).toHaveLength(maxReferencedFiles);
    expect(found).toHaveLength(1);
  });
});

describe('problems in a referenced file', () => {
  test('are reported there', async () => {
    const { found, skill } = await load({
      'state.schema.yaml': root(
        '  a: {$ref: a.yaml}\n  b: {$ref: b.yaml}\n  c: {$ref: c.json}\n  d: {$ref: d.yaml}\n',
      ),
      'a.yaml': 'type: strng\nmaxLenght: 3\nproperties: {x: {$ref: nope.yaml}}\n',
      'b.yaml': 'a: [1\nmaxLenght: 3\n',
      'c.json': '7',
      'd.yaml': '$schema: http://json-schema.org/draft-07/schema#\ntype: string\n',
    });
    expect(found).toEqual([
      'a.yaml: state.invalid-keyword «strng»',
      'a.yaml: state.unresolved-reference «nope.yaml»',
      'b.yaml: state.syntax «m»',
      'c.json: state.not-a-schema «7»',
      'd.yaml: state.mixed-dialects «http://json-schema.org/draft-07/schema#»',
      'a.yaml: state.unknown-keyword «maxLenght»',
    ]);
    expect(skill.files.map(({ path }) => path)).toEqual([
      'SKILL.md',
      'state.schema.yaml',
      'a.yaml',
      'b.yaml',
      'c.json',
      'd.yaml',
    ]);
  });
});

test('a schema by itself has no parts and keeps its references as they are written', () => {
  const text = "type: object\nproperties: {a: {$ref: '#/$defs/b'}}\n$defs: {b: {$anchor: x}}\n";
  const schema = loadStateSchema({ path: 'state.schema.yaml', text });
  expect(schema.parts).toEqual([]);
  expect(schema.schema).toMatchObject({
    properties: { a: { $ref: '#/$defs/b' } },
    $defs: { b: { $anchor: 'x' } },
  });
});

test.each([
  ['b.yaml#/x', 'a.yaml', { kind: 'file', path: 'b.yaml', fragment: '/x' }],
  ['b%20c.JSON', 'x/a.yaml', { kind: 'file', path: 'x/b c.JSON', fragment: '' }],
  ['./../b.yml#a', 'x/a.yaml', { kind: 'file', path: 'b.yml', fragment: 'a' }],
  ['..\\b.yml', 'x/a.yaml', { kind: 'outside' }],
  ['b.txt', 'a.yaml', { kind: 'other' }],
  ['urn:b.yaml', 'a.yaml', { kind: 'other' }],
])('the target of %s in %s', (reference, from, target) => {
  expect(fileTargetOf(reference, from)).toEqual(target);
});
