/** Which key goes where: to the origins that it is for, whatever else asks for it. */
import { describe, expect, it } from 'vitest';
import { commandKeys, createEnvironmentKeys } from '../../../client/src/hosts/node/keys';
import type { KeyOwner } from '../../../client/src/models/modelResources';

const { signal } = new AbortController();
const variables = { OPENAI_API_KEY: 'sk-open', GEMINI_API_KEY: 'AIza-gemini', GOOGLE_API_KEY: 'AIza-google' };
const openai = (origin: string): KeyOwner => ({ provider: 'openai', origin, required: true });
const gemini = (origin: string): KeyOwner => ({ provider: 'gemini', origin, required: true });
const google = 'https://generativelanguage.googleapis.com';

const strangers = [
  'https://models.invalid',
  'https://api.openai.com.models.invalid',
  'http://api.openai.com',
  'https://api.openai.com:8443',
  'https://127.0.0.1.models.invalid',
  'https://localhost.models.invalid',
  'https://generativelanguage.googleapis.com.models.invalid',
  'http://10.0.0.7:8080',
  'http://0.0.0.0:8080',
  'null',
  '',
];

describe('keys of the environment', () => {
  const keys = createEnvironmentKeys({ variables });

  it('go to the service that they are for, and on this machine to a server that asks for one', async () => {
    for (const origin of [
      'https://api.openai.com',
      'http://127.0.0.1:8080',
      'http://localhost:1234',
      'http://[::1]:80',
    ])
      expect(await keys.get(openai(origin), signal)).toBe('sk-open');
    for (const origin of [google, 'http://127.0.0.1:1'])
      expect(await keys.get(gemini(origin), signal)).toBe('AIza-gemini');
  });

  it('go to no server on this machine that may do without', async () => {
    const owners = [
      openai('http://127.0.0.1:8080'),
      openai('http://localhost:1234'),
      openai('http://[::1]:80'),
    ];
    for (const owner of owners) {
      expect(await keys.get({ ...owner, required: false }, signal)).toBeUndefined();
      expect(keys.advice({ ...owner, required: false })).toBe('Check the key in OPENAI_API_KEY.');
    }
    // Whose URL a person gave to the command is sent it at once.
    const named = commandKeys(variables, 'http://127.0.0.1:8080/v1');
    const [first, second] = await Promise.all(
      owners.slice(0, 2).map((owner) => named.get({ ...owner, required: false }, signal)),
    );
    expect([first, second]).toEqual(['sk-open', undefined]);
  });

  it('go nowhere else', async () => {
    for (const origin of [...strangers, google])
      expect(await keys.get(openai(origin), signal)).toBeUndefined();
    for (const origin of [...strangers, 'https://api.openai.com'])
      expect(await keys.get(gemini(origin), signal)).toBeUndefined();
    expect(keys.advice(openai('https://models.invalid'))).toBe(
      'OPENAI_API_KEY is not sent to https://models.invalid.',
    );
  });

  it('are taken from the first variable that has one, without blanks', async () => {
    const given = (more: Record<string, string>) => createEnvironmentKeys({ variables: more });
    expect(await given({ GOOGLE_API_KEY: ' k \n' }).get(gemini(google), signal)).toBe('k');
    expect(await given({ GEMINI_API_KEY: ' ', GOOGLE_API_KEY: 'k' }).get(gemini(google), signal)).toBe('k');
    expect(await given({}).get(gemini(google), signal)).toBeUndefined();
    expect(given({}).advice(gemini(google))).toBe(
      'Set GEMINI_API_KEY or GOOGLE_API_KEY to a key for https://generativelanguage.googleapis.com.',
    );
    expect(given({}).advice(openai('https://api.openai.com'))).toBe(
      'Set OPENAI_API_KEY to a key for https://api.openai.com.',
    );
    expect(keys.advice(openai('https://api.openai.com'))).toBe('Check the key in OPENAI_API_KEY.');
  });

  it('are not given to who has left', async () => {
    const aborted = AbortSignal.abort(new Error('gone'));
    await expect(keys.get(openai('https://api.openai.com'), aborted)).rejects.toThrow('gone');
  });
});

describe('keys of a command', () => {
  it('go to what its flag and OPENAI_BASE_URL name, and to no neighbour of that', async () => {
    const given = { ...variables, OPENAI_BASE_URL: 'https://gateway.invalid/openai/v1' };
    const keys = commandKeys(given, 'https://models.invalid:8443/v1');
    for (const origin of ['https://models.invalid:8443', 'https://gateway.invalid', 'https://api.openai.com'])
      expect(await keys.get(openai(origin), signal)).toBe('sk-open');
    for (const origin of [
      'https://models.invalid',
      'http://models.invalid:8443',
      'https://a.models.invalid:8443',
      'https://gateway.invalid:444',
    ])
      expect(await keys.get(openai(origin), signal)).toBeUndefined();
  });

  it("send OpenAI's key alone to what OPENAI_BASE_URL names", async () => {
    const given = { ...variables, OPENAI_BASE_URL: 'https://gateway.invalid/v1', GEMINI_API_KEY: 'g' };
    const owner = { provider: 'gemini', origin: 'https://gateway.invalid', required: true } as const;
    expect(await commandKeys(given, undefined).get(owner, signal)).toBeUndefined();
    expect(await commandKeys(given, 'https://gateway.invalid/v1').get(owner, signal)).toBe('g');
  });

  it('say how a URL is named', () => {
    expect(commandKeys(variables, undefined).advice(openai('https://models.invalid'))).toBe(
      'OPENAI_API_KEY is not sent to https://models.invalid: that is done only where --base-url or the variable OPENAI_BASE_URL names it.',
    );
  });

  it('take no text for a URL that is none', async () => {
    const keys = commandKeys({ ...variables, OPENAI_BASE_URL: 'models' }, 'file:///models');
    for (const origin of strangers) expect(await keys.get(openai(origin), signal)).toBeUndefined();
  });
});
