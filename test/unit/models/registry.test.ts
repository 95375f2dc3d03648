/** Models by name, and the manual model. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfContainedProviders } from '../../../client/src/models/modelName';
import type { EditorModels } from '../../../client/src/models/modelResources';
import { readSettings } from '../../../client/src/models/modelSettings';
import { createModel } from '../../../client/src/models/registry';
import { createQueueAsker, type Question } from '../../../client/src/runtime/asker';
import { ModelFailure } from '../../../client/src/runtime/model';
import { UnknownNameFailure } from '../../../client/src/runtime/unknownName';
import { modelRequest } from '../../support/modelRequest';

const signal = new AbortController().signal;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const resources = { asker: createQueueAsker([]), environment: 'warehouse', sha256 };
const request = modelRequest({ prompt: 'the prompt', step: 4, attempt: 2 });
const noEditorModels: EditorModels = {
  list: async () => [],
  find: () =>
    Promise.reject(new ModelFailure('There is none.', { class: 'no-such-model', retryable: false })),
  async *generate() {},
};

describe('the registry of models', () => {
  it('makes models that need nothing else', () => {
    for (const name of selfContainedProviders) expect(createModel(name, resources).name).toBe(name);
  });

  it('names what there is', () => {
    expect(() => createModel('gpt', resources)).toThrow(UnknownNameFailure);
    for (const name of ['gpt', 'openai', 'openai:', 'openai: ', ':x', '', '__proto__:x'])
      expect(() => createModel(name, resources)).toThrow(
        `There is no model "${name}"; there is scripted, manual, openai:<model>, ollama:<model>, llama.cpp:<model>, vllm:<model>, lm-studio:<model>, gemini:<model>, vscode:<vendor>/<family>/<id>, replay:<trace>.`,
      );
  });

  it.each([
    ['qwen3', 'Did you mean ollama:qwen3 or llama.cpp:qwen3?'],
    ['qwen3:8b', 'Did you mean ollama:qwen3:8b or llama.cpp:qwen3:8b?'],
    ['gpt-oss:20b', 'Did you mean ollama:gpt-oss:20b or llama.cpp:gpt-oss:20b?'],
    ['gpt-5-mini', 'Did you mean openai:gpt-5-mini?'],
    ['o4-mini', 'Did you mean openai:o4-mini?'],
    ['gemini-2.5-flash', 'Did you mean gemini:gemini-2.5-flash?'],
    ['scriptd', 'Did you mean scripted?'],
    ['opnai:gpt-5', 'Did you mean openai:gpt-5?'],
    ['OpenAI:gpt-5', 'Did you mean openai:gpt-5?'],
    ['lmstudio:foo', 'Did you mean lm-studio:foo?'],
    ['llama-cpp:foo', 'Did you mean llama.cpp:foo?'],
    ['google:gemini-2.5-pro', 'Did you mean gemini:gemini-2.5-pro?'],
    [
      'llama.cpp',
      'Name one of its models as well, as in llama.cpp:<model>: `skill-state models list --provider llama.cpp` shows them.',
    ],
    [
      'ollama:',
      'Name one of its models as well, as in ollama:<model>: `skill-state models list --provider ollama` shows them.',
    ],
    ['replay', 'Name the trace behind it, as in replay:run.jsonl.'],
    [
      'vertex:gemini-2.5-pro',
      "Models on Vertex AI are Gemini's: name gemini:gemini-2.5-pro, and a project by --vertex-project (vertexProject).",
    ],
    [
      'anthropic:claude-x',
      "A service that speaks OpenAI's protocol is asked as openai:claude-x, with its address as --base-url (baseUrl).",
    ],
    ['a\u001b[2J', 'Did you mean ollama:a\\u001b[2J or llama.cpp:a\\u001b[2J?'],
  ])('says what was probably meant by %j', (name, advice) => {
    expect(() => createModel(name, resources)).toThrow(`replay:<trace>. ${advice}`);
  });

  it("has the editor's models in an editor alone", async () => {
    const name = 'vscode:copilot/gpt';
    expect(() => createModel(name, resources)).toThrow(
      `The model ${name} is one of VS Code's own, which there are in VS Code alone: name another one.`,
    );
    const editorModels = {
      ...noEditorModels,
      find: async () => ({ vendor: 'copilot', family: 'gpt', id: 'gpt-9', name: 'GPT', maxInputTokens: 9 }),
      async *generate(asked: string) {
        yield { type: 'text', text: asked } as const;
      },
    };
    const model = createModel(name, { ...resources, editorModels });
    expect(model.name).toBe(name);
    expect(model.found).toBeUndefined();
    await model.prepare?.(signal);
    expect(model.found).toEqual({ editorModel: 'copilot/gpt/gpt-9' });
    const events = [];
    for await (const event of model.generate(request, signal)) events.push(event);
    expect(events).toEqual([{ type: 'text', text: 'copilot/gpt/gpt-9' }]);
  });

  it("goes on with the editor's model that a run was recorded with, whatever its pattern comes to now", async () => {
    const asked: string[] = [];
    const editorModels = {
      ...noEditorModels,
      async find(name: string) {
        asked.push(name);
        return { vendor: 'copilot', family: 'gpt', id: 'gpt-9', name: 'GPT', maxInputTokens: 9 };
      },
      async *generate(name: string) {
        asked.push(name);
        yield { type: 'text', text: 'Yes.' } as const;
      },
    };
    const settings = readSettings({ editorModel: 'copilot/gpt/gpt-8' });
    const model = createModel('vscode:copilot', { ...resources, editorModels, settings });
    await model.generate(request, signal)[Symbol.asyncIterator]().next();
    await createModel('vscode:copilot', { ...resources, editorModels, settings }).prepare?.(signal);
    expect(asked).toEqual(['copilot/gpt/gpt-8', 'copilot/gpt/gpt-8']);
  });

  it('takes the prices that the user gives, by the whole name first', () => {
    const editorModels = noEditorModels;
    const prices = new Map([
      ['a/b', { prompt: 1, completion: 2 }],
      ['vscode:a/b', { prompt: 3, completion: 4 }],
      ['c', { prompt: 5, completion: 6 }],
    ]);
    const priceOf = (name: string) => createModel(name, { ...resources, editorModels, prices }).price;
    expect(priceOf('vscode:a/b')).toEqual({ prompt: 3, completion: 4 });
    expect(priceOf('vscode:c')).toEqual({ prompt: 5, completion: 6 });
    expect(priceOf('vscode:d')).toBeUndefined();
  });

  it('names the environments that the scripted model has a policy for', () => {
    expect(() => createModel('scripted', { ...resources, environment: 'manual' })).toThrow(
      'There is no scripted policy for the environment "manual"; there is warehouse.',
    );
  });
});

describe('the manual model', () => {
  it('answers with what it is given', async () => {
    const questions: Question[] = [];
    const queue = createQueueAsker(['my reply']);
    const asker: typeof queue = {
      ask(question, aborted) {
        questions.push(question);
        return queue.ask(question, aborted);
      },
    };
    const events = [];
    for await (const event of createModel('manual', { ...resources, asker }).generate(request, signal))
      events.push(event);
    expect(events).toEqual([
      { type: 'text', text: 'my reply' },
      { type: 'finish', reason: 'stop' },
    ]);
    expect(questions).toEqual([
      { kind: 'reply', title: 'Reply to step 4, attempt 2?', step: 4, attempt: 2, prompt: 'the prompt' },
    ]);
  });

  it('fails for good when there are no more replies', async () => {
    const reading = createModel('manual', resources).generate(request, signal)[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toBeInstanceOf(ModelFailure);
    await expect(reading).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('no reply left for step 4, attempt 2'),
    });
  });

  it('ends for an aborted signal', async () => {
    const aborted = AbortSignal.abort(new Error('stop'));
    const reading = createModel('manual', resources)
      .generate(request, aborted)
      [Symbol.asyncIterator]()
      .next();
    await expect(reading).rejects.toThrow('stop');
  });
});
