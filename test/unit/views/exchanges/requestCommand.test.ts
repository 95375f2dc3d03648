/** Requests as command lines: what real shells and a real curl make of them has to be the request, byte for byte. */
import { execFile, spawnSync } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  curlCommand,
  hasCommand,
  powerShellCommand,
} from '../../../../client/src/views/exchanges/requestCommand';
import type { SentRequestBody } from '../../../../schemas/messages/exchangeMessages';

const run = promisify(execFile);

const there = (program: string) => spawnSync(program, ['--version']).error === undefined;
const shells = ['bash', 'dash', 'zsh'].filter(
  (shell) => spawnSync(shell, ['-c', 'exit 0']).error === undefined,
);
const canRun = there('curl') && shells.length > 0;

const json = { 'content-type': 'application/json' };

function request(given: Partial<SentRequestBody>): SentRequestBody {
  return { method: 'POST', url: 'https://models.example/v1', headers: json, body: '{}', ...given };
}

describe('curlCommand', () => {
  it('reads like what people write', () => {
    const headers = { ...json, authorization: 'Bearer $OPENAI_API_KEY', 'content-length': '2', host: 'x' };
    const body = '{"stream": true, "text": "it\'s $HOME"}';
    expect(curlCommand(request({ headers, body }))).toBe(
      [
        ": 'Set OPENAI_API_KEY to the key of https://models.example first.'",
        'curl --request POST \\',
        '  --no-buffer \\',
        '  https://models.example/v1 \\',
        "  --header 'content-type: application/json' \\",
        '  --header "authorization: Bearer $OPENAI_API_KEY" \\',
        `  --data-raw '{"stream": true, "text": "it'\\''s $HOME"}'`,
      ].join('\n'),
    );
  });

  it('says whose key a variable has to have where it is not the one of its name, in PowerShell too', () => {
    const headers = { authorization: 'Bearer $OPENAI_API_KEY' };
    const lab = request({ headers, url: 'http://Lab:9000/v1/chat/completions' });
    expect(curlCommand(lab).split('\n')[0]).toBe(
      ": 'Set OPENAI_API_KEY to the key of http://lab:9000 first.'",
    );
    expect(powerShellCommand(lab).split('\n')[0]).toBe(
      '# Set OPENAI_API_KEY to the key of http://lab:9000 first.',
    );
    const own = request({ headers, url: 'https://api.openai.com/v1/chat/completions' });
    const keyless = request({ url: 'http://lab:9000/v1/chat/completions' });
    for (const one of [own, keyless]) {
      expect(curlCommand(one)).toMatch(/^curl /);
      expect(powerShellCommand(one)).toMatch(/^Invoke-WebRequest /);
    }
  });

  it('is there for what went over HTTP', () => {
    expect(hasCommand({ url: 'http://127.0.0.1:8080/v1/chat/completions' })).toBe(true);
    expect(hasCommand({ url: 'vscode:copilot/gpt' })).toBe(false);
  });
});

describe.skipIf(!canRun)('the command in a shell', () => {
  let server: Server;
  let origin = '';
  let received: { headers: IncomingHttpHeaders; url: string; method: string; body: string }[] = [];

  beforeAll(async () => {
    server = createServer((message, response) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const { headers, url = '', method = '' } = message;
        received.push({ headers, url, method, body: Buffer.concat(chunks).toString('utf8') });
        response.end('data: [DONE]\n\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** What the server gets where a person pastes commands, one after the other. */
  async function sent(shell: string, ...requests: readonly Partial<SentRequestBody>[]) {
    received = [];
    const commands = requests.map((given) => curlCommand(request({ url: `${origin}/v1`, ...given })));
    const env = { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-\'$quoted" key!', NO_PROXY: '*' };
    const pasting = run(shell, ['-s'], { env, maxBuffer: 1 << 24 });
    pasting.child.stdin?.end(`${commands.join('\n')}\n`);
    const { stdout } = await pasting;
    expect(stdout).toBe('data: [DONE]\n\n'.repeat(requests.length));
    return received;
  }

  const hostile = JSON.stringify({
    stream: true,
    text: 'it\'s "$HOME" `id` $(id) \\ \\n !! é 💡 \u2019 %s %n ~ * ? [a] {b,c} # ; & | <x> \u0000\u007f \ud800',
  });

  for (const shell of shells) {
    it(`sends the request once more from ${shell}: method, address, headers, body`, async () => {
      const headers = {
        ...json,
        authorization: 'Bearer $OPENAI_API_KEY',
        'x-both': 'a "quoted" $OPENAI_API_KEY it\'s $HOME!',
        'x-empty': '',
        'x-file': '@/etc/hostname',
      };
      const [got] = await sent(shell, {
        url: `${origin}/v1/a%20b?c=[d]&e={f}&alt=sse`,
        headers,
        body: hostile,
      });
      expect(got).toMatchObject({
        method: 'POST',
        url: '/v1/a%20b?c=[d]&e={f}&alt=sse',
        body: hostile,
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer sk-\'$quoted" key!',
          'x-both': 'a "quoted" sk-\'$quoted" key! it\'s $HOME!',
          'x-empty': '',
          'x-file': '@/etc/hostname',
        },
      });
    });

    it(`keeps bodies that are no JSON, begin with @, or are longer than an argument may be, in ${shell}`, async () => {
      const long = JSON.stringify({ text: `${hostile}\n`.repeat(3_000) });
      expect(long.length).toBeGreaterThan(300_000);
      const bodies = ['@/etc/hostname', 'a\nb\r\nc\n', '-', "'", "''", "\\'", '\t%d\n', long];
      const got = await sent(shell, ...bodies.map((body) => ({ body })));
      expect(got.map(({ body }) => body)).toEqual(bodies);
    });
  }

  it('keeps any body', async () => {
    const [shell = 'sh'] = shells;
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
      .filter((body) => !body.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 5, maxLength: 15 }), async (bodies) => {
        const got = await sent(shell, ...bodies.map((body) => ({ body })));
        expect(got.map(({ body }) => body)).toEqual(bodies);
      }),
      { numRuns: 3 },
    );
  });
});

describe('powerShellCommand', () => {
  it('writes texts in single quotes, typographic ones doubled too, and keys as variables of the environment', () => {
    const headers = { ...json, authorization: 'Bearer $OPENAI_API_KEY', 'user-agent': 'x', host: 'y' };
    const body = `{"text":"it's ‘so’ $HOME \`n"}`;
    expect(powerShellCommand(request({ headers, body }))).toBe(
      [
        '# Set OPENAI_API_KEY to the key of https://models.example first.',
        "Invoke-WebRequest -UseBasicParsing -Method 'POST' -Uri 'https://models.example/v1' `",
        "  -Headers @{ 'authorization' = ('Bearer ' + $env:OPENAI_API_KEY) } `",
        "  -ContentType 'application/json' `",
        `  -Body ([Text.Encoding]::UTF8.GetBytes('{"text":"it''s ‘‘so’’ $HOME \`n"}'))`,
      ].join('\n'),
    );
  });
});
