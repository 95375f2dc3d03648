/** What may be an API key: text that a header of HTTP can hold (RFC 9110 section 5.5), without blanks. */

/** Servers take no longer headers; so long a text is something else, such as a file that was pasted. */
const longestKey = 8_192;

/** Whether a text may be a key. */
export function isApiKey(text: string): boolean {
  return text.length <= longestKey && /^[\x21-\x7e]+$/.test(text);
}
