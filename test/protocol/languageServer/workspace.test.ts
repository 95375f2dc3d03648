/** Files, folders and settings around the open documents: what is watched, found, asked of the client, and scanned. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type {
  WorkspaceDiagnosticReport,
  WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver/node';
import { temporaryFolder } from '../../support/commandLine';
import { LspClient, type LspClientOptions, modernCapabilities } from '../../support/lspClient';
import { memoryFiles } from '../../support/memoryFiles';

const skillOf = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Sorts.\n${more}---\n# Sort\n\nKeep \`count\` up to date.\n`;
const schema = 'type: object\nproperties:\n  count: {type: integer}\nadditionalProperties: false\n';

async function start(stored: Record<string, string>, options: LspClientOptions = {}) {
  const files = memoryFiles(stored);
  const client = await LspClient.start({
    folders: ['file:///skills'],
    files: new Map([['file', files]]),
    ...options,
  });
  return { client, files };
}

/** How the library tells of a partial result: as progress of the token that the request named. */
function scan(
  client: LspClient,
  previous: readonly WorkspaceDocumentDiagnosticReport[] = [],
  partial?: string,
) {
  const parts: WorkspaceDocumentDiagnosticReport[] = [];
  const previousResultIds = previous.flatMap(({ uri, resultId }) =>
    resultId === undefined ? [] : [{ uri, value: resultId }],
  );
  const subscription =
    partial !== undefined &&
    client.connection.onNotification(
      '$/progress',
      ({ token, value }: { token: unknown; value: WorkspaceDiagnosticReport }) => {
        if (token === partial) parts.push(...value.items);
      },
    );
  const done = client
    .request<WorkspaceDiagnosticReport>('workspace/diagnostic', {
      identifier: 'skill-state',
      previousResultIds,
      ...(partial !== undefined && { partialResultToken: partial }),
    })
    .finally(() => {
      if (subscription !== false) subscription.dispose();
    });
  return { parts, done };
}

const shown = (items: readonly WorkspaceDocumentDiagnosticReport[]) =>
  items.map((item) => [item.uri, item.kind === 'full' ? item.items.map(({ code }) => code) : 'unchanged']);

const isError = ({ severity }: { readonly severity?: number }) => severity === 1;

