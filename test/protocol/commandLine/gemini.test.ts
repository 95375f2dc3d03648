/** `skill-state run` with Gemini as the built command line has it: runs, failures, a run that goes on, and a key that is seen nowhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readTrace } from '../../../schemas/trace/trace';
import { endOf, runCommand, startCommand, temporaryFolder } from '../../support/commandLine';
import { type Answer, type GeminiServer, retryInfo, startGeminiServer } from '../../support/geminiServer';
import { repository, scriptedModel } from '../../support/memoryRun';
import { modelRequest } from '../../support/modelRequest';

const folder = temporaryFolder();
const key = 'AIzaSyPlanted-Key_0123456789';
const warehouse = join(repository, 'samples', 'warehouse');
let server: GeminiServer;

afterAll(() => folder.remove());

beforeEach(async () => {
  server = await startGeminiServer({ key, answer: ({ prompt }) => scripted(prompt) });
  vi.stubEnv('GEMINI_API_KEY', key);
  vi.stubEnv('GOOGLE_API_KEY', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function scripted(prompt: string): Promise<Answer> {
  let text = '';
  const { signal } = new AbortController();
  for await (const event of scriptedModel({ name: 'warehouse' }).generate(modelRequest({ prompt }), signal))
    if (event.type === 'text') text += event.text;
  return { kind: 'reply', text, pieces: [text.slice(0, 30), text.slice(30)] };
}

const flags = (trace: string) => [
  ...['run', warehouse, '--model', 'gemini:gemini-2.5-flash', '--base-url', server.baseUrl],
  ...['--decoding', 'free', '--horizon', '4', '--trace', trace, '--json'],
];

const traceOf = (name: string) => readFileSync(join(folder.path, name), 'utf8');
const recordsOf = (name: string) => readTrace(readFileSync(join(folder.path, name))).records;

describe('run with Gemini', () => {
  it('runs, reports what Gemini counted, and writes the key nowhere', async () => {
    const { code, stdout, stderr } = await runCommand(flags('a.skilltrace.jsonl'), folder.path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'gemini:gemini-2.5-flash',
      steps: 4,
      score: 1,
      outcome: 'completed',
      tokens: { source: 'reported' },
    });
    expect(server.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual([key, key, key, key]);
    expect(recordsOf('a.skilltrace.jsonl')[0]).toMatchObject({
      model: {
        name: 'gemini:gemini-2.5-flash',
        settings: { baseUrl: server.baseUrl, decoding: 'free', encoding: 'free' },
      },
    });
    expect(stdout + traceOf('a.skilltrace.jsonl')).not.toContain(key);
  });

  it('says that a key is missing, or not taken, before there is a trace', async () => {
    vi.stubEnv('GEMINI_API_KEY', '');
    const missing = await runCommand(flags('none.skilltrace.jsonl'), folder.path);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(
      /A key for Gemini at http:\/\/127\.0\.0\.1:\d+ is needed\. Set .*GEMINI_API_KEY/,
    );
    expect(() => traceOf('none.skilltrace.jsonl')).toThrow();
    const wrong = 'AIzaSyAnother-Key_0123456789';
    vi.stubEnv('GEMINI_API_KEY', wrong);
    const refused = await runCommand(flags('refused.skilltrace.jsonl'), folder.path);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/doesn't take the key \("API key not valid\./);
    expect(refused.stdout + refused.stderr + traceOf('refused.skilltrace.jsonl')).not.toContain(wrong);
  });

  it('says that there are no credentials for Vertex AI, and nothing of where they were looked for', async () => {
    for (const name of ['HOME', 'APPDATA']) vi.stubEnv(name, folder.path);
    for (const name of ['GOOGLE_APPLICATION_CREDENTIALS', 'METADATA_SERVER_DETECTION', 'GCE_METADATA_HOST'])
      vi.stubEnv(name, '');
    const args = [...flags('vertex.skilltrace.jsonl'), '--vertex-project', 'my-project'];
    const { code, stderr } = await runCommand(args, folder.path);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^skill-state: Vertex AI at .* there are none that can be used\. Sign in .*\.\n$/);
  });

  it('makes a request again that failed for a while, and records that', async () => {
    const details = [retryInfo('0.01s')];
    server.answer(({ prompt }, nth) =>
      nth === 1 ? { kind: 'error', code: 429, status: 'RESOURCE_EXHAUSTED', details } : scripted(prompt),
    );
    const { code } = await runCommand(flags('again.skilltrace.jsonl'), folder.path);
    expect(code).toBe(0);
    const attempts = recordsOf('again.skilltrace.jsonl').filter((record) => record.kind === 'attempt');
    expect(attempts).toHaveLength(4);
    expect(attempts[1]?.failures).toMatchObject([{ class: 'rate-limit', wait: 10 }]);
  });

  it('stops where the server is gone, and goes on when it is back', async () => {
    // Also where the request is made again, since the connection was an idle one.
    server.answer(({ prompt }, nth) => (nth >= 2 ? { kind: 'reset' } : scripted(prompt)));
    const stopped = await runCommand([...flags('b.skilltrace.jsonl'), '--request-retries', '0'], folder.path);
    expect(stopped.code).toBe(1);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ outcome: 'stopped', steps: 2 });
    expect(stopped.stdout + stopped.stderr).toMatch(/The connection to Gemini at .* failed/);
    server.answer(({ prompt }) => scripted(prompt));
    const resumed = await runCommand(['run', '--resume', 'b.skilltrace.jsonl', '--json'], folder.path);
    expect(resumed.stderr).toBe('');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: 'completed', steps: 4, score: 1 });
    expect(traceOf('b.skilltrace.jsonl')).not.toContain(key);
  });

  it('gives the connection up when it is interrupted in the middle of an answer', async () => {
    server.answer({ kind: 'reply', text: 'Hello there.', hang: true });
    const child = startCommand(flags('c.skilltrace.jsonl'), folder.path);
    const end = endOf(child);
    const request = await server.nextRequest();
    child.kill('SIGINT');
    await expect(request.closed).resolves.toBe('gone');
    expect(JSON.parse((await end).stdout)).toMatchObject({ outcome: 'cancelled' });
  });

  it('speaks to nobody else than the server that is named, and says nothing on the side', async () => {
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
    vi.stubEnv('GOOGLE_API_KEY', 'AIzaSyOther-Key_0123456789');
    vi.stubEnv('GOOGLE_GEMINI_BASE_URL', 'http://127.0.0.1:9');
    const { code, stderr } = await runCommand(flags('d.skilltrace.jsonl'), folder.path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
