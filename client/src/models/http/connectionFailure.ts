/** Why a server couldn't be reached, or was lost, in words for the user. */
import { ModelFailure } from '../../runtime/model';
import { shortened } from '../../runtime/quotation';

/** Node's and undici's codes for certificates that aren't trusted. */
const certificateCodes: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const timeoutCodes: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** The library's own limits, which the command line has off and VS Code has not. */
const editorTimeoutCodes: ReadonlySet<string> = new Set(['UND_ERR_BODY_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT']);

/** Whether a connection was given up by the network of the editor, which waits no longer than it does by itself. */
export function isEditorTimeout(error: unknown): boolean {
  return editorTimeoutCodes.has(codeOf(error) ?? '');
}

/** The codes of a connection that was to be secure, to a server that has nothing of the kind. */
const plainCodes: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_WRONG_VERSION_NUMBER',
]);

/** Codes of a network that fails, other than the ones above. */
const networkCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
]);

/** Whether a code is that of a network, rather than of what was asked over it. */
export function isNetworkCode(code: string | undefined): boolean {
  return (
    code !== undefined && [networkCodes, timeoutCodes, certificateCodes].some((codes) => codes.has(code))
  );
}

/** Whether a code says that a certificate isn't trusted. */
export function isCertificateCode(code: string): boolean {
  return certificateCodes.has(code) || code.startsWith('ERR_SSL_');
}

/** The code of what `fetch` threw, which lies in its causes: `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    current =
      current instanceof AggregateError && current.errors.length > 0 ? current.errors[0] : current.cause;
  }
  return undefined;
}

/** A proxy on the way that can't be used. `message` is the rest of a sentence that begins with the server. */
export class ProxyFailure extends Error {
  override readonly name: string = 'ProxyFailure';
  readonly retryable: boolean;

  constructor(
    message: string,
    { retryable, cause }: { readonly retryable: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.retryable = retryable;
  }
}

/** A certificate that isn't trusted, where the host knows what to do about it; its code lies in its causes. */
export class CertificateFailure extends Error {
  override readonly name: string = 'CertificateFailure';

  /** @param message what to do, the rest of a sentence */
  constructor(message: string, { cause }: { readonly cause: unknown }) {
    super(message, { cause });
  }
}

/**
 * What is said of a `fetch` that threw, or of a body that broke off.
 *
 * @param server its origin, or its title and origin
 * @param unreachable what to do where nothing listens there, the rest of a sentence
 */
export function connectionFailure(cause: unknown, server: string, unreachable?: string): ModelFailure {
  if (cause instanceof ProxyFailure) {
    const { message, retryable } = cause;
    return new ModelFailure(`No request reaches ${server}: ${message}`, {
      class: 'connection',
      retryable,
      cause,
    });
  }
  const code = codeOf(cause);
  const because = code === undefined ? '' : ` (${code})`;
  if (isEditorTimeout(cause)) {
    const message = `${capitalized(server)} sent nothing for as long as VS Code waits${because}, which is 300 seconds whatever the timeout says: make the reply shorter by maxTokens, or run the skill by the command line, which waits longer.`;
    return new ModelFailure(message, { class: 'timeout', retryable: true, cause });
  }
  if (code !== undefined && timeoutCodes.has(code)) {
    const message = `${capitalized(server)} took too long to answer${because}: check the network, or resume later.`;
    return new ModelFailure(message, { class: 'timeout', retryable: true, cause });
  }
  if (code !== undefined && plainCodes.has(code)) {
    const message = `${capitalized(server)} doesn't speak TLS${because}: does its address begin with http:// instead of https://?`;
    return new ModelFailure(message, { class: 'connection', retryable: false, cause });
  }
  if (code?.startsWith('HPE_')) {
    const message = `What ${server} answers is not HTTP${because}: check the address.`;
    return new ModelFailure(message, { class: 'malformed-stream', retryable: false, cause });
  }
  if (code === undefined && cause instanceof Error && cause.name === 'AbortError') {
    const message = `The request to ${server} was given up outside of the run: resume it.`;
    return new ModelFailure(message, { class: 'cancelled', retryable: false, cause });
  }
  if (code !== undefined && isCertificateCode(code)) {
    const advice = cause instanceof CertificateFailure ? cause.message : nodeAdvice;
    const message = `The certificate of ${server} can't be trusted${because}: where a proxy or the server has one of its own, ${advice}`;
    return new ModelFailure(message, { class: 'connection', retryable: false, cause });
  }
  const options = { class: 'connection', retryable: true, cause } as const;
  switch (code) {
    case 'ECONNREFUSED':
      return new ModelFailure(
        `There is no answer from ${server}${because}: ${unreachable ?? 'check the address, and that the server runs.'}`,
        options,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ModelFailure(
        `${nameText(cause, server)} can't be found${because}: check the address and the network.`,
        options,
      );
    default:
      return new ModelFailure(
        `The connection to ${server} failed${because}: check the address and the network.`,
        options,
      );
  }
}

/** The host that was looked for, where an error names it, as Node's do. */
function nameText(error: unknown, server: string): string {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if ('hostname' in current && typeof current.hostname === 'string') {
      const host = shortened(current.hostname, 100);
      return server.includes(host) ? `The name of ${server}` : `The name ${host} of ${server}`;
    }
    current = current.cause;
  }
  return `The name of ${server}`;
}

const nodeAdvice = 'name its authority in NODE_EXTRA_CA_CERTS.';

/** At the beginning of a sentence. */
function capitalized(server: string): string {
  return server.replace(/^the /, 'The ');
}
