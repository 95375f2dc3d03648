/** DAP's wire format: messages in chunks of any size, and what can't be read. */
import { describe, expect, it } from 'vitest';
import { encodeMessage, MessageDecoder } from '../../../client/src/debug/messageStream';

function decode(chunks: readonly Buffer[]) {
  const messages: unknown[] = [];
  const unreadable: string[] = [];
  const decoder = new MessageDecoder({
    onMessage: (message) => messages.push(message),
    onUnreadable: (reason) => unreadable.push(reason),
  });
  for (const chunk of chunks) decoder.push(chunk);
  return { messages, unreadable };
}

const first = { seq: 1, type: 'request', command: 'évaluer Σ 🏬' };
const second = { seq: 2, type: 'request', command: 'x' };
const bytes = Buffer.concat([encodeMessage(first), encodeMessage(second)]);

describe('the decoder', () => {
  it('reads messages cut at every byte', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(decode([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({
        messages: [first, second],
        unreadable: [],
      });
    }
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(decode(single).messages).toEqual([first, second]);
  });

  it('takes other headers and other spellings', () => {
    const body = Buffer.from('{"a":1}');
    const header = Buffer.from(`Content-Type: application/json\r\ncontent-length:${body.length}\r\n\r\n`);
    expect(decode([header, body]).messages).toEqual([{ a: 1 }]);
  });

  it.each([
    ['no JSON', 'Content-Length: 5\r\n\r\n{oops', /^it is no JSON/],
    ['an empty body', 'Content-Length: 0\r\n\r\n', /^it is no JSON/],
    ['no length', 'Content-Type: x\r\n\r\n', 'its header has no "Content-Length"'],
    ['a length that is no number', 'Content-Length: many\r\n\r\n', 'its header has no "Content-Length"'],
    ['a negative length', 'Content-Length: -5\r\n\r\n', 'its header has no "Content-Length"'],
  ])('reports %s, and reads what follows', (_what, text, reason) => {
    const { messages, unreadable } = decode([Buffer.from(text), bytes]);
    expect(unreadable).toEqual([typeof reason === 'string' ? reason : expect.stringMatching(reason)]);
    expect(messages).toEqual([first, second]);
  });

  it('skips a message that is too long, without keeping it', () => {
    const length = 65 * 1024 * 1024;
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const chunks = [
      Buffer.from(`Content-Length: ${length}\r\n\r\n`),
      ...Array.from({ length: 65 }, () => chunk),
      bytes,
    ];
    const { messages, unreadable } = decode(chunks);
    expect(unreadable).toHaveLength(1);
    expect(messages).toEqual([first, second]);
  });

  it('gives up on a header that never ends', () => {
    const { unreadable } = decode(Array.from({ length: 100 }, () => Buffer.alloc(1024, 'x')));
    expect(unreadable).toEqual(['it has no header "Content-Length: …" followed by a blank line']);
  });
});