describe('watched files', () => {
  const skillUri = 'file:///skills/sorting/SKILL.md';
  const named = 'file:///skills/sorting/my.yaml';
  const naming = skillOf('sorting', 'metadata:\n  state-schema: my.yaml\n');

  const watchers = (client: LspClient) =>
    client.until('the watchers', () =>
      client.asked.find(({ params }) => JSON.stringify(params).includes('didChangeWatchedFiles')),
    );

  it('are registered for, and what is told of them is looked at again', async () => {
    const { client, files } = await start({ [skillUri]: naming });
    const registered = await watchers(client);
    expect(registered.params).toMatchObject({
      registrations: [
        { registerOptions: { watchers: expect.arrayContaining([{ globPattern: '**/SKILL.md' }]) } },
      ],
    });
    await client.open(skillUri, naming);
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    // Nobody tells of it: what is known stays.
    files.set(named, schema);
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: named, type: 1 }] });
    await client.askedFor('workspace/diagnostic/refresh');
    expect(await client.codes(skillUri)).not.toContain('skill.missing-file');

    files.set(named, undefined);
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: named, type: 3 }] });
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    await client.stop();
  });

  it('that were missing from a folder are noticed when they come and go, read or not', async () => {
    const linking = `${skillOf('sorting')}\nRun [it](scripts/run.py).\n`;
    const { client, files } = await start({ [skillUri]: linking });
    await client.open(skillUri, linking);
    expect(await client.codes(skillUri)).toContain('skill.broken-link');
    const uri = 'file:///skills/sorting/scripts/run.py';
    files.set(uri, 'run()');
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri, type: 1 }] });
    expect(await client.codes(skillUri)).not.toContain('skill.broken-link');
    files.set(uri, undefined);
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri, type: 3 }] });
    expect(await client.codes(skillUri)).toContain('skill.broken-link');
    await client.stop();
  });

  it('that nobody has read are passed over', async () => {
    const { client, files } = await start({ [skillUri]: naming, [named]: schema });
    await watchers(client);
    await client.open(skillUri, naming);
    await client.diagnostics(skillUri);
    const reads = files.reads.length;
    const uris = ['file:///skills/package.json', 'file:///elsewhere/x.yaml', 'not a uri'];
    await client.notify('workspace/didChangeWatchedFiles', {
      changes: uris.map((uri) => ({ uri, type: 2 })),
    });
    await client.diagnostics(skillUri);
    expect(files.reads).toHaveLength(reads);
    await client.stop();
  });

  it('of a folder that is deleted are gone with it', async () => {
    const { client, files } = await start({ [skillUri]: naming, [named]: schema });
    await client.open(skillUri, naming);
    expect(await client.codes(skillUri)).not.toContain('skill.missing-file');
    files.set(named, undefined);
    await client.notify('workspace/didChangeWatchedFiles', {
      changes: [{ uri: 'file:///skills/sorting', type: 3 }],
    });
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    await client.stop();
  });

  it('deleted while they are open are checked as the editor has them', async () => {
    const { client, files } = await start({ [skillUri]: naming, [named]: schema });
    await client.open(named, 'type: [object');
    expect((await client.diagnostics(named)).some(isError)).toBe(true);
    files.set(named, undefined);
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: named, type: 3 }] });
    expect((await client.diagnostics(named)).some(isError)).toBe(true);
    files.set(skillUri, undefined);
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: skillUri, type: 3 }] });
    expect(await client.diagnostics(named)).toEqual([]);
    await client.close(named);
    expect(await client.diagnostics(named)).toEqual([]);
    await client.stop();
  });

  it('that changed before they were watched are looked at again', async () => {
    let agree: (answer: null) => void = () => undefined;
    const agreed = new Promise<null>((resolve) => {
      agree = resolve;
    });
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const { client, files } = await start(
      { [skillUri]: naming },
      {
        prepare: (connection) =>
          connection.onRequest('client/registerCapability', (params: unknown) => {
            if (!JSON.stringify(params).includes('didChangeWatchedFiles')) return null;
            ask();
            return agreed;
          }),
      },
    );
    await asked;
    await client.open(skillUri, naming);
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    files.set(named, schema);
    agree(null);
    await setImmediate();
    expect(await client.codes(skillUri)).not.toContain('skill.missing-file');
    await client.stop();
  });

  it('that cannot be read leave what lies beside and below them its help', async () => {
    const { client, files } = await start({ [named]: schema });
    const schemaUri = 'file:///skills/sorting/state.schema.yaml';
    const wrong = `${schema}foo: 1\n`;
    for (const refused of [skillUri, 'file:///skills/SKILL.md', 'file:///SKILL.md']) {
      const message = "SKILL.md can't be read: permission denied.";
      files.refuse(refused, message);
      await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: refused, type: 1 }] });
      await client.open(schemaUri, wrong);
      expect(await client.codes(schemaUri)).toEqual(['state.unknown-keyword']);
      expect(await client.completion(schemaUri, { line: 5, character: 0 })).not.toEqual([]);
      expect(await client.hover(schemaUri, { line: 0, character: 1 })).not.toBeNull();
      expect(await client.diagnostics(refused)).toMatchObject([{ code: 'skill.unreadable-file', message }]);
      // It can be read again, and nobody tells of it.
      files.set(refused, undefined);
      expect(await client.codes(refused)).toEqual([]);
      await client.close(schemaUri);
    }
    await client.stop();
  });

  it('are looked at anew for a client that cannot watch them', async () => {
    const { workspace, ...others } = modernCapabilities;
    const { didChangeWatchedFiles: _, ...rest } = workspace ?? {};
    const capabilities = { ...others, workspace: rest };
    const { client, files } = await start({ [skillUri]: naming }, { capabilities });
    await client.open(skillUri, naming);
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    files.set(named, schema);
    await client.save(skillUri);
    expect(await client.codes(skillUri)).not.toContain('skill.missing-file');
    expect(
      client.asked.some(({ params }) => JSON.stringify(params ?? null).includes('didChangeWatchedFiles')),
    ).toBe(false);
    await client.stop();
  });
});

