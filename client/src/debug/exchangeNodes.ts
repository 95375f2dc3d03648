/** A request to the model and its answer in the debug console: a line, and what can be opened below it. */
import { isDeeperThan } from '../../../schemas/json/jsonDepth';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import type { ExchangeBody } from '../../../schemas/messages/exchangeMessages';
import { outcomeText } from '../runtime/failureWords';
import type { NamedNode } from './variables';

/** A body that nests deeper is shown as text alone. */
const maxDepth = 200;

export function describeExchange(
  part: 'request' | 'response',
  { step, exchange: { summary, sent, received } }: ExchangeBody,
): { readonly text: string; readonly nodes: readonly NamedNode[] } {
  const where = `step ${step}, attempt ${summary.attempt}, request ${summary.request}`;
  const came = outcomeText(summary);
  if (part === 'request') {
    const { method, url, headers, body } = sent;
    const nodes = [
      node('method', method),
      node('url', url),
      node('headers', { ...headers }),
      ...bodyNodes(body),
    ];
    return { text: `${method} ${url} (${where}): ${came}`, nodes };
  }
  const nodes =
    received === undefined
      ? []
      : [
          ...(received.status === undefined ? [] : [node('status', received.status)]),
          node('headers', { ...received.headers }),
          ...bodyNodes(received.body),
        ];
  return { text: `${came} (${where})`, nodes };
}

/** A body as it is, and what its JSON says where it is JSON. */
function bodyNodes(body: string): readonly NamedNode[] {
  const read = readJson(body);
  return [...(read === undefined ? [] : [node('body as JSON', read)]), node('body', body)];
}

function readJson(text: string): JsonValue | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isDeeperThan(value, maxDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

function node(name: string, value: JsonValue): NamedNode {
  return {
    name,
    value,
    expression: undefined,
    root: undefined,
    path: [],
    editable: false,
    annotate: undefined,
  };
}
