/** `skill-state lsp`, as a process: on stdio, on a port of the editor, and how it ends. */

import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createProtocolConnection,
  type DocumentDiagnosticReport,
  type InitializeResult,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { endOf, runCommand, startCommand, temporaryFolder } from '../../support/commandLine';
import { modernCapabilities } from '../../support/lspClient';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const text = '---\nname: wrong name\n---\n';

async function talk(reader: StreamMessageReader, writer: StreamMessageWriter) {
  const connection = createProtocolConnection(reader, writer);
  connection.onRequest('workspace/configuration', () => [null]);
  connection.onRequest('client/registerCapability', () => null);
  connection.listen();
  const initialized = await connection.sendRequest<InitializeResult>('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: modernCapabilities,
    workspaceFolders: [{ uri: pathToFileURL(folder.path).href, name: 'test' }],
  });
  expect(initialized.serverInfo).toMatchObject({
    name: 'skill-state',
    version: expect.stringMatching(/^\d/),
  });
  await connection.sendNotification('initialized', {});
  const uri = pathToFileURL(join(folder.path, 'SKILL.md')).href;
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'markdown', version: 1, text },
  });
  const report = await connection.sendRequest<DocumentDiagnosticReport>('textDocument/diagnostic', {
    textDocument: { uri },
  });
  expect(report.kind === 'full' && report.items.some(({ severity }) => severity === 1)).toBe(true);
  return connection;
}

describe('on stdio', () => {
  it.each([[['--stdio']], [[]], [['--stdio', '--clientProcessId=1']]])(
    'serves an editor: %j',
    async (flags) => {
      writeFileSync(join(folder.path, 'SKILL.md'), text);
      const child = startCommand(['lsp', ...flags], folder.path);
      const stderr: string[] = [];
      child.stderr.on('data', (part) => stderr.push(String(part)));
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const connection = await talk(
        new StreamMessageReader(child.stdout),
        new StreamMessageWriter(child.stdin),
      );
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      expect(await ended).toBe(0);
      expect(stderr.join('')).toBe('');
    },
  );

  it('ends with 1 when the editor goes without a word', async () => {
    const child = startCommand(['lsp', '--stdio'], folder.path);
    const end = endOf(child);
    child.stdin.end();
    expect(await end).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  it('ends with 1 on exit without shutdown', async () => {
    const child = startCommand(['lsp', '--stdio'], folder.path);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const connection = await talk(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    await connection.sendNotification('exit');
    expect(await ended).toBe(1);
  });
});

describe('on a port of the editor', () => {
  it('serves an editor', async () => {
    const arrived = new Promise<{ socket: Socket; stop: () => void; code: Promise<number | undefined> }>(
      (resolve) => {
        const server = createServer((socket) => resolve({ socket, stop: () => server.close(), code: ended }));
        let ended: Promise<number | undefined> = Promise.resolve(undefined);
        server.listen(0, '127.0.0.1', () => {
          const address = server.address();
          const port = typeof address === 'object' && address !== null ? address.port : 0;
          ended = runCommand(['lsp', `--socket=${port}`], folder.path).then(({ code }) => code);
        });
      },
    );
    const { socket, stop, code } = await arrived;
    const connection = await talk(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    expect(await code).toBe(0);
    stop();
  });

  it.each([
    [2, ['--socket', '0']],
    [2, ['--socket', 'x']],
    [2, ['--stdio', '--socket', '5000']],
    [2, ['--port', '5000']],
    [1, ['--socket', '1']],
  ])('exits with %i for %j', async (expected, flags) => {
    const { code, stdout, stderr } = await runCommand(['lsp', ...flags], folder.path);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(/^skill-state: [^\n]+\n$/);
  });
});
