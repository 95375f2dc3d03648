import { describe, expect, it } from 'vitest';
import { lineExcerpt, textExcerpt, valueExcerpt } from '../../../../client/src/views/runPanel/excerpts';

describe('excerpts', () => {
  it('leave short texts as they are', () => {
    expect(textExcerpt('one\ntwo\tthree')).toEqual({ text: 'one\ntwo\tthree', characters: 13 });
    expect(lineExcerpt('/inventory/shelf_1').text).toBe('/inventory/shelf_1');
  });

  it('show what would steer the page as what it is', () => {
    expect(textExcerpt('a\u202eb\u0007').text).toBe('a\\u202eb\\u0007');
    expect(lineExcerpt('a\nb').text).toBe('a\\u000ab');
    expect(valueExcerpt('\u2066').text).toBe('"\\u2066"');
  });

  it('are short, say how long the whole is, and cut no character in two', () => {
    const long = textExcerpt('\u{1f4e6}'.repeat(5_000_000));
    expect(long.text.length).toBeLessThanOrEqual(2_000);
    expect(long.characters).toBe(10_000_000);
    expect(long.text).not.toMatch(/\p{Cs}/u);
    expect(lineExcerpt(`x${'\u{1f4e6}'.repeat(300)}`).text).not.toMatch(/\p{Cs}/u);
    // However many escapes there are, a cut excerpt is known by its length.
    const controls = textExcerpt('\u0000'.repeat(3_000));
    expect(controls.characters).toBeGreaterThan(controls.text.length);
  });
});
