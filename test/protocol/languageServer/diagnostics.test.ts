/** Diagnostics by pull and by push: of which text, when, and what follows for other documents of the same skill. */
import { describe, expect, it } from 'vitest';
import { LspClient, type LspClientOptions, pushCapabilities } from '../../support/lspClient';
import { memoryFiles } from '../../support/memoryFiles';

const folder = 'file:///skills/sorting';
const skillUri = `${folder}/SKILL.md`;
const schemaUri = `${folder}/state.schema.yaml`;
const skill = '---\nname: sorting\ndescription: Sorts.\n---\n# Sort\n\nKeep `count` up to date.\n';
const schema = 'type: object\nproperties:\n  count: {type: integer}\nadditionalProperties: false\n';

async function start(options: LspClientOptions & { readonly stored?: Record<string, string> } = {}) {
  const stored = memoryFiles(options.stored ?? { [skillUri]: skill, [schemaUri]: schema });
  const client = await LspClient.start({
    folders: ['file:///skills'],
    files: new Map([['file', stored]]),
    ...options,
  });
  return { client, stored };
}

/** Severity 1: nothing depends on what other features find besides. */
const errorsOf = async (client: LspClient, uri: string) =>
  (await client.diagnostics(uri)).filter(({ severity }) => severity === 1).map(({ code }) => code);

