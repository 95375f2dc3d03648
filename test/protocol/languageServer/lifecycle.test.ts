/** How the server begins and ends, and what it makes of messages that it can't read or doesn't know. */
import { describe, expect, it } from 'vitest';
import { LspClient, modernCapabilities, pushCapabilities, startServerHere } from '../../support/lspClient';

/** Sends bytes and gives the messages that come back, once there are so many. */
function conversation() {
  const { exit, input, output } = startServerHere();
  const received: { id?: unknown; result?: unknown; error?: { code: number; message: string } }[] = [];
  let buffered = Buffer.alloc(0);
  let notice = () => undefined as undefined;
  output.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const header = /^(?:[^\r\n]+\r\n)*?Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n/i.exec(
        buffered.toString('latin1'),
      );
      const length = Number(header?.[1]);
      if (header === null || buffered.length < header[0].length + length) break;
      const body = buffered.subarray(header[0].length, header[0].length + length);
      buffered = buffered.subarray(header[0].length + length);
      received.push(JSON.parse(body.toString('utf8')));
      notice();
    }
  });
  return {
    exit,
    input,
    /** Sends a body as it is, with its header. */
    send(body: string): void {
      input.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
    /** The message that answers `id`. */
    answer(id: unknown): Promise<(typeof received)[number]> {
      return new Promise((resolve) => {
        notice = () => {
          const found = received.find((message) => message.id === id && !('method' in message));
          if (found) resolve(found);
          return undefined;
        };
        notice();
      });
    },
  };
}

const initialize = (id: number) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { processId: null, rootUri: null, capabilities: {} },
  });

