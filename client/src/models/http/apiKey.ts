/** What may be an API key: text that a header of HTTP can hold (RFC 9110 section 5.5), without blanks. */

/** Servers take no longer headers; so long a text is something else, such as a file that was pasted. */
const longestKey = 8_192;

/** Whether a text may be a key. */
export function isApiKey(text: string): boolean {
  return text.length <= longestKey && /^[\x21-\x7e]+$/.test(text);
}

/** What is wrong with a text that is no key, the rest of a sentence; tells nothing of the text but one character that no key has. */
export function apiKeyFault(text: string): string {
  if (text.length > longestKey) return `it has more than ${longestKey} characters`;
  const [wrong = ''] = /[^\x21-\x7e]/u.exec(text) ?? [];
  if (wrong === ' ') return 'no key has a space in it';
  if (/[\n\r\u2028\u2029]/.test(wrong)) return 'no key has a line end in it';
  const code = wrong.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const shown = /[\p{L}\p{P}\p{S}]/u.test(wrong) ? `${wrong} ` : '';
  return code === undefined ? 'it is none' : `no key has the character ${shown}(U+${code}) in it`;
}
