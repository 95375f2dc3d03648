/** `validate` over public skills, held against the standard's rules as they are written once more for tests. */
import { readFileSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/commandLine';
import { type JudgedFinding, judgedBreaches } from '../../support/standardFindings';
import { breachedRules } from '../../support/standardRules';
import { filesBelow, sharedFolder } from '../../unit/schemas/sharedData';

const corpus = sharedFolder('skills-corpus');

interface Report {
  readonly files: readonly { readonly path: string; readonly problems: readonly JudgedFinding[] }[];
}

describe.skipIf(corpus === undefined)('public skills', () => {
  const files = filesBelow(corpus, 'SKILL.md');
  let found: ReadonlyMap<string, readonly JudgedFinding[]>;

  beforeAll(async () => {
    const args = ['validate', '.', '--profile', 'standard', '--format', 'json', '--severity', 'hint'];
    const { code, stdout, stderr } = await runCommand(args, corpus ?? '.');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const report: Report = JSON.parse(stdout);
    found = new Map(report.files.map(({ path, problems }) => [path, problems]));
  }, 180_000);

  const pathOf = (file: string) => relative(corpus ?? '.', file).replaceAll(sep, '/');

  it('are all read', () => {
    expect(files.length).toBeGreaterThan(1_000);
    expect([...found.keys()].filter((path) => basename(path) === 'SKILL.md').sort()).toEqual(
      files.map(pathOf).sort(),
    );
  });

  it('get exactly the breaches of the standard that the independent check finds', () => {
    const expected = files.flatMap((file) => {
      const rules = breachedRules(readFileSync(file, 'utf8'), basename(dirname(file)));
      return rules.length === 0 ? [] : [{ path: pathOf(file), rules }];
    });
    const actual = files.flatMap((file) => {
      const rules = judgedBreaches(found.get(pathOf(file)) ?? []);
      return rules.length === 0 ? [] : [{ path: pathOf(file), rules }];
    });
    expect(expected.length).toBeGreaterThan(100);
    expect(actual).toEqual(expected);
  });

  it('have no error that is about something else', () => {
    const others = [...found].flatMap(([path, problems]) =>
      problems
        .filter((problem) => problem.severity === 'error' && judgedBreaches([problem]).length === 0)
        .map(({ code, message }) => `${path}: ${code} ${message}`),
    );
    expect(others).toEqual([]);
  });
});
