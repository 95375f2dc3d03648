import { describe, expect, test } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import type { Settings } from '../../../server/src/languageService/workspace';
import { skillWorkspace } from '../../support/skillWorkspace';

const both = 'name: sample\ndescription: Sorts.';
const page = (frontMatter: string, body = 'Sort it.\n') => `---\n${frontMatter}\n---\n\n${body}`;

async function findings(
  text: string,
  settings: Partial<Settings> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const skill = skillWorkspace(
    { 'state.schema.yaml': 'type: object\n', ...files, 'SKILL.md': text },
    { settings },
  );
  const lines = new LineIndex(text);
  return ((await skill.service.findings(skill.uri('SKILL.md'))) ?? []).map(
    ({ code, severity, message, range }) => ({
      code,
      severity,
      message,
      at: text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end)),
    }),
  );
}

const codes = async (...input: Parameters<typeof findings>) =>
  (await findings(...input)).map(({ code }) => code);

test('commas between tools are found fault with, except where the client takes them', async () => {
  const text = page(`${both}\nallowed-tools: Read, Write`);
  expect(await codes(text)).toEqual(['skill.comma-separated']);
  expect(await codes(text, { profile: 'vscode' })).toEqual(['skill.comma-separated']);
  expect(await codes(text, { profile: 'claude' })).toEqual([]);
  expect(await codes(page(`${both}\nallowed-tools: Read  Bash(a,b) Bash(c, d:*)`))).toEqual([]);
});

test('a misspelt key is told from a second one', async () => {
  const misspelt = await findings(page('name: sample\nDescripton: Sorts.'));
  expect(misspelt.map(({ message }) => message)).toContain(
    '"Descripton" is no key of the standard; write description.',
  );
  const [second] = await findings(page(`${both}\nDescripton: Sorts.`));
  expect(second?.message).toContain('put it under metadata');
});

test('a value that begins like an alias is one mistake, not two', async () => {
  expect(await codes(page('name: sample\ndescription: *new* one'))).toEqual(['skill.syntax']);
});

describe('keys that clients know', () => {
  test('are unknown to the standard, with a word on who knows them', async () => {
    const [found] = await findings(page(`${both}\nuser-invocable: true`));
    expect(found).toEqual({
      code: 'skill.unknown-key',
      severity: 'warning',
      message:
        '"user-invocable" is no key of the standard, but VS Code and Claude Code know it; put it under metadata, or choose the profile vscode or claude.',
      at: 'user-invocable',
    });
  });
  test('are known under the profile', async () => {
    const four =
      'argument-hint: an item\nuser-invocable: true\ndisable-model-invocation: false\ncontext: fork';
    expect(await codes(page(`${both}\n${four}`), { profile: 'vscode' })).toEqual([]);
    const more =
      'when_to_use: now\nmodel: opus\neffort: max\nagent: Explore\nhooks: {}\npaths: [a, b]\nshell: bash';
    expect(await codes(page(`${both}\n${more}`), { profile: 'claude' })).toEqual([]);
    const [found] = await findings(page(`${both}\nmodel: opus`), { profile: 'vscode' });
    expect(found?.message).toContain('no key of the standard or of VS Code, but Claude Code knows it');
  });
  test('have values of their types', async () => {
    const found = await findings(page(`${both}\nuser-invocable: "true"\ncontext: other\nargument-hint:`), {
      profile: 'vscode',
    });
    expect(found.map(({ message, at }) => [message, at])).toEqual([
      ['For VS Code, user-invocable has to be true or false, without quotes.', '"true"'],
      ['For VS Code, context has to be inline or fork.', 'other'],
      ['For VS Code, argument-hint has to be a text.', 'argument-hint'],
    ]);
  });
  test('don’t loosen the standard’s own rules, but for lists of tools', async () => {
    const list = page(`${both}\nallowed-tools: [Read, Write]`);
    expect(await codes(list)).toEqual(['skill.wrong-type']);
    expect(await codes(list, { profile: 'vscode' })).toEqual(['skill.wrong-type']);
    expect(await codes(list, { profile: 'claude' })).toEqual([]);
    expect(await codes(page(`${both}\nallowed-tools: [1]`), { profile: 'claude' })).toEqual([
      'skill.wrong-type',
    ]);
    expect(await codes(page('name: other\nlicense: 1'), { profile: 'claude' })).toEqual([
      'skill.missing-key',
      'skill.folder-name',
      'skill.wrong-type',
    ]);
  });
  test('that are nearly right are named', async () => {
    const [found] = await findings(page(`${both}\nuser-invokable: true`), { profile: 'vscode' });
    expect(found?.message).toContain('write user-invocable');
  });
});

