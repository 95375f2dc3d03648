import { describe, expect, it } from 'vitest';
import { searchFolder } from '../../../server/src/skillSearch';
import type { StoredEntry, StoredFiles } from '../../../server/src/storedFiles';
import { isWithin, normalizeUri } from '../../../server/src/uris';
import { WorkspaceFiles } from '../../../server/src/workspaceFiles';
import { memoryFiles } from '../../support/memoryFiles';

describe('URIs', () => {
  it.each([
    ['file:///C:/a b', 'file:///c%3A/a%20b'],
    ['file:///c%3A/a%20b', 'file:///c%3A/a%20b'],
    ['file:///skills/%C3%BC/SKILL.md', 'file:///skills/%C3%BC/SKILL.md'],
    ['file:///skills/ü/SKILL.md', 'file:///skills/%C3%BC/SKILL.md'],
    ['vscode-vfs://GitHub/a/b', 'vscode-vfs://github/a/b'],
    ['untitled:Untitled-1', 'untitled:Untitled-1'],
  ])('%s is %s', (uri, normal) => {
    expect(normalizeUri(uri)).toBe(normal);
    expect(normalizeUri(normal)).toBe(normal);
  });

  it('lie in folders by whole names', () => {
    expect(isWithin('file:///a/b', 'file:///a/')).toBe(true);
    expect(isWithin('file:///a', 'file:///a')).toBe(true);
    expect(isWithin('file:///ab/c', 'file:///a')).toBe(false);
  });
});

describe('stored texts', () => {
  const uri = 'file:///skills/a/SKILL.md';
  const make = (options: { readonly watched: boolean; readonly open?: Map<string, string> }) => {
    const stored = memoryFiles({ [uri]: 'one' });
    const files = new WorkspaceFiles({
      stored,
      openText: (asked) => options.open?.get(asked),
      isWatched: () => options.watched,
      folders: () => ['file:///skills'],
    });
    return { stored, files };
  };

  it('are read once while they are watched, by all who ask at once', async () => {
    const { stored, files } = make({ watched: true });
    expect(await Promise.all([files.read(uri), files.read(uri), files.read(`${uri}x`)])).toEqual([
      'one',
      'one',
      undefined,
    ]);
    stored.set(uri, 'two');
    expect(await files.read(uri)).toBe('one');
    expect(stored.reads).toEqual([uri, `${uri}x`]);
    expect(files.invalidate('file:///skills/b')).toBe(false);
    expect(files.invalidate('file:///skills/a')).toBe(true);
    expect(await files.read(uri)).toBe('two');
    expect(files.invalidate(uri)).toBe(true);
    expect(files.invalidate(uri)).toBe(false);
  });

  it('are looked at anew while they are not', async () => {
    const { stored, files } = make({ watched: false });
    expect(await files.read(uri)).toBe('one');
    expect(await files.read(uri)).toBe('one');
    expect(stored.reads).toHaveLength(1);
    stored.set(uri, 'two');
    expect(await files.read(uri)).toBe('two');
    stored.set(uri, undefined);
    expect(await files.read(uri)).toBeUndefined();
  });

  it('give way to open documents', async () => {
    const open = new Map([[uri, 'typed']]);
    const { stored, files } = make({ watched: true, open });
    expect(await files.read(uri)).toBe('typed');
    expect(stored.reads).toEqual([]);
    open.delete(uri);
    expect(await files.read(uri)).toBe('one');
  });

  it('that cannot be read fail each time, with the same reason', async () => {
    const { stored, files } = make({ watched: true });
    stored.refuse(uri, 'SKILL.md is not UTF-8 text.');
    await expect(files.read(uri)).rejects.toThrow('SKILL.md is not UTF-8 text.');
    await expect(files.read(uri)).rejects.toThrow('SKILL.md is not UTF-8 text.');
  });

  it('that could not be read are tried again by whoever asks later, watched or not', async () => {
    for (const watched of [true, false]) {
      const { stored, files } = make({ watched });
      stored.refuse(uri, 'SKILL.md is locked.');
      const failed = await Promise.allSettled([files.read(uri), files.read(uri)]);
      expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      if (watched) expect(stored.reads).toHaveLength(1);
      stored.set(uri, 'two');
      expect(await Promise.all([files.read(uri), files.read(uri)])).toEqual(['two', 'two']);
      expect(files.invalidate(uri)).toBe(true);
    }
  });

  it('do not pile up', async () => {
    const { stored, files } = make({ watched: true });
    const large = 'x'.repeat(12 * 1024 * 1024);
    for (const name of ['b', 'c', 'd']) {
      stored.set(`file:///skills/${name}`, large);
      await files.read(`file:///skills/${name}`);
    }
    expect(files.invalidate('file:///skills/b')).toBe(false);
    expect(files.invalidate('file:///skills/d')).toBe(true);
  });

  it('of skills are found once, and again when told', async () => {
    const { stored, files } = make({ watched: true });
    expect(await files.findSkills()).toEqual([uri]);
    stored.set('file:///skills/b/SKILL.md', '');
    expect(await files.findSkills()).toEqual([uri]);
    files.forgetSkills();
    expect(await files.findSkills()).toEqual([uri, 'file:///skills/b/SKILL.md']);
    files.forgetSkills();
    expect(await files.findSkills({ isCancellationRequested: true })).toEqual([]);
    expect(await files.findSkills()).toHaveLength(2);
  });

  it('of skills are all found by who asks beside one that gives up', async () => {
    const { files } = make({ watched: true });
    const cancellation = { isCancellationRequested: false };
    const given = files.findSkills(cancellation);
    const waited = files.findSkills();
    cancellation.isCancellationRequested = true;
    await given;
    expect(await waited).toEqual([uri]);
    expect(await files.findSkills()).toEqual([uri]);
  });

  it('are known to be missed where their folder was listed', async () => {
    const { files } = make({ watched: true });
    expect(files.isListed('file:///skills/a/b.py')).toBe(false);
    await files.list('file:///skills/a');
    expect(files.isListed('file:///skills/a/b.py')).toBe(true);
    expect(files.isListed('file:///skills/a/b/c.py')).toBe(false);
  });
});

