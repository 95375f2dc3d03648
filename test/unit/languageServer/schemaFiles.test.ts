/** A state schema that is spread over files, in the editor. */
import { describe, expect, test } from 'vitest';
import { URI } from 'vscode-uri';
import { LineIndex } from '../../../schemas/text/position';
import { pageOf } from '../../../server/src/languageService/documents';
import { linksInSchema } from '../../../server/src/languageService/schema/schemaLinks';
import { SkillModels } from '../../../server/src/languageService/skillModels';
import { defaultSettings } from '../../../server/src/languageService/workspace';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';

const files = {
  'SKILL.md': '---\nname: sample\ndescription: Test.\n---\nDo it.\n',
  'state.schema.yaml':
    "$schema: https://json-schema.org/draft/2020-12/schema\ntype: object\nproperties:\n  a: { $ref: 'parts/items.yaml#/$defs/item' }\n  b: { $ref: '#/$defs/b' }\n$defs:\n  b: { type: boolean }\n",
  'parts/items.yaml':
    '$defs:\n  item:\n    type: object\n    properties:\n      next: { $ref: "#/$defs/item" }\n      root: { $ref: ../state.schema.yaml }\n      bad: { typ: string }\n      gone: { $ref: gone.json }\n',
};

async function findings({ service, uri, text }: SkillWorkspace, path: string): Promise<string[]> {
  const lines = new LineIndex(text(path));
  return ((await service.findings(uri(path))) ?? [])
    .filter(({ code }) => /^state\.(unresolved|unknown|external)/.test(code))
    .map(
      ({ code, range }) =>
        `${code} ${text(path).slice(lines.offsetAt(range.start), lines.offsetAt(range.end))}`,
    );
}

async function page(workspace: SkillWorkspace, path: string) {
  const models = new SkillModels(workspace.workspace);
  const located = await models.locate(workspace.uri(path));
  const found = located && pageOf(located, models);
  if (found?.kind !== 'state-schema') throw new Error(`${path} is no state schema.`);
  return found;
}

async function links(workspace: SkillWorkspace, path: string): Promise<string[]> {
  const found = await page(workspace, path);
  const tools = {
    workspace: workspace.workspace,
    environments: { names: [], actionsOf: () => undefined },
    settings: defaultSettings,
    pause: async () => undefined,
    tokenizer: () => Promise.reject(new Error('not needed')),
  };
  const lines = new LineIndex(found.text);
  return (await linksInSchema(found, tools)).map(({ range, target }) => {
    const marked = found.text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
    const path = target?.startsWith('file:') ? URI.parse(target).path : target;
    return `${marked} → ${path}`;
  });
}

