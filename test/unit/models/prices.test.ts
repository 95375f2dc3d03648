import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPriceFile } from '../../../client/src/hosts/node/priceFile';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';
import { priceOf, readPrices } from '../../../client/src/models/prices';
import { geminiPrices, openaiPrices } from '../../../client/src/models/priceTable';
import { isFree, isFreeStep } from '../../../client/src/runtime/freeModels';

const now = Date.parse('2026-11-30');

describe('documented prices', () => {
  it('stand under their models, dated ids under their family', () => {
    expect(priceOf('openai:gpt-4.1', { now })).toEqual({ prompt: 2, completion: 8, cached: 0.5 });
    expect(priceOf('openai:gpt-4.1-2025-04-14', { now })).toEqual(priceOf('openai:gpt-4.1', { now }));
    expect(priceOf('gemini:models/gemini-2.5-flash', { now })).toMatchObject({ prompt: 0.3, cached: 0.03 });
    expect(priceOf('gemini:gemini-2.0-flash-001', { now })).toEqual(
      priceOf('gemini:gemini-2.0-flash', { now }),
    );
    expect(priceOf('gemini:gemini-2.5-flash-preview-09-2025', { now })).toEqual(
      priceOf('gemini:gemini-2.5-flash', { now }),
    );
  });

  it('of a snapshot with a price of its own go before its family', () => {
    expect(priceOf('openai:gpt-4o-2024-05-13', { now })).toMatchObject({ prompt: 5 });
    expect(priceOf('openai:gpt-4o-2024-08-06', { now })).toMatchObject({ prompt: 2.5 });
    expect(priceOf('openai:gpt-3.5-turbo-1106', { now })).toMatchObject({ prompt: 1 });
  });

  it('are no guesses: what resembles a known model has none', () => {
    for (const name of ['gpt-4.1-huge', 'gpt-6.1-sol', 'ft:gpt-4.1-2025-04-14:me::x', 'gpt-4o-audio-preview'])
      expect(priceOf(`openai:${name}`, { now })).toBeUndefined();
  });

  it('change on the day that is known', () => {
    expect(priceOf('gemini:gemini-3.8-flash', { now })).toMatchObject({ prompt: 0.75 });
    const day = Date.parse('2027-01-01T00:00:00Z');
    expect(priceOf('gemini:gemini-3.8-flash', { now: day })).toMatchObject({ prompt: 1.5 });
    expect(priceOf('gemini:gemini-3.8-flash', { now: day - 1 })).toMatchObject({ prompt: 0.75 });
  });

  it('hold at the providers themselves alone', () => {
    const at = (baseUrl: string, name = 'openai:gpt-4.1') => priceOf(name, { now, settings: { baseUrl } });
    const gemini = 'gemini:gemini-2.5-flash';
    expect(at('https://generativelanguage.googleapis.com/', gemini)).toEqual(priceOf(gemini, { now }));
    expect(at('https://gateway.example', gemini)).toBeUndefined();
    expect(at('http://generativelanguage.googleapis.com', gemini)).toBeUndefined();
    expect(at('https://api.openai.com/v1')).toBeDefined();
    expect(at('https://API.openai.com:443/v1/')).toBeDefined();
    for (const other of ['http://127.0.0.1:8080/v1', 'https://eu.api.openai.com/v1', 'no address'])
      expect(at(other)).toBeUndefined();
    for (const name of ['ollama:gpt-4.1', 'llama.cpp:gpt-4.1', 'vllm:gpt-4.1', 'lm-studio:gpt-4.1'])
      expect(priceOf(name, { now })).toBeUndefined();
    expect(priceOf('vscode:copilot/gpt-4.1/x', { now })).toBeUndefined();
    const settings = { vertexProject: 'mine' };
    expect(priceOf('gemini:gemini-2.5-flash', { now, settings })).toBeUndefined();
  });

  it('are of families, each once a day, and cheaper from the cache', () => {
    for (const rows of [openaiPrices(), geminiPrices()]) {
      const names = rows.flatMap(({ ids, from }) => ids.map((id) => `${id} ${from ?? ''}`));
      expect(new Set(names).size).toBe(names.length);
      for (const { price } of rows) {
        expect(price.prompt).toBeGreaterThan(0);
        expect(price.completion).toBeGreaterThan(price.prompt);
        if (price.cached !== undefined) expect(price.cached).toBeLessThan(price.prompt);
        if (price.cacheWritten !== undefined) expect(price.cacheWritten).toBeCloseTo(price.prompt * 1.25, 10);
      }
    }
  });
});

