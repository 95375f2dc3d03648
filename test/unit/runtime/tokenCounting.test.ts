/** The split of a prompt's tokens: near to counting the text, cheap where little changed, and always the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLateTokenizer, loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { applyPatch } from '../../../client/src/runtime/merge';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { createPromptTokenCounter } from '../../../client/src/runtime/tokenCounting';
import type { Tokenizer } from '../../../client/src/runtime/tokens';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { anyJsonObject } from './arbitraries';

/** Counts UTF-16 units, so that parts add up to the whole exactly if no piece is lost or doubled. */
const characters: Tokenizer = { name: 'characters', count: (text) => text.length };

function inventory(size: number): JsonObject {
  const shelves = Array.from(
    { length: size },
    (_value, index) => [`shelf_${index * 7}`, `item_${index * 13}`] as const,
  );
  return { inventory: Object.fromEntries(shelves) };
}

function counting(tokenizer: Tokenizer): Tokenizer & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    name: tokenizer.name,
    texts,
    count: (text) => {
      texts.push(text);
      return tokenizer.count(text);
    },
  };
}

describe('createPromptTokenCounter', () => {
  it('leaves no character of the prompt out and counts none twice', () => {
    const counter = createPromptTokenCounter(characters, 'Do it.');
    fc.assert(
      fc.property(
        anyJsonObject,
        fc.string(),
        fc.option(fc.string(), { nil: undefined }),
        (state, observation, correction) => {
          const more = correction === undefined ? {} : { correction };
          const prompt = composePrompt({ instructions: 'Do it.', state, observation, ...more });
          const split = counter.count({ state, stateText: prompt.stateText, observation, ...more });
          expect(split.state).toBe(prompt.stateText.length);
          expect(split.instructions + split.state + split.observation + split.scaffold).toBe(
            prompt.text.length,
          );
        },
      ),
    );
  });

  it('gives the same count for the same Σ, whatever it counted before', async () => {
    const tokenizer = await loadTokenizer();
    const used = createPromptTokenCounter(tokenizer, '');
    const count = (counter: typeof used, state: JsonObject): number =>
      counter.count({ state, stateText: JSON.stringify(state), observation: '' }).state;
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (state, patch) => {
        const next = applyPatch(state, patch).state;
        count(used, state);
        const copy = JSON.parse(JSON.stringify(next)) as JsonObject;
        expect(count(used, next)).toBe(count(createPromptTokenCounter(tokenizer, ''), copy));
      }),
    );
  });

  it('counts a warehouse as the text itself would be counted', async () => {
    const tokenizer = await loadTokenizer();
    const counter = createPromptTokenCounter(tokenizer, '');
    for (const size of [0, 1, 20, 30]) {
      const state = {
        ...inventory(size),
        pending: null,
        log: ['a b', 'c'],
        counts: [1, 22, 333],
        nested: { deep: {} },
      };
      const stateText = JSON.stringify(state);
      expect(counter.count({ state, stateText, observation: '' }).state).toBe(tokenizer.count(stateText));
    }
  });

  it('counts only what changed from step to step', () => {
    const tokenizer = counting(characters);
    const counter = createPromptTokenCounter(tokenizer, 'Do it.');
    const state = { ...inventory(80), other: { big: 'x'.repeat(10_000) } };
    counter.count({ state, stateText: '', observation: 'first' });
    tokenizer.texts.length = 0;
    const next = applyPatch(state, { inventory: { shelf_7: 'item_1000', shelf_14: null } }).state;
    counter.count({ state: next, stateText: '', observation: 'second' });
    expect(tokenizer.texts).toEqual(['item_1000","', 'second']);
  });
});

describe('the o200k tokenizer', () => {
  it('counts as o200k_base does', async () => {
    const tokenizer = await loadTokenizer();
    expect(tokenizer.name).toBe('o200k_base');
    expect(tokenizer.count('')).toBe(0);
    expect(tokenizer.count('Hello, world!')).toBe(4);
  });

  it('takes special tokens as plain text', async () => {
    const tokenizer = await loadTokenizer();
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts long and odd texts', async () => {
    const tokenizer = await loadTokenizer();
    expect(tokenizer.count('a'.repeat(200_000))).toBe(25_000);
    expect(tokenizer.count(`${'a'.repeat(999)}😀`)).toBe(
      tokenizer.count('a'.repeat(999)) + tokenizer.count('😀'),
    );
    expect(tokenizer.count('\ud800'.repeat(3_000))).toBeGreaterThan(0);
  });
});

describe('a tokenizer that is loaded late', () => {
  it('counts as the other one does, once it is loaded', async () => {
    const late = createLateTokenizer();
    const loaded = await loadTokenizer();
    expect(late.name).toBe(loaded.name);
    expect(() => late.count('Store item_0 shelf_0')).toThrow('has not been loaded');
    await Promise.all([late.load(), late.load()]);
    expect(late.count('Store item_0 shelf_0')).toBe(loaded.count('Store item_0 shelf_0'));
  });

  it('is not needed to make a counter', async () => {
    const late = createLateTokenizer();
    const counter = createPromptTokenCounter(late, 'Keep the shelves in order.');
    await late.load();
    const input = { state: { shelf: 1 }, stateText: '{"shelf":1}', observation: 'Event 1.' };
    const other = createPromptTokenCounter(await loadTokenizer(), 'Keep the shelves in order.');
    expect(counter.count(input)).toEqual(other.count(input));
  });
});
