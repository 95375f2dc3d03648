/** Models of an editor: chosen by name, their answers, and what their failures mean. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createEditorModels,
  type EditorChat,
  type EditorChats,
  type EditorRefusal,
} from '../../../client/src/hosts/editorModels';
import type { ModelEvent, ModelFailure } from '../../../client/src/runtime/model';
import { modelRequest } from '../../support/modelRequest';

const never = new AbortController().signal;
const request = modelRequest({ prompt: 'the prompt', temperature: 0.5, topP: 0.9, maxTokens: 7 });

/** A model that says two pieces, and counts a token for each character. */
function chat(given: Partial<EditorChat> = {}): EditorChat {
  return {
    vendor: 'copilot',
    family: 'gpt',
    id: 'gpt-9',
    name: 'GPT 9',
    maxInputTokens: 100,
    async send() {
      return said('one ', 'two');
    },
    countTokens: async (text) => text.length,
    ...given,
  };
}

async function* said(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** An error, as the fake editor knows it. */
class Refused extends Error {
  constructor(
    message: string,
    readonly refusal: EditorRefusal,
  ) {
    super(message);
  }
}

function editor(...chats: readonly EditorChat[]) {
  const asked: (string | undefined)[] = [];
  const source: EditorChats = {
    async select(vendor) {
      asked.push(vendor);
      return chats.filter((one) => vendor === undefined || one.vendor === vendor);
    },
    refusalOf: (error) => (error instanceof Refused ? error.refusal : undefined),
  };
  return { models: createEditorModels(source), asked };
}

async function all(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const got: ModelEvent[] = [];
  for await (const event of events) got.push(event);
  return got;
}

/** What a generation failed with, and what it told before. */
async function failing(events: AsyncIterable<ModelEvent>) {
  const got: ModelEvent[] = [];
  try {
    for await (const event of events) got.push(event);
  } catch (error) {
    return { failure: error as ModelFailure, got };
  }
  throw new Error('it did not fail');
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the name of a model', () => {
  const gpt = chat();
  const mini = chat({ family: 'mini', id: 'mini-1' });
  const routed = chat({ vendor: 'router', family: 'meta', id: 'meta/llama' });
  const wild = chat({ vendor: 'router', family: 'x', id: 'y/*' });

  it.each([
    ['copilot/gpt/gpt-9', gpt],
    ['copilot/mini', mini],
    ['copilot', gpt],
    ['*/mini/*', mini],
    ['//mini-1', mini],
    ['*', gpt],
    ['router/meta/meta/llama', routed],
    ['router/*/meta/llama', routed],
    ['router/x/y/*', wild],
  ])('%s finds its model', async (name, expected) => {
    expect(await editor(gpt, mini, routed, wild).models.find(name, never)).toBe(expected);
  });

  it('asks the extensions of its vendor alone', async () => {
    const { models, asked } = editor(gpt, mini);
    await models.find('copilot/mini', never);
    await models.find('*/mini', never);
    expect(asked).toEqual(['copilot', undefined]);
  });

  it.each(['copilot/gpt-9', 'other', 'copilot/gpt/gpt-9/x', 'Copilot'])(
    'says what there is instead of %s',
    async (name) => {
      await expect(editor(gpt, routed).models.find(name, never)).rejects.toMatchObject({
        class: 'no-such-model',
        retryable: false,
        message: `VS Code has no language model ${name}; it has copilot/gpt/gpt-9 and router/meta/meta/llama.`,
      });
    },
  );

  it('says where models come from, if there is none', async () => {
    await expect(editor().models.find('copilot', never)).rejects.toThrow(
      'VS Code has no language models now, so none is copilot: install an extension that brings some, such as GitHub Copilot, and sign in to it.',
    );
  });

  it('is looked for no longer than somebody waits', async () => {
    const models = createEditorModels({
      select: () => new Promise(() => undefined),
      refusalOf: () => undefined,
    });
    const waiting = new AbortController();
    const finding = models.find('x', waiting.signal);
    waiting.abort(new Error('enough'));
    await expect(finding).rejects.toThrow('enough');
    await expect(models.list(waiting.signal)).rejects.toThrow('enough');
  });
});

