/** `skill-state dap`: the debug adapter on stdio, or for several clients on a TCP port of this machine alone. */
import { setMaxListeners } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { DebugHost } from '../debug/debugHost';
import { connect, MessageOutput } from '../debug/messageStream';
import { SkillDebugSession } from '../debug/skillDebugSession';
import { createDebugHost } from '../hosts/node/debugHost';
import { createEnvironmentKeys } from '../hosts/node/keys';
import { redactionOf } from '../hosts/node/participants';
import { bugLog } from './bugLog';
import { commandModels } from './commandModels';
import type { ExitCode, Terminal } from './terminal';

/** The flags of `dap`, as the command line gives them. */
export interface DapFlags {
  /** Of 127.0.0.1; 0 takes a free one. Without it the adapter speaks on stdin and stdout. */
  readonly port?: number;
  /** A file of prices. */
  readonly prices?: string;
  readonly redact?: readonly string[];
}

/**
 * Serves until the client has disconnected (stdio), or until the terminal's signal (TCP). In stdio mode stdout has
 * nothing but the protocol.
 *
 * @returns 1 where the port can't be listened on, else 0
 * @throws SettingFailure for a pattern that can't be used, FileFailure for a file of prices
 */
export async function dap({ port, prices, redact = [] }: DapFlags, terminal: Terminal): Promise<ExitCode> {
  redactionOf(redact);
  const models = {
    ...(await commandModels({ prices }, terminal)),
    // A base URL of a launch configuration comes from a file.
    keys: createEnvironmentKeys({
      variables: process.env,
      openAiBaseUrl: process.env.OPENAI_BASE_URL,
      howToName: 'the variable OPENAI_BASE_URL names it',
    }),
  };
  const onBug = bugLog(terminal.stderr);
  const host = createDebugHost({ folder: process.cwd(), models, redact, onBug });
  if (port !== undefined) return listen(port, host, terminal);
  await serve(host, terminal.stdin, terminal.stdout, terminal.signal);
  // Otherwise the process would wait for more.
  terminal.stdin.destroy();
  return 0;
}

/** One session for the client at the other end of two streams; settles when it has disconnected or gone. */
async function serve(host: DebugHost, input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
  let end = () => {};
  const closed = new Promise<void>((resolve) => {
    const messages = new MessageOutput(output);
    const session = new SkillDebugSession({
      host,
      clientCaughtUp: (until) => messages.caughtUp(until),
      onClosed: resolve,
    });
    end = () => session.dispose();
    void connect(session, input, messages).then(end);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
  await closed;
  // The signal outlives the session, and must not keep it.
  signal.removeEventListener('abort', end);
}

function listen(port: number, host: DebugHost, { stderr, signal }: Terminal): Promise<ExitCode> {
  // Each session listens, and there may be any number.
  setMaxListeners(0, signal);
  return new Promise((resolve) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      void serve(host, socket, socket, signal).then(() => socket.end());
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'it is in use already' : error.message;
      stderr.write(`skill-state: Can't listen on port ${port}: ${reason}.\n`);
      resolve(1);
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      stderr.write(`The debug adapter listens on 127.0.0.1:${chosen}\n`);
    });
    const stop = () => {
      server.close(() => resolve(0));
      for (const socket of sockets) socket.destroy();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