describe('settings', () => {
  const skillUri = 'file:///skills/sorting/SKILL.md';
  const text = skillOf('sorting', 'disable-model-invocation: true\n');

  it('are asked for at the start, and again when they change', async () => {
    const { client } = await start({}, { settings: { profile: 'vscode' } });
    await client.open(skillUri, text);
    expect((await client.diagnostics(skillUri)).filter(isError)).toEqual([]);
    await client.configure({ profile: 'standard' });
    await client.askedFor('workspace/configuration', 2);
    await client.askedFor('workspace/diagnostic/refresh', 2);
    expect(client.asked.map(({ method }) => method)).toEqual(
      expect.arrayContaining([
        'workspace/inlayHint/refresh',
        'workspace/codeLens/refresh',
        'workspace/semanticTokens/refresh',
      ]),
    );
    expect((await client.diagnostics(skillUri)).length).toBeGreaterThan(0);
    await client.stop();
  });

  it('come with the notification where the client cannot be asked', async () => {
    const { workspace, ...others } = modernCapabilities;
    const { configuration: _, ...rest } = workspace ?? {};
    const { client } = await start({}, { capabilities: { ...others, workspace: rest } });
    await client.open(skillUri, text);
    const before = await client.codes(skillUri);
    await client.configure({ profile: 'vscode' });
    expect(await client.codes(skillUri)).not.toEqual(before);
    await client.stop();
  });

  it.each([null, 7, [], 'x', { profile: 7, stateBound: {} }, { profile: '__proto__' }])(
    'of the wrong shape count as the defaults: %j',
    async (settings) => {
      const { client } = await start({}, { settings, initializationOptions: settings });
      const plain = await start({});
      await client.open(skillUri, text);
      await plain.client.open(skillUri, text);
      expect(await client.codes(skillUri)).toEqual(await plain.client.codes(skillUri));
      await Promise.all([client.stop(), plain.client.stop()]);
    },
  );
});

describe('files of other schemes', () => {
  const skillUri = 'vscode-vfs://github/some/repo/sorting/SKILL.md';
  const schemaUri = 'vscode-vfs://github/some/repo/sorting/my.yaml';
  const naming = skillOf('sorting', 'metadata:\n  state-schema: my.yaml\n');

  it('are read by the client, where it offers to', async () => {
    const asked: string[] = [];
    const client = await LspClient.start({
      folders: ['vscode-vfs://github/some/repo'],
      initializationOptions: { files: true },
      prepare: (connection) => {
        connection.onRequest('skill-state/readFile', ({ uri }: { uri: string }) => {
          asked.push(uri);
          if (uri === skillUri) return { text: naming };
          if (uri === schemaUri) return { text: 'type: [object' };
          if (uri.endsWith('state.initial.yaml')) throw new Error('state.initial.yaml is not UTF-8 text.');
          return null;
        });
        connection.onRequest('skill-state/readFolder', ({ uri }: { uri: string }) => ({
          entries: uri.endsWith('repo')
            ? [{ name: 'sorting', isFolder: true }]
            : [
                { name: 'SKILL.md', isFolder: false },
                { name: 'my.yaml', isFolder: false },
              ],
        }));
      },
    });
    await client.open(skillUri, naming);
    const problems = await client.diagnostics(skillUri);
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'skill.unreadable-file',
        message: 'state.initial.yaml is not UTF-8 text.',
      }),
    );
    expect(asked).toContain(schemaUri);
    expect(asked).not.toContain(skillUri);
    const { items } = await scan(client).done;
    expect(items.map(({ uri }) => uri)).toEqual([skillUri, schemaUri]);
    await client.stop();
  });

  it('are checked by what is open, where the client does not', async () => {
    const client = await LspClient.start({ folders: ['vscode-vfs://github/some/repo'] });
    await client.open(skillUri, naming);
    expect(await client.codes(skillUri)).toContain('skill.missing-file');
    await client.open(schemaUri, schema);
    expect(await client.codes(skillUri)).not.toContain('skill.missing-file');
    await client.open('untitled:SKILL.md', naming);
    await client.diagnostics('untitled:SKILL.md');
    await client.stop();
  });
});

