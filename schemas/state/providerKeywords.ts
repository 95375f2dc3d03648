/**
 * Which keywords the constrained decoding of model providers can't express. The runtime checks a patch against all of
 * them whatever a provider does; constrained decoding only spares attempts.
 *
 * Sources, read in November 2026:
 * - OpenAI, "Structured model outputs", section "Supported schemas"
 *   (https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas): the keywords that are
 *   supported, those that aren't yet, and that an unsupported one fails the request. That `propertyNames`, `oneOf` and
 *   others which it doesn't list are "not permitted" is what the API answers.
 * - Gemini API, `GenerationConfig.responseJsonSchema` (https://ai.google.dev/api/generate-content#generationconfig): the
 *   keywords that are supported; others have no effect.
 * - llama.cpp, `grammars/README.md`, section "JSON Schemas → GBNF"
 *   (https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md): known limitations; unsupported features are
 *   skipped silently.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';

export type Provider = 'openai' | 'gemini' | 'llama.cpp';

/** The names by which users know them. */
export const providerTitles: Readonly<Record<Provider, string>> = {
  openai: 'OpenAI strict mode',
  gemini: 'Gemini',
  'llama.cpp': 'llama.cpp grammars',
};

/** `refused`: the request fails. `ignored`: it has no effect there. */
export type KeywordSupport = 'refused' | 'ignored';

/** Constraints of JSON Schema, by the providers that can't express them. What isn't listed is supported by all. */
const table: ReadonlyMap<string, Partial<Record<Provider, KeywordSupport>>> = new Map(
  Object.entries({
    allOf: { openai: 'refused', gemini: 'ignored' },
    oneOf: { openai: 'refused' },
    not: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    if: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    dependencies: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    dependentRequired: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    dependentSchemas: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    patternProperties: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    propertyNames: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    minProperties: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    maxProperties: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    unevaluatedProperties: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    unevaluatedItems: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    additionalItems: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    prefixItems: { openai: 'refused', 'llama.cpp': 'ignored' },
    contains: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    uniqueItems: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    minLength: { openai: 'refused', gemini: 'ignored' },
    maxLength: { openai: 'refused', gemini: 'ignored' },
    pattern: { gemini: 'ignored' },
    const: { gemini: 'ignored' },
    multipleOf: { gemini: 'ignored', 'llama.cpp': 'ignored' },
    exclusiveMinimum: { gemini: 'ignored' },
    exclusiveMaximum: { gemini: 'ignored' },
    $dynamicRef: { openai: 'refused', gemini: 'ignored', 'llama.cpp': 'ignored' },
    $anchor: { openai: 'refused', 'llama.cpp': 'ignored' },
  } satisfies Record<string, Partial<Record<Provider, KeywordSupport>>>),
);

/** The formats of strings that are not ignored. */
const formats = {
  openai: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  'llama.cpp': new Set(['date', 'time', 'date-time', 'uuid', 'uuid1', 'uuid2', 'uuid3', 'uuid4', 'uuid5']),
} satisfies Partial<Record<Provider, ReadonlySet<string>>>;

/** A keyword's value that a provider can't express. */
export interface UnsupportedKeyword {
  readonly provider: Provider;
  readonly support: KeywordSupport;
}

/** Keywords whose support depends on their value. */
const byValueKeywords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'anyOf',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maximum',
  'minimum',
  'oneOf',
  'pattern',
]);

const byKeyword: ReadonlyMap<string, readonly UnsupportedKeyword[]> = new Map(
  [...table].map(([keyword, providers]) => [
    keyword,
    Object.entries(providers).flatMap(([provider, support]) =>
      isProvider(provider) ? [{ provider, support }] : [],
    ),
  ]),
);

const noProviders: readonly UnsupportedKeyword[] = [];

/** The providers that can't express one keyword of a subschema, as it is written there; each once. */
export function unsupportedBy(keyword: string, schema: JsonObject): readonly UnsupportedKeyword[] {
  const always = byKeyword.get(keyword) ?? noProviders;
  if (!byValueKeywords.has(keyword)) return always;
  const here = byValue(keyword, ownProperty(schema, keyword), schema);
  return here.length === 0
    ? always
    : [...always.filter(({ provider }) => here.every((other) => other.provider !== provider)), ...here];
}

function isProvider(name: string): name is Provider {
  return Object.hasOwn(providerTitles, name);
}

/** What depends on the keyword's value, or on those beside it. */
function byValue(
  keyword: string,
  value: JsonValue | undefined,
  schema: JsonObject,
): readonly UnsupportedKeyword[] {
  switch (keyword) {
    case 'additionalProperties':
      // OpenAI: an object has the declared keys and no others.
      return value === false ? [] : [{ provider: 'openai', support: 'refused' }];
    case 'pattern':
      return typeof value === 'string' && !(value.startsWith('^') && value.endsWith('$'))
        ? [{ provider: 'llama.cpp', support: 'refused' }]
        : [];
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return ownProperty(schema, 'type') === 'integer' ? [] : [{ provider: 'llama.cpp', support: 'ignored' }];
    case 'items':
      return Array.isArray(value) ? [{ provider: 'openai', support: 'refused' }] : [];
    case 'anyOf':
    case 'oneOf':
      return isJsonObject(ownProperty(schema, 'properties'))
        ? [{ provider: 'llama.cpp', support: 'ignored' }]
        : [];
    case 'format':
      return typeof value === 'string' ? byFormat(value) : [];
    default:
      return [];
  }
}

function byFormat(format: string): readonly UnsupportedKeyword[] {
  const unsupported: UnsupportedKeyword[] = [];
  if (!formats.openai.has(format)) unsupported.push({ provider: 'openai', support: 'refused' });
  if (!formats['llama.cpp'].has(format)) unsupported.push({ provider: 'llama.cpp', support: 'ignored' });
  return unsupported;
}
