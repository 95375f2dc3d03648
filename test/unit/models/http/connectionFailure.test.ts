/** What is said of connections that fail. */
import { expect, it } from 'vitest';
import { connectionFailure } from '../../../../client/src/models/http/connectionFailure';

it.each([
  ['OpenAI', 'api.openai.com', 'The name api.openai.com of OpenAI'],
  ['the server at http://gone.invalid:1', 'gone.invalid', 'The name of the server at http://gone.invalid:1'],
  ['OpenAI', undefined, 'The name of OpenAI'],
])('names the host of %s that is not found', (server, hostname, name) => {
  const cause = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', hostname });
  const { message } = connectionFailure(new TypeError('fetch failed', { cause }), server);
  expect(message).toBe(`${name} can't be found (ENOTFOUND): check the address and the network.`);
});