describe('the scan of a workspace', () => {
  const skills = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => {
        const name = `skill-${String(index).padStart(3, '0')}`;
        return [`file:///skills/${name}/SKILL.md`, skillOf(name)];
      }),
    );

  it('finds the skills of all folders, with their files, and says later what is unchanged', async () => {
    const { client, files } = await start(
      {
        'file:///skills/a/SKILL.md': skillOf('wrong'),
        'file:///skills/a/state.schema.yaml': schema,
        'file:///skills/node_modules/b/SKILL.md': skillOf('wrong'),
        'file:///other/c/SKILL.md': skillOf('c'),
        'file:///third/d/SKILL.md': skillOf('d'),
      },
      { folders: ['file:///skills', 'file:///other'] },
    );
    const first = (await scan(client).done).items;
    expect(first.map(({ uri }) => uri)).toEqual([
      'file:///other/c/SKILL.md',
      'file:///skills/a/SKILL.md',
      'file:///skills/a/state.schema.yaml',
    ]);
    expect(first.every(({ version }) => version === null)).toBe(true);
    expect(first.some((item) => item.kind === 'full' && item.items.some(isError))).toBe(true);

    await client.notify('workspace/didChangeWorkspaceFolders', {
      event: {
        added: [{ uri: 'file:///third', name: 'third' }],
        removed: [{ uri: 'file:///other', name: 'other' }],
      },
    });
    const second = (await scan(client, first).done).items;
    expect(Object.fromEntries(shown(second))).toMatchObject({
      'file:///skills/a/SKILL.md': 'unchanged',
      'file:///skills/a/state.schema.yaml': 'unchanged',
      'file:///third/d/SKILL.md': expect.any(Array),
      // What the client still shows is taken back.
      'file:///other/c/SKILL.md': [],
    });

    files.set('file:///skills/e/SKILL.md', skillOf('e'));
    files.set('file:///skills/a/SKILL.md', undefined);
    await client.notify('workspace/didChangeWatchedFiles', {
      changes: [
        { uri: 'file:///skills/e/SKILL.md', type: 1 },
        { uri: 'file:///skills/a/SKILL.md', type: 3 },
      ],
    });
    const third = (await scan(client, second).done).items;
    expect(third.map(({ uri }) => uri)).toContain('file:///skills/e/SKILL.md');
    expect(Object.fromEntries(shown(third))).toMatchObject({ 'file:///skills/a/SKILL.md': [] });
    await client.stop();
  });

  it('comes in parts where the client takes them, and then waits for a change', async () => {
    const { client, files } = await start(skills(3));
    const first = scan(client, [], 'part-1');
    expect((await first.done).items).toEqual([]);
    expect(first.parts.map(({ uri }) => uri)).toHaveLength(3);
    const second = scan(client, first.parts, 'part-2');
    let isAnswered = false;
    void second.done.then(() => {
      isAnswered = true;
    });
    await client.hover('file:///skills/skill-000/SKILL.md', { line: 0, character: 0 });
    expect(isAnswered).toBe(false);
    // What is outside of the folders is looked at again; nothing in them has changed by that.
    const outside = 'file:///elsewhere/outside/SKILL.md';
    for (let round = 0; round < 20; round++) await client.hover(outside, { line: 0, character: 0 });
    expect(isAnswered).toBe(false);
    files.set('file:///skills/skill-001/SKILL.md', skillOf('other'));
    await client.notify('workspace/didChangeWatchedFiles', {
      changes: [{ uri: 'file:///skills/skill-001/SKILL.md', type: 2 }],
    });
    await second.done;
    expect(second.parts.filter(({ kind }) => kind === 'full').map(({ uri }) => uri)).toEqual([
      'file:///skills/skill-001/SKILL.md',
    ]);
    // One that waits is ended with the server.
    const third = scan(client, [...first.parts.slice(0, 1), ...second.parts], 'part-3');
    const end = expect(third.done).rejects.toMatchObject({ code: -32802 });
    await client.stop();
    await end;
  });

  it('reports progress where there is much to check', async () => {
    const values: { kind: string; percentage?: number; cancellable?: boolean }[] = [];
    const { client } = await start(skills(30), {
      prepare: (connection) =>
        connection.onNotification('$/progress', ({ value }: { value: (typeof values)[number] }) => {
          values.push(value);
        }),
    });
    expect((await scan(client).done).items).toHaveLength(30);
    expect(client.asked.map(({ method }) => method)).toContain('window/workDoneProgress/create');
    expect(values[0]).toMatchObject({ kind: 'begin', cancellable: true, percentage: 0 });
    expect(values.filter(({ kind }) => kind === 'report')).toHaveLength(30);
    expect(values.at(-2)).toMatchObject({ percentage: 100, message: '30 of 30 skills' });
    expect(values.at(-1)).toEqual({ kind: 'end' });
    await client.stop();
  });

  it('reports to the token that the client names', async () => {
    const kinds: string[] = [];
    const { client } = await start(skills(2), {
      prepare: (connection) =>
        connection.onNotification(
          '$/progress',
          ({ token, value }: { token: unknown; value: { kind: string } }) => {
            if (token === 'mine') kinds.push(value.kind);
          },
        ),
    });
    await client.request('workspace/diagnostic', { previousResultIds: [], workDoneToken: 'mine' });
    expect(kinds).toEqual(['begin', 'report', 'report', 'end']);
    expect(client.asked.map(({ method }) => method)).not.toContain('window/workDoneProgress/create');
    await client.stop();
  });

  it('ends early when its progress is cancelled, with what was found', async () => {
    const { client } = await start(skills(60), {
      prepare: (connection) =>
        connection.onNotification(
          '$/progress',
          ({ token, value }: { token: unknown; value: { kind: string } }) => {
            if (value.kind === 'begin')
              void connection.sendNotification('window/workDoneProgress/cancel', { token });
          },
        ),
    });
    const { items } = await scan(client).done;
    expect(items.length).toBeLessThan(60);
    await client.stop();
  });

  it('ends with its client, who may go in the middle of it', async () => {
    const { client } = await start(skills(60), {
      prepare: (connection) =>
        connection.onNotification('$/progress', ({ value }: { value: { kind: string } }) => {
          // The client's end is closed; the server has more to say.
          if (value.kind === 'report') connection.end();
        }),
    });
    scan(client).done.catch(() => undefined);
    expect(await client.exit).toBe(1);
  });

  it('is answered as cancelled when the request is', async () => {
    const { client } = await start(skills(60));
    const { CancellationTokenSource } = await import('vscode-languageserver/node');
    const source = new CancellationTokenSource();
    const scanned = client.connection.sendRequest(
      'workspace/diagnostic',
      { previousResultIds: [] },
      source.token,
    );
    const failure = expect(scanned).rejects.toMatchObject({ code: -32800 });
    source.cancel();
    await failure;
    expect((await scan(client).done).items).toHaveLength(60);
    await client.stop();
  });
});

