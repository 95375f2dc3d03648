/** What is wrong with what was given as a key. */
import { expect, it } from 'vitest';
import { apiKeyFault, isApiKey } from '../../../../client/src/models/http/apiKey';

it.each([
  ['sk-a b', 'no key has a space in it'],
  ['“sk-abc”', 'no key has the character “ (U+201C) in it'],
  ['sk-abc\r\nX-Other: 1', 'no key has a line end in it'],
  ['sk-\u00a0abc', 'no key has the character (U+00A0) in it'],
  ['sk-\u001b[2Jabc', 'no key has the character (U+001B) in it'],
  ['sk-😀', 'no key has the character 😀 (U+1F600) in it'],
  ['a'.repeat(8_193), 'it has more than 8192 characters'],
])('%j', (text, fault) => {
  expect(isApiKey(text)).toBe(false);
  expect(apiKeyFault(text)).toBe(fault);
});
