/** API keys in an editor: where they come from, when they are asked for, and that a refused one is asked for anew. */
import { describe, expect, it, vi } from 'vitest';
import { createEnvironmentKeys } from '../../../client/src/hosts/node/keys';
import { createStoredKeys, keyPageOf, keyProblem } from '../../../client/src/hosts/storedKeys';
import type { KeyOwner, KeySource } from '../../../client/src/models/modelResources';

const signal = new AbortController().signal;
const openai: KeyOwner = { provider: 'openai', origin: 'https://api.openai.com', required: true };
const local: KeyOwner = { provider: 'openai', origin: 'http://127.0.0.1:8080', required: false };
const other: KeyOwner = { provider: 'openai', origin: 'http://127.0.0.1:1234', required: false };

/** Answers nothing as long as it is asked. */
const hesitating = 'hesitating';

function setUp({
  stored = {},
  variables = {},
  answers = [],
  environment = { get: async ({ origin }) => variables[origin], advice: () => '' },
}: {
  readonly stored?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly answers?: readonly (string | undefined)[];
  readonly environment?: KeySource;
}) {
  const store = new Map(Object.entries(stored).map(([origin, key]) => [`key:${origin}`, key]));
  const questions: string[] = [];
  const left = [...answers];
  const keys = createStoredKeys({
    secrets: {
      get: async (name) => store.get(name),
      store: async (name, value) => {
        store.set(name, value);
      },
      delete: async (name) => {
        store.delete(name);
      },
      keys: async () => [...store.keys()],
    },
    environment,
    async ask(origin, isRefused, given) {
      given.throwIfAborted();
      questions.push(`${origin}${isRefused ? ' refused' : ''}`);
      const answer = left.shift();
      if (answer !== hesitating) return answer;
      return new Promise((_, reject) => {
        given.addEventListener('abort', () => reject(given.reason));
      });
    },
  });
  return { keys, store, questions };
}

