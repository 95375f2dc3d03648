/** VS Code's way to the network, as far as its failures are put into words. */
import { describe, expect, it } from 'vitest';
import { createEditorFetch, type EditorNetwork } from '../../../client/src/hosts/editorFetch';
import { connectionFailure } from '../../../client/src/models/http/connectionFailure';

const plain: EditorNetwork = { proxy: '', trustsSystem: true };

/** What a user reads where a request fails with what the library throws. */
async function said(cause: object, network: EditorNetwork): Promise<string> {
  const failing = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('It failed'), cause) });
  };
  const fetch = createEditorFetch(() => network, failing);
  return fetch('https://models.invalid/v1/models').then(
    () => 'It did not fail.',
    (error: unknown) => connectionFailure(error, 'https://models.invalid').message,
  );
}

describe("VS Code's way to the network", () => {
  it('says where VS Code looks for certificates, by its settings', async () => {
    const certificate = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    const beginning =
      "The certificate of https://models.invalid can't be trusted (DEPTH_ZERO_SELF_SIGNED_CERT): where a proxy or the server has one of its own, ";
    expect(await said(certificate, plain)).toBe(
      `${beginning}add its authority to the certificates that the system trusts and start VS Code anew, or turn off "http.systemCertificates" and name it in NODE_EXTRA_CA_CERTS.`,
    );
    expect(await said(certificate, { ...plain, trustsSystem: false })).toBe(
      `${beginning}name its authority in NODE_EXTRA_CA_CERTS where VS Code is started, or turn on "http.systemCertificates" and add it to those that the system trusts.`,
    );
  });

  it('says that it is the proxy that is not there, and not of a server', async () => {
    const network = { ...plain, proxy: 'http://127.0.0.1:3128' };
    const refused = { code: 'ECONNREFUSED', address: '127.0.0.1', port: 3128 };
    const reason = /^No request reaches https:\/\/models\.invalid: the proxy that the setting "http\.proxy"/;
    expect(await said(refused, network)).toMatch(reason);
    expect(await said({ code: 'ENOTFOUND', hostname: 'gate' }, { ...plain, proxy: 'http://gate' })).toMatch(
      reason,
    );
    expect(await said({ ...refused, port: 3129 }, network)).toMatch(/^There is no answer from https/);
    expect(await said(refused, plain)).toMatch(/^There is no answer from https/);
  });

  it('leaves what was given up alone', async () => {
    const given = new AbortController();
    const reason = Object.assign(new Error('Enough'), { code: 'CERT_REJECTED' });
    given.abort(reason);
    const fetch = createEditorFetch(
      () => plain,
      () => Promise.reject(reason),
    );
    await expect(fetch('https://models.invalid', { signal: given.signal })).rejects.toBe(reason);
  });
});
