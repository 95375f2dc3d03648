/** Files that the client is asked for: answers, refusals, and none at all. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from 'vscode-languageserver';
import { clientFiles } from '../../../server/src/clientFiles';

const folder = 'vscode-vfs://github/work/a';
const uri = `${folder}/SKILL.md`;

/** A client whose answers are given one after the other. */
function client(...answers: readonly (() => unknown)[]) {
  const asked: string[] = [];
  const waiting = [...answers];
  const sendRequest = async (method: string) => {
    asked.push(method);
    return waiting.shift()?.();
  };
  return { asked, connection: { sendRequest } as Pick<Connection, 'sendRequest'> };
}

describe('files of the client', () => {
  // Deadlines pass when a test says so: a busy machine is no slow editor.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are there, are not, or cannot be read, as it says', async () => {
    const refuse = () => {
      throw new Error('Request skill-state/readFile failed with message: SKILL.md is locked.');
    };
    const files = clientFiles(
      client(
        () => ({ text: 'one' }),
        () => null,
        refuse,
      ).connection,
    );
    expect(await files.read(uri)).toBe('one');
    expect(await files.read(uri)).toBeUndefined();
    await expect(files.read(uri)).rejects.toMatchObject({
      name: 'UnreadableFile',
      uri,
      message: 'SKILL.md is locked.',
    });
  });

  it.each([undefined, null, 7, [], { text: 7 }, { entries: 7 }, { entries: null }])(
    'that are answered with %j are not there',
    async (answer) => {
      const files = clientFiles(
        client(
          () => answer,
          () => answer,
        ).connection,
      );
      expect(await files.read(uri)).toBeUndefined();
      expect(await files.list(folder)).toEqual([]);
    },
  );

  it('that do not come in time cannot be read, and are as they came once they have come', async () => {
    let answer: (result: unknown) => void = () => undefined;
    const never = new Promise((resolve) => {
      answer = resolve;
    });
    const { connection, asked } = client(
      () => never,
      () => ({ text: 'two' }),
    );
    const arrivals: string[] = [];
    const files = clientFiles(connection, { deadline: 20, arrived: (come) => arrivals.push(come) });
    const message = "SKILL.md can't be read: the editor has not sent it in time.";
    const read = expect(files.read(uri)).rejects.toThrow(message);
    await vi.advanceTimersByTimeAsync(20);
    await read;
    // Nobody waits for it a second time.
    await expect(files.read(uri)).rejects.toThrow(message);
    expect(asked).toHaveLength(1);
    expect(arrivals).toEqual([]);
    answer({ text: 'one' });
    await setImmediate();
    expect(arrivals).toEqual([uri]);
    expect(await files.read(uri)).toBe('one');
    expect(asked).toHaveLength(1);
    expect(await files.read(uri)).toBe('two');
  });

  it('that are refused late are asked for again', async () => {
    let refuse: (reason: Error) => void = () => undefined;
    const never = new Promise((_, reject) => {
      refuse = reject;
    });
    const files = clientFiles(
      client(
        () => never,
        () => ({ text: 'two' }),
      ).connection,
      { deadline: 1 },
    );
    const read = expect(files.read(uri)).rejects.toThrow('in time');
    await vi.advanceTimersByTimeAsync(1);
    await read;
    refuse(new Error('SKILL.md is locked.'));
    await setImmediate();
    expect(await files.read(uri)).toBe('two');
  });

  it('are waited for less long while another does not come', async () => {
    const never = () => new Promise(() => undefined);
    const { connection } = client(never, never, () => ({ text: 'three' }));
    const files = clientFiles(connection, { deadline: 1_000 });
    const failed: string[] = [];
    const read = (name: string) => files.read(`${folder}/${name}`).catch(() => failed.push(name));
    void read('a.md');
    await vi.advanceTimersByTimeAsync(999);
    expect(failed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(failed).toEqual(['a.md']);
    void read('b.md');
    await vi.advanceTimersByTimeAsync(100);
    expect(failed).toEqual(['a.md', 'b.md']);
    expect(await read('c.md')).toBe('three');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('of folders that are not listed in time are none', async () => {
    const { connection } = client(() => new Promise(() => undefined));
    const listed = clientFiles(connection, { deadline: 1 }).list(folder);
    await vi.advanceTimersByTimeAsync(1);
    expect(await listed).toEqual([]);
  });
});