describe('the search for skills', () => {
  it('passes over what package managers and version control keep', async () => {
    const files = memoryFiles({
      'file:///skills/SKILL.md': '',
      'file:///skills/b/c/d/e/f/SKILL.md': '',
      'file:///skills/.claude/skills/g/SKILL.md': '',
      'file:///skills/node_modules/h/SKILL.md': '',
      'file:///skills/b/.git/SKILL.md': '',
      'file:///skills/i/state.schema.yaml': '',
      'file:///skills/i/other.yaml': '',
      'file:///skills/b/c/d/e/f/state.schema.yaml': '',
      'file:///skills/j/skill.md': '',
    });
    expect(await searchFolder(files, 'file:///skills')).toEqual({
      skills: [
        'file:///skills/.claude/skills/g/SKILL.md',
        'file:///skills/SKILL.md',
        'file:///skills/b/c/d/e/f/SKILL.md',
      ],
      loose: ['file:///skills/i/state.schema.yaml'],
    });
  });

  /** A folder `deep` in itself for ever, and links to folders elsewhere. */
  const linked = (
    entriesOf: (folder: string) => readonly StoredEntry[],
  ): StoredFiles & { listed: string[] } => {
    const listed: string[] = [];
    return {
      listed,
      read: async () => undefined,
      stamp: async () => undefined,
      async list(folder) {
        listed.push(folder);
        return entriesOf(folder);
      },
    };
  };

  it('follows links only into what it was told, and each once', async () => {
    const files = linked((folder) => [
      { name: 'SKILL.md', isFolder: false },
      { name: 'up', isFolder: true, target: 'file:///skills' },
      { name: 'self', isFolder: true, target: folder },
      { name: 'outside', isFolder: true, target: 'file:///elsewhere' },
      { name: 'aside', isFolder: true, target: 'file:///skills/shared' },
    ]);
    expect((await searchFolder(files, 'file:///skills/skills')).skills).toEqual([
      'file:///skills/skills/SKILL.md',
    ]);
    const { skills } = await searchFolder(files, 'file:///skills/skills', { linkRoots: ['file:///skills'] });
    expect(skills).toContain('file:///skills/skills/aside/SKILL.md');
    expect(files.listed.some((folder) => folder.includes('outside'))).toBe(false);
  });

  it('ends when it is cancelled', async () => {
    const files = linked(() => [{ name: 'deeper', isFolder: true }]);
    const cancellation = {
      get isCancellationRequested() {
        return files.listed.length >= 40;
      },
    };
    await searchFolder(files, 'file:///skills', { cancellation });
    expect(files.listed.length).toBeLessThan(60);
  });
});
