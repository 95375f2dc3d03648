/** Paths as clients write them, on machines of both kinds. */
import { describe, expect, it } from 'vitest';
import { pathKey, SkillPaths } from '../../../client/src/debug/skillPaths';

describe('on Windows', () => {
  const paths = new SkillPaths('C:\\Skills\\Warehouse', ['SKILL.md', 'references/rules.md'], 'windows');

  it.each([
    'C:\\Skills\\Warehouse\\SKILL.md',
    'c:\\skills\\warehouse\\skill.md',
    'c:/Skills/Warehouse/SKILL.md',
    'C:\\Skills\\.\\Warehouse\\x\\..\\SKILL.md',
  ])('%s is SKILL.md', (path) => expect(paths.relative(path)).toBe('SKILL.md'));

  it('finds files in folders, and knows what is none', () => {
    expect(paths.relative('c:\\skills\\warehouse\\references\\rules.md')).toBe('references/rules.md');
    expect(paths.relative('C:\\Skills\\Other\\SKILL.md')).toBeUndefined();
    expect(paths.absolute('references/rules.md')).toBe('C:\\Skills\\Warehouse\\references\\rules.md');
  });
});

describe('elsewhere', () => {
  it('case makes a difference, and a backslash is no separator', () => {
    const paths = new SkillPaths('/skills/warehouse', ['SKILL.md'], 'posix');
    expect(paths.relative('/skills/warehouse/./SKILL.md')).toBe('SKILL.md');
    expect(paths.relative('/skills/warehouse/skill.md')).toBeUndefined();
    expect(paths.relative('\\skills\\warehouse\\SKILL.md')).toBeUndefined();
    expect(pathKey('/a/../b', 'posix')).toBe('/b');
  });
});
