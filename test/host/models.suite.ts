/** Models in VS Code: its own, those of servers, and the ways to them. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import * as vscode from 'vscode';
import { startOpenAiServer } from '../support/openaiServer';
import { untilAnswered, within } from './waiting';

async function change(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

/** What *Skill: List Models* shows. */
async function listedModels(): Promise<string> {
  await within('skill-state.listModels', vscode.commands.executeCommand('skill-state.listModels'));
  const document = vscode.window.activeTextEditor?.document;
  assert.equal(document?.uri.scheme, 'skill-state-models');
  assert.equal(document.languageId, 'markdown');
  return document.getText();
}

/** A proxy that goes to one server, whatever host it is asked for, and tells for which. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket: Socket, head) => {
    asked.push(request.url ?? '');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => one.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

describe('models', () => {
  it("lists those of VS Code's and of servers, by the names that launch.json takes", async () => {
    const server = await startOpenAiServer({ models: ['first', 'second'] });
    try {
      await change('skill-state.servers', [{ name: 'Lab', baseUrl: server.baseUrl }]);
      const text = await listedModels();
      assert.match(text, /^- `scripted`/m);
      assert.match(text, /^- `vscode:skill-state-test\/scripted\/warehouse` \(Warehouse\)$/m);
      assert.ok(text.includes(`## Lab at ${server.baseUrl}`), text);
      assert.ok(text.includes(`- \`openai:first\` (with \`"baseUrl": "${server.baseUrl}"\`)`), text);
      assert.match(text, /^- Ollama at .*: .*`ollama serve`/m);
    } finally {
      await change('skill-state.servers', undefined);
      await server.close();
    }
  });

  it('goes through the proxy that VS Code is set to', async () => {
    const server = await startOpenAiServer({ models: ['behind-the-proxy'] });
    const proxy = await startProxy(server.port);
    try {
      await change('http.proxy', proxy.address);
      await change('skill-state.servers', [{ name: 'Far', baseUrl: 'http://models.invalid/v1' }]);
      // VS Code takes in a changed proxy some time after it was set.
      await untilAnswered('a model behind the proxy', listedModels, (text) =>
        text.includes('`openai:behind-the-proxy`') ? true : undefined,
      );
      assert.ok(
        proxy.asked.some((address) => address.includes('models.invalid')),
        proxy.asked.join(', '),
      );
    } finally {
      await change('skill-state.servers', undefined);
      await change('http.proxy', undefined);
      proxy.close();
      await server.close();
    }
  });
});
