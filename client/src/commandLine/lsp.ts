/** `skill-state lsp`: the language server for editors, on stdio or on a connection to a port that the editor listens on. */
import { connect } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { wiring } from '../../../server/src/compose';
import { serveStreams } from '../../../server/src/streamServer';
import type { ExitCode, Terminal } from './terminal';

/** The flags of `lsp`, as the command line gives them. */
export interface LspFlags {
  /** Standard input and output, which are the default. */
  readonly stdio?: boolean;
  /** The port of 127.0.0.1 on which the editor waits for the server, as `vscode-languageserver` has it. */
  readonly socket?: number;
  /** The editor's process: when it is gone the server ends. */
  readonly clientProcessId?: number;
}

/**
 * Serves one editor. In stdio mode stdout has nothing but the protocol.
 *
 * @returns 0 where the editor has said `shutdown` before it went, else 1.
 */
export async function lsp({ socket, clientProcessId }: LspFlags, terminal: Terminal): Promise<ExitCode> {
  const serve = (input: Readable, output: Writable) =>
    serveStreams({
      input,
      output,
      signal: terminal.signal,
      ...(clientProcessId !== undefined && { clientProcess: clientProcessId }),
      ...wiring,
    });
  if (socket !== undefined) return serveSocket(socket, terminal, serve);
  const code = await serve(terminal.stdin, terminal.stdout);
  // Otherwise the process would wait for more.
  terminal.stdin.destroy();
  return code;
}

function serveSocket(
  port: number,
  { stderr }: Terminal,
  serve: (input: Readable, output: Writable) => Promise<ExitCode>,
): Promise<ExitCode> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ECONNREFUSED' ? 'nobody listens there' : error.message;
      stderr.write(`skill-state: Can't connect to 127.0.0.1:${port}: ${reason}.\n`);
      resolve(1);
    });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      void serve(socket, socket).then((code) => {
        socket.destroy();
        resolve(code);
      });
    });
  });
}
