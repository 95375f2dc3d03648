/**
 * VS Code's way to the network: its own `fetch`, which goes through the proxies that it is set to and trusts the certificates
 * that it trusts. Why a request failed is said in terms of its settings. Free of VS Code.
 */
import {
  CertificateFailure,
  codeOf,
  isCertificateCode,
  isNetworkCode,
  ProxyFailure,
} from '../models/http/connectionFailure';
import type { Fetch } from '../models/http/fetch';

/** What VS Code's settings say of the network. */
export interface EditorNetwork {
  /** `http.proxy`; empty where there is none. */
  readonly proxy: string;
  /** `http.systemCertificates`. */
  readonly trustsSystem: boolean;
}

/**
 * @param network asked where a request has failed
 * @param fetch VS Code's; by default the global one at the time of each request
 */
export function createEditorFetch(
  network: () => EditorNetwork,
  fetch: Fetch = (...given) => globalThis.fetch(...given),
): Fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      throw init?.signal?.aborted ? error : explained(error, network());
    }
  };
}

function explained(error: unknown, { proxy, trustsSystem }: EditorNetwork): unknown {
  const code = codeOf(error);
  if (code !== undefined && isCertificateCode(code)) {
    // With this setting, VS Code's `fetch` has no ear for the variable.
    const advice = trustsSystem
      ? 'add its authority to the certificates that the system trusts and start VS Code anew, or turn off "http.systemCertificates" and name it in NODE_EXTRA_CA_CERTS.'
      : 'name its authority in NODE_EXTRA_CA_CERTS where VS Code is started, or turn on "http.systemCertificates" and add it to those that the system trusts.';
    return new CertificateFailure(advice, { cause: error });
  }
  if (isNetworkCode(code) && isAtProxy(error, proxy)) {
    const message = `the proxy that the setting "http.proxy" names can't be reached (${code}). Correct the setting, or name the server in "http.noProxy".`;
    return new ProxyFailure(message, { retryable: true, cause: error });
  }
  return error;
}

/** Whether what failed is the way to the proxy, by the address that lies in the causes. */
function isAtProxy(error: unknown, proxy: string): boolean {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url === undefined) return false;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const hostname: unknown = Reflect.get(current, 'hostname');
    const address: unknown = Reflect.get(current, 'address');
    // A name that isn't found has no address yet.
    if (hostname === url.hostname) return true;
    if (typeof address === 'string' && Reflect.get(current, 'port') === port) return true;
    current =
      current instanceof AggregateError && current.errors.length > 0 ? current.errors[0] : current.cause;
  }
  return false;
}
