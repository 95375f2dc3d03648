/** The language server's life: it begins with `initialize`, answers what its session offers, and ends with `exit`. */
import { type Connection, ErrorCodes, type InitializeResult, ResponseError } from 'vscode-languageserver';
import type { Tokenizer } from '../../client/src/runtime/tokens';
import { version } from '../../package.json';
import { serverCapabilities } from './capabilities';
import { clientFeatures } from './clientFeatures';
import { registerFeatures } from './features';
import type { EnvironmentCatalogue } from './languageService/workspace';
import { Requests } from './requests';
import { Session } from './session';
import type { StoredFiles } from './storedFiles';

/** What the server is wired from. */
export interface ServerOptions {
  readonly connection: Connection;
  /** What reads the files of which scheme; the client is asked for the others, where it offers to answer. */
  readonly files: ReadonlyMap<string, StoredFiles>;
  readonly environments: EnvironmentCatalogue;
  readonly loadTokenizer: () => Promise<Tokenizer>;
  /** Milliseconds without a keystroke after which what depends on a document is checked. */
  readonly quietTime?: number;
}

/**
 * Registers the handlers and starts to listen.
 *
 * @returns what ends it when the client has gone without saying so
 */
export function startServer(options: ServerOptions): { end(): void } {
  const { connection } = options;
  let session: Session | undefined;
  let ending = false;

  connection.onInitialize((params): InitializeResult | ResponseError<{ retry: boolean }> => {
    if (session !== undefined) {
      const message = 'The server has been initialized already.';
      return new ResponseError(ErrorCodes.InvalidRequest, message, { retry: false });
    }
    const features = clientFeatures(params.capabilities);
    const requests = new Requests(connection.console, () => ending);
    session = new Session({ ...options, quietTime: options.quietTime ?? 150, params, features, requests });
    registerFeatures(connection, session);
    return {
      capabilities: serverCapabilities(features, session.ownDocuments.length > 0),
      serverInfo: { name: 'skill-state', version },
    };
  });
  connection.onInitialized(() => session?.initialized());
  const end = () => {
    ending = true;
    session?.end();
  };
  connection.onShutdown(() => {
    const refusal = refusalOf();
    if (refusal !== undefined) throw refusal;
    end();
  });
  connection.onExit(end);
  /** Before `initialize` and after `shutdown` nothing is answered (LSP 3.17, "Server lifecycle"). */
  const refusalOf = () => {
    if (session === undefined) {
      return new ResponseError(ErrorCodes.ServerNotInitialized, 'The first request has to be initialize.');
    }
    return ending
      ? new ResponseError(ErrorCodes.InvalidRequest, 'The server has been shut down.')
      : undefined;
  };
  // What has no handler: everything before `initialize`, and what the server doesn't know.
  connection.onRequest(
    (method) =>
      refusalOf() ?? new ResponseError(ErrorCodes.MethodNotFound, `The server knows no request ${method}.`),
  );

  connection.listen();
  return { end };
}
