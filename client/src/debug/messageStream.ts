/**
 * DAP's wire format on a pair of streams, for an adapter that speaks messages. Done here instead of by the library's
 * `start`, which ends the process on the first message that is no JSON.
 */
import type { Readable, Writable } from 'node:stream';
import type { DebugProtocol } from '@vscode/debugprotocol';

/** An adapter as VS Code sees an inline one. */
export interface MessageAdapter {
  readonly onDidSendMessage: (listener: (message: unknown) => void) => unknown;
  handleMessage(message: DebugProtocol.ProtocolMessage): void;
  /** A message arrived that can't be read; the session goes on. */
  handleUnreadable(reason: string): void;
}

/** The longest message that is read; a longer one is skipped. */
const maxMessageBytes = 64 * 1024 * 1024;

/** The longest header; what goes on longer without one is no DAP. */
const maxHeaderBytes = 64 * 1024;

/** Splits bytes into messages: `Content-Length: n`, a blank line, n bytes of JSON, in chunks of any size. */
export class MessageDecoder {
  #buffered: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #partsLength = 0;
  /** Bytes of the body that is being read; undefined between messages. */
  #expected: number | undefined;
  /** Bytes of a body that is too long and is being skipped. */
  #skipping = 0;
  readonly #onMessage: (message: unknown) => void;
  readonly #onUnreadable: (reason: string) => void;

  constructor(handlers: {
    readonly onMessage: (message: unknown) => void;
    readonly onUnreadable: (reason: string) => void;
  }) {
    this.#onMessage = handlers.onMessage;
    this.#onUnreadable = handlers.onUnreadable;
  }

  push(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#partsLength += chunk.length;
    // A body that arrives in many pieces is joined once.
    if (this.#expected !== undefined && this.#buffered.length + this.#partsLength < this.#expected) return;
    this.#buffered = Buffer.concat([this.#buffered, ...this.#parts]);
    this.#parts = [];
    this.#partsLength = 0;
    while (this.#step());
  }

  /** Takes one header or one body from the buffer; false where more bytes are needed. */
  #step(): boolean {
    if (this.#skipping > 0) {
      const skipped = Math.min(this.#skipping, this.#buffered.length);
      this.#skipping -= skipped;
      this.#buffered = this.#buffered.subarray(skipped);
      if (this.#skipping > 0) return false;
    }
    return this.#expected === undefined ? this.#header() : this.#body(this.#expected);
  }

  #header(): boolean {
    const end = this.#buffered.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.#buffered.length <= maxHeaderBytes) return false;
      this.#buffered = Buffer.alloc(0);
      this.#onUnreadable('it has no header "Content-Length: …" followed by a blank line');
      return false;
    }
    const header = this.#buffered.toString('latin1', 0, end);
    this.#buffered = this.#buffered.subarray(end + 4);
    const length = /(?:^|\r\n)\s*Content-Length\s*:\s*(\d{1,15})\s*(?:\r\n|$)/i.exec(header)?.[1];
    if (length === undefined) {
      this.#onUnreadable('its header has no "Content-Length"');
      return true;
    }
    if (Number(length) > maxMessageBytes) {
      this.#skipping = Number(length);
      this.#onUnreadable(`it has ${length} bytes, and at most ${maxMessageBytes} are read`);
      return true;
    }
    this.#expected = Number(length);
    return true;
  }

  #body(length: number): boolean {
    if (this.#buffered.length < length) return false;
    const text = this.#buffered.toString('utf8', 0, length);
    this.#buffered = this.#buffered.subarray(length);
    this.#expected = undefined;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#onUnreadable(`it is no JSON (${error instanceof Error ? error.message : String(error)})`);
      return true;
    }
    this.#onMessage(message);
    return true;
  }
}

/** A message with its header, as bytes. */
export function encodeMessage(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, 'latin1'), body]);
}

/** So many bytes may wait for a client to read them before a run waits too. */
const mostWaitingBytes = 1024 * 1024;

/** Messages on their way to a client, which reads them at its own speed, if at all. */
export class MessageOutput {
  readonly #output: Writable;
  readonly #most: number;
  /** Aborted when nobody reads any more. */
  readonly #gone = new AbortController();
  /** Called whenever the client has read a message. */
  readonly #onTaken = new Set<() => void>();

  /** @param options.mostWaiting in bytes */
  constructor(output: Writable, { mostWaiting = mostWaitingBytes }: { readonly mostWaiting?: number } = {}) {
    this.#output = output;
    this.#most = mostWaiting;
    output.on('error', () => this.leave());
    output.on('close', () => this.leave());
  }

  send(message: unknown): void {
    if (this.#gone.signal.aborted || !this.#output.writable) return;
    this.#output.write(encodeMessage(message), () => {
      for (const taken of this.#onTaken) taken();
    });
  }

  /** The client has gone: nothing is sent any more, and nobody waits for it. */
  leave(): void {
    this.#gone.abort();
  }

  /** Calls back once the client has gone. */
  onGone(callback: () => void): void {
    if (this.#gone.signal.aborted) callback();
    else this.#gone.signal.addEventListener('abort', callback, { once: true });
  }

  /** Settles once no more waits for the client than may, the client has gone, or the signal is aborted. Never rejects. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    const isBehind = () => this.#output.writableLength > this.#most;
    if (!isBehind()) return;
    const enough = AbortSignal.any([signal, this.#gone.signal]);
    if (enough.aborted) return;
    await new Promise<void>((resolve) => {
      // The stream's own `drain` comes where it holds more than it is meant to, which needn't be so here.
      const settle = () => {
        if (isBehind() && !enough.aborted) return;
        this.#onTaken.delete(settle);
        enough.removeEventListener('abort', settle);
        resolve();
      };
      this.#onTaken.add(settle);
      enough.addEventListener('abort', settle);
    });
  }
}

/** Lets a client at the other end of two streams talk to an adapter. Settles once the client has gone. */
export function connect(adapter: MessageAdapter, input: Readable, output: MessageOutput): Promise<void> {
  const decoder = new MessageDecoder({
    onMessage: (message) => adapter.handleMessage(message as DebugProtocol.ProtocolMessage),
    onUnreadable: (reason) => adapter.handleUnreadable(reason),
  });
  adapter.onDidSendMessage((message) => output.send(message));
  return new Promise((resolve) => {
    output.onGone(resolve);
    const leave = () => output.leave();
    input.on('data', (chunk: Buffer) => decoder.push(chunk));
    input.once('end', leave);
    input.once('close', leave);
    // A client that disappears in the middle of a message has simply gone.
    input.once('error', leave);
  });
}
