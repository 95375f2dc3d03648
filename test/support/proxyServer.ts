/**
 * A real HTTP proxy for tests: tunnels (CONNECT, RFC 9110 section 9.3.6) and plain requests in absolute form, from names that
 * exist nowhere to servers on this machine.
 */
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listening } from './httpServer';

export interface ProxyServer {
  /** Such as `http://127.0.0.1:4321`. */
  readonly url: string;
  /** What was asked for, such as `CONNECT models.invalid:443`. */
  readonly asked: readonly string[];
  /** The headers of what was asked for. */
  readonly headers: readonly IncomingMessage['headers'][];
  close(): Promise<void>;
}

/**
 * @param port of 127.0.0.1 to which everything leads
 * @param options.refuses the status with which it opens no tunnel
 */
export async function startProxy(
  port: number,
  { refuses }: { readonly refuses?: number } = {},
): Promise<ProxyServer> {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((message, response) => {
    asked.push(`${message.method} ${message.url}`);
    headers.push(message.headers);
    const { pathname, search } = new URL(message.url ?? '');
    const options = { port, host: '127.0.0.1', method: message.method, headers: message.headers };
    const onward = forward({ ...options, path: `${pathname}${search}` }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    message.pipe(onward);
  });
  server.on('connect', (message, client: Socket, first: Buffer) => {
    asked.push(`CONNECT ${message.url}`);
    headers.push(message.headers);
    if (refuses !== undefined) {
      client.end(`HTTP/1.1 ${refuses} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(first);
      target.pipe(client);
      client.pipe(target);
    });
    sockets.add(target);
    for (const [one, other] of [
      [target, client],
      [client, target],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  const local = await listening(server);
  return {
    url: local.origin,
    asked,
    headers,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return local.close();
    },
  };
}
