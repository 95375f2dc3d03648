/** Changes that the server proposes, applied as an editor does: completions while typing, quick fixes, renames. */
import { describe, expect, it } from 'vitest';
import type { CodeAction, WorkspaceEdit } from 'vscode-languageserver/node';
import { LspClient, type LspClientOptions, modernCapabilities } from '../../support/lspClient';
import { memoryFiles } from '../../support/memoryFiles';

const folder = 'file:///skills/sorting';
const skillUri = `${folder}/SKILL.md`;
const schemaUri = `${folder}/state.schema.yaml`;
const skill =
  '---\nname: sorting\ndescription: Sorts.\n---\n# Sort\n\nKeep `count` up to date.\n\n## Actions\n\n- `Store <item>`: keeps it.\n';
const schema =
  'type: object\nproperties:\n  count: {type: integer, maximum: 9}\nrequired: [count]\nadditionalProperties: false\n';

async function start(options: LspClientOptions = {}) {
  const stored = memoryFiles({ [skillUri]: skill, [schemaUri]: schema });
  return LspClient.start({ folders: ['file:///skills'], files: new Map([['file', stored]]), ...options });
}

const isError = ({ severity }: { readonly severity?: number }) => severity === 1;

describe('completion', () => {
  const begun = '---\nname: sorting\n\n---\n# Sort\n';

  it('is asked for at every key, and what is accepted leaves no error', async () => {
    const client = await start();
    await client.open(skillUri, begun);
    const lists: string[][] = [];
    const end = await client.type(skillUri, { line: 2, character: 0 }, 'desc', async (position) => {
      lists.push((await client.completion(skillUri, position)).map(({ label }) => label));
    });
    expect(lists).toHaveLength(4);
    const item = (await client.completion(skillUri, end)).find(({ label }) => label === 'description');
    if (item === undefined) throw new Error(`Nothing to accept among ${lists.at(-1)?.join()}.`);
    await client.accept(skillUri, end, item);
    expect(client.text(skillUri)).toMatch(/^---\nname: sorting\ndescription: /);
    expect(client.text(skillUri)).not.toContain('desc\n');
    await client.stop();
  });

  it('has no snippets and no Markdown for clients without', async () => {
    const completion = { completionItem: { documentationFormat: ['plaintext' as const] } };
    const client = await start({ capabilities: { textDocument: { completion } } });
    await client.open(skillUri, begun);
    const items = await client.completion(skillUri, { line: 2, character: 0 });
    expect(items.length).toBeGreaterThan(0);
    for (const { insertTextFormat, documentation, textEdit } of items) {
      expect(insertTextFormat ?? 1).toBe(1);
      expect(textEdit?.newText ?? '').not.toMatch(/\$\{?\d/);
      if (typeof documentation === 'object') expect(documentation.kind).toBe('plaintext');
    }
    await client.stop();
  });
});

describe('quick fixes', () => {
  it('offer a change that mends two findings once, with both', async () => {
    const client = await start();
    await client.open(skillUri, skill.replace('name: sorting', 'name: PDF_Tools'));
    const diagnostics = await client.diagnostics(skillUri);
    const [first] = diagnostics.filter(isError);
    if (first === undefined) throw new Error('Nothing was found.');
    const actions = await client.codeActions(skillUri, first.range, diagnostics);
    const titles = actions.map(({ title }) => title);
    expect(titles).toEqual([...new Set(titles)]);
    const mended = actions.map(({ diagnostics: mends }) => mends?.map(({ code }) => code));
    expect(mended).toContainEqual(['skill.invalid-name', 'skill.folder-name']);
    await client.stop();
  });

  const wrong = skill.replace('name: sorting', 'name: Sorting');

  async function fixesOf(client: LspClient): Promise<CodeAction[]> {
    const diagnostics = (await client.diagnostics(skillUri)).filter(isError);
    const [first] = diagnostics;
    if (first === undefined) throw new Error('There is nothing to fix.');
    return client.codeActions(skillUri, first.range, diagnostics);
  }

  it('mend what they are for', async () => {
    const client = await start();
    await client.open(skillUri, wrong);
    const actions = await fixesOf(client);
    for (const action of actions) {
      expect(action.kind).toBe('quickfix');
      expect(action.diagnostics?.map(({ source }) => source)).toContain('skill-state');
      expect(action.edit?.documentChanges).toBeDefined();
    }
    const inText = actions.find(({ edit }) => edit?.documentChanges?.every((change) => 'edits' in change));
    if (inText?.edit === undefined) throw new Error('No fix changes the text.');
    expect(inText.edit.documentChanges).toMatchObject([{ textDocument: { uri: skillUri, version: 1 } }]);
    await client.applyEdit(inText.edit);
    expect((await client.diagnostics(skillUri)).filter(isError)).toEqual([]);
    await client.stop();
  });

  it('rename files only where the client can', async () => {
    const other = skill.replace('name: sorting', 'name: other');
    const renames = async (client: LspClient) => {
      await client.open(skillUri, other);
      const found = (await fixesOf(client)).flatMap(({ edit }) =>
        (edit?.documentChanges ?? []).filter((change) => 'kind' in change),
      );
      await client.stop();
      return found;
    };
    expect(await renames(await start())).toContainEqual(
      expect.objectContaining({ kind: 'rename', oldUri: folder, newUri: 'file:///skills/other' }),
    );
    const { workspace, ...others } = modernCapabilities;
    const plain = { ...others, workspace: { ...workspace, workspaceEdit: { documentChanges: true } } };
    expect(await renames(await start({ capabilities: plain }))).toEqual([]);
  });

  it('are plain changes for clients without versions, and none for those without literals', async () => {
    const { textDocument = {}, workspace, ...others } = modernCapabilities;
    const { workspaceEdit: _, ...rest } = workspace ?? {};
    const plain = await start({ capabilities: { ...others, textDocument, workspace: rest } });
    await plain.open(skillUri, wrong);
    const actions = await fixesOf(plain);
    expect(actions.length).toBeGreaterThan(0);
    for (const { edit } of actions) {
      expect(edit?.documentChanges).toBeUndefined();
      expect(Object.keys(edit?.changes ?? {})).toContain(skillUri);
    }
    await plain.stop();

    const { codeAction: __, ...features } = textDocument;
    const old = await start({ capabilities: { ...others, textDocument: features } });
    expect(old.initialized.capabilities.codeActionProvider).toBe(false);
    await old.stop();
  });

  it('are left out where the client asks for other kinds', async () => {
    const client = await start();
    await client.open(skillUri, wrong);
    const range = (await client.diagnostics(skillUri)).find(isError)?.range;
    const ask = (only: string[]) =>
      client.request<CodeAction[]>('textDocument/codeAction', {
        textDocument: { uri: skillUri },
        range,
        context: { diagnostics: [], only },
      });
    expect(await ask(['refactor'])).toEqual([]);
    expect((await ask(['quickfix'])).length).toBeGreaterThan(0);
    await client.stop();
  });
});

describe('rename', () => {
  const prepare = (client: LspClient, part: string) =>
    client.request('textDocument/prepareRename', {
      textDocument: { uri: schemaUri },
      position: client.find(schemaUri, part),
    });

  it('reaches the prose and the schema, open or not, and back', async () => {
    const client = await start();
    await client.open(schemaUri, schema);
    expect(await prepare(client, 'count')).toMatchObject({ placeholder: 'count' });
    const there = await client.rename(schemaUri, client.find(schemaUri, 'count'), 'total');
    const documents = (there?.documentChanges ?? []).map((change) =>
      'textDocument' in change ? change.textDocument : undefined,
    );
    expect(documents).toContainEqual({ uri: schemaUri, version: 1 });
    expect(documents).toContainEqual({ uri: skillUri, version: null });

    await client.open(skillUri, skill);
    const edit = await client.rename(schemaUri, client.find(schemaUri, 'count'), 'total');
    if (edit === null) throw new Error('Nothing was renamed.');
    await client.applyEdit(edit);
    expect(client.text(schemaUri)).toBe(schema.replaceAll('count', 'total'));
    expect(client.text(skillUri)).toBe(skill.replace('`count`', '`total`'));
    const back = await client.rename(skillUri, client.find(skillUri, 'total'), 'count');
    if (back === null) throw new Error('Nothing was renamed back.');
    await client.applyEdit(back);
    expect(client.text(schemaUri)).toBe(schema);
    expect(client.text(skillUri)).toBe(skill);
    await client.stop();
  });

  it('is refused where another of its documents has changed meanwhile', async () => {
    const stored = memoryFiles({ [skillUri]: skill, [schemaUri]: schema });
    let go: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      const { read } = stored;
      stored.read = async (uri) => {
        if (uri.includes('state.initial') && go === undefined) {
          const released = new Promise<void>((release) => {
            go = release;
          });
          resolve();
          await released;
        }
        return read(uri);
      };
    });
    const client = await start({ files: new Map([['file', stored]]) });
    await client.open(schemaUri, schema);
    await client.open(skillUri, skill);
    const renamed = client.rename(schemaUri, client.find(schemaUri, 'count'), 'total');
    const failure = expect(renamed).rejects.toMatchObject({ code: -32801 });
    await held;
    await client.setText(skillUri, `More.\n${skill}`);
    // The change has arrived when a request after it is answered.
    await expect(client.request('textDocument/nothing', {})).rejects.toMatchObject({ code: -32601 });
    go?.();
    await failure;
    await client.stop();
  });

  it('to what cannot be a name is refused with the reason', async () => {
    const client = await start();
    await client.open(schemaUri, schema);
    await expect(client.rename(schemaUri, client.find(schemaUri, 'count'), '')).rejects.toMatchObject({
      code: -32803,
      message: expect.stringMatching(/\.$/),
    });
    expect(client.log).toEqual([]);
    await client.stop();
  });

  it('of nothing gives nothing', async () => {
    const client = await start();
    await client.open(schemaUri, schema);
    expect(await prepare(client, 'additional')).toBeNull();
    const edit: WorkspaceEdit | null = await client
      .rename(schemaUri, client.find(schemaUri, 'additional'), 'x')
      .catch(() => null);
    expect(edit).toBeNull();
    await client.stop();
  });
});

describe('every feature', () => {
  it.each([
    ['textDocument/documentSymbol', {}],
    ['textDocument/foldingRange', {}],
    ['textDocument/selectionRange', { positions: [{ line: 2, character: 4 }] }],
    ['textDocument/documentLink', {}],
    ['textDocument/formatting', { options: { tabSize: 2, insertSpaces: true } }],
    ['textDocument/semanticTokens/full', {}],
    [
      'textDocument/inlayHint',
      { range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } } },
    ],
    ['textDocument/codeLens', {}],
    ['textDocument/hover', { position: { line: 2, character: 4 } }],
    ['textDocument/definition', { position: { line: 6, character: 7 } }],
    [
      'textDocument/references',
      { position: { line: 2, character: 4 }, context: { includeDeclaration: true } },
    ],
  ])('answers %s for each document of a skill', async (method, params) => {
    const client = await start();
    await client.open(schemaUri, schema);
    await client.open(skillUri, skill);
    for (const uri of [schemaUri, skillUri, 'file:///skills/other/README.md']) {
      const answer = await client.request<unknown>(method, { textDocument: { uri }, ...params });
      expect(answer === null || typeof answer === 'object').toBe(true);
    }
    expect(client.log).toEqual([]);
    await client.stop();
  });
});
