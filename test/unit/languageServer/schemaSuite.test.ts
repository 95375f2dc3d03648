/** The language service on the schemas of the JSON Schema Test Suite: those that a state can have get no error. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dialectUris } from '../../../schemas/state/schemaKeywords';
import { skillWorkspace } from '../../support/skillWorkspace';
import { filesBelow, sharedFolder } from '../schemas/sharedData';

const suite = sharedFolder('json-schema-test-suite');

interface Group {
  readonly description: string;
  readonly schema: unknown;
}

/** Whether an error is right: what it says is true of that schema, and a run can't begin with it. */
function isDue(code: string, message: string, { description, schema }: Group): boolean {
  switch (code) {
    // What isn't in the skill's folder is never fetched; the suite's `remotes/` are elsewhere.
    case 'state.external-reference':
      return true;
    case 'state.unresolved-reference':
      return message.includes('there is no file');
    // Meta-schemas of the suite's own.
    case 'state.unknown-dialect':
      return message.includes('http://localhost:1234/');
    // Σ is an object.
    case 'state.root-not-object':
      return (
        schema === false || /"(type|const|enum|not|allOf|anyOf|oneOf|\$ref)":/.test(JSON.stringify(schema))
      );
    // An empty one is discouraged by the specification, and the validator takes none.
    case 'state.invalid-keyword':
      return description === 'empty enum';
    default:
      return false;
  }
}

describe.skipIf(suite === undefined)('the JSON Schema Test Suite', () => {
  test.each([
    ['draft2020-12', '2020-12', 'state.schema.json'],
    ['draft7', 'draft-07', 'state.schema.json'],
  ] as const)('%s as %s in %s', { timeout: 120_000 }, async (draft, dialect, path) => {
    const { service, uri, set } = skillWorkspace({
      'SKILL.md': '---\nname: sample\ndescription: Some.\n---\n# Some\n',
    });
    const files = filesBelow(suite && `${suite}/tests/${draft}`, '.json');
    expect(files.length).toBeGreaterThan(60);
    const wrong: string[] = [];
    let groups = 0;
    for (const file of files) {
      for (const group of JSON.parse(readFileSync(file, 'utf8')) as readonly Group[]) {
        const { description, schema } = group;
        const isObject = typeof schema === 'object' && schema !== null;
        const whole = isObject ? { $schema: dialectUris[dialect], ...schema } : schema;
        set(path, JSON.stringify(whole, undefined, 2));
        groups++;
        for (const { code, severity, message } of (await service.findings(uri(path))) ?? []) {
          if (severity !== 'error' || isDue(code, message, group)) continue;
          wrong.push(`${basename(file)}: ${description}: ${code} ${message}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(groups).toBeGreaterThan(300);
  });
});
