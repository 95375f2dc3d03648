import { describe, expect, it } from 'vitest';
import { Readings } from '../../../server/src/languageService/readings';

/** Readings with a note of what was read. */
function noted() {
  const readings = new Readings<number>();
  const read: string[] = [];
  const get = (key: string, text: string) =>
    readings.get(key, text, () => {
      read.push(key);
      return text.length;
    });
  return { readings, read, get };
}

describe('what was read of texts', () => {
  it('is kept for as long as the text is the same', () => {
    const { read, get } = noted();
    expect([get('a', 'x'), get('a', 'x'), get('a', 'xy'), get('a', 'xy'), get('a', 'x')]).toEqual([
      1, 1, 2, 2, 1,
    ]);
    expect(read).toEqual(['a', 'a', 'a']);
  });

  it('goes when it was not asked for longest, not when it was read first', () => {
    const { readings, read, get } = noted();
    const large = 'x'.repeat(4_000_000);
    get('a', large);
    get('b', large);
    get('a', large);
    get('c', large);
    expect(readings.size).toBe(2);
    get('a', large);
    expect(read).toEqual(['a', 'b', 'c']);
    get('b', large);
    expect(read).toEqual(['a', 'b', 'c', 'b']);
  });

  it('is kept of one text that is larger than all may be together', () => {
    const { readings, read, get } = noted();
    get('small', 'x');
    const huge = 'x'.repeat(11_000_000);
    get('huge', huge);
    get('huge', huge);
    expect(read).toEqual(['small', 'huge']);
    get('small', 'x');
    expect(readings.size).toBe(1);
  });

  it('of many small texts is bounded too', () => {
    const { readings, get } = noted();
    for (let index = 0; index < 5_000; index++) get(`k${index}`, 'x');
    expect(readings.size).toBeLessThan(2_001);
  });
});