describe('pulled diagnostics', () => {
  it('follow incremental changes, with positions in UTF-16', async () => {
    const { client } = await start();
    await client.open(skillUri, skill);
    expect(await errorsOf(client, skillUri)).toEqual([]);
    const start_ = client.find(skillUri, 'sorting');
    const end = client.find(skillUri, 'sorting', { end: true });
    // Two changes in one message: the second counts from the first.
    await client.change(skillUri, [
      { range: { start: start_, end }, text: '𝕊𝕊' },
      {
        range: {
          start: { ...start_, character: start_.character + 2 },
          end: { ...start_, character: start_.character + 4 },
        },
        text: 'X',
      },
    ]);
    expect(client.text(skillUri)).toContain('name: 𝕊X\n');
    const [found] = (await client.diagnostics(skillUri)).filter(({ severity }) => severity === 1);
    expect(found).toMatchObject({
      source: 'skill-state',
      range: { start: { line: 1, character: 6 }, end: { line: 1, character: 9 } },
    });
    await client.type(skillUri, client.find(skillUri, '𝕊X'), 'sort\r\n');
    expect(client.text(skillUri)).toContain('name: sort\r\n𝕊X\n');
    expect(await errorsOf(client, skillUri)).not.toEqual([]);
    await client.setText(skillUri, skill);
    expect(await errorsOf(client, skillUri)).toEqual([]);
    await client.stop();
  });

  it('say what is unchanged by its id', async () => {
    const { client } = await start();
    await client.open(skillUri, skill.replace('name: sorting', 'name: Sorting'));
    const first = await client.pull(skillUri);
    expect(first.kind).toBe('full');
    expect(first.resultId).toBeTypeOf('string');
    const second = await client.pull(skillUri, first.resultId);
    expect(second).toEqual({ kind: 'unchanged', resultId: first.resultId });
    await client.setText(skillUri, skill);
    expect((await client.pull(skillUri, first.resultId)).kind).toBe('full');
    await client.stop();
  });

  it('are empty for documents that belong to no skill', async () => {
    const { client } = await start();
    for (const uri of [
      'file:///skills/other/README.md',
      'untitled:Untitled-1',
      'file:///skills/package.json',
    ]) {
      await client.open(uri, '{"name": \n# x\n');
      expect(await client.pull(uri)).toMatchObject({ kind: 'full', items: [] });
    }
    await client.stop();
  });

  it('of a document take the other files of its skill as the editor has them', async () => {
    const { client } = await start({
      stored: {
        [skillUri]: skill.replace('---\n# Sort', 'metadata:\n  state-schema: my.yaml\n---\n# Sort'),
        [`${folder}/my.yaml`]: schema,
      },
    });
    const named = `${folder}/my.yaml`;
    await client.open(named, 'type: [object');
    expect(await errorsOf(client, named)).not.toEqual([]);
    await client.open(skillUri, skill);
    // The unsaved SKILL.md names no schema any more.
    expect(await client.diagnostics(named)).toEqual([]);
    await client.close(skillUri);
    expect(await errorsOf(client, named)).not.toEqual([]);
    await client.stop();
  });

  it('are asked for again when another open document has changed them', async () => {
    const { client } = await start();
    const named = `${folder}/my.yaml`;
    const naming = skill.replace('---\n# Sort', 'metadata:\n  state-schema: my.yaml\n---\n# Sort');
    await client.open(skillUri, skill);
    await client.open(named, 'type: [object');
    expect(await client.diagnostics(named)).toEqual([]);
    expect(client.asked.filter(({ method }) => method === 'workspace/diagnostic/refresh')).toEqual([]);
    await client.setText(skillUri, naming);
    await client.askedFor('workspace/diagnostic/refresh');
    expect(await errorsOf(client, named)).not.toEqual([]);
    // And the other way round: what the schema declares is known in SKILL.md.
    await client.pull(skillUri);
    await client.setText(named, schema);
    await client.askedFor('workspace/inlayHint/refresh', 2);
    expect(await errorsOf(client, named)).toEqual([]);
    await client.stop();
  });

  it('of a client that cancelled are answered as cancelled', async () => {
    const { client } = await start();
    await client.open(skillUri, skill);
    const { CancellationTokenSource } = await import('vscode-languageserver/node');
    const source = new CancellationTokenSource();
    const pulled = client.connection.sendRequest(
      'textDocument/diagnostic',
      { textDocument: { uri: skillUri } },
      source.token,
    );
    source.cancel();
    await expect(pulled).rejects.toMatchObject({ code: -32800 });
    expect((await client.pull(skillUri)).kind).toBe('full');
    await client.stop();
  });

  it('that are cancelled in the middle are given up, and what was asked since then is answered before', async () => {
    const linking = `${skill}\nSee [more](more.md).\n`;
    const stored = memoryFiles({ [skillUri]: linking, [schemaUri]: schema });
    const { list } = stored;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const listing = new Promise<void>((resolve) => {
      stored.list = async (uri) => {
        resolve();
        await released;
        return list(uri);
      };
    });
    const client = await LspClient.start({ folders: ['file:///skills'], files: new Map([['file', stored]]) });
    await client.open(skillUri, linking);
    const { CancellationTokenSource } = await import('vscode-languageserver/node');
    const source = new CancellationTokenSource();
    const textDocument = { uri: skillUri };
    const pulled = client.connection.sendRequest('textDocument/diagnostic', { textDocument }, source.token);
    const failure = expect(pulled).rejects.toMatchObject({ code: -32800 });
    await listing;
    source.cancel();
    expect(await client.request('textDocument/foldingRange', { textDocument })).not.toEqual([]);
    release();
    await failure;
    stored.list = list;
    expect((await client.pull(skillUri)).kind).toBe('full');
    await client.stop();
  });

  it('for a text that has changed meanwhile are to be asked for again', async () => {
    const stored = memoryFiles({ [skillUri]: skill });
    let answer: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => {
      const { read } = stored;
      stored.read = async (uri) => {
        if (uri === schemaUri) {
          resolve();
          await new Promise<void>((go) => {
            answer = go;
          });
        }
        return read(uri);
      };
    });
    const client = await LspClient.start({ folders: ['file:///skills'], files: new Map([['file', stored]]) });
    await client.open(skillUri, skill);
    const pulled = client.pull(skillUri);
    const failure = expect(pulled).rejects.toMatchObject({ code: -32802, data: { retriggerRequest: true } });
    await asked;
    await client.setText(skillUri, `${skill}\nMore.\n`);
    // The change has arrived when a request after it is answered.
    await expect(client.request('textDocument/nothing', {})).rejects.toMatchObject({ code: -32601 });
    answer?.();
    await failure;
    await client.stop();
  });

  it('of files that cannot be read say so', async () => {
    const { client, stored } = await start();
    stored.refuse(schemaUri, 'state.schema.yaml is not UTF-8 text.');
    await client.open(skillUri, skill);
    expect(await client.diagnostics(schemaUri)).toMatchObject([
      { code: 'skill.unreadable-file', severity: 1, message: 'state.schema.yaml is not UTF-8 text.' },
    ]);
    expect(await client.diagnostics(skillUri)).toContainEqual(
      expect.objectContaining({ code: 'skill.unreadable-file' }),
    );
    await client.stop();
  });

  it('and links keep the spelling of the client', async () => {
    const { client } = await start();
    const page = 'file:///skills/sorting/SKILL%2Emd';
    const spelled = 'file:///skills/sorting/state%2Eschema.yaml';
    await client.open(page, `${skill}\nSee [it](state.schema.yaml).\n`);
    await client.open(spelled, 'type: object\n');
    const links = await client.request<readonly { target: string }[]>('textDocument/documentLink', {
      textDocument: { uri: page },
    });
    expect(links.map(({ target }) => target)).toContain(spelled);
    await client.stop();
  });

  it('are of the document that was opened last, where it is open under two spellings', async () => {
    const { client } = await start();
    const other = 'file:///skills/sorting/SKILL%2Emd';
    const named = (name: string) => skill.replace('name: sorting', `name: ${name}`);
    await client.open(skillUri, named('one'));
    await client.open(other, named('two'));
    const messages = async (uri: string) =>
      (await client.diagnostics(uri)).map(({ message }) => message).join();
    expect(await messages(skillUri)).toContain('"two"');
    expect(await messages(other)).toContain('"two"');
    await client.close(other);
    expect(await messages(skillUri)).toContain('"one"');
    await client.setText(skillUri, named('three'));
    expect(await messages(skillUri)).toContain('"three"');
    await client.close(skillUri);
    expect(await messages(skillUri)).toBe('');
    await client.stop();
  });

  it('keep the spelling of the client in all they name', async () => {
    const { client } = await start();
    const spelled = 'file:///skills/sorting/SKILL%2Emd';
    const windows = 'file:///C:/skills/sorting/SKILL.md';
    await client.open(windows, skill.replace('name: sorting', 'name: wrong'));
    expect(await errorsOf(client, windows)).not.toEqual([]);
    await client.open(spelled, skill.replace('name: sorting', 'name: wrong'));
    expect(await errorsOf(client, spelled)).not.toEqual([]);
    const [action] = await client.codeActions(windows, {
      start: { line: 1, character: 6 },
      end: { line: 1, character: 6 },
    });
    if (action?.edit) {
      const texts = (action.edit.documentChanges ?? []).flatMap((change) =>
        'textDocument' in change ? [change.textDocument.uri] : [],
      );
      expect(texts.every((uri) => uri === windows)).toBe(true);
    }
    await client.stop();
  });
});

