/** How servers that speak OpenAI's protocol differ: the routes beside chat, and what their errors look like. */

export type ServerDialect = 'openai' | 'ollama' | 'llama.cpp' | 'vllm' | 'lm-studio';

export interface Route {
  readonly body: string;
  readonly type?: string;
  /** Answered without a key, too. */
  readonly open?: boolean;
}

const owners: Readonly<Record<ServerDialect, string>> = {
  openai: 'openai',
  ollama: 'library',
  'llama.cpp': 'llamacpp',
  vllm: 'vllm',
  'lm-studio': 'organization_owner',
};

/** What GET is answered, by path. */
export function dialectRoutes(
  dialect: ServerDialect,
  models: readonly string[],
): Readonly<Record<string, Route>> {
  const json = (value: unknown): string => JSON.stringify(value);
  const data = models.map((id) => ({
    id,
    object: 'model',
    created: 1_760_000_000,
    owned_by: owners[dialect],
    ...(dialect === 'llama.cpp' ? { meta: { n_ctx_train: 4096, n_params: 2_300_000, size: 9_400_000 } } : {}),
    ...(dialect === 'vllm' ? { root: id, parent: null, max_model_len: 4096, permission: [] } : {}),
  }));
  const list = { '/v1/models': { body: json({ object: 'list', data }) } };
  switch (dialect) {
    case 'openai':
      return list;
    case 'ollama':
      return {
        ...list,
        '/': { body: 'Ollama is running', type: 'text/plain', open: true },
        '/api/version': { body: json({ version: '0.12.6' }), open: true },
        '/api/tags': { body: json({ models: models.map((name) => ({ name, model: name })) }) },
      };
    case 'llama.cpp':
      return {
        '/v1/models': {
          body: json({
            models: models.map((name) => ({ name, model: name, type: 'model' })),
            object: 'list',
            data,
          }),
          open: true,
        },
        '/health': { body: json({ status: 'ok' }), open: true },
        '/props': {
          body: json({
            default_generation_settings: { n_ctx: 4096 },
            total_slots: 1,
            model_path: 'model.gguf',
          }),
        },
      };
    case 'vllm':
      return {
        ...list,
        '/health': { body: '', open: true },
        '/version': { body: json({ version: '0.11.0' }), open: true },
      };
    case 'lm-studio':
      return { ...list, '/api/v0/models': { body: json({ object: 'list', data }) } };
  }
}

/** Bodies of errors. */
export interface DialectWording {
  badKey(given: string): object | string;
  noSuchModel(model: string): object | string;
  contextLength(tokens: number, most: number): object | string;
  refusal(
    parameter: string,
    why: 'unknown' | 'unsupported-parameter' | 'unsupported-value',
    value: unknown,
  ): object | string;
  badRequest(parameter: string): object | string;
  noSuchRoute(method: string, path: string): object | string;
}

export function openAiError(
  message: string,
  type: string,
  code: string | number | null = null,
  param: string | null = null,
): object {
  return { error: { message, type, param, code } };
}

/** As OpenAI's service answers, with what each of the others says in another way. */
export function dialectWording(dialect: ServerDialect): DialectWording {
  const invalid = 'invalid_request_error';
  const common: DialectWording = {
    badKey: (given) =>
      given === ''
        ? openAiError("You didn't provide an API key. You need to provide your API key.", invalid)
        : openAiError(
            `Incorrect API key provided: ${given}. You can find your API key in your account.`,
            invalid,
            'invalid_api_key',
          ),
    noSuchModel: (model) =>
      openAiError(
        `The model \`${model}\` does not exist or you do not have access to it.`,
        invalid,
        'model_not_found',
      ),
    contextLength: (tokens, most) =>
      openAiError(
        `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        invalid,
        'context_length_exceeded',
        'messages',
      ),
    refusal: (parameter, why, value) => {
      if (why === 'unknown') {
        return openAiError(`Unknown parameter: '${parameter}'.`, invalid, 'unknown_parameter', parameter);
      }
      if (why === 'unsupported-value') {
        const message = `Unsupported value: '${parameter}' does not support ${JSON.stringify(value)} with this model. Only the default (1) value is supported.`;
        return openAiError(message, invalid, 'unsupported_value', parameter);
      }
      const instead = parameter === 'max_tokens' ? " Use 'max_completion_tokens' instead." : '';
      const message = `Unsupported parameter: '${parameter}' is not supported with this model.${instead}`;
      return openAiError(message, invalid, 'unsupported_parameter', parameter);
    },
    badRequest: (parameter) =>
      openAiError(
        `Missing required parameter: '${parameter}'.`,
        invalid,
        'missing_required_parameter',
        parameter,
      ),
    noSuchRoute: (method, path) => openAiError(`Invalid URL (${method} ${path})`, invalid),
  };
  switch (dialect) {
    case 'openai':
      return common;
    case 'ollama':
      return {
        ...common,
        noSuchModel: (model) => openAiError(`model '${model}' not found`, 'not_found_error'),
        noSuchRoute: () => '404 page not found',
      };
    case 'llama.cpp':
      return {
        ...common,
        badKey: () => openAiError('Invalid API Key', 'authentication_error', 401),
        noSuchModel: (model) => openAiError(`model '${model}' not found`, 'not_found_error', 404),
        contextLength: (tokens, most) => ({
          error: {
            code: 400,
            message: `request (${tokens} tokens) exceeds the available context size (${most} tokens), try increasing it`,
            type: 'exceed_context_size_error',
            n_prompt_tokens: tokens,
            n_ctx: most,
          },
        }),
        noSuchRoute: () => openAiError('File Not Found', 'not_found_error', 404),
      };
    case 'vllm':
      return {
        ...common,
        badKey: () => ({ error: 'Unauthorized' }),
        noSuchModel: (model) =>
          openAiError(`The model \`${model}\` does not exist.`, 'NotFoundError', 404, 'model'),
        contextLength: (tokens, most) => ({
          object: 'error',
          message: `This model's maximum context length is ${most} tokens. However, you requested ${tokens} tokens in the messages, Please reduce the length of the messages.`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        }),
        noSuchRoute: () => ({ detail: 'Not Found' }),
      };
    case 'lm-studio':
      return {
        ...common,
        noSuchModel: (model) =>
          openAiError(
            `Model "${model}" not found. Please specify a valid model.`,
            invalid,
            'model_not_found',
            'model',
          ),
        noSuchRoute: (method, path) => ({ error: `Unexpected endpoint or method. (${method} ${path})` }),
      };
  }
}