describe('a part of a state schema', () => {
  test('is a state schema, checked by itself', async () => {
    const workspace = skillWorkspace(files);
    expect(await findings(workspace, 'state.schema.yaml')).toEqual([]);
    expect(await findings(workspace, 'parts/items.yaml')).toEqual([
      'state.unknown-keyword typ',
      'state.unresolved-reference gone.json',
    ]);
    expect(await workspace.service.documentSymbols(workspace.uri('parts/items.yaml'))).toHaveLength(1);
    expect(await workspace.service.findings(workspace.uri('parts/other.yaml'))).toBeUndefined();
  });

  test('has no root of a state, and no bound of its own', async () => {
    const workspace = skillWorkspace({
      ...files,
      'state.schema.yaml': 'type: object\nproperties:\n  a: { $ref: a.yaml }\n  b: { $ref: b.json }\n',
      'a.yaml': 'type: string\n',
      'b.json': '{"maxItems": 3}',
    });
    const codes = async (path: string) =>
      (await workspace.service.findings(workspace.uri(path)))?.map(({ code }) => code);
    expect(await codes('a.yaml')).toEqual([]);
    expect(await codes('b.json')).not.toContain('state.untyped-root');
    expect(await codes('state.schema.yaml')).toContain('state.unbounded');
  });

  test('is read anew when it changes, and so is the schema', async () => {
    const workspace = skillWorkspace(files);
    expect(await findings(workspace, 'state.schema.yaml')).toEqual([]);
    workspace.set('parts/items.yaml', 'type: string\n');
    expect(await findings(workspace, 'state.schema.yaml')).toEqual([
      "state.unresolved-reference 'parts/items.yaml#/$defs/item'",
    ]);
    expect(await findings(workspace, 'parts/items.yaml')).toEqual([]);
    workspace.set('parts/items.yaml', undefined);
    expect(await findings(workspace, 'state.schema.yaml')).toHaveLength(1);
    expect(await workspace.service.findings(workspace.uri('parts/items.yaml'))).toBeUndefined();
  });

  test('stays one while the schema does not parse', async () => {
    const workspace = skillWorkspace({
      ...files,
      'state.schema.yaml': `${files['state.schema.yaml']}x: [`,
    });
    expect(await findings(workspace, 'parts/items.yaml')).toHaveLength(2);
  });

  test('says where its references lead', async () => {
    const { schema } = await page(skillWorkspace(files), 'parts/items.yaml');
    expect(schema.resolveReference('../state.schema.yaml#/$defs/b')).toEqual({
      path: 'state.schema.yaml',
      pointer: '/$defs/b',
    });
    expect(schema.resolveReference('#/$defs/item')).toEqual({
      path: 'parts/items.yaml',
      pointer: '/$defs/item',
    });
  });
});

describe('names that no URI can hold', () => {
  const whole = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
  const spread = (more: string) =>
    skillWorkspace({
      'SKILL.md': files['SKILL.md'],
      'state.schema.json': `{"type": "object", "properties": {"a": {"$ref": "part.json#/$defs/\\ud800a"}${more}}, "$defs": {"\\ud800d": {}}}`,
      'part.json': '{"$defs": {"\\ud800a": {"type": "string"}}}',
      'state.initial.json': '{"a": 1}',
    });
  const codes = async ({ service, uri }: SkillWorkspace, path: string) =>
    ((await service.findings(uri(path))) ?? []).map(({ code }) => code);

  test('leave the schema readable', async () => {
    const workspace = spread('');
    expect(await codes(workspace, 'part.json')).not.toContain('state.unresolved-reference');
    expect(await codes(workspace, 'state.schema.json')).not.toContain('state.unresolved-reference');
    expect(await codes(workspace, 'state.initial.json')).toEqual([]);
  });

  test('are offered where they may be meant', async () => {
    const workspace = spread(', "b": {"$ref": "#/$defs/d"}');
    expect(await codes(workspace, 'state.schema.json')).toContain('state.unresolved-reference');
    const fixes = await workspace.service.fixes(workspace.uri('state.schema.json'), whole);
    expect(fixes.map(({ fix }) => fix.title)).toContain('Change to #/$defs/\ud800d');
  });
});

describe('links', () => {
  test('lead to the files of references and to the dialect', async () => {
    const workspace = skillWorkspace(files);
    expect(await links(workspace, 'state.schema.yaml')).toEqual([
      'https://json-schema.org/draft/2020-12/schema → https://json-schema.org/draft/2020-12/schema',
      'parts/items.yaml#/$defs/item → /skills/sample/parts/items.yaml',
    ]);
    expect(await links(workspace, 'parts/items.yaml')).toEqual([
      '../state.schema.yaml → /skills/sample/state.schema.yaml',
    ]);
  });

  test('of a schema without a skill lead to files beside it', async () => {
    const workspace = skillWorkspace({
      'state.schema.json': '{"properties": {"a": {"$ref": "b c.json"}, "d": {"$ref": "b%20c.json#/no"}}}',
      'b c.json': '{}',
    });
    expect(await links(workspace, 'state.schema.json')).toEqual(['b c.json → /skills/sample/b c.json']);
    expect(await findings(workspace, 'state.schema.json')).toEqual([
      'state.unresolved-reference "b%20c.json#/no"',
    ]);
  });
});
