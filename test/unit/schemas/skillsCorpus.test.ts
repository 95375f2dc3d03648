import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSkill } from '../../../schemas/skill/skillDocument';
import { skillProblemBlocksRun } from '../../../schemas/skill/skillProblems';
import { liesIn } from './located';
import { filesBelow, sharedFolder } from './sharedData';

const folder = sharedFolder('skills-corpus');

/** What another reader makes of the text between the first two `---` lines; undefined where it can't be read. */
function independently(text: string): { name?: unknown; description?: unknown } | undefined {
  const yaml = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m.exec(text)?.[1];
  if (yaml === undefined) return undefined;
  try {
    return parse(yaml);
  } catch {
    return undefined; // not YAML: what is recovered from it has tests of its own
  }
}

describe.skipIf(folder === undefined)('public skills', () => {
  const skills = filesBelow(folder, 'SKILL.md').map((path) => parseSkill(readFileSync(path, 'utf8')));

  test('are there', () => expect(skills.length).toBeGreaterThan(1_000));
  test('are read as another reader reads them', () => {
    for (const { text, name, description } of skills) {
      const other = independently(text);
      if (other !== undefined)
        expect({ name, description }).toEqual({ name: other.name, description: other.description });
    }
  });
  test('run', () => {
    const blocked = skills.filter(({ problems }) => problems.some(({ code }) => skillProblemBlocksRun(code)));
    expect(blocked).toEqual([]);
    expect(skills.filter(({ instructions }) => instructions === '')).toEqual([]);
  });
  test('get few findings, each at its place', () => {
    const withErrors = skills.filter(({ problems }) => problems.some(({ severity }) => severity === 'error'));
    expect(withErrors.length / skills.length).toBeLessThan(0.05);
    expect(Math.max(...skills.map(({ problems }) => problems.length))).toBeLessThan(10);
    const misplaced = skills.filter(({ text, problems }) =>
      problems.some(({ range }) => !liesIn(text, range)),
    );
    expect(misplaced).toEqual([]);
  });
});
