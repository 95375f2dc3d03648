/** The language server on a pair of streams, for any number of servers in a process: it ends with its client, not with the process. */
import type { Readable, Writable } from 'node:stream';
import {
  type Connection,
  createConnection,
  ErrorCodes,
  type Message,
  ProposedFeatures,
} from 'vscode-languageserver';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { type ServerOptions, startServer } from './handlers';

/** A response to nobody knows what (JSON-RPC 2.0, section 5: `id` is null where it can't be read). */
interface UnreadableResponse extends Message {
  readonly id: null;
  readonly error: { readonly code: number; readonly message: string };
}

export interface StreamServerOptions extends Omit<ServerOptions, 'connection'> {
  readonly input: Readable;
  readonly output: Writable;
  /** The process of the client, where it is told before `initialize` tells it. */
  readonly clientProcess?: number;
  /** Ends the server as if the client had gone. */
  readonly signal?: AbortSignal;
}

/** How often is looked whether the process that started the server is still there, in milliseconds. */
const parentCheckEvery = 3_000;

/**
 * Serves one client until it says `exit`, closes the streams, or its process is gone.
 *
 * @returns 0 where it had said `shutdown` before, else 1 (LSP 3.17, "Exit Notification").
 */
export function serveStreams({
  input,
  output,
  clientProcess,
  signal,
  ...options
}: StreamServerOptions): Promise<0 | 1> {
  return new Promise((resolve) => {
    let parentCheck: NodeJS.Timeout | undefined;
    let connection: Connection | undefined;
    let server: ReturnType<typeof startServer> | undefined;
    const watch = (processId: number | null) => {
      if (processId === null || parentCheck !== undefined) return;
      parentCheck = setInterval(() => {
        if (!isAlive(processId)) end();
      }, parentCheckEvery);
      parentCheck.unref();
    };
    const watchDog = {
      shutdownReceived: false,
      initialize: ({ processId }: { readonly processId: number | null }) => watch(processId),
      exit: () => end(),
    };
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      clearInterval(parentCheck);
      signal?.removeEventListener('abort', end);
      server?.end();
      connection?.dispose();
      resolve(watchDog.shutdownReceived ? 0 : 1);
    };
    const reader = new StreamMessageReader(input);
    const writer = new StreamMessageWriter(output);
    connection = createConnection(
      (logger) => createProtocolConnection(reader, writer, logger),
      watchDog,
      ProposedFeatures.all,
    );
    reader.onError((error) => {
      if (ended) return;
      const response: UnreadableResponse = {
        jsonrpc: '2.0',
        id: null,
        error: { code: ErrorCodes.ParseError, message: `A message can't be read: ${error.message}` },
      };
      writer.write(response).catch(end);
    });
    reader.onClose(end);
    // A client that has closed its end has gone, whatever else it had to say.
    input.once('end', end);
    input.once('error', end);
    output.once('error', end);
    output.once('close', end);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) return end();
    watch(clientProcess ?? null);
    server = startServer({ connection, ...options });
  });
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Someone else's process is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
