/** API keys out of the environment's variables, and the origins to which each of them may go. */
import type { KeyOwner, KeySource } from '../../models/modelResources';
import { isLoopback, serviceOrigins } from '../../models/services';

/** By provider: the variables with the key of its service, of which the first that is set counts. */
const keyVariables = { openai: ['OPENAI_API_KEY'], gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] } as const;

export interface EnvironmentKeysOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /**
   * URLs to whose origins keys go too, since a person named them, not a file or a trace. By default none: then keys go to the
   * services that they are for, and on this machine to servers that ask for one.
   */
  readonly named?: readonly (string | undefined)[];
  /** The same of the one variable by which OpenAI's own key, and no other, may be sent to a gateway. */
  readonly openAiBaseUrl?: string | undefined;
  /** How a person can name a URL, the rest of `… only where`; undefined where they can't. */
  readonly howToName?: string;
}

/** Gives a key to the origins that it may go to and to no other, whatever a trace or a launch configuration asks for. */
export function createEnvironmentKeys({
  variables,
  named = [],
  openAiBaseUrl,
  howToName,
}: EnvironmentKeysOptions): KeySource {
  const namedOrigins = new Set(named.map(originOf).filter((origin) => origin !== undefined));
  const keyOf = ({ provider }: KeyOwner) => {
    for (const name of keyVariables[provider]) {
      const value = variables[name]?.trim();
      if (value !== undefined && value !== '') return { name, value };
    }
    return undefined;
  };
  const gateway = originOf(openAiBaseUrl);
  // What listens on this machine may be anything: it gets a key only once it asked for one.
  const mayGo = ({ provider, origin, required }: KeyOwner) =>
    origin === serviceOrigins[provider] ||
    namedOrigins.has(origin) ||
    (provider === 'openai' && origin === gateway) ||
    (required && isLoopback(origin));
  return {
    async get(owner, signal) {
      signal.throwIfAborted();
      return mayGo(owner) ? keyOf(owner)?.value : undefined;
    },
    advice(owner) {
      const known = keyOf(owner);
      const names = keyVariables[owner.provider].join(' or ');
      if (known === undefined) return `Set ${names} to a key for ${owner.origin}.`;
      if (mayGo({ ...owner, required: true })) return `Check the key in ${known.name}.`;
      const how = howToName === undefined ? '' : ` only where ${howToName}`;
      return `${known.name} is not sent to ${owner.origin}${how === '' ? '.' : `: that is done${how}.`}`;
    },
  };
}

/** The keys for a command: its own `--base-url` and the variable OPENAI_BASE_URL name where they go besides. */
export function commandKeys(
  variables: EnvironmentKeysOptions['variables'],
  baseUrl: string | undefined,
): KeySource {
  return createEnvironmentKeys({
    variables,
    named: [baseUrl],
    openAiBaseUrl: variables.OPENAI_BASE_URL,
    howToName: '--base-url or the variable OPENAI_BASE_URL names it',
  });
}

function originOf(url: string | undefined): string | undefined {
  const origin = url !== undefined && URL.canParse(url) ? new URL(url).origin : 'null';
  return origin === 'null' ? undefined : origin;
}