describe('the body meter', () => {
  test('hints at more than 500 lines at the first of them', async () => {
    expect(await codes(page(both, 'x\n'.repeat(500)))).toEqual([]);
    const [found] = await findings(page(both, `First.\n${'x\n'.repeat(500)}`));
    expect(found).toMatchObject({ code: 'skill.long-body', severity: 'hint', at: 'First.' });
    expect(found?.message).toContain('501 lines, where 500 are recommended');
  });
  test('hints at more than 5,000 tokens', async () => {
    expect(await codes(page(both, `${'word '.repeat(4_900)}\n`))).toEqual([]);
    const [found] = await findings(page(both, `${'word '.repeat(5_200)}\n`));
    expect(found?.message).toMatch(/^The instructions have 5,2\d\d tokens, where 5,000 are recommended;/);
  });
  test.each([
    ['x', 5_000],
    ['é', 2_500],
    ['漢', 1_666],
    ['😀', 1_250],
  ])('loads no token table for at most 5,000 bytes of %s', async (character, count) => {
    const { createLanguageService } = await import('../../../server/src/languageService/languageService');
    const loads = async (body: string) => {
      let times = 0;
      const { workspace, uri } = skillWorkspace({ 'SKILL.md': page(both, body) });
      const service = createLanguageService({
        workspace,
        environments: { names: [], actionsOf: () => undefined },
        loadTokenizer: async () => {
          times++;
          return { name: 'none', count: () => 0 };
        },
      });
      await service.findings(uri('SKILL.md'));
      return times;
    };
    expect(await loads(character.repeat(count))).toBe(0);
    expect(await loads(character.repeat(count + 1))).toBe(1);
  });
});

describe('links', () => {
  const files = { 'references/rules.md': 'Rules.\n' };
  test('to files that aren’t there are flagged at their target', async () => {
    const body = 'See [a](references/none.md#x), [b](references/rules.md) and [c](./other.md "C").\n';
    const found = (
      await findings(page(`${both}\nmetadata:\n  include: references/rules.md`, body), {}, files)
    ).filter(({ code }) => code === 'skill.broken-link');
    expect(found.map(({ at }) => at)).toEqual(['references/none.md#x', './other.md']);
    expect(found[0]?.message).toBe(
      "There is no file references/none.md in the skill's folder; mend the link or add the file.",
    );
  });
  test('that may be meant otherwise are passed over', async () => {
    const body = [
      '[a](https://example.org/a.md), [b](#top), [c](../other/SKILL.md), [d](/etc/a.md), [e](<name>.md), [f]({x}/a.md),',
      '[g](url), [h](scripts/), [i](www.example.com/a.html), [j](example.com/a.html), `[k](none.md)`, `scripts/none.py`,',
      '[l](mailto:a@b.md), [m](docs/*.md)',
      '',
      '```',
      '[n](none.md)',
      '```',
      '',
      '    [o](none.md)',
      '',
    ].join('\n');
    expect(await codes(page(both, body), {}, files)).toEqual([]);
  });
  test('are links where the file is there', async () => {
    const body =
      'See [b](references/rules.md), [b](references/rules.md), [c](none.md) and `references/rules.md`.\n';
    const text = page(`${both}\nmetadata:\n  include: references/rules.md none.md`, body);
    const links = async (builtInSkill: boolean) => {
      const skill = skillWorkspace({ ...files, 'SKILL.md': text }, { settings: { builtInSkill } });
      const found = await skill.service.documentLinks(skill.uri('SKILL.md'));
      return found.map(({ range, target }) => [range.start.line, range.start.character, target]);
    };
    const target = 'file:///skills/sample/references/rules.md';
    expect(await links(false)).toEqual([
      [4, 11, target],
      [7, 8, target],
      [7, 34, target],
      [7, 74, target],
    ]);
    expect(await links(true)).toEqual([
      [4, 11, target],
      [7, 74, target],
    ]);
  });
  test('are not judged in a folder that can’t be listed', async () => {
    const { workspace, uri } = skillWorkspace({ 'SKILL.md': page(both, '[a](none.md)\n') });
    const { createLanguageService } = await import('../../../server/src/languageService/languageService');
    const service = createLanguageService({
      workspace: { ...workspace, list: async () => [] },
      environments: { names: [], actionsOf: () => undefined },
      loadTokenizer: () => Promise.reject(new Error('There is no token table.')),
    });
    const found = (await service.findings(uri('SKILL.md'))) ?? [];
    expect(found.map(({ code }) => code)).toEqual(['skill.no-state-schema']);
  });
});

test('an environment that isn’t there stops a run', async () => {
  const [found] = await findings(page(`${both}\nmetadata:\n  environment: nowhere`));
  expect(found).toMatchObject({ code: 'skill.unknown-environment', severity: 'error', at: 'nowhere' });
});
