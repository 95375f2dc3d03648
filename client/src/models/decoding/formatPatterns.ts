/** Patterns of texts that have a format of JSON Schema: not all of them, but what is written by them has it. */
import { compilePattern } from '../../../../schemas/text/safePattern';

const hour = '(?:[01][0-9]|2[0-3])';
const sixty = '[0-5][0-9]';
const time = `${hour}:${sixty}:${sixty}(?:\\.[0-9]{1,6})?(?:Z|[+-]${hour}:${sixty})`;
const leapDay = '20(?:[02468][048]|[13579][26])-02-29';
const date =
  '(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)' +
  `|02-(?:0[1-9]|1[0-9]|2[0-8]))|${leapDay})`;
const hex = '[0-9a-f]';
const label = '[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?';
const hostname = `${label}(?:\\.${label}){0,3}`;
const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const uri = `https?://${hostname}(?::[1-9][0-9]{1,3})?(?:/[A-Za-z0-9._~-]{0,24}){0,6}`;

const patterns: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date,
    time,
    'date-time': `${date}T${time}`,
    duration: 'P(?:[0-9]{1,4}D(?:T[0-9]{1,4}H)?|T[0-9]{1,4}[HMS])',
    email: `[A-Za-z0-9_+-]{1,32}(?:\\.[A-Za-z0-9_+-]{1,16})?@${label}(?:\\.${label}){1,3}`,
    hostname,
    ipv4: `${octet}(?:\\.${octet}){3}`,
    ipv6: `${hex}{1,4}(?::${hex}{1,4}){7}`,
    uri,
    'uri-reference': uri,
    uuid: `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`,
  }).map(([format, body]) => [format, `^${body}$`]),
);

/** Undefined for a format of which no pattern is known. */
export function formatPattern(format: string): string | undefined {
  return patterns.get(format);
}

/** Formats that the runtime checks, beside those of which a pattern is known. */
export const otherFormats: ReadonlySet<string> = new Set([
  'byte',
  'iso-date-time',
  'iso-time',
  'json-pointer',
  'json-pointer-uri-fragment',
  'regex',
  'relative-json-pointer',
  'uri-template',
  'url',
]);

/** True for a text that surely has a format; one that nobody checks has every text. */
export function hasFormat(format: string, value: string): boolean {
  const source = formatPattern(format);
  if (source === undefined) return !otherFormats.has(format);
  const pattern = compilePattern(source);
  return pattern.ok && pattern.test(value);
}
