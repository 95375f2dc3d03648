/** Keys of the front matter that single clients know besides the standard's, and what their values may be. */

/** Whose keys are known: the standard's alone, or those of a client besides. */
export type ClientProfile = 'standard' | 'vscode' | 'claude';

/** What the value of a client's key may be. */
export type ClientValue =
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** A text, or a list of texts. */
  | { readonly kind: 'texts' }
  | { readonly kind: 'map' };

/** A key that a client knows. */
export interface ClientKey {
  readonly key: string;
  readonly meaning: string;
  readonly value: ClientValue;
  /** A value that is valid and harmless, to begin with. */
  readonly example: string;
}

/** A client and its keys. */
export interface Client {
  readonly profile: Exclude<ClientProfile, 'standard'>;
  readonly title: string;
  readonly source: string;
  readonly keys: readonly ClientKey[];
  /** True where `allowed-tools` may be a list as well. */
  readonly takesToolLists: boolean;
}

const argumentHint: ClientKey = {
  key: 'argument-hint',
  meaning: 'Shown where the skill is called by hand, to say what can be written after its name.',
  value: { kind: 'text' },
  example: '"[what to work on]"',
};
const userInvocable: ClientKey = {
  key: 'user-invocable',
  meaning: 'Whether users can call the skill by hand from the list of commands. The default is true.',
  value: { kind: 'flag' },
  example: 'true',
};
const disableModelInvocation: ClientKey = {
  key: 'disable-model-invocation',
  meaning:
    'True keeps the model from loading the skill of its own accord: only users call it. The default is false.',
  value: { kind: 'flag' },
  example: 'false',
};
const context: ClientKey = {
  key: 'context',
  meaning: 'fork runs the skill in a context of its own (a subagent) instead of in the conversation.',
  value: { kind: 'choice', choices: ['fork'] },
  example: 'fork',
};

/** As VS Code 1.139 checks them: it completes and validates these, and calls all others unsupported. */
const vscode: Client = {
  profile: 'vscode',
  title: 'VS Code',
  source: 'https://code.visualstudio.com/docs/copilot/customization/agent-skills',
  keys: [
    argumentHint,
    userInvocable,
    disableModelInvocation,
    { ...context, value: { kind: 'choice', choices: ['inline', 'fork'] } },
  ],
  takesToolLists: false,
};

/** As Claude Code documents them in 2026. */
const claude: Client = {
  profile: 'claude',
  title: 'Claude Code',
  source: 'https://code.claude.com/docs/en/skills',
  keys: [
    {
      key: 'when_to_use',
      meaning:
        'More on when the skill applies; joins the description in the list that the model chooses from.',
      value: { kind: 'text' },
      example: 'Use it when a user asks for this.',
    },
    // Its own examples are written without quotes, as in `[issue-number]`, which YAML reads as a list.
    { ...argumentHint, value: { kind: 'texts' } },
    {
      key: 'arguments',
      meaning:
        'Names of the arguments by position, for $name in the instructions: a list, or a text with spaces.',
      value: { kind: 'texts' },
      example: 'target',
    },
    disableModelInvocation,
    userInvocable,
    {
      key: 'model',
      meaning: 'The model to use while the skill is active, by name or alias; inherit keeps the current one.',
      value: { kind: 'text' },
      example: 'inherit',
    },
    {
      key: 'effort',
      meaning: 'How much effort the model spends while the skill is active.',
      value: { kind: 'choice', choices: ['low', 'medium', 'high', 'xhigh', 'max'] },
      example: 'high',
    },
    context,
    {
      key: 'agent',
      meaning: 'The kind of subagent that runs the skill where context is fork.',
      value: { kind: 'text' },
      example: 'general-purpose',
    },
    {
      key: 'hooks',
      meaning: 'Hooks that are active while the skill is, by event.',
      value: { kind: 'map' },
      example: '{}',
    },
    {
      key: 'paths',
      meaning:
        'Glob patterns of the files with which the skill is loaded of its own accord: a list, or a text with commas.',
      value: { kind: 'texts' },
      example: '"src/**"',
    },
    {
      key: 'shell',
      meaning: 'The shell that runs commands which the instructions embed.',
      value: { kind: 'choice', choices: ['bash', 'powershell'] },
      example: 'bash',
    },
  ],
  takesToolLists: true,
};

const clients: readonly Client[] = [vscode, claude];

/** The client of a profile; undefined for the standard. */
export function clientOf(profile: ClientProfile): Client | undefined {
  return clients.find((client) => client.profile === profile);
}

/** The clients that know a key besides the standard's. */
export function clientsKnowing(key: string): readonly Client[] {
  return clients.filter(({ keys }) => keys.some((known) => known.key === key));
}

/** What is wrong with the value of a client's key, in words that follow its name; undefined where nothing is. */
export function clientValueMistake(expected: ClientValue, value: unknown): string | undefined {
  switch (expected.kind) {
    case 'text':
      return typeof value === 'string' && value.trim() !== '' ? undefined : 'has to be a text';
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'has to be true or false, without quotes';
    case 'choice':
      return typeof value === 'string' && expected.choices.includes(value)
        ? undefined
        : `has to be ${expected.choices.join(' or ')}`;
    case 'texts': {
      const texts = Array.isArray(value) ? value : [value];
      return texts.every((text) => typeof text === 'string')
        ? undefined
        : 'has to be a text or a list of texts';
    }
    case 'map':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : 'has to be a map';
  }
}
