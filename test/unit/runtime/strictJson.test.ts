/** The strict reader against JSON.parse: the same texts are JSON, and of the others it finds the place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStrictJson } from '../../../client/src/runtime/strictJson';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('readStrictJson', () => {
  it('reads every JSON text to the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readStrictJson(text, 1_000)).toMatchObject({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('accepts a mangled text only where JSON.parse does, and always finds a place', () => {
    const noise = fc.constantFrom(
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\\',
      '-',
      '0',
      '.',
      'e',
      't',
      ' ',
      '\n',
      '\u2028',
      '\ufeff',
      '\u0000',
      "'",
      '/',
    );
    const edit = fc.record({ at: fc.nat(), remove: fc.nat(2), insert: fc.array(noise, { maxLength: 2 }) });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(edit, { maxLength: 3 }), (value, edits) => {
        let text = JSON.stringify(value);
        for (const { at, remove, insert } of edits) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + insert.join('') + text.slice(start + remove);
        }
        const result = readStrictJson(text, 1_000);
        if (result.ok) expect(isJson(text)).toBe(true);
        else if (result.fault.kind === 'syntax' && !result.fault.message.includes('occurs twice')) {
          expect(isJson(text)).toBe(false);
          expect(result.fault.message).not.toBe('The JSON is not valid.');
          expect(result.fault.offset).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
