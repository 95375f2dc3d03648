/** Keywords that the constrained decoding of a model provider can't express: one finding for each keyword. */

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
  count: number;
  readonly support: Map<Provider, KeywordSupport>;
}

/** The first occurrence of each such keyword, with the providers and how often it occurs. */
export function findProviderKeywords({
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
        known = { first, count: 0, support: new Map() };
        seen.set(keyword, known);
      }
      known.count++;
      for (const { provider, support } of unsupported)
        if (known.support.get(provider) !== 'refused') known.support.set(provider, support);
    }
  }
  return [...seen].map(([keyword, { first, count, support }]) => {
    const code = 'state.provider-keyword';
    const places = count === 1 ? '' : ` (${count} times in this schema)`;
    return {
      code,
      severity: providerProblems[code],
      message: `${keyword}${places} cannot be part of constrained decoding everywhere: ${listOf(support)}; patches are checked against it all the same.`,
      range: schema.lines.rangeOf(first.keyStart, first.keyEnd),
    };
  });
}

function listOf(support: ReadonlyMap<Provider, KeywordSupport>): string {
  const named = (kind: KeywordSupport): string =>
    [...support]
      .filter(([, own]) => own === kind)
      .map(([provider]) => providerTitles[provider])
      .join(' and ');
  const refusing = named('refused');
  const ignoring = named('ignored');
  return [
    ...(refusing === '' ? [] : [`refused by ${refusing}`]),
    ...(ignoring === '' ? [] : [`ignored by ${ignoring}`]),
  ].join(', ');
}
