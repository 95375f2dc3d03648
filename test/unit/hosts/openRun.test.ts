/** Runs as they are opened on this machine: what is refused before a trace is there, and what their traces say. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenedRun, openRun, type RunRequest } from '../../../client/src/hosts/node/openRun';
import { redactionOf, SettingFailure } from '../../../client/src/hosts/node/participants';
import type { ModelSettings } from '../../../client/src/models/modelSettings';
import { readTrace } from '../../../schemas/trace/trace';
import { temporaryFolder } from '../../support/commandLine';
import { replyOf, repository } from '../../support/memoryRun';
import { startOpenAiServer } from '../../support/openaiServer';

const skill = join(repository, 'samples', 'warehouse');
const asker = { ask: async () => undefined };

let folder: ReturnType<typeof temporaryFolder>;
let trace: string;
beforeEach(() => {
  folder = temporaryFolder();
  trace = join(folder.path, 'run.skilltrace.jsonl');
});
afterEach(() => folder.remove());

function open(request: Partial<RunRequest>): Promise<OpenedRun> {
  const wholeRequest = { skill, trace: { file: trace }, options: { horizon: 2 }, callbacks: { asker } };
  return openRun({ ...wholeRequest, ...request });
}

describe('a run from which something is left out', () => {
  it.each([
    ['test-model', "the model's name"],
    ['127\\.0', "the model's setting baseUrl"],
    ['ware', "the environment's name"],
    ['state_\\w+', 'the words that every reply has'],
  ])('is refused where %s matches what it needs', async (pattern, what) => {
    const opening = open({
      model: 'openai:test-model',
      modelSettings: { baseUrl: 'http://127.0.0.1:9/v1', decoding: 'free' },
      redaction: redactionOf([pattern]),
      // The skill itself names the environment.
      ...(pattern === 'ware' && { environment: 'warehouse' }),
    });
    const failure = await opening.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SettingFailure);
    const { message } = failure instanceof SettingFailure ? failure : new Error();
    // The skill's own text may be what is needed first.
    if (message.includes(' matches ')) expect(message).toContain(` matches ${what}, and the run can't go on`);
    else expect(message).toContain('leaves no skill that can be run');
    expect(existsSync(trace)).toBe(false);
  });

  it('is opened where its patterns match none of that', async () => {
    const run = await open({ redaction: redactionOf(['item_\\d+']) });
    await run.execution.start(new AbortController().signal);
    run.close();
    expect(readTrace(readFileSync(trace)).records[0]).toMatchObject({
      kind: 'run',
      model: { name: 'scripted' },
    });
  });
});

describe('a run whose model can not be told of', () => {
  it('leaves no empty trace behind', async () => {
    const modelSettings: ModelSettings = {
      baseUrl: 'http://127.0.0.1:9/v1',
      decoding: 'grammar',
      encoding: 'grammar',
      placement: 'response_format.strict',
    };
    await expect(open({ model: 'openai:test-model', modelSettings })).rejects.toThrow(
      "The grammar decoding can't be asked for",
    );
    expect(existsSync(trace)).toBe(false);
  });
});

describe('a run whose model does not take a parameter', () => {
  it('has that recorded and said from the next run on, and in the first where it was found', async () => {
    const answer = { kind: 'reply', text: replyOf({}, 'Wait') } as const;
    const server = await startOpenAiServer({ answer, refuses: { temperature: 'unsupported-value' } });
    try {
      const traces = [trace, join(folder.path, 'next.skilltrace.jsonl')];
      const remarks: (readonly string[])[] = [];
      for (const file of traces) {
        const run = await open({
          model: 'openai:test-model',
          modelSettings: { baseUrl: server.baseUrl, decoding: 'free' },
          trace: { file },
        });
        remarks.push(run.remarks);
        const { signal } = new AbortController();
        await run.execution.start(signal);
        for (let phase = 0; phase < 3; phase++) await run.execution.advance(signal);
        run.close();
      }
      const [first, next] = traces.map((file) => readTrace(readFileSync(file)).records);
      expect(first?.[0]).not.toMatchObject({ model: { settings: { without: expect.anything() } } });
      expect(first?.find(({ kind }) => kind === 'attempt')).toMatchObject({
        failures: [
          { message: expect.stringContaining('takes no `temperature`: it is left out from now on') },
        ],
      });
      expect(next?.[0]).toMatchObject({ model: { settings: { without: 'temperature' } } });
      expect(next?.find(({ kind }) => kind === 'attempt')).not.toHaveProperty('failures');
      const said = expect.arrayContaining([
        expect.stringContaining('takes no `temperature`: it is left out, and'),
      ]);
      expect(remarks[0]).not.toEqual(said);
      expect(remarks[1]).toEqual(said);
    } finally {
      await server.close();
    }
  });
});
