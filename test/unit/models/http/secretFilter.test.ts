/** Keys in texts, whole and in pieces. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretFilter } from '../../../../client/src/models/http/secretFilter';

const key = 'AIzaSy+planted/key=0123';

function filterOf(...keys: readonly string[]) {
  const filter = createSecretFilter();
  for (const one of keys) filter.add(one);
  return filter;
}

function inPieces(text: string, cuts: readonly number[], keys: readonly string[]): string {
  const pieces = filterOf(...keys).pieces();
  const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1))), text.length].sort((a, b) => a - b);
  let start = 0;
  let out = '';
  for (const end of ends) {
    out += pieces.write(text.slice(start, end));
    start = end;
  }
  return out + pieces.end();
}

describe('a filter of keys', () => {
  it('hides a key as it is, and percent-encoded in either case', () => {
    const texts = [
      key,
      encodeURIComponent(key),
      encodeURIComponent(key).toLowerCase().replace('aizasy', 'AIzaSy'),
    ];
    for (const text of texts) expect(filterOf(key).hide(`a ${text} b ${text}`)).toBe('a [key] b [key]');
  });

  it('hides a key whatever a writer of JSON escapes in it', () => {
    const odd = 'sk-"pl\\an/ted+<&>\'=`key~';
    const code = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
    const escaping = (characters: RegExp, isUpper: boolean) =>
      JSON.stringify(odd)
        .slice(1, -1)
        .replaceAll(characters, (one) => `\\u${isUpper ? code(one).toUpperCase() : code(one)}`);
    const texts = [
      escaping(/[<>&='/]/g, false),
      escaping(/[<>&'+`]/g, true),
      escaping(/[a-z]/g, false),
      JSON.stringify(odd).slice(1, -1).replaceAll('/', '\\/'),
      odd,
    ];
    for (const text of texts) expect(filterOf(odd).hide(`{"said":"${text}"}`)).toBe('{"said":"[key]"}');
    expect(filterOf(odd).hide(odd.replace('~', '-'))).toContain('key-');
  });

  it('hides a key in a web page', () => {
    const odd = 'sk-"plan/ted+<&>\'=key~';
    const names = { '"': '&quot;', '&': '&amp;', "'": '&#39;', '<': '&lt;', '>': '&gt;' };
    const named = odd.replaceAll(/["&'<>]/g, (one) => Reflect.get(names, one));
    const decimal = odd.replaceAll(/[^a-z]/g, (one) => `&#${one.charCodeAt(0)};`);
    const hexadecimal = odd.replaceAll(/\W/g, (one) => `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`);
    for (const text of [named, named.replaceAll('+', '&#43;'), decimal, hexadecimal])
      expect(filterOf(odd).hide(`<p>${text}</p>`)).toBe('<p>[key]</p>');
  });

  it('takes no short word for a secret', () => {
    expect(filterOf('none', '').hide('none of it')).toBe('none of it');
  });

  it('hides a key of a few characters where an error says it back, as a whole word, and in no other text', () => {
    const filter = filterOf('secret7', 'a+/b');
    const said = 'Bad key "secret7" (Bearer secret7, a+/b, a%2B%2Fb): secret70 and my-secret7 are words.';
    expect(filter.hide(said)).toBe(said);
    expect(filter.hideInError(said)).toBe(
      'Bad key "[key]" (Bearer [key], [key], [key]): secret70 and my-secret7 are words.',
    );
    const copy = filter.hideError(new Error('secret7', { cause: new Error('for secret7') }));
    expect(inspect(copy, { depth: 9, showHidden: true })).not.toMatch(/(?<!my-)secret7(?!0)/);
    const placeholders = filterOf('abc', 'none', 'EMPTY', 'ollama');
    for (const text of ['none of ollama is EMPTY', 'abc']) expect(placeholders.hideInError(text)).toBe(text);
    expect(filterOf('secret7', key).hideInError(`secret7 ${key}`)).toBe('[key] [key]');
  });

  it('hides the longer of two keys of which one begins the other', () => {
    expect(filterOf('12345678', '1234567890').hide('1234567890 12345678')).toBe('[key] [key]');
  });

  it('keeps nothing back that can be no key, and at the end nothing at all', () => {
    const pieces = filterOf(key).pieces();
    expect(pieces.write('Ship item_1 A')).toBe('Ship item_1 ');
    expect(pieces.write('I')).toBe('');
    expect(pieces.write('n')).toBe('AIn');
    expect(pieces.write('AIza')).toBe('');
    expect(pieces.end()).toBe('AIza');
  });

  it('hides a key in what was thrown, and in its causes', () => {
    const cause = Object.assign(new Error(`for ${key}`), { code: 'ECONNRESET', headers: { key } });
    const copy = filterOf(key).hideError(new TypeError(`failed ${key}`, { cause }));
    expect(inspect(copy, { depth: 9, showHidden: true })).not.toContain(key);
    expect(copy).toMatchObject({
      name: 'TypeError',
      message: 'failed [key]',
      cause: { message: 'for [key]', code: 'ECONNRESET' },
    });
    const endless = new Error('a');
    endless.cause = endless;
    expect(filterOf(key).hideError(endless)).toBeInstanceOf(Error);
    expect(filterOf(key).hideError(undefined)).toBeUndefined();
  });

  it('finds a key wherever a text is cut', () => {
    const part = fc.constantFrom(key, encodeURIComponent(key), 'AIza', 'A', 'x', ' ', key.slice(0, -1), '😀');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(400)), (parts, cuts) => {
        const text = parts.join('');
        expect(inPieces(text, cuts, [key])).toBe(filterOf(key).hide(text));
      }),
    );
  });

  it('takes halves of surrogate pairs in keys and texts', () => {
    expect(filterOf('\ud800planted-key').hide('a \ud800planted-key \udc00')).toBe('a [key] \udc00');
  });
});
