import { describe, expect, it } from 'vitest';
import {
  configurationFor,
  skillFolderOf,
  traceConfigurationFor,
} from '../../../client/src/hosts/launchConfiguration';

describe('configurationFor', () => {
  it('is portable inside a workspace folder', () => {
    expect(configurationFor('/home/me/skills/warehouse/SKILL.md', '/home/me/skills')).toEqual({
      type: 'skill-state',
      request: 'launch',
      name: 'Skill: warehouse',
      skill: `\${workspaceFolder}/warehouse`,
    });
  });

  it('names the workspace folder itself', () => {
    expect(configurationFor('/skills/warehouse/SKILL.md', '/skills/warehouse/').skill).toBe(
      `\${workspaceFolder}`,
    );
  });

  it.each([
    ['outside', '/elsewhere'],
    ['beside a folder of the same beginning', '/skills/ware'],
    ['without a folder', undefined],
  ])('is absolute %s', (_, folder) => {
    expect(configurationFor('/skills/warehouse', folder).skill).toBe('/skills/warehouse');
  });

  it("takes Windows' paths", () => {
    expect(configurationFor('C:\\skills\\warehouse\\SKILL.md', 'C:\\skills').skill).toBe(
      `\${workspaceFolder}/warehouse`,
    );
  });
});

describe('skillFolderOf', () => {
  it.each([
    ['/a/b/SKILL.md', '/a/b'],
    ['/a/b/', '/a/b'],
    ['/a/b', '/a/b'],
    ['/a/MYSKILL.md', '/a/MYSKILL.md'],
  ])('takes %s', (path, folder) => {
    expect(skillFolderOf(path)).toBe(folder);
  });
});

describe('traceConfigurationFor', () => {
  it('names a trace of the workspace in a portable way', () => {
    expect(traceConfigurationFor('/projects/.skill-state/orders.skilltrace.jsonl', '/projects')).toEqual({
      type: 'skill-state',
      request: 'launch',
      name: 'Trace: orders',
      replay: `\${workspaceFolder}/.skill-state/orders.skilltrace.jsonl`,
      stopOnEntry: true,
      stopOnEnd: true,
    });
  });

  it('names others by their path', () => {
    const { replay, name } = traceConfigurationFor('D:\\runs\\a.skilltrace.jsonl', 'C:\\work');
    expect([name, replay]).toEqual(['Trace: a', 'D:\\runs\\a.skilltrace.jsonl']);
  });
});
