/** A text that a state schema allows, as short as is easily found. */
import { type JsonArray, type JsonObject, ownProperty } from '../json/jsonValue';
import { patternLanguage } from '../text/patternLanguage';
import { characterCount } from '../text/plainText';
import { compilePattern } from '../text/safePattern';

const maxLeastLength = 200;

const formatSamples: Readonly<Record<string, string>> = {
  date: '2000-01-01',
  'date-time': '2000-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'name@example.org',
  hostname: 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.org',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** One of the examples, a text of the format or the pattern, or letters: the first that all subschemas allow, else ''. */
export function sampleText(subschemas: readonly JsonObject[]): string {
  const { fits, least } = textRule(subschemas);
  for (const candidate of candidatesOf(subschemas, least)) if (fits(candidate)) return candidate;
  return '';
}

/** The first text of a pattern that isn't among `taken`; undefined where none is found. */
export function freshText(pattern: string, taken: readonly string[]): string | undefined {
  const { fits } = textRule([{ pattern }]);
  for (const text of textsOf(pattern)) if (!taken.includes(text) && fits(text)) return text;
  return undefined;
}

function* candidatesOf(subschemas: readonly JsonObject[], least: number): Generator<string> {
  for (const subschema of subschemas) {
    const examples = ownProperty(subschema, 'examples');
    for (const example of Array.isArray(examples) ? (examples as JsonArray) : []) {
      if (typeof example === 'string') yield example;
    }
    const format = ownProperty(subschema, 'format');
    if (typeof format === 'string')
      yield (Object.hasOwn(formatSamples, format) && formatSamples[format]) || '';
  }
  yield 'x'.repeat(Math.min(maxLeastLength, least));
  for (const subschema of subschemas) {
    const pattern = ownProperty(subschema, 'pattern');
    if (typeof pattern === 'string') yield* textsOf(pattern);
  }
}

/** How many texts of one pattern are tried. */
const maxTexts = 1_000;
const lengths = [1, 2, 4, 6, 8, 12, 16, 24, 36, 64];

/** Texts of a pattern, the shorter ones first; one that leaves an end open is read as if it closed it. */
function* textsOf(pattern: string): Generator<string> {
  const language =
    patternLanguage(pattern) ?? patternLanguage(`${pattern}$`) ?? patternLanguage(`^(?:${pattern})$`);
  if (language === undefined) return;
  const all = language.texts();
  if (all !== undefined) yield* all.slice(0, maxTexts);
  else for (const length of lengths) yield language.sample(length);
}

function textRule(subschemas: readonly JsonObject[]): {
  readonly least: number;
  fits(text: string): boolean;
} {
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  const patterns = subschemas.flatMap((subschema) => {
    const minLength = ownProperty(subschema, 'minLength');
    const maxLength = ownProperty(subschema, 'maxLength');
    if (typeof minLength === 'number') least = Math.max(least, minLength);
    if (typeof maxLength === 'number') most = Math.min(most, maxLength);
    const source = ownProperty(subschema, 'pattern');
    const pattern = typeof source === 'string' ? compilePattern(source) : undefined;
    return pattern?.ok === true ? [pattern] : [];
  });
  return {
    least,
    fits(text) {
      const length = characterCount(text);
      return length >= least && length <= most && patterns.every((pattern) => pattern.test(text));
    },
  };
}