describe('files on a disk', () => {
  const temporary = temporaryFolder();
  afterAll(() => temporary.remove());
  const uriOf = (...path: string[]) => pathToFileURL(join(temporary.path, ...path)).href;
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(temporary.path, path, '..'), { recursive: true });
    writeFileSync(join(temporary.path, path), content);
  };

  it('are read as UTF-8, never through links out of the skill, and in circles only once', async () => {
    write('secret.md', 'Secret.\n');
    write(
      'work/a/SKILL.md',
      skillOf('a', 'metadata:\n  include: latin.md link.md shared/part.md out/secret.md\n'),
    );
    write('work/a/latin.md', Buffer.from('caf\xe9\n', 'latin1'));
    write('work/a/parts/part.md', 'A part.\n');
    symlinkSync(join(temporary.path, 'secret.md'), join(temporary.path, 'work/a/link.md'));
    symlinkSync(join(temporary.path, 'work/a/parts'), join(temporary.path, 'work/a/shared'));
    symlinkSync(join(temporary.path, 'work'), join(temporary.path, 'work/a/circle'));
    symlinkSync(temporary.path, join(temporary.path, 'work/a/out'));
    symlinkSync(temporary.path, join(temporary.path, 'work/outside'));
    const client = await LspClient.start({ folders: [join(temporary.path, 'work')] });
    const { items } = await scan(client).done;
    const skill = items.find(({ uri }) => uri === uriOf('work', 'a', 'SKILL.md'));
    const messages = skill?.kind === 'full' ? skill.items.map(({ message }) => message) : [];
    expect(messages).toEqual(
      expect.arrayContaining([
        'latin.md is not UTF-8 text.',
        "link.md is a link that leads outside the skill's folder.",
        "secret.md is a link that leads outside the skill's folder.",
      ]),
    );
    expect(items.map(({ uri }) => uri)).toEqual([
      uriOf('work', 'a', 'SKILL.md'),
      uriOf('work', 'a', 'shared', 'part.md'),
    ]);
    rmSync(join(temporary.path, 'work/a/SKILL.md'));
    await client.notify('workspace/didChangeWatchedFiles', {
      changes: [{ uri: uriOf('work', 'a', 'SKILL.md'), type: 3 }],
    });
    expect(shown((await scan(client, items).done).items)).toEqual([
      [uriOf('work', 'a', 'SKILL.md'), []],
      [uriOf('work', 'a', 'shared', 'part.md'), []],
    ]);
    await client.stop();
  });
});
