/** Documents that are a skill's only because it names or includes them: registered one by one, and taken back. */
import { describe, expect, it } from 'vitest';
import type {
  ClientCapabilities,
  Registration,
  RegistrationParams,
  UnregistrationParams,
} from 'vscode-languageserver/node';
import { LspClient, type LspClientOptions, modernCapabilities } from '../../support/lspClient';
import { memoryFiles } from '../../support/memoryFiles';

const skillOf = (metadata: string) =>
  `---\nname: sorting\ndescription: Sorts.\nmetadata:\n${metadata}---\n# Sort\n\nKeep \`count\` up to date.\n`;
const naming = skillOf('  state-schema: data/model.json\n  include: references/rules.md\n');
const schema =
  '{"type": "object", "properties": {"count": {"type": "integer"}}, "additionalProperties": false}\n';

const folder = 'file:///skills/sorting';
const skillUri = `${folder}/SKILL.md`;
const schemaUri = `${folder}/data/model.json`;
const rulesUri = `${folder}/references/rules.md`;
const otherUri = `${folder}/references/other.md`;

/** As VS Code has it. */
function registeringCapabilities(): ClientCapabilities {
  const dynamicRegistration = true;
  const textDocument = { ...modernCapabilities.textDocument };
  const methods = [
    ...['synchronization', 'completion', 'hover', 'definition', 'references', 'rename', 'codeAction'],
    ...['foldingRange', 'selectionRange', 'documentLink', 'inlayHint', 'codeLens', 'diagnostic'],
  ];
  for (const name of methods) {
    const known: unknown = Reflect.get(textDocument, name);
    Reflect.set(textDocument, name, {
      ...(typeof known === 'object' && known !== null ? known : {}),
      dynamicRegistration,
    });
  }
  return {
    ...modernCapabilities,
    textDocument: { ...textDocument, filters: { relativePatternSupport: true } },
  };
}

async function start(stored: Record<string, string>, options: LspClientOptions = {}) {
  const files = memoryFiles(stored);
  const client = await LspClient.start({
    capabilities: registeringCapabilities(),
    folders: ['file:///skills'],
    files: new Map([['file', files]]),
    ...options,
  });
  return { client, files };
}

const stored = {
  [skillUri]: naming,
  [schemaUri]: schema,
  [rulesUri]: 'Keep `state.cuont`.\n',
  [otherUri]: 'Keep `state.cuont`.\n',
};

const tell = (client: LspClient, ...uris: readonly string[]) =>
  client.notify('skill-state/candidateDocuments', {
    documents: uris.map((uri) => ({ uri, languageId: uri.endsWith('.json') ? 'json' : 'markdown' })),
  });

/** Each request that registers documents or takes that back, shortly: the sign, and the names of their files. */
function registrations(client: LspClient): string[] {
  return client.asked.flatMap(({ method, params }) => {
    const isRegistration = method === 'client/registerCapability';
    if (!isRegistration && method !== 'client/unregisterCapability') return [];
    const { registrations: come = [] } = params as Partial<RegistrationParams>;
    const { unregisterations: gone = [] } = params as Partial<UnregistrationParams>;
    const names = [...come, ...gone]
      .filter(({ method }) => method === 'textDocument/didOpen')
      .map(({ id }) => id.slice(id.lastIndexOf('/') + 1));
    return names.length === 0 ? [] : [`${isRegistration ? '+' : '-'} ${names.join(', ')}`];
  });
}

const registered = (client: LspClient, expected: readonly string[]) =>
  client.until(expected.join('; '), () =>
    JSON.stringify(registrations(client)) === JSON.stringify(expected) ? true : undefined,
  );

async function registrationsOf(client: LspClient, name: string): Promise<readonly Registration[]> {
  return client.until(`registrations of ${name}`, () => {
    const all = client.asked.flatMap(({ method, params }) =>
      method === 'client/registerCapability' ? (params as RegistrationParams).registrations : [],
    );
    const its = all.filter(({ id }) => id.endsWith(name));
    return its.length > 0 ? its : undefined;
  });
}

