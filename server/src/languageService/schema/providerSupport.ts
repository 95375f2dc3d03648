/** Keywords that the constrained decoding of a model provider can't express: one finding for a schema. */

import { isJsonObject } from '../../../../schemas/json/jsonValue';
import {
  type KeywordSupport,
  type Provider,
  providerTitles,
  unsupportedBy,
} from '../../../../schemas/state/providerKeywords';
import type { Severity } from '../../../../schemas/text/problem';
import type { SourceProperty } from '../../../../schemas/text/sourceTree';
import type { Finding } from '../finding';
import type { SchemaContext } from './schemaContext';

export const providerProblems = {
  /** The runtime checks it all the same; only decoding can't be held to it. */
  'state.provider-keyword': 'hint',
} as const satisfies Record<`state.${string}`, Severity>;

interface SeenKeyword {
  readonly first: SourceProperty;
  readonly support: Map<Provider, KeywordSupport>;
}

/** More keywords of one provider than anybody reads in a sentence. */
const maxNamed = 6;

/**
 * One finding for a whole schema, at the first such keyword: nearly every bounded schema has some, and nothing is to be
 * mended. The first occurrence of each is a related place.
 */
export function findProviderKeywords({
  page: { uri },
  schema,
  subschemas,
}: SchemaContext): readonly Finding<keyof typeof providerProblems>[] {
  const seen = new Map<string, SeenKeyword>();
  for (const { property } of subschemas.all) {
    const { value, properties } = property.node;
    if (properties === undefined || !isJsonObject(value)) continue;
    for (const [keyword, first] of properties) {
      const unsupported = unsupportedBy(keyword, value);
      if (unsupported.length === 0) continue;
      let known = seen.get(keyword);
      if (known === undefined) {
        known = { first, support: new Map() };
        seen.set(keyword, known);
      }
      for (const { provider, support } of unsupported)
        if (known.support.get(provider) !== 'refused') known.support.set(provider, support);
    }
  }
  const [first] = seen.values();
  if (first === undefined) return [];
  const code = 'state.provider-keyword';
  const rangeOf = (property: SourceProperty) => schema.lines.rangeOf(property.keyStart, property.keyEnd);
  return [
    {
      code,
      severity: providerProblems[code],
      message: `Constrained decoding can not hold a model to all of this schema: ${clausesOf(seen).join('; ')}; patches are checked against it all the same.`,
      range: rangeOf(first.first),
      related: [...seen].map(([keyword, { first: property, support }]) => ({
        uri,
        range: rangeOf(property),
        message: `${keyword} is ${supportText(support)}.`,
      })),
    },
  ];
}

/** `OpenAI strict mode refuses maxLength and propertyNames`, one a provider and way of not supporting it. */
function clausesOf(seen: ReadonlyMap<string, SeenKeyword>): readonly string[] {
  const byClause = new Map<string, string[]>();
  for (const provider of providers)
    for (const kind of ['refused', 'ignored'] as const)
      for (const [keyword, { support }] of seen) {
        if (support.get(provider) !== kind) continue;
        const clause = `${providerTitles[provider]} ${verbs[kind]}${provider === 'llama.cpp' ? '' : 's'}`;
        byClause.set(clause, [...(byClause.get(clause) ?? []), keyword]);
      }
  return [...byClause].map(([clause, keywords]) => {
    const shown = keywords.slice(0, maxNamed);
    const rest = keywords.length - shown.length;
    return `${clause} ${joined(rest > 0 ? [...shown, `${rest} more`] : shown)}`;
  });
}

const verbs: Readonly<Record<KeywordSupport, string>> = { refused: 'refuse', ignored: 'ignore' };
const providers = ['openai', 'gemini', 'llama.cpp'] as const satisfies readonly Provider[];

function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `refused by OpenAI strict mode, ignored by Gemini`. */
export function supportText(support: ReadonlyMap<Provider, KeywordSupport>): string {
  const named = (kind: KeywordSupport): string =>
    joined([...support].filter(([, own]) => own === kind).map(([provider]) => providerTitles[provider]));
  const refusing = named('refused');
  const ignoring = named('ignored');
  return [
    ...(refusing === '' ? [] : [`refused by ${refusing}`]),
    ...(ignoring === '' ? [] : [`ignored by ${ignoring}`]),
  ].join(', ');
}
