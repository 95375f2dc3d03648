import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { isYamlWord } from '../../../schemas/text/yamlWords';

describe('words that mean something in YAML', () => {
  it.each(['y', 'No', 'ON', 'off', 'True', 'null', '.NaN', '.inf'])('%s', (word) => {
    expect(isYamlWord(word)).toBe(true);
  });

  it.each(['yes please', 'nobody', 'x', 'nulls', 'a.inf', ''])('%j is none', (word) => {
    expect(isYamlWord(word)).toBe(false);
  });

  it.each(['1.1', '1.2'] as const)('are all that letters alone mean in YAML %s', (version) => {
    const letters = [
      'yes',
      'no',
      'on',
      'off',
      'y',
      'n',
      'true',
      'false',
      'null',
      'nan',
      'inf',
      'none',
      'oui',
    ];
    for (const word of letters.flatMap((each) => [each, each.toUpperCase(), `.${each}`])) {
      const value: unknown = parseDocument(word, { version }).toJS();
      if (typeof value !== 'string') expect(isYamlWord(word), word).toBe(true);
    }
  });
});