describe("the user's prices", () => {
  const tableOf = (value: Parameters<typeof readPrices>[0]) => {
    const read = readPrices(value);
    if (!read.ok) throw new Error(read.problems.join(' '));
    return read.prices;
  };

  it('win over the documented ones, with or without the provider', () => {
    const prices = tableOf({
      'gpt-4.1': { prompt: 1, completion: 2 },
      'llama.cpp:mine': { prompt: 0, completion: 0 },
      'gpt-5-2025-08-07': { prompt: 9, completion: 9 },
    });
    const price = (name: string) => priceOf(name, { now, prices });
    expect(price('openai:gpt-4.1')).toEqual({ prompt: 1, completion: 2 });
    expect(price('openai:gpt-4.1-2025-04-14')).toEqual({ prompt: 1, completion: 2 });
    expect(price('llama.cpp:mine')).toEqual({ prompt: 0, completion: 0 });
    expect(price('ollama:mine')).toBeUndefined();
    expect(price('openai:gpt-5-2025-08-07')).toMatchObject({ prompt: 9 });
    expect(price('openai:gpt-5')).toMatchObject({ prompt: 1.25 });
  });

  it('may name models like members of every object', () => {
    const prices = tableOf(JSON.parse('{"__proto__": {"prompt": 1, "completion": 2}}'));
    expect(priceOf('openai:__proto__', { now, prices })).toEqual({ prompt: 1, completion: 2 });
    expect(priceOf('openai:constructor', { now, prices })).toBeUndefined();
  });

  it.each([
    [[], 'Prices are an object'],
    [{ '  ': { prompt: 1, completion: 1 } }, 'one name is empty'],
    [{ a: 3 }, 'The price of "a" has to be an object of prompt and completion'],
    [{ a: { prompt: 1 } }, 'The price of "a" has no completion.'],
    [{ a: {} }, 'The price of "a" has no prompt.'],
    [
      { a: { prompt: '1', completion: 1 } },
      'prompt in the price of "a" has to be 0, or a number of US dollars',
    ],
    [{ a: { prompt: -1, completion: 1 } }, 'a number of US dollars from 0.000001 to 1,000,000.'],
    [{ a: { prompt: 1e308, completion: 1 } }, 'prompt in the price of "a" has to be 0, or'],
    [{ a: { prompt: 1, completion: 1e-300 } }, 'completion in the price of "a" has to be 0, or'],
    [{ a: { prompt: 1, completion: 1, cached: 1_000_001 } }, 'cached in the price of "a" has to be 0, or'],
    [{ a: { prompt: Number.NaN, completion: 1 } }, 'prompt in the price of "a" has to be 0, or'],
    [{ a: { prompt: Number.POSITIVE_INFINITY, completion: 1 } }, 'to 1,000,000.'],
    [{ a: { prompt: 1, completion: 1, largestPrompt: 1e308 } }, 'a whole number of tokens above 0'],
    [{ a: { prompt: 1, completion: 1, largestPrompt: 1.5 } }, 'a whole number of tokens above 0'],
    [{ a: { promt: 1, completion: 1 } }, '"promt" in the price of "a" is unknown; prompt may be meant.'],
    [
      { a: { input: 1, completion: 1 } },
      'there are prompt, completion, cached, cacheWritten, largestPrompt.',
    ],
    [{ a: { prompt: 1, completion: 1, largestPrompt: 0 } }, 'a whole number of tokens above 0'],
  ])('are refused with a reason: %j', (value, message) => {
    const read = readPrices(value as Parameters<typeof readPrices>[0]);
    expect(read).toMatchObject({ ok: false, problems: [expect.stringContaining(message)] });
  });

  it('come from a file, whose mistakes are named with their place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prices-'));
    try {
      const file = join(folder, 'prices.json');
      await writeFile(file, '\uFEFF{"mine": {"prompt": 1, "completion": 2, "cached": 0.1}}');
      expect([...(await readPriceFile(file))]).toEqual([['mine', { prompt: 1, completion: 2, cached: 0.1 }]]);
      await writeFile(file, '{\n"mine": {"prompt": 1,\n}');
      await expect(readPriceFile(file)).rejects.toThrow(`${file}:3: `);
      await writeFile(file, '{"a": 1, "b": 2}');
      await expect(readPriceFile(file)).rejects.toThrow(/"a" has to be an object.* \(and 1 more\)$/);
      await expect(readPriceFile(join(folder, 'gone.json'))).rejects.toThrow(FileFailure);
      await expect(readPriceFile(folder)).rejects.toThrow(`${folder} can't be read: it is a folder.`);
      const most = `{${' '.repeat(4_000_000 - 2)}}`;
      await writeFile(file, most);
      expect(await readPriceFile(file)).toEqual(new Map());
      await writeFile(file, `${most} `);
      await expect(readPriceFile(file)).rejects.toThrow(
        `${file} is longer than 4 MB: is another file meant?`,
      );
      if (process.platform !== 'win32')
        await expect(readPriceFile('/dev/zero')).rejects.toThrow('/dev/zero is longer than 4 MB');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

it('says nothing about prices where nobody charges', () => {
  expect(['scripted', 'manual', 'replay:a.skilltrace.jsonl'].map(isFree)).toEqual([true, true, true]);
  const charged = ['openai:gpt-5', 'ollama:x', 'vscode:a/b/c', 'replaying', 'openai:scripted'];
  expect(charged.map(isFree)).toEqual(charged.map(() => false));
});

it('says whose steps nobody charges for where another model goes on', () => {
  const participant = (name: string) => ({ name, settings: {} });
  const header = { model: participant('scripted') } as NonNullable<
    Parameters<typeof isFreeStep>[0]['header']
  >;
  const change = { after: 9, from: 3, model: participant('openai:gpt-5') };
  const line = { id: 0, parent: undefined, steps: 9, ownFrom: 0, end: undefined, skill: undefined };
  const reader = { header, branches: [{ ...line, acting: [change] }] };
  expect([0, 2, 3, 8].map((step) => isFreeStep(reader, 0, step))).toEqual([true, true, false, false]);
  expect(isFreeStep({ header: undefined, branches: [] }, 0, 0)).toBe(false);
});
