/**
 * One run of the warehouse, recorded through each provider: the traces differ in who answered, what that cost and whether it
 * is said why a reply ended, and in nothing else.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { createEditorModels, type EditorChat } from '../../../client/src/hosts/editorModels';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import type { ModelResources } from '../../../client/src/models/modelResources';
import type { Encoding } from '../../../client/src/models/modelSettings';
import { createModel } from '../../../client/src/models/registry';
import { createQueueAsker } from '../../../client/src/runtime/asker';
import type { Model } from '../../../client/src/runtime/model';
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject } from '../../../schemas/json/jsonValue';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { type GeminiServer, startGeminiServer } from '../../support/geminiServer';
import { type MemoryRunOptions, memoryRun, scriptedModel, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';
import { modelRequest } from '../../support/modelRequest';
import { type OpenAiServer, startOpenAiServer } from '../../support/openaiServer';

const { signal } = new AbortController();
const faults = { faults: 0.5, faultSeed: 4 };
const settings: MemoryRunOptions = { options: { horizon: 25, seed: 11, maxRetries: 2 } };

/** What the scripted model says to a prompt, with its faults where it is held to nothing. */
async function scriptedReply(prompt: string, encoding: Encoding = 'free'): Promise<string> {
  let text = '';
  const model = scriptedModel({ name: 'warehouse' }, encoding === 'free' ? faults : {});
  for await (const event of model.generate(modelRequest({ prompt }), signal))
    if (event.type === 'text') text += event.text;
  return text;
}

/** The scripted reply as a model writes it under an encoding. */
function encoded(reply: string, encoding: Encoding): string {
  if (encoding === 'free') return reply;
  const [, reasoning = '', block = '{}'] = /^(.*?)\n\n```json\n(.*)\n```\n$/s.exec(reply) ?? [];
  const { state_patch, action } = JSON.parse(block);
  return JSON.stringify({
    reasoning,
    state_patch: encoding === 'operations' ? operationsOf(state_patch) : state_patch,
    action,
  });
}

function operationsOf(patch: JsonObject, path: JsonPath = []): readonly object[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const here = [...path, key];
    if (value === null) return [{ op: 'delete', path: formatPointer(here) }];
    return isJsonObject(value)
      ? operationsOf(value, here)
      : [{ op: 'set', path: formatPointer(here), value }];
  });
}

function inTwoPieces(text: string) {
  return { kind: 'reply' as const, text, pieces: [text.slice(0, 40), text.slice(40)] };
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield* inTwoPieces(text).pieces;
}

const servers: (OpenAiServer | GeminiServer)[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

function modelOf(name: string, resources: Partial<ModelResources> = {}): Model {
  const keys = { get: async () => 'planted-key-0123456789', advice: () => 'Give one.' };
  const asker = { ask: async () => undefined };
  return createModel(name, { asker, environment: 'warehouse', sha256, keys, ...resources });
}

/** Each provider's model, which says what the scripted one says. */
const providers: Readonly<Record<string, (encoding: Encoding) => Promise<Model>>> = {
  openai: async (decoding) => {
    const server = await startOpenAiServer({
      answer: async ({ body }) =>
        inTwoPieces(
          encoded(
            await scriptedReply(body.messages.map(({ content }) => content).join(''), decoding),
            decoding,
          ),
        ),
    });
    servers.push(server);
    return modelOf('openai:test-model', { settings: { baseUrl: server.baseUrl, decoding } });
  },
  gemini: async (decoding) => {
    const server = await startGeminiServer({
      answer: async ({ prompt }) => inTwoPieces(encoded(await scriptedReply(prompt, decoding), decoding)),
    });
    servers.push(server);
    return modelOf('gemini:gemini-2.5-flash', { settings: { baseUrl: server.baseUrl, decoding } });
  },
  vscode: async () => {
    const chat: EditorChat = {
      ...{ vendor: 'test', family: 'test', id: 'test', name: 'Test', maxInputTokens: 100_000 },
      async send(prompt) {
        return piecesOf(await scriptedReply(prompt));
      },
      countTokens: async (text) => text.length,
    };
    const editorModels = createEditorModels({ select: async () => [chat], refusalOf: () => undefined });
    return modelOf('vscode:test/test/test', { editorModels });
  },
  manual: async () => {
    const { records } = await scriptedRun();
    const replies = records.flatMap((record) => (record.kind === 'attempt' ? [record.reply] : []));
    return modelOf('manual', { asker: createQueueAsker(replies) });
  },
  replay: async () => {
    const { records } = await scriptedRun();
    return modelOf('replay:run.skilltrace.jsonl', { openRecording: () => readerOf(traceText(records)) });
  },
};

function modelThrough(name: string, encoding: Encoding = 'free'): Promise<Model> {
  const make = providers[name];
  if (make === undefined) throw new Error(`No ${name}`);
  return make(encoding);
}

async function scriptedRun() {
  const run = await memoryRun({ ...settings, ...faults });
  await run.finish();
  return run;
}

/** A record without who answered, and what is counted of it. */
function story(record: TraceRecord): object {
  if (record.kind === 'run') return { ...record, model: undefined };
  if (record.kind !== 'attempt') return record;
  const { tokens: _tokens, cost: _cost, ...rest } = record;
  return rest;
}

function withoutFinish(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'finish'));
}

