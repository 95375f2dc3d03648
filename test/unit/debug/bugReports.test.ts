/** What nobody foresaw: the user sees its message, the host its stack, and the session goes on or ends as it should. */
import { describe, expect, it, vi } from 'vitest';
import { LaunchFailure } from '../../../client/src/debug/debugHost';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';
import { stackText } from '../../../client/src/hosts/node/stackText';
import { EnvironmentFailure } from '../../../client/src/runtime/environment';
import { type Model, ModelFailure } from '../../../client/src/runtime/model';
import { editedRequest, goToRequest } from '../../../schemas/messages/debugMessages';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { connectInMemory, type DebugClient, editorClient } from '../../support/debugClient';
import { type MemoryHostOptions, memoryHost } from '../../support/debugHosts';

const warehouse = { skill: 'warehouse', horizon: 4 };

function connected(options: MemoryHostOptions = {}) {
  const onBug = vi.fn<(error: unknown, during: string) => void>();
  const host = memoryHost({ ...options, onBug });
  return { host, onBug, ...connectInMemory(host) };
}

async function launched(options: MemoryHostOptions = {}, attributes: object = {}) {
  const made = connected(options);
  await made.client.launch({ ...warehouse, ...attributes });
  return made;
}

/** Of what the client was told: the texts of events. */
const told = (client: DebugClient) => client.transcript();

const bug = (text: string) => new TypeError(text);

/** A model that throws. */
const throwing = (error: Error): Model => ({
  name: 'throwing',
  // biome-ignore lint/correctness/useYield: it never comes to that
  async *generate() {
    throw error;
  },
});

describe('a bug', () => {
  it('in a route is answered by its message, and its stack goes to the host', async () => {
    const error = bug('files is not iterable');
    const { client, onBug } = await launched({
      changed: { loadEdited: () => Promise.reject(error) },
    });
    await client.event('stopped');
    const answer = await client.ask(editedRequest);
    expect(answer).toMatchObject({
      success: false,
      message: 'The debug adapter failed: files is not iterable',
    });
    expect(onBug.mock.calls).toEqual([[error, `answering "${editedRequest}"`]]);
    expect(told(client)).not.toContain('bugReports.test');
  });

  it('in a phase stops the run, which says its message, and is told once', async () => {
    const error = bug('reply is undefined');
    const { client, onBug } = await launched({ model: () => throwing(error) });
    await client.event('stopped');
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expect(onBug.mock.calls).toEqual([[error, 'a phase']]);
    await client.ask('disconnect');
    expect(onBug).toHaveBeenCalledTimes(1);
    expect(told(client)).toContain('reply is undefined');
    expect(told(client)).not.toContain('bugReports.test');
  });

  it('in what follows a response is told, and leaves nothing unhandled', async () => {
    const error = bug('notes is no list');
    const { client, onBug, closed } = connected({
      changed: {
        get notes(): never {
          throw error;
        },
      },
    });
    await client.request('initialize', editorClient);
    await client.request('launch', warehouse);
    const answer = await client.ask('configurationDone');
    expect(answer).toMatchObject({ success: true });
    const output = await client.event('output');
    expect(output).toMatchObject({
      category: 'stderr',
      output: 'The debug adapter failed: notes is no list\n',
    });
    expect(onBug.mock.calls).toEqual([[error, 'carrying out "configurationDone"']]);
    await client.ask('disconnect');
    await closed;
  });

  it.each([
    new LaunchFailure('The skill has no name.'),
    new EnvironmentFailure('The world is gone.'),
    new DOMException('Nobody wants it.', 'AbortError'),
  ])('is not %s, which says all there is to say', async (error) => {
    const { client, onBug } = await launched({
      changed: { loadEdited: () => Promise.reject(error) },
    });
    await client.event('stopped');
    await client.ask(editedRequest);
    await client.ask('next', { threadId: 7 });
    await client.ask('nothing');
    expect(onBug).not.toHaveBeenCalled();
  });

  it('is no failure of a model', async () => {
    const failure = new ModelFailure('The server is gone.', { class: 'unavailable', retryable: true });
    const { client, onBug } = await launched({ model: () => throwing(failure) });
    await client.event('stopped');
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expect(told(client)).toContain('The server is gone.');
    expect(onBug).not.toHaveBeenCalled();
  });

  it('is no failure that the host on this machine knows', () => {
    const onBug = vi.fn<(error: unknown, during: string) => void>();
    const host = createDebugHost({ folder: '/', onBug });
    host.onBug?.(new FileFailure('The trace can not be written.'), 'the run');
    expect(onBug).not.toHaveBeenCalled();
    const error = bug('no');
    host.onBug?.(error, 'the run');
    expect(onBug.mock.calls).toEqual([[error, 'the run']]);
  });
});

describe('the text of a stack', () => {
  it('has those of the causes, and nothing else of them', () => {
    const cause = Object.assign(new Error('inner'), {
      request: { headers: { authorization: 'Bearer secret' } },
    });
    const text = stackText(new TypeError('outer', { cause }));
    expect(text).toContain('TypeError: outer\n    at ');
    expect(text).toContain('\ncaused by Error: inner\n    at ');
    expect(text).not.toContain('secret');
  });

  it('ends where causes go round, and is cut', () => {
    const error = new Error('x'.repeat(9_999));
    error.cause = error;
    expect(stackText(error)).toHaveLength(4_001);
    expect(stackText('just a text')).toBe('just a text');
  });
});

describe('an end that can not be recorded', () => {
  /** A run that has ended, then stands at its end once more while a branch of it goes on elsewhere. */
  async function elsewhere(beforeRecord?: (record: TraceRecord) => void) {
    const made = await launched({ ...(beforeRecord && { beforeRecord }) }, { stopOnEnd: true });
    const { client } = made;
    await client.event('stopped');
    await client.go('continue');
    await client.go('stepBack');
    await client.go('stepBack');
    await client.request('restartFrame', { frameId: (await client.stack())[0]?.id });
    await client.event('stopped');
    await client.go('next');
    await client.request(goToRequest, { branch: 0, step: 2 });
    await client.event('stopped');
    await client.go('continue');
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    return made;
  }

  it('is told where nothing else had failed', async () => {
    const { client } = await elsewhere((record) => {
      if (record.kind === 'end' && record.branch === 1) throw new FileFailure('The disk is full.');
    });
    expect(told(client)).toContain('The end of the run is not recorded. The disk is full.');
  });

  it('is that of the branch that was left, not of the one where the session stood', async () => {
    const { host, client } = await elsewhere();
    expect(told(client)).not.toContain('is not recorded');
    const ends = host.runs[0]?.filter((record) => record.kind === 'end');
    expect(ends).toMatchObject([
      { branch: 0, outcome: 'completed' },
      {
        branch: 1,
        outcome: 'cancelled',
        resumable: true,
        reason: 'The debug session ended on another branch.',
      },
    ]);
  });
});
