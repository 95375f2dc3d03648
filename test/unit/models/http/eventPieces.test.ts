/** The bytes of event streams, however the network cuts them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventPieces } from '../../../../client/src/models/http/eventPieces';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (given: Uint8Array | undefined) => new TextDecoder().decode(given);

const marks = ['\n\n', '\r\n\r\n', '\r\r'];

describe('pieces of an event stream', () => {
  it.each(marks)('end where an event does: %j', (end) => {
    const pieces = createEventPieces();
    expect(pieces.write(bytes('data: a'))).toBeUndefined();
    expect(pieces.write(bytes(`${end.slice(0, -1)}`))).toBeUndefined();
    expect(text(pieces.write(bytes(`${end.slice(-1)}data: b`)))).toBe(`data: a${end}`);
    expect(pieces.length).toBe(7);
    expect(text(pieces.write(bytes(`${end}data: c${end}data: d`)))).toBe(`data: b${end}data: c${end}`);
    expect(text(pieces.end())).toBe('data: d');
    expect(pieces.end()).toBeUndefined();
  });

  it('are all bytes in their order, whole events as soon as they are there', () => {
    const stream = fc.array(fc.constantFrom('data: é', '\n', '\r\n', '\r', '\n\n', '\r\n\r\n', ':', '😀'));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200)), (parts, cuts) => {
        const whole = bytes(parts.join(''));
        const pieces = createEventPieces();
        const ends = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
        const given: number[] = [];
        let start = 0;
        for (const end of ends) {
          given.push(...(pieces.write(whole.slice(start, end)) ?? []));
          const out = binary(given);
          if (out !== '') expect(marks.some((mark) => out.endsWith(mark))).toBe(true);
          const rest = binary(whole.slice(given.length, end));
          for (const mark of marks) expect(rest).not.toContain(mark);
          start = end;
        }
        given.push(...(pieces.end() ?? []));
        expect(Uint8Array.from(given)).toEqual(whole);
      }),
    );
  });

  it('takes time by what comes, not by what there is', () => {
    const pieces = createEventPieces();
    const piece = bytes('x'.repeat(1_000));
    for (let index = 0; index < 10_000; index++) expect(pieces.write(piece)).toBeUndefined();
    expect(pieces.length).toBe(10_000_000);
  });
});

function binary(given: Iterable<number>): string {
  return String.fromCharCode(...given);
}