describe('the same run', () => {
  it('has replies of all kinds in it', async () => {
    const { records } = await scriptedRun();
    const kinds = new Set(records.map(({ kind }) => kind));
    for (const kind of ['attempt', 'rejection', 'commit', 'outcome', 'warning'])
      expect(kinds).toContain(kind);
  });

  it.each(Object.keys(providers))('is recorded through %s as it is by the scripted model', async (name) => {
    const scripted = await scriptedRun();
    const run = await memoryRun({ ...settings, model: await modelThrough(name) });
    await run.finish();
    // VS Code doesn't say why a reply ended.
    const isTold = name !== 'vscode';
    const told = scripted.records.map(story).map((record) => (isTold ? record : withoutFinish(record)));
    expect(run.records.map(story)).toEqual(told);
    expect(run.records[0]).not.toMatchObject({ model: { name: 'scripted' } });
    const attempts = run.records.filter((record) => record.kind === 'attempt');
    const sources = new Set(attempts.map(({ tokens }) => tokens.source));
    expect([...sources]).toEqual([['openai', 'gemini'].includes(name) ? 'reported' : 'estimated']);
  });

  it.each([
    ['openai', 'json-schema'],
    ['openai', 'operations'],
    ['gemini', 'json-schema'],
    ['gemini', 'operations'],
  ] as const)('is the same through %s where replies are held to a format by %s', async (name, encoding) => {
    const scripted = await memoryRun(settings);
    await scripted.finish();
    const run = await memoryRun({ ...settings, model: await modelThrough(name, encoding) });
    await run.finish();
    // The replies are the model's text.
    const withoutReplies = (records: readonly TraceRecord[]) =>
      records.map((record) => (record.kind === 'attempt' ? { ...story(record), reply: '' } : story(record)));
    expect(withoutReplies(run.records)).toEqual(withoutReplies(scripted.records));
    const [attempt] = run.records.filter((record) => record.kind === 'attempt');
    expect(attempt?.reply).toMatch(/^[^{`]+\n\n```json\n\{.*\}\n```$/s);
  });

  it.each(['openai', 'gemini', 'vscode', 'manual'])(
    'is replayed from its recording through %s with the same states',
    async (name) => {
      const recorded = await memoryRun({ ...settings, model: await modelThrough(name) });
      await recorded.finish();
      const text = traceText(recorded.records);
      const model = modelOf('replay:run.skilltrace.jsonl', { openRecording: () => readerOf(text) });
      const replayed = await memoryRun({ ...settings, model });
      await replayed.finish();
      expect(replayed.phases.map(({ state }) => state)).toEqual(recorded.phases.map(({ state }) => state));
      const withTokens = (records: readonly TraceRecord[]) =>
        records.map((record) => {
          if (record.kind === 'run') return { ...record, model: undefined };
          return record.kind === 'attempt' ? { ...record, cost: undefined } : record;
        });
      expect(withTokens(replayed.records)).toEqual(withTokens(recorded.records));
    },
  );
});