describe('documents that a skill names', () => {
  it('are registered by path and language, with what their kind has, and others are not', async () => {
    const { client } = await start(stored);
    await tell(client, otherUri, rulesUri, schemaUri);
    await registered(client, ['+ rules.md, model.json']);
    const rules = await registrationsOf(client, 'rules.md');
    expect(rules.map(({ method }) => method.replace('textDocument/', ''))).toEqual([
      ...['didOpen', 'didChange', 'didSave', 'didClose', 'completion', 'hover', 'definition', 'references'],
      ...['rename', 'codeAction', 'diagnostic'],
    ]);
    const documentSelector = [
      {
        language: 'markdown',
        scheme: 'file',
        pattern: { baseUri: `${folder}/references`, pattern: 'rules.md' },
      },
    ];
    for (const { registerOptions } of rules) expect(registerOptions).toMatchObject({ documentSelector });
    const optionsOf = (method: string) =>
      rules.find((one) => one.method === `textDocument/${method}`)?.registerOptions;
    expect(optionsOf('didChange')).toMatchObject({ syncKind: 2 });
    expect(optionsOf('completion')).toMatchObject({ triggerCharacters: expect.arrayContaining(['`']) });
    // The workspace is reported on once, and not for each such document.
    expect(optionsOf('diagnostic')).toMatchObject({ workspaceDiagnostics: false, identifier: 'skill-state' });
    const methods = (await registrationsOf(client, 'model.json')).map(({ method }) => method);
    expect(methods).toEqual(expect.arrayContaining(['textDocument/inlayHint', 'textDocument/documentLink']));
    await client.stop();
  });

  it('are answered for once they are sent', async () => {
    const { client } = await start(stored);
    await tell(client, rulesUri);
    await registered(client, ['+ rules.md']);
    await client.open(rulesUri, 'Keep `state.cuont`.\n');
    expect(await client.codes(rulesUri)).toEqual(['skill.unknown-state-path']);
    await client.setText(rulesUri, 'Keep `state.count`.\n');
    expect(await client.codes(rulesUri)).toEqual([]);
    await client.stop();
  });

  it('come and go with what the SKILL.md says, saved or not, and with the list of the client', async () => {
    const { client, files } = await start(stored);
    await tell(client, rulesUri, otherUri);
    const log = ['+ rules.md'];
    await registered(client, log);
    await client.open(rulesUri, 'Keep `state.cuont`.\n');

    await client.open(skillUri, naming);
    await client.setText(skillUri, naming.replace('rules.md', 'other.md'));
    log.push('- rules.md', '+ other.md');
    await registered(client, log);
    await client.close(rulesUri);
    await client.close(skillUri);
    log.push('- other.md', '+ rules.md');
    await registered(client, log);

    files.set(skillUri, naming.replace('rules.md', 'rules.md references/other.md'));
    await client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: skillUri, type: 2 }] });
    log.push('+ other.md');
    await registered(client, log);

    await tell(client, otherUri);
    log.push('- rules.md');
    await registered(client, log);
    await tell(client);
    log.push('- other.md');
    await registered(client, log);
    await client.stop();
  });

  it('are registered anew in another language', async () => {
    const { client } = await start(stored);
    await tell(client, schemaUri);
    await registered(client, ['+ model.json']);
    await client.notify('skill-state/candidateDocuments', {
      documents: [{ uri: schemaUri, languageId: 'jsonc' }],
    });
    await registered(client, ['+ model.json', '- model.json', '+ model.json']);
    await client.stop();
  });

  it('are not registered where the client sends them anyway', async () => {
    const { client } = await start(stored);
    await client.open(rulesUri, 'Keep `count`.\n');
    await tell(client, rulesUri, schemaUri);
    await registered(client, ['+ model.json']);
    await client.stop();
  });

  it('are told apart by drive, by characters that mean something in patterns, and by scheme', async () => {
    const windows = 'file:///c%3A/My%20Skills/%5Bsort%5D';
    const remote = 'vscode-vfs://github/some/repo';
    const name = 'a%20%7Bb%7D%20%5B1%5D%2A.json';
    const { client } = await start(
      {},
      {
        initializationOptions: { files: true },
        prepare: (connection) => {
          connection.onRequest('skill-state/readFile', ({ uri }: { uri: string }) => {
            if (uri.endsWith('/SKILL.md'))
              return { text: skillOf(`  state-schema: ${decodeURIComponent(name)}\n`) };
            return uri.endsWith(name) ? { text: schema } : null;
          });
        },
        files: new Map(),
      },
    );
    await tell(client, `${windows}/${name}`, `${remote}/${name}`);
    const all = await registrationsOf(client, name);
    const selectors = all
      .filter(({ method }) => method === 'textDocument/hover')
      .map(({ registerOptions }) => registerOptions.documentSelector);
    const pattern = 'a [{]b[}] [[]1[]][*].json';
    expect(selectors).toEqual([
      [{ language: 'json', scheme: 'file', pattern: { baseUri: windows, pattern } }],
      [{ language: 'json', scheme: 'vscode-vfs', pattern: { baseUri: remote, pattern } }],
    ]);
    await client.stop();
  });

  it.each([
    ['relative patterns', { filters: {} }],
    ['registration of documents', { synchronization: { didSave: true } }],
  ])('are left where the client lacks %s', async (_, lacking) => {
    const able = registeringCapabilities();
    const capabilities = { ...able, textDocument: { ...able.textDocument, ...lacking } };
    const { client } = await start(stored, { capabilities });
    await tell(client, rulesUri);
    await client.open(skillUri, naming);
    await client.diagnostics(skillUri);
    expect(registrations(client)).toEqual([]);
    await client.stop();
  });

  it.each<unknown>([
    7,
    { documents: 7 },
    { documents: [null, 7, {}, { uri: 7 }, { uri: rulesUri }, { uri: '', languageId: 'x' }] },
    { documents: [{ uri: 'untitled:Untitled-1', languageId: 'markdown' }] },
    { documents: [{ uri: skillUri, languageId: 'markdown' }] },
  ])('are not found in %j', async (params) => {
    const { client } = await start(stored);
    await client.notify('skill-state/candidateDocuments', params);
    await tell(client, rulesUri);
    await registered(client, ['+ rules.md']);
    expect(client.log).toEqual([]);
    await client.stop();
  });
});
