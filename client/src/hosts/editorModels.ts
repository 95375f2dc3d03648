/** Language models of an editor as models of ours. Free of VS Code, whose part is vscode/languageModels.ts. */
import { assertNever } from '../../../schemas/text/assertNever';
import { oneLine } from '../../../schemas/text/oneLine';
import type { EditorModel, EditorModels } from '../models/modelResources';
import { defaultTimeout } from '../models/modelSettings';
import { type ModelEvent, ModelFailure, type ModelRequest, type ReceivedResponse } from '../runtime/model';
import { orAborted } from '../runtime/orAborted';
import { listed, shortened } from '../runtime/quotation';

/** Options of a request, by the names that OpenAI's protocol has for them; which of them count is the model's to say. */
export type EditorModelOptions = Readonly<Record<string, number>>;

/** A model that the editor has, and what can be asked of it. */
export interface EditorChat extends EditorModel {
  /**
   * Sends a prompt. Settles once the editor has let the request through, which may take the user's consent.
   *
   * @returns the pieces of the answer's text
   */
  send(prompt: string, options: EditorModelOptions, signal: AbortSignal): PromiseLike<AsyncIterable<string>>;
  countTokens(text: string, role: 'prompt' | 'reply', signal: AbortSignal): PromiseLike<number>;
}

/** What the editor says by an error; undefined stands for any other, such as one of the extension that has the model. */
export type EditorRefusal =
  | 'no-permissions'
  | 'blocked'
  | 'not-found'
  | 'rate-limit'
  | 'cancelled'
  | undefined;

/** The editor, as far as it has language models. */
export interface EditorChats {
  /** The models of a vendor; of all where none is named. */
  select(vendor: string | undefined): PromiseLike<readonly EditorChat[]>;
  refusalOf(error: unknown): EditorRefusal;
}

/** What is kept of an answer for who looks at it, in UTF-16 units. */
const keptAnswer = 1_000_000;

/** The name of a model after `vscode:`. */
export function editorModelName({ vendor, family, id }: EditorModel): string {
  return `${vendor}/${family}/${id}`;
}

/** The models of an editor. */
export function createEditorModels(chats: EditorChats): EditorModels {
  async function find(name: string, signal: AbortSignal): Promise<EditorChat> {
    const vendor = partOf(name.split('/', 1)[0]);
    const found = await orAborted(chats.select(vendor), signal);
    const chat =
      found.find((one) => editorModelName(one) === name) ?? found.find((one) => matches(name, one));
    if (chat !== undefined) return chat;
    const others = vendor === undefined ? found : await orAborted(chats.select(undefined), signal);
    throw new ModelFailure(
      others.length === 0
        ? `VS Code has no language models now, so none is ${name}: install an extension that brings some, such as GitHub Copilot, and sign in to it.`
        : `VS Code has no language model ${name}; it has ${listed(others.map(editorModelName), 'and')}.`,
      { class: 'no-such-model', retryable: false },
    );
  }

  return {
    list: (signal) => orAborted(chats.select(undefined), signal),
    find,
    generate: (name, request, signal, timeout = defaultTimeout) =>
      generate({ chats, chat: () => find(name, signal), request, signal, timeout }),
  };
}

/** What a part of a name asks for; undefined for any. */
function partOf(part: string | undefined): string | undefined {
  return part === undefined || part === '' || part === '*' ? undefined : part;
}

/** Whether a name that may leave parts open means a model. An id may have slashes of its own. */
function matches(name: string, { vendor, family, id }: EditorModel): boolean {
  const [first, second, ...rest] = name.split('/');
  const wanted = [partOf(first), partOf(second), partOf(rest.join('/'))];
  return [vendor, family, id].every((part, index) => wanted[index] === undefined || wanted[index] === part);
}

interface Generation {
  readonly chats: EditorChats;
  readonly chat: () => Promise<EditorChat>;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** In seconds. */
  readonly timeout: number;
}

async function* generate(generation: Generation): AsyncGenerator<ModelEvent> {
  const { chats, request, signal, timeout } = generation;
  signal.throwIfAborted();
  const chat = await generation.chat();
  const { prompt } = request;
  const options = optionsOf(request);
  let answer = '';
  const received = (): ReceivedResponse => ({
    status: undefined,
    headers: {},
    body: answer.slice(0, keptAnswer),
  });
  yield {
    type: 'request',
    request: {
      method: 'sendRequest',
      url: `vscode-lm:${editorModelName(chat)}`,
      headers: {},
      body: JSON.stringify({ messages: [{ role: 'user', content: prompt }], modelOptions: options }),
    },
    received,
  };
  // Ends the request, whoever leaves: the run, a model that fell silent, or whoever reads no further.
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  const silence = silenceWatch(timeout, () => ending.abort(fellSilent(chat, timeout)));
  try {
    // The user may think about it as long as they like.
    const pieces = await orAborted(chat.send(prompt, options, ending.signal), ending.signal);
    const reading = pieces[Symbol.asyncIterator]();
    for (;;) {
      silence.start();
      const next = await orAborted(Promise.resolve(reading.next()), ending.signal);
      silence.stop();
      if (next.done) break;
      answer += next.value;
      yield { type: 'text', text: next.value };
    }
    // A request that is given up may end as if it were complete.
    ending.signal.throwIfAborted();
    yield { type: 'response', response: received() };
    const usage = await usageOf(chat, prompt, answer, signal, timeout);
    if (usage !== undefined) yield { type: 'usage', usage };
  } catch (error) {
    silence.stop();
    if (signal.aborted) throw signal.reason;
    const failure =
      error instanceof ModelFailure ? error : await failureOf(error, { chats, chat, prompt, signal });
    yield { type: 'response', response: received() };
    throw failure;
  } finally {
    silence.stop();
    signal.removeEventListener('abort', end);
    ending.abort();
  }
}

