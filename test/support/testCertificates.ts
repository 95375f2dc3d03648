/** Certificates that the VS Code of the tests is started with: one as the system has them, one by Node's variable. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificate, selfSignedCertificate } from './selfSignedCertificate';

/** The name of a server that exists nowhere: it is reached through a proxy alone. */
export const farHost = 'models.invalid';

/** Names the folder to the tests. */
const folderVariable = 'SKILL_STATE_TEST_CERTIFICATES';

/** `system`: in OpenSSL's list of the system, which has nothing else in it. `variable`: in NODE_EXTRA_CA_CERTS. */
export type Trusted = 'system' | 'variable';

/** Writes both, made anew. @returns the variables that VS Code is started with, and what removes the files */
export function makeTestCertificates(): {
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-certificates-'));
  for (const name of ['system', 'variable'] satisfies Trusted[]) {
    const { key, cert } = selfSignedCertificate(farHost);
    writeFileSync(join(folder, `${name}.key.pem`), key, { mode: 0o600 });
    writeFileSync(join(folder, `${name}.pem`), cert);
  }
  return {
    environment: {
      [folderVariable]: folder,
      SSL_CERT_FILE: join(folder, 'system.pem'),
      NODE_EXTRA_CA_CERTS: join(folder, 'variable.pem'),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A certificate that this process was started with, with its key. */
export function testCertificate(name: Trusted): Certificate {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error(`${folderVariable} names no folder`);
  return {
    key: readFileSync(join(folder, `${name}.key.pem`), 'utf8'),
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
  };
}
