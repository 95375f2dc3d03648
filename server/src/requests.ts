/** How every request is answered: cancelled ones as such, failures with their message, bugs logged and survived. */
import { setImmediate } from 'node:timers/promises';
import {
  type CancellationToken,
  ErrorCodes,
  LSPErrorCodes,
  type RemoteConsole,
  ResponseError,
} from 'vscode-languageserver';
import { RenameFailure } from './languageService/symbols/navigation';
import { UnreadableFile } from './storedFiles';

/** Answers one kind of request. */
export type Answer<Params, Result> = (params: Params, token: CancellationToken) => Promise<Result>;

/** Makes handlers that reject with nothing but a ResponseError, which is what the client is answered then. */
export class Requests {
  readonly #console: RemoteConsole;
  readonly #hasEnded: () => boolean;

  /** @param hasEnded True once the client has asked for the end or has gone: nothing is answered then. */
  constructor(console: RemoteConsole, hasEnded: () => boolean) {
    this.#console = console;
    this.#hasEnded = hasEnded;
  }

  /**
   * Wraps an answer; `what` names the request in the log. With `yields`, changes and cancellations that have arrived
   * already come first; a request about a position must not, since the position is one of the text before them.
   */
  handler<Params, Result>(
    what: string,
    answer: Answer<Params, Result>,
    { yields }: { readonly yields: boolean },
  ): Answer<Params, Result> {
    return async (params, token) => {
      if (this.#hasEnded()) {
        throw new ResponseError(ErrorCodes.InvalidRequest, 'The server has been shut down.');
      }
      try {
        throwIfCancelled(token);
        if (yields) {
          await setImmediate();
          throwIfCancelled(token);
        }
        const result = await answer(params, token);
        throwIfCancelled(token);
        return result;
      } catch (error) {
        throw this.#failure(what, error);
      }
    };
  }

  /** Does what a notification asks for; nothing can be answered, so failures are logged. */
  async attempt(what: string, work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.complain(`${what} failed: ${described(error)}`);
    }
  }

  /** Tells the client's log, while there is a client. */
  complain(message: string): void {
    if (!this.#hasEnded()) this.#console.error(message);
  }

  #failure(what: string, error: unknown): ResponseError<unknown> {
    if (error instanceof ResponseError) return error;
    if (error instanceof RenameFailure || error instanceof UnreadableFile) {
      return new ResponseError(LSPErrorCodes.RequestFailed, error.message);
    }
    this.complain(`${what} failed: ${described(error)}`);
    const message = error instanceof Error ? error.message : String(error);
    return new ResponseError(ErrorCodes.InternalError, message);
  }
}

/** @throws ResponseError RequestCancelled. */
export function throwIfCancelled(token: CancellationToken): void {
  if (!token.isCancellationRequested) return;
  throw new ResponseError(LSPErrorCodes.RequestCancelled, 'The request was cancelled.');
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