function optionsOf({ temperature, topP, maxTokens }: ModelRequest): EditorModelOptions {
  return { temperature, top_p: topP, ...(maxTokens !== undefined && { max_tokens: maxTokens }) };
}

/**
 * Tokens as the model's own extension counts the texts, which need not be what the request took; undefined where it can't,
 * and a tokenizer estimates them then.
 */
async function usageOf(
  chat: EditorChat,
  prompt: string,
  reply: string,
  signal: AbortSignal,
  timeout: number,
) {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(timeout * 1_000)]);
  const counted = await Promise.allSettled([
    orAborted(chat.countTokens(prompt, 'prompt', enough), enough),
    orAborted(chat.countTokens(reply, 'reply', enough), enough),
  ]);
  signal.throwIfAborted();
  const [ofPrompt, ofReply] = counted.map((count) =>
    count.status === 'fulfilled' ? count.value : undefined,
  );
  // An extension that doesn't count answers 0.
  if (!ofPrompt || ofReply === undefined || (ofReply === 0 && reply !== '')) return undefined;
  return { prompt: ofPrompt, completion: ofReply, estimatedBy: 'extension' } as const;
}

/** A model's silence: calls back once it has lasted so many seconds. */
function silenceWatch(seconds: number, tooLong: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  return {
    stop,
    start() {
      stop();
      timer = setTimeout(tooLong, seconds * 1_000);
    },
  };
}

function fellSilent(chat: EditorChat, timeout: number): ModelFailure {
  return new ModelFailure(
    `VS Code's model ${editorModelName(chat)} said nothing for ${timeout} seconds: try again, or give it longer by "timeout".`,
    { class: 'timeout', retryable: true },
  );
}

/** What an error of the editor's means, and what to do about it. */
async function failureOf(
  error: unknown,
  {
    chats,
    chat,
    prompt,
    signal,
  }: Pick<Generation, 'chats' | 'signal'> & { chat: EditorChat; prompt: string },
): Promise<ModelFailure> {
  const name = editorModelName(chat);
  const said = saidBy(error);
  const refusal = chats.refusalOf(error);
  const failure = (message: string, failureClass: ModelFailure['class'], retryable = false) =>
    new ModelFailure(message, { class: failureClass, retryable, cause: error });
  switch (refusal) {
    case 'no-permissions':
      return failure(
        `SKILL.state was not allowed to use VS Code's model ${name}. VS Code asks again with the next request: allow it then, or choose another model.`,
        'permission',
      );
    case 'blocked':
      return failure(
        `VS Code's model ${name} takes no requests now, as happens where a quota is used up${said}. Wait for it to be renewed, or choose another model.`,
        'quota',
      );
    case 'not-found':
      return failure(
        `VS Code no longer has the model ${name}${said}. Choose another model.`,
        'no-such-model',
      );
    case 'rate-limit':
      return failure(`VS Code's model ${name} has had too many requests${said}.`, 'rate-limit', true);
    case 'cancelled':
      return failure(`The request to VS Code's model ${name} was given up by VS Code.`, 'cancelled');
    case undefined: {
      const tokens = await tokensAbove(chat, prompt, signal);
      if (tokens !== undefined) {
        return failure(
          `The prompt has ${tokens} tokens, and VS Code's model ${name} takes ${chat.maxInputTokens}${said}. Make instructions, state or observations shorter, or choose another model.`,
          'context-length',
        );
      }
      // Extensions report whatever went wrong this way, a lost connection among it.
      return failure(`VS Code's model ${name} failed${said}.`, 'server-error', true);
    }
    default:
      return assertNever(refusal);
  }
}

/** `: it said "…"`, without the full stop. */
function saidBy(error: unknown): string {
  const message = error instanceof Error ? error.message.trim() : '';
  return message === ''
    ? ''
    : `: it said ${JSON.stringify(shortened(oneLine(message).replace(/\.$/, ''), 300))}`;
}

/** The prompt's tokens where they are more than the model takes. */
async function tokensAbove(
  chat: EditorChat,
  prompt: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const tokens = await orAborted(chat.countTokens(prompt, 'prompt', signal), signal);
    return tokens > chat.maxInputTokens ? tokens : undefined;
  } catch {
    signal.throwIfAborted();
    // What can't be counted is not known to be too long; the failure that is being explained is said either way.
    return undefined;
  }
}