describe('a key', () => {
  it('is the stored one, before the one of the environment', async () => {
    const { keys, questions } = setUp({
      stored: { [openai.origin]: 'stored' },
      variables: { [openai.origin]: 'variable', [local.origin]: 'other' },
    });
    expect(await keys.get(openai, signal)).toBe('stored');
    expect(await keys.get(local, signal)).toBe('other');
    await keys.remove(openai.origin);
    expect(await keys.get(openai, signal)).toBe('variable');
    expect(questions).toEqual([]);
  });

  it('is asked for once, and stored', async () => {
    const { keys, store, questions } = setUp({ answers: [' typed '] });
    expect(await keys.has(openai)).toBe(false);
    const both = [keys.get(openai, signal), keys.get(openai, signal)];
    expect(await Promise.all(both)).toEqual(['typed', 'typed']);
    expect(await keys.get(openai, signal)).toBe('typed');
    expect(questions).toEqual([openai.origin]);
    expect([...store]).toEqual([['key:https://api.openai.com', 'typed']]);
    expect(await keys.has(openai)).toBe(true);
  });

  it('is asked for again after somebody gave none', async () => {
    const { keys, store, questions } = setUp({ answers: [undefined, 'second'] });
    expect(await keys.get(openai, signal)).toBeUndefined();
    expect(store.size).toBe(0);
    expect(await keys.get(openai, signal)).toBe('second');
    expect(questions).toHaveLength(2);
  });

  it('is not asked for where a server may do without', async () => {
    const { keys, questions } = setUp({});
    expect(await keys.get(local, signal)).toBeUndefined();
    expect(questions).toEqual([]);
    // It wanted one after all, and none was refused.
    await keys.refused?.(local, undefined);
    expect(await keys.get(local, signal)).toBeUndefined();
    expect(questions).toEqual([local.origin]);
  });

  it('is not asked for by who looks by the way, whose refusals count', async () => {
    const { keys, questions } = setUp({ stored: { [openai.origin]: 'old' }, answers: ['new'] });
    expect(await keys.silent.get(openai, signal)).toBe('old');
    await keys.silent.refused?.(openai, 'old');
    expect(await keys.silent.get(openai, signal)).toBeUndefined();
    expect(questions).toEqual([]);
    expect(await keys.get(openai, signal)).toBe('new');
  });

  it('goes to its own origin alone', async () => {
    const { keys } = setUp({ stored: { [openai.origin]: 'secret' }, answers: [undefined] });
    for (const origin of [
      'https://api.openai.com.evil.test',
      'http://api.openai.com',
      'https://api.openai.com:8443',
    ])
      expect(await keys.get({ ...local, origin }, signal)).toBeUndefined();
  });

  it('that was refused is asked for anew, whichever way it came', async () => {
    const { keys, questions } = setUp({
      stored: { [openai.origin]: 'old' },
      variables: { [openai.origin]: 'variable' },
      answers: ['new', 'newer'],
    });
    expect(await keys.get(openai, signal)).toBe('old');
    await keys.refused?.(openai, 'old');
    expect(await keys.get(openai, signal)).toBe('variable');
    await keys.refused?.(openai, 'variable');
    expect(await keys.get(openai, signal)).toBe('new');
    await keys.refused?.(openai, 'new');
    expect(await keys.get(openai, signal)).toBe('newer');
    expect(questions).toEqual([`${openai.origin} refused`, `${openai.origin} refused`]);
  });

  it('that is set again counts again', async () => {
    const { keys } = setUp({ stored: { [openai.origin]: 'old' }, answers: [undefined] });
    await keys.get(openai, signal);
    await keys.refused?.(openai, 'old');
    expect(await keys.get(openai, signal)).toBeUndefined();
    await keys.set(openai.origin, 'old');
    expect(await keys.get(openai, signal)).toBe('old');
  });

  it('counts on where an older one is refused later, whoever has it already', async () => {
    const { keys, questions } = setUp({ stored: { [openai.origin]: 'old' } });
    expect(await keys.get(openai, signal)).toBe('old');
    await keys.set(openai.origin, 'new');
    expect(await keys.get(openai, signal)).toBe('new');
    await keys.refused?.(openai, 'old');
    for (const source of [keys, keys.silent]) expect(await source.get(openai, signal)).toBe('new');
    await keys.set(openai.origin, 'old');
    expect(await keys.get(openai, signal)).toBe('old');
    await keys.refused?.(openai, 'new');
    expect(await keys.get(openai, signal)).toBe('old');
    expect(questions).toEqual([]);
  });

  it('is sent by who looks by the way to none that did not ask, and of the environment to its own service alone', async () => {
    const environment = createEnvironmentKeys({ variables: { OPENAI_API_KEY: 'variable' } });
    const asking = { ...local, required: true };
    const { keys, questions } = setUp({ environment, stored: { [other.origin]: 'stored' } });
    for (const owner of [local, asking, other])
      expect([owner, await keys.silent.get(owner, signal)]).toEqual([owner, undefined]);
    expect(await keys.silent.get({ ...other, required: true }, signal)).toBe('stored');
    expect(await keys.silent.get(openai, signal)).toBe('variable');
    // Who runs there has chosen it.
    expect(await keys.get(local, signal)).toBeUndefined();
    expect(await keys.get(asking, signal)).toBe('variable');
    expect(await keys.get(other, signal)).toBe('stored');
    expect(questions).toEqual([]);
  });

  it('is listed by origin, and removed', async () => {
    const { keys, store } = setUp({ stored: { [local.origin]: 'a', [openai.origin]: 'b' } });
    store.set('something else', 'x');
    expect(await keys.origins()).toEqual([local.origin, openai.origin]);
    await keys.remove(local.origin);
    expect(await keys.origins()).toEqual([openai.origin]);
  });

  it('is waited for no longer than the run lasts', async () => {
    const { keys, questions } = setUp({});
    await expect(keys.get(openai, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(questions).toEqual([]);
  });

  it('is asked for by whoever is left, where the one who asked first has gone', async () => {
    const { keys, questions } = setUp({ answers: [hesitating, 'typed'] });
    const first = new AbortController();
    const reason = new Error('stop');
    const gone = keys.get(openai, first.signal);
    const second = keys.get(openai, signal);
    await vi.waitUntil(() => questions.length > 0);
    first.abort(reason);
    await expect(gone).rejects.toBe(reason);
    expect(await second).toBe('typed');
    expect(questions).toHaveLength(2);
  });

  it('has a command by which it is set', () => {
    const { keys } = setUp({});
    expect(keys.advice(openai)).toBe(
      'Set a key for https://api.openai.com by the command "Skill: Set API Key…".',
    );
  });
});

describe('a text that is typed for a key', () => {
  it.each(['sk-abc_DEF-123', ' sk-abc '])('%j may be one', (text) => {
    expect(keyProblem(text)).toBeUndefined();
  });

  it.each(['', '  ', 'Bearer sk-abc', 'sk-\u2026', 'a\nb', 'a\u0000b'])('%j is none', (text) => {
    expect(keyProblem(text)).toMatch(/\.$/);
  });

  it('has a page to get one from, for services that are known', () => {
    expect(keyPageOf(openai.origin)).toBe('https://platform.openai.com/api-keys');
    expect(keyPageOf('https://generativelanguage.googleapis.com')).toMatch(
      /^https:\/\/aistudio\.google\.com\//,
    );
    expect(keyPageOf(local.origin)).toBeUndefined();
  });
});
