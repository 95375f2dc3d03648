import { modelToEncodingMap } from 'gpt-tokenizer/mapping';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { estimateFor, estimateText, shippedTokenizer } from '../../../client/src/models/tokenizers';

describe('by which tokenizer tokens are estimated', () => {
  it('is the one that is shipped', async () => {
    expect((await loadTokenizer()).name).toBe(shippedTokenizer);
  });

  it("agrees with the library's map of models on which one is a model's own", () => {
    // Of those that answer in chats; `gpt-oss` counts ordinary text as o200k_base does.
    const chats = Object.entries(modelToEncodingMap).filter(([model]) => /^gpt-[34o]/.test(model));
    expect(chats.length).toBeGreaterThan(15);
    for (const [model, encoding] of chats)
      expect([model, estimateFor(`openai:${model}`).own]).toEqual([
        model,
        encoding === 'o200k_harmony' ? 'o200k_base' : encoding,
      ]);
    for (const model of [
      'gpt-4o',
      'gpt-4.1-mini',
      'gpt-5-2025-08-07',
      'o3',
      'chatgpt-4o-latest',
      'gpt-6-sol',
    ])
      expect([model, estimateFor(`openai:${model}`).own]).toEqual([model, 'o200k_base']);
  });

  it('is nobody knows whose for other models, and said so', () => {
    for (const name of [
      'gemini:gemini-2.5-pro',
      'ollama:llama3.2',
      'scripted',
      'openai:mistral',
      'vscode:a/b/c',
    ])
      expect(estimateFor(name)).toEqual({ tokenizer: 'o200k_base', own: undefined });
    expect(estimateFor('ollama:gpt-oss:20b').own).toBe('o200k_base');
    expect(estimateText(estimateFor('openai:gpt-5'))).toBe("o200k_base, the model's own tokenizer");
    expect(estimateText(estimateFor('openai:gpt-4'))).toBe(
      "o200k_base; the model's own tokenizer is cl100k_base",
    );
    expect(estimateText(estimateFor('ollama:x'))).toContain("need not be the model's own");
  });
});
