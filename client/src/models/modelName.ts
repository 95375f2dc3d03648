/** The names by which users choose models: `provider`, or `provider:model`. */

/** Providers that need no model's name after theirs. */
export const selfContainedProviders = ['scripted', 'manual'] as const;

/** Servers that speak OpenAI's protocol, by the names under which they are known; see servers.ts. */
export const serverProviders = ['ollama', 'llama.cpp', 'vllm', 'lm-studio'] as const;

export const namingProviders = ['openai', ...serverProviders, 'gemini', 'vscode', 'replay'] as const;

export type ServerProvider = (typeof serverProviders)[number];
export type NamingProvider = (typeof namingProviders)[number];
export type SelfContainedProvider = (typeof selfContainedProviders)[number];

export type ModelName =
  | { readonly provider: SelfContainedProvider }
  | {
      readonly provider: NamingProvider;
      /** What follows the first colon: a model's id, which may have colons of its own, or a trace's path; never empty. */
      readonly model: string;
    };

/** Every provider, in the order in which they are offered. */
export const modelProviders = [...selfContainedProviders, ...namingProviders] as const;

/** What a name means; undefined for one that means nothing, such as `gpt` or `openai:`. */
export function parseModelName(name: string): ModelName | undefined {
  const selfContained = selfContainedProviders.find((provider) => provider === name);
  if (selfContained !== undefined) return { provider: selfContained };
  const colon = name.indexOf(':');
  const provider = namingProviders.find((one) => one === name.slice(0, colon));
  const model = name.slice(colon + 1).trim();
  return colon < 0 || provider === undefined || model === '' ? undefined : { provider, model };
}