describe('an answer', () => {
  it('comes piece by piece, between its request and its tokens', async () => {
    const sent: unknown[] = [];
    const { models } = editor(
      chat({
        async send(prompt, options) {
          sent.push(prompt, options);
          return said('one ', 'two');
        },
      }),
    );
    const events = await all(models.generate('copilot', request, never));
    const options = { temperature: 0.5, top_p: 0.9, max_tokens: 7 };
    expect(sent).toEqual(['the prompt', options]);
    expect(events).toEqual([
      {
        type: 'request',
        request: {
          method: 'sendRequest',
          url: 'vscode-lm:copilot/gpt/gpt-9',
          headers: {},
          body: JSON.stringify({
            messages: [{ role: 'user', content: 'the prompt' }],
            modelOptions: options,
          }),
        },
        received: expect.any(Function),
      },
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
      { type: 'response', response: { status: undefined, headers: {}, body: 'one two' } },
      { type: 'usage', usage: { prompt: 10, completion: 7, estimatedBy: 'extension' } },
    ]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no tokenizer'))],
    ['answers nothing', async () => 0],
  ])('has no counted tokens where the count %s', async (_, countTokens) => {
    const events = await all(editor(chat({ countTokens })).models.generate('copilot', request, never));
    expect(events.map(({ type }) => type)).toEqual(['request', 'text', 'text', 'response']);
  });

  it('may be empty', async () => {
    const events = await all(
      editor(chat({ send: async () => said() })).models.generate('copilot', request, never),
    );
    expect(events.at(-1)).toEqual({
      type: 'usage',
      usage: { prompt: 10, completion: 0, estimatedBy: 'extension' },
    });
  });

  it('is asked for no further when nobody reads on', async () => {
    let signal: AbortSignal | undefined;
    const { models } = editor(
      chat({
        async send(_prompt, _options, given) {
          signal = given;
          return said('one ', 'two');
        },
      }),
    );
    for await (const event of models.generate('copilot', request, never)) if (event.type === 'text') break;
    expect(signal?.aborted).toBe(true);
  });
});

describe('a request that is given up', () => {
  const reason = new Error('stop');

  it('is not made after that', async () => {
    const { models, asked } = editor(chat());
    await expect(all(models.generate('copilot', request, AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  it.each([
    ['waits for consent', (): Promise<AsyncIterable<string>> => new Promise(() => undefined)],
    [
      'has said something, and ignores that it is given up',
      async () =>
        (async function* () {
          yield 'one';
          await new Promise(() => undefined);
        })(),
    ],
  ])('ends at once while it %s', async (_, send) => {
    const run = new AbortController();
    let told: AbortSignal | undefined;
    const { models } = editor(
      chat({
        send(_prompt, _options, signal) {
          told = signal;
          queueMicrotask(() => setTimeout(() => run.abort(reason)));
          return send();
        },
      }),
    );
    await expect(all(models.generate('copilot', request, run.signal))).rejects.toBe(reason);
    expect(told?.aborted).toBe(true);
  });

  it('is no answer, though it ends like one', async () => {
    const run = new AbortController();
    const { models } = editor(
      chat({
        send: async () =>
          (async function* () {
            yield 'one';
            run.abort(reason);
          })(),
      }),
    );
    await expect(all(models.generate('copilot', request, run.signal))).rejects.toBe(reason);
  });
});

describe('silence', () => {
  const hangs = async () =>
    (async function* () {
      yield 'one';
      await new Promise(() => undefined);
    })();

  it('is given up after the timeout, counted from the last piece', async () => {
    vi.useFakeTimers();
    const { models } = editor(chat({ send: hangs }));
    const failed = failing(models.generate('copilot', request, never, 3));
    await vi.advanceTimersByTimeAsync(2_999);
    let settled = false;
    void failed.then(() => {
      settled = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const { failure, got } = await failed;
    expect(failure).toMatchObject({
      class: 'timeout',
      retryable: true,
      message:
        'VS Code\'s model copilot/gpt/gpt-9 said nothing for 3 seconds: try again, or give it longer by "timeout".',
    });
    expect(got.at(-1)).toMatchObject({ type: 'response', response: { body: 'one' } });
  });

  it('of the user who is asked for consent is not', async () => {
    vi.useFakeTimers();
    let consent: (pieces: AsyncIterable<string>) => void = () => undefined;
    const { models } = editor(
      chat({
        send: () =>
          new Promise((resolve) => {
            consent = resolve;
          }),
      }),
    );
    const answer = all(models.generate('copilot', request, never, 3));
    await vi.advanceTimersByTimeAsync(3_600_000);
    consent(said('yes'));
    expect((await answer).map(({ type }) => type)).toContain('usage');
  });
});

describe('a failure', () => {
  const failures: readonly [EditorRefusal, string, boolean, string][] = [
    [
      'no-permissions',
      'permission',
      false,
      "SKILL.state was not allowed to use VS Code's model copilot/gpt/gpt-9. VS Code asks again with the next request: allow it then, or choose another model.",
    ],
    [
      'blocked',
      'quota',
      false,
      'VS Code\'s model copilot/gpt/gpt-9 takes no requests now, as happens where a quota is used up: it said "So it is". Wait for it to be renewed, or choose another model.',
    ],
    [
      'not-found',
      'no-such-model',
      false,
      'VS Code no longer has the model copilot/gpt/gpt-9: it said "So it is". Choose another model.',
    ],
    [
      'rate-limit',
      'rate-limit',
      true,
      'VS Code\'s model copilot/gpt/gpt-9 has had too many requests: it said "So it is".',
    ],
    [
      'cancelled',
      'cancelled',
      false,
      "The request to VS Code's model copilot/gpt/gpt-9 was given up by VS Code.",
    ],
    [undefined, 'server-error', true, 'VS Code\'s model copilot/gpt/gpt-9 failed: it said "So it is".'],
  ];

  it.each(failures)('%s is explained', async (refusal, failureClass, retryable, message) => {
    const error = new Refused('So it is.', refusal);
    const { models } = editor(chat({ send: () => Promise.reject(error) }));
    const { failure, got } = await failing(models.generate('copilot', request, never));
    expect(failure).toMatchObject({ class: failureClass, retryable, message, cause: error });
    expect(got.map(({ type }) => type)).toEqual(['request', 'response']);
  });

  it('in the midst of an answer leaves what was said', async () => {
    const { models } = editor(
      chat({
        send: async () =>
          (async function* () {
            yield 'one';
            throw new Error('line\nand line');
          })(),
      }),
    );
    const { failure, got } = await failing(models.generate('copilot', request, never));
    expect(failure.message).toBe('VS Code\'s model copilot/gpt/gpt-9 failed: it said "line and line".');
    expect(got.slice(1)).toEqual([
      { type: 'text', text: 'one' },
      { type: 'response', response: { status: undefined, headers: {}, body: 'one' } },
    ]);
  });

  it('of a prompt that is too long has the counts', async () => {
    const { models } = editor(
      chat({ maxInputTokens: 9, send: () => Promise.reject(new Error('Message exceeds token limit.')) }),
    );
    const { failure } = await failing(models.generate('copilot', request, never));
    expect(failure).toMatchObject({
      class: 'context-length',
      retryable: false,
      message:
        'The prompt has 10 tokens, and VS Code\'s model copilot/gpt/gpt-9 takes 9: it said "Message exceeds token limit". Make instructions, state or observations shorter, or choose another model.',
    });
  });

  it('that nothing is said of is said all the same', async () => {
    const { models } = editor(chat({ send: () => Promise.reject('x') }));
    const { failure } = await failing(models.generate('copilot', request, never));
    expect(failure.message).toBe("VS Code's model copilot/gpt/gpt-9 failed.");
  });
});