describe('pushed diagnostics', () => {
  it('come for the version that is current, and go with the document', async () => {
    const { client } = await start({ capabilities: pushCapabilities });
    await client.open(skillUri, skill.replace('name: sorting', 'name: Sorting'));
    await client.publishedFor(skillUri, ({ diagnostics }) =>
      diagnostics.some(({ severity }) => severity === 1),
    );
    await client.type(skillUri, client.find(skillUri, 'Sorting'), 'x');
    await client.setText(skillUri, skill);
    const last = await client.publishedFor(skillUri, ({ version }) => version === 3);
    expect(last.diagnostics.filter(({ severity }) => severity === 1)).toEqual([]);
    const versions = client.published.flatMap(({ version }) => (version === undefined ? [] : [version]));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    await client.close(skillUri);
    expect(await client.publishedFor(skillUri, ({ version }) => version === undefined)).toEqual({
      uri: skillUri,
      diagnostics: [],
    });
    await client.stop();
  });

  it('come for other open documents of the skill, but not twice without a change', async () => {
    const { client } = await start({ capabilities: pushCapabilities });
    const named = `${folder}/my.yaml`;
    await client.open(named, 'type: [object');
    await client.open(skillUri, skill);
    await client.publishedFor(skillUri);
    expect((await client.publishedFor(named)).diagnostics).toEqual([]);
    await client.setText(
      skillUri,
      skill.replace('---\n# Sort', 'metadata:\n  state-schema: my.yaml\n---\n# Sort'),
    );
    const found = await client.publishedFor(named, ({ diagnostics }) => diagnostics.length > 0);
    expect(found.version).toBe(1);
    const count = client.published.filter(({ uri }) => uri === named).length;
    await client.type(skillUri, client.find(skillUri, 'Sorts.'), 'It ');
    await client.publishedFor(skillUri, ({ version }) => version === client.version(skillUri));
    expect(client.published.filter(({ uri }) => uri === named)).toHaveLength(count);
    await client.stop();
  });

  it('wait until the typing rests', async () => {
    const { client } = await start({ capabilities: pushCapabilities, quietTime: 60_000 });
    await client.open(skillUri, skill);
    await client.publishedFor(skillUri);
    await client.type(skillUri, client.find(skillUri, 'Sorts.'), 'It ');
    // By its answer every key has arrived, and a minute without one is still to come.
    await client.hover(skillUri, 0);
    const versions = client.published.filter(({ uri }) => uri === skillUri).map(({ version }) => version);
    expect(versions).toEqual([1]);
    await client.stop();
  });
});
