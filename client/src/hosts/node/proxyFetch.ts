/**
 * The command line's way to the network: through the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name. Node itself reads
 * NODE_EXTRA_CA_CERTS for certificates of one's own. VS Code has a `fetch` of its own that does both.
 */
import type { ProxyAgent } from 'undici';
import { codeOf, ProxyFailure } from '../../models/http/connectionFailure';
import type { Fetch } from '../../models/http/fetch';
import { isLoopback } from '../../models/services';
import { fetchThrough } from './patientFetch';

type Variables = Readonly<Record<string, string | undefined>>;

/** A variable that names a proxy. */
interface NamedProxy {
  readonly variable: string;
  readonly url: string;
}

/**
 * A `fetch` that goes through proxies where a variable names one. This machine is never reached through a proxy, which would
 * look for the server on another one.
 *
 * @param variables of the environment, of which lower case counts before upper case
 * @param direct for all that goes through none
 */
export function createProxyFetch(variables: Variables, direct: Fetch): Fetch {
  const proxyOf = (variable: string): NamedProxy | undefined => {
    const url = variables[variable.toLowerCase()]?.trim() || variables[variable]?.trim();
    return url ? { variable, url } : undefined;
  };
  const http = proxyOf('HTTP_PROXY');
  const https = proxyOf('HTTPS_PROXY') ?? http;
  if (http === undefined && https === undefined) return direct;
  const exceptions = exceptionsOf(proxyOf('NO_PROXY')?.url ?? '');
  const agents = new Map<string, ProxyAgent>();
  return async (input, init) => {
    const url = new URL(input);
    const proxy = url.protocol === 'https:' ? https : http;
    if (proxy === undefined || isLoopback(url.href) || exceptions.some((isExcepted) => isExcepted(url)))
      return direct(input, init);
    const undici = await import('undici');
    try {
      const dispatcher = agents.get(proxy.url) ?? agentOf(proxy, undici);
      agents.set(proxy.url, dispatcher);
      return await fetchThrough(undici, dispatcher, input, init);
    } catch (error) {
      throw init?.signal?.aborted ? error : throughProxy(error, proxy);
    }
  };
}

function agentOf({ variable, url }: NamedProxy, { ProxyAgent }: typeof import('undici')): ProxyAgent {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol)) {
    const message = `${variable} names no proxy that can be used: write it like http://proxy.example:8080.`;
    throw new ProxyFailure(message, { retryable: false });
  }
  // Many proxies tunnel to https alone.
  return new ProxyAgent({ uri: whole, proxyTunnel: false });
}

/** The codes of a proxy that can't be reached; all others are of the server behind it. */
const unreachable: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function throughProxy(error: unknown, { variable }: NamedProxy): unknown {
  const code = codeOf(error);
  if (code !== undefined && unreachable.has(code)) {
    const message = `the proxy that ${variable} names can't be reached (${code}). Correct the variable, or name the server in NO_PROXY.`;
    return new ProxyFailure(message, { retryable: true, cause: error });
  }
  const status = refusalOf(error);
  if (status === undefined) return error;
  const why =
    status === '407'
      ? 'wants a user name and a password, as in http://name:password@proxy:8080'
      : `refused with status ${status}`;
  return new ProxyFailure(`the proxy that ${variable} names ${why}.`, {
    retryable: status.startsWith('5'),
    cause: error,
  });
}

/** The status with which a proxy opened no tunnel, which the library tells in words alone, somewhere in the causes. */
function refusalOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const status = /^Proxy response \((\d+)\)/.exec(current.message)?.[1];
    if (status !== undefined) return status;
    current = current.cause;
  }
  return undefined;
}

/** What NO_PROXY leaves out: names with all below them, also `.name` and `*.name`, with a port or without, or `*` for all. */
function exceptionsOf(text: string): readonly ((url: URL) => boolean)[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, name = entry, port] = /^(.+?):(\d+)$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '');
      return ({ hostname, port: given, protocol }) => {
        if (host === '*') return true;
        const own = given === '' ? (protocol === 'https:' ? '443' : '80') : given;
        return (port === undefined || port === own) && (hostname === host || hostname.endsWith(`.${host}`));
      };
    });
}