describe('the life of a server', () => {
  it('tells what it can do, by what the client can do', async () => {
    const modern = await LspClient.start();
    expect(modern.initialized.capabilities).toMatchObject({
      textDocumentSync: { openClose: true, change: 2 },
      diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true },
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: ['quickfix'] },
      completionProvider: { triggerCharacters: [':', ' ', '"', '/', '#', '`', '.', '-', '<', '['] },
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
    });
    expect(await modern.stop()).toBe(0);

    const old = await LspClient.start({ capabilities: {} });
    expect(old.initialized.capabilities.diagnosticProvider).toBeUndefined();
    expect(old.initialized.capabilities.codeActionProvider).toBe(false);
    expect(old.initialized.capabilities.renameProvider).toBe(true);
    expect(await old.stop()).toBe(0);
  });

  it('registers formatting and the outline for the documents that nobody else has, where a client names them', async () => {
    const dynamicRegistration = true;
    const { textDocument = {}, ...rest } = modernCapabilities;
    const capabilities = {
      ...rest,
      textDocument: {
        ...textDocument,
        formatting: { dynamicRegistration },
        documentSymbol: { ...textDocument.documentSymbol, dynamicRegistration },
      },
    };
    const ownDocuments = [{ scheme: 'file', language: 'skill-state-schema' }];
    const given = { ownDocuments: [...ownDocuments, { pattern: '**/*' }, 'all'] };
    const client = await LspClient.start({ capabilities, initializationOptions: given });
    expect(client.initialized.capabilities).toMatchObject({
      documentFormattingProvider: false,
      documentSymbolProvider: false,
    });
    for (const method of ['textDocument/formatting', 'textDocument/documentSymbol']) {
      const { params } = await client.until(method, () =>
        client.asked.find(({ params }) => JSON.stringify(params).includes(method)),
      );
      expect(params).toMatchObject({
        registrations: [{ method, registerOptions: { documentSelector: ownDocuments } }],
      });
    }
    expect(await client.stop()).toBe(0);

    for (const [initializationOptions, able] of [
      [{}, capabilities],
      [{ ownDocuments }, modernCapabilities],
      [{ ownDocuments: 'all' }, capabilities],
    ] as const) {
      const other = await LspClient.start({ capabilities: able, initializationOptions });
      expect(other.initialized.capabilities).toMatchObject({
        documentFormattingProvider: true,
        documentSymbolProvider: true,
      });
      expect(await other.stop()).toBe(0);
    }
  });

  it('ends with 1 without shutdown', async () => {
    const client = await LspClient.start();
    await client.notify('exit');
    expect(await client.exit).toBe(1);
  });

  it('ends with 1 when the client closes its end, and with 0 when it had said shutdown', async () => {
    const gone = startServerHere();
    gone.input.end();
    expect(await gone.exit).toBe(1);

    const { send, answer, input, exit } = conversation();
    send(initialize(1));
    await answer(1);
    send('{"jsonrpc":"2.0","id":2,"method":"shutdown"}');
    expect(await answer(2)).toMatchObject({ result: null });
    input.end();
    expect(await exit).toBe(0);
  });

  it('answers nothing before initialize, and nothing after shutdown', async () => {
    const { send, answer, exit } = conversation();
    const hover = (id: number) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'textDocument/hover',
        params: { textDocument: { uri: 'file:///a/SKILL.md' }, position: { line: 0, character: 0 } },
      });
    const request = (id: number, method: string) => JSON.stringify({ jsonrpc: '2.0', id, method });
    const early = [hover(10), request(11, 'skill-state/nothing'), request(12, 'shutdown')];
    for (const [index, text] of early.entries()) {
      send(text);
      expect((await answer(index + 10)).error?.code).toBe(-32002);
    }
    send(initialize(2));
    await answer(2);
    send(hover(3));
    expect(await answer(3)).toMatchObject({ result: null });
    send(initialize(4));
    expect((await answer(4)).error?.code).toBe(-32600);
    send('{"jsonrpc":"2.0","id":5,"method":"shutdown"}');
    await answer(5);
    const asked = [hover(6), request(7, 'skill-state/nothing'), request(8, 'shutdown'), initialize(9)];
    for (const [index, text] of asked.entries()) {
      send(text);
      expect((await answer(index + 6)).error?.code).toBe(-32600);
    }
    send('{"jsonrpc":"2.0","method":"exit"}');
    expect(await exit).toBe(0);
  });

  it('answers requests that it does not know, and passes over notifications', async () => {
    const client = await LspClient.start();
    await client.notify('skill-state/nothing', {});
    await client.notify('$/nothing', {});
    await expect(client.request('textDocument/colorPresentation', {})).rejects.toMatchObject({
      code: -32601,
    });
    await expect(client.request('$/nothing', {})).rejects.toMatchObject({ code: -32601 });
    expect(await client.stop()).toBe(0);
  });

  it.each([
    ['no JSON', '{"jsonrpc":"2.0", nonsense'],
    [
      'invalid UTF-8 in a string',
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"', 'latin1').toString('latin1'),
    ],
    ['nothing', ''],
  ])('answers %s with a parse error and lives on', async (_, body) => {
    const { send, answer, exit } = conversation();
    send(body);
    expect((await answer(null)).error?.code).toBe(-32700);
    send(initialize(1));
    expect(await answer(1)).toMatchObject({ result: { serverInfo: { name: 'skill-state' } } });
    send('{"jsonrpc":"2.0","id":2,"method":"shutdown"}');
    await answer(2);
    send('{"jsonrpc":"2.0","method":"exit"}');
    expect(await exit).toBe(0);
  });

  it.each([
    ['a batch', '[{"jsonrpc":"2.0","id":9,"method":"x"}]'],
    ['a number', '7'],
    ['a response to nothing', '{"jsonrpc":"2.0","id":77,"result":null}'],
    ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}'],
    ['a notification without its parameters', '{"jsonrpc":"2.0","method":"textDocument/didOpen"}'],
    ['a change without a version', '{"jsonrpc":"2.0","method":"textDocument/didChange","params":{}}'],
    [
      'watched files that are none',
      '{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":7}}',
    ],
  ])('lives through %s', async (_, body) => {
    const { send, answer, exit } = conversation();
    send(initialize(1));
    await answer(1);
    send(body);
    send('{"jsonrpc":"2.0","id":2,"method":"shutdown"}');
    expect(await answer(2)).toMatchObject({ result: null });
    send('{"jsonrpc":"2.0","method":"exit"}');
    expect(await exit).toBe(0);
  });

  const textDocument = { uri: 'file:///a/SKILL.md' };
  const position = { line: 0, character: 0 };
  const range = { start: position, end: position };
  /** Every request about documents, with all that it needs. */
  const complete: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    ...Object.fromEntries(
      ['completion', 'hover', 'definition', 'prepareRename'].map((name) => [
        name,
        { textDocument, position },
      ]),
    ),
    ...Object.fromEntries(
      ['codeLens', 'diagnostic', 'documentLink', 'documentSymbol', 'foldingRange', 'semanticTokens/full'].map(
        (name) => [name, { textDocument }],
      ),
    ),
    references: { textDocument, position, context: { includeDeclaration: true } },
    rename: { textDocument, position, newName: 'b' },
    codeAction: { textDocument, range, context: { diagnostics: [] } },
    inlayHint: { textDocument, range },
    selectionRange: { textDocument, positions: [position] },
    formatting: { textDocument, options: { tabSize: 2, insertSpaces: true } },
  };
  const wrong = [undefined, null, 7, 'a', [7], { start: 7 }, { uri: 7 }, { uri: 'a b:c' }];

  it.each(Object.entries(complete))(
    'answers %s without what it needs as InvalidParams',
    async (name, params) => {
      const client = await LspClient.start();
      await client.open(textDocument.uri, '---\nname: a\n---\n');
      const answered: unknown[] = [];
      const ask = (asked: unknown) =>
        client.request(`textDocument/${name}`, asked).then(
          () => 'a result',
          ({ code, message }: { code: number; message: string }) => (code === -32602 ? code : message),
        );
      for (const missing of Object.keys(params)) {
        for (const value of wrong) {
          const isFit = missing === 'newName' && typeof value === 'string';
          if (!isFit) answered.push(await ask({ ...params, [missing]: value }));
        }
      }
      expect(new Set(answered)).toEqual(new Set([-32602]));
      for (const other of [undefined, null, {}, []]) expect(await ask(other)).toBe(-32602);
      expect(client.log).toEqual([]);
      expect(await client.diagnostics(textDocument.uri)).not.toHaveLength(0);
      await client.stop();
    },
  );

  it('answers quick fixes of no list of kinds as InvalidParams', async () => {
    const client = await LspClient.start();
    await client.open(textDocument.uri, '---\nname: a\n---\n');
    const ask = (only: unknown) =>
      client.request('textDocument/codeAction', { textDocument, range, context: { diagnostics: [], only } });
    for (const only of ['quickfix', 7, {}, [7], null])
      await expect(ask(only)).rejects.toMatchObject({ code: -32602 });
    expect(await ask([])).toEqual([]);
    expect(await ask(['quickfix.other'])).toEqual([]);
    expect(client.log).toEqual([]);
    await client.stop();
  });

  it('answers an incomplete request about the workspace as InvalidParams', async () => {
    const client = await LspClient.start();
    await expect(client.request('workspace/diagnostic', {})).rejects.toMatchObject({ code: -32602 });
    expect(client.log).toEqual([]);
    await client.stop();
  });

  it('pushes to clients that do not pull, and answers them no pulls', async () => {
    const client = await LspClient.start({ capabilities: pushCapabilities });
    await client.open('file:///a/SKILL.md', '---\nname: a\nname: a\n---\n');
    const { diagnostics, version } = await client.publishedFor('file:///a/SKILL.md');
    expect(version).toBe(1);
    expect(diagnostics.length).toBeGreaterThan(0);
    await expect(client.pull('file:///a/SKILL.md')).rejects.toMatchObject({ code: -32601 });
    await client.stop();
  });

  it('pushes nothing to clients that pull', async () => {
    const client = await LspClient.start({ capabilities: modernCapabilities });
    await client.open('file:///a/SKILL.md', '---\nname: a\nname: a\n---\n');
    expect(await client.diagnostics('file:///a/SKILL.md')).not.toHaveLength(0);
    await client.stop();
    expect(client.published).toEqual([]);
  });
});
