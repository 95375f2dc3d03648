/** Servers that speak OpenAI's protocol: where the known ones listen, and what gets them to run. */
import { ModelSettingFailure } from '../runtime/model';
import type { ServerProvider } from './modelName';
import { serviceOrigins } from './services';

export interface ServerPreset {
  /** As its makers write it. */
  readonly title: string;
  readonly baseUrl: string;
  /** How to start it, the rest of a sentence. */
  readonly start: string;
  /** How to get it a model that it doesn't have, a sentence. */
  addModel(model: string): string;
}

/** With the ports that they listen on if nothing else is said, by their names as providers. */
export const serverPresets: Readonly<Record<ServerProvider, ServerPreset>> = {
  ollama: {
    title: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    start: 'start it with `ollama serve` or by its app, or install it from https://ollama.com.',
    addModel: (model) => `\`ollama pull ${model}\` fetches it.`,
  },
  'llama.cpp': {
    title: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    start:
      'start it with `llama-server -m <model.gguf>`, or install it from https://github.com/ggml-org/llama.cpp.',
    addModel: () => 'Start `llama-server` with it: `-m <model.gguf>`.',
  },
  vllm: {
    title: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    start: 'start it with `vllm serve <model>`, or install it from https://docs.vllm.ai.',
    addModel: (model) => `Start it with \`vllm serve ${model}\`.`,
  },
  'lm-studio': {
    title: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    start:
      'start it with `lms server start` or on the Developer page of its app, or install it from https://lmstudio.ai.',
    addModel: (model) => `\`lms get ${model}\` fetches it.`,
  },
};

export const openAiBaseUrl = `${serviceOrigins.openai}/v1`;

/** A server to which requests go. */
export interface Server {
  readonly provider: 'openai' | ServerProvider;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly origin: string;
  /** Whether it is OpenAI's own service. */
  readonly isHosted: boolean;
  /** For messages: `OpenAI`, `Ollama at http://127.0.0.1:11434`, `the server at …`. */
  readonly title: string;
  /** What to do where nothing answers there, the rest of a sentence. */
  readonly start: string;
}

/**
 * The server that a provider's name and a base URL mean. `/v1` is added to a base URL without a path, and the path of
 * Chat Completions at its end is left out.
 *
 * @throws ModelSettingFailure for a base URL that can't be one
 */
export function serverOf(provider: Server['provider'], baseUrl?: string): Server {
  const preset = provider === 'openai' ? undefined : serverPresets[provider];
  const url = readBaseUrl(baseUrl ?? preset?.baseUrl ?? openAiBaseUrl);
  const path = url.pathname.replace(/(\/chat\/completions)?\/*$/, '');
  const isHosted = url.origin === serviceOrigins.openai;
  const name = isHosted ? 'OpenAI' : (preset?.title ?? 'the server');
  return {
    provider,
    baseUrl: `${url.origin}${path === '' ? '/v1' : path}`,
    origin: url.origin,
    isHosted,
    title: isHosted ? name : `${name} at ${url.origin}`,
    start: preset?.start ?? (isHosted ? 'check the network.' : 'start it, or correct the base URL.'),
  };
}

/**
 * @param text as a user gives it
 * @throws ModelSettingFailure that says what a base URL looks like
 */
function readBaseUrl(text: string): URL {
  const refusal = (problem: string) =>
    new ModelSettingFailure(`The base URL ${problem}, such as http://127.0.0.1:8080/v1.`);
  const given = text.trim();
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined && /^https?:\/\/./i.test(given))
    throw refusal('has to name a host and a port that there can be');
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw refusal('has to begin with http:// or https://');
  }
  // Neither is shown again: what stands in them may be a secret.
  if (url.username !== '' || url.password !== '') throw refusal('must not have a user name or a password');
  if (url.search !== '' || url.hash !== '') throw refusal('must not have a query or a fragment');
  return url;
}
