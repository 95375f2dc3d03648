/** Google's application default credentials for tests: those of a workload, whose tokens a server of this machine gives. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TokenAnswer =
  | { readonly status: number; readonly body: object }
  /** Nothing is answered; `hang` is called when the token is asked for. */
  | { readonly hang: () => void };

export interface GoogleCredentials {
  /** For GOOGLE_APPLICATION_CREDENTIALS. */
  readonly file: string;
  /** Variables of an environment without any credentials, in which none are looked for on the network. */
  readonly none: Readonly<Record<string, string>>;
  answer(answer: TokenAnswer): void;
  close(): Promise<void>;
}

/** An answer that gives a token. */
export function grantedToken(token: string): TokenAnswer {
  return {
    status: 200,
    body: {
      access_token: token,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3600,
    },
  };
}

export async function startGoogleCredentials(): Promise<GoogleCredentials> {
  let answer: TokenAnswer = { status: 400, body: { error: 'invalid_grant' } };
  const server = createServer((message, response) => {
    message.resume();
    if ('hang' in answer) return answer.hang();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-credentials-'));
  const subject = join(folder, 'subject-token');
  writeFileSync(subject, 'subject');
  const file = join(folder, 'credentials.json');
  const credentials = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://127.0.0.1:${port}/v1/token`,
    credential_source: { file: subject },
  };
  writeFileSync(file, JSON.stringify(credentials));
  return {
    file,
    none: {
      HOME: folder,
      APPDATA: folder,
      METADATA_SERVER_DETECTION: 'none',
      GOOGLE_APPLICATION_CREDENTIALS: '',
    },
    answer: (given) => {
      answer = given;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
