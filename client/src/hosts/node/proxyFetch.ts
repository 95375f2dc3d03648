/**
 * The command line's way to the network: through the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name. Node itself reads
 * NODE_EXTRA_CA_CERTS for certificates of one's own. VS Code has a `fetch` of its own that does both.
 */
import type { Response as UndiciResponse } from 'undici';

type Variables = Readonly<Record<string, string | undefined>>;

/** This machine is never reached through a proxy, which would look for the server on another one. */
const withoutProxy = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A `fetch` that goes through proxies; undefined where no variable names one. Its library is loaded with the first request.
 *
 * @param variables of the environment, of which lower case counts before upper case
 */
export function createProxyFetch(variables: Variables): typeof globalThis.fetch | undefined {
  const variable = (name: string) => variables[name.toLowerCase()]?.trim() || variables[name]?.trim() || '';
  const httpProxy = variable('HTTP_PROXY');
  const httpsProxy = variable('HTTPS_PROXY');
  if (httpProxy === '' && httpsProxy === '') return undefined;
  const noProxy = variable('NO_PROXY');
  const options = {
    httpProxy,
    httpsProxy,
    // Many proxies tunnel to https alone.
    proxyTunnel: false,
    noProxy: noProxy === '*' ? noProxy : [noProxy, ...withoutProxy].join(','),
  };
  let loading: ReturnType<typeof load> | undefined;
  return async (input, init) => {
    loading ??= load(options);
    const { fetch, dispatcher } = await loading;
    const url = typeof input === 'string' || input instanceof URL ? input : input.url;
    const response: UndiciResponse = await fetch(url, { ...(init as object), dispatcher });
    // The same interface, of another copy of the same library.
    return response as unknown as Response;
  };
}

async function load(options: {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly proxyTunnel: boolean;
  readonly noProxy: string;
}) {
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  return { fetch, dispatcher: quietly(() => new EnvHttpProxyAgent(options)) };
}

/** The library warns on every use that this part of it may change, which is nothing to a user. */
function quietly<Made>(make: () => Made): Made {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return make();
  } finally {
    process.emitWarning = emitWarning;
  }
}
