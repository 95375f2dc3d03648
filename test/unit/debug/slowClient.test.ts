/** A client that reads slower than a run goes on: the run waits for it, and it can pause and leave all the same. */
import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  connect,
  encodeMessage,
  MessageDecoder,
  MessageOutput,
} from '../../../client/src/debug/messageStream';
import { SkillDebugSession } from '../../../client/src/debug/skillDebugSession';
import { editorClient } from '../../support/debugClient';
import { ManualClock, memoryHost } from '../../support/debugHosts';

const mostWaiting = 4_000;
const horizon = 400;

/** What goes to a client that reads nothing until it is told to. */
class HeldOutput extends Writable {
  readonly messages: unknown[] = [];
  readonly #decoder = new MessageDecoder({
    onMessage: (message) => this.messages.push(message),
    onUnreadable: (reason) => this.messages.push(reason),
  });
  #isReading = false;
  #held: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#held = () => {
      this.#decoder.push(chunk);
      done();
    };
    if (this.#isReading) this.#take();
  }

  read(): void {
    this.#isReading = true;
    this.#take();
  }

  hold(): void {
    this.#isReading = false;
  }

  #take(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }
}

/** Time passes with every turn, so that what is told in batches goes out. */
class PassingClock extends ManualClock {
  override yieldToMessages(): Promise<void> {
    this.advance(1_000);
    return super.yieldToMessages();
  }
}

/** A run without stops for a client that has read that it began, and nothing since, until the run waits for it. */
async function stalled() {
  const host = memoryHost({ clock: new PassingClock() });
  const input = new PassThrough();
  const output = new HeldOutput();
  const messages = new MessageOutput(output, { mostWaiting });
  let isWaiting = () => {};
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    const session = new SkillDebugSession({
      host,
      clientCaughtUp: (signal) => {
        if (output.writableLength > mostWaiting) isWaiting();
        return messages.caughtUp(signal);
      },
      onClosed: resolve,
    });
    void connect(session, input, messages).then(() => session.dispose());
  });
  let seq = 0;
  const send = (command: string, args: object = {}) => {
    input.write(encodeMessage({ seq: ++seq, type: 'request', command, arguments: args }));
  };
  output.read();
  send('initialize', editorClient);
  send('launch', { skill: 'warehouse', horizon, stopOnEntry: false, stopOnEnd: false });
  const eventOf = async (event: string) => {
    while (!output.messages.some((one) => isEvent(one, event))) await setImmediate();
  };
  await eventOf('initialized');
  output.hold();
  send('configurationDone');
  await waiting;
  const records = () => host.runs[0]?.length ?? 0;
  return { host, input, output, send, closed, records, eventOf };
}

function isEvent(message: unknown, event: string): boolean {
  return typeof message === 'object' && message !== null && 'event' in message && message.event === event;
}

/** Lets everything happen that waits for nobody. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await setImmediate();
}

it('makes the run wait, which goes on to its end once the client reads', async () => {
  const { output, records, eventOf, host } = await stalled();
  const before = records();
  await rest();
  expect(records()).toBe(before);
  // What waits is what may wait, and what some phases had to say beside that.
  expect(output.writableLength).toBeLessThan(5 * mostWaiting);
  output.read();
  await eventOf('terminated');
  expect(records()).toBeGreaterThan(before);
  expect(host.runs[0]?.at(-1)).toMatchObject({ kind: 'end', steps: horizon });
});

it('can pause the run meanwhile', async () => {
  const { output, send, records, eventOf } = await stalled();
  send('pause', { threadId: 1 });
  await rest();
  const before = records();
  output.read();
  await eventOf('stopped');
  expect(records()).toBe(before);
  send('continue', { threadId: 1 });
  await eventOf('terminated');
});

it.each([
  ['disconnects', ({ send }: Awaited<ReturnType<typeof stalled>>) => send('disconnect')],
  [
    'terminates and disconnects',
    ({ send }: Awaited<ReturnType<typeof stalled>>) => {
      send('terminate');
      send('disconnect');
    },
  ],
  ['hangs up', ({ input }: Awaited<ReturnType<typeof stalled>>) => input.end()],
  ['stops reading for good', ({ output }: Awaited<ReturnType<typeof stalled>>) => output.destroy()],
  ['fails to read', ({ output }: Awaited<ReturnType<typeof stalled>>) => output.destroy(new Error('reset'))],
])('ends the session where the client %s, though it has read nothing', async (_how, leave) => {
  const made = await stalled();
  leave(made);
  await made.closed;
  expect(made.host.runs[0]?.at(-1)).toMatchObject({ kind: 'end', outcome: 'cancelled' });
  expect(made.host.closed.count).toBe(1);
});
