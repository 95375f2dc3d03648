/** What a name that means no model was probably meant to be. */
import { nearestName } from '../../../schemas/text/nearestName';
import { printableLine } from '../../../schemas/text/printable';
import { UnknownNameFailure } from '../runtime/unknownName';
import { modelProviders, namingProviders, selfContainedProviders, serverProviders } from './modelName';

/** How the names look, for messages and help. */
export const modelForms: readonly string[] = [
  ...selfContainedProviders,
  'openai:<model>',
  ...serverProviders.map((provider) => `${provider}:<model>`),
  'gemini:<model>',
  'vscode:<vendor>/<family>/<id>',
  'replay:<trace>',
];

/**
 * The failure for a name of which `parseModelName` makes nothing.
 *
 * @param others what can be named there beside models
 */
export function unknownModel(name: string, others: readonly string[] = []): UnknownNameFailure {
  return new UnknownNameFailure('model', name, [...others, ...modelForms], adviceFor(name.trim()));
}

/** Other ways to write a provider. */
const otherNames: ReadonlyMap<string, (typeof namingProviders)[number]> = new Map([
  ['google', 'gemini'],
  ['googleai', 'gemini'],
  ['llama', 'llama.cpp'],
  ['llama-server', 'llama.cpp'],
  ['llamacpp', 'llama.cpp'],
  ['copilot', 'vscode'],
]);

/** Services of others, which speak OpenAI's protocol at addresses of theirs. */
const otherServices: ReadonlySet<string> = new Set([
  'anthropic',
  'azure',
  'bedrock',
  'cerebras',
  'claude',
  'cohere',
  'deepseek',
  'fireworks',
  'groq',
  'huggingface',
  'mistral',
  'openrouter',
  'perplexity',
  'together',
  'xai',
]);

/** By what their names begin with, the models that are one provider's alone. */
const familyProviders = [
  [/^(gpt-(?!oss)|chatgpt|o[1-9]\b)/i, 'openai'],
  [/^gemini/i, 'gemini'],
] as const;

/** A sentence or two. */
function adviceFor(name: string): string | undefined {
  // A name that is no word has no likeness.
  if (name === '' || name.length > 200) return undefined;
  const colon = name.indexOf(':');
  const first = (colon < 0 ? name : name.slice(0, colon)).trim();
  const rest = colon < 0 ? '' : name.slice(colon + 1).trim();
  const word = first.toLowerCase();
  if (word.replaceAll(/[-_ ]/g, '').startsWith('vertex')) {
    const meant = rest === '' ? 'gemini:<model>' : `gemini:${rest}`;
    return `Models on Vertex AI are Gemini's: name ${shown(meant)}, and a project by --vertex-project (vertexProject).`;
  }
  const provider = providerMeant(word, rest !== '');
  if (provider === 'scripted' || provider === 'manual') return didYouMean(provider);
  if (provider !== undefined && rest !== '') return didYouMean(`${provider}:${rest}`);
  if (provider === 'replay') return 'Name the trace behind it, as in replay:run.jsonl.';
  if (provider !== undefined)
    return `Name one of its models as well, as in ${provider}:<model>: \`skill-state models list --provider ${provider}\` shows them.`;
  if (otherServices.has(word)) {
    const meant = rest === '' ? 'openai:<model>' : `openai:${rest}`;
    return `A service that speaks OpenAI's protocol is asked as ${shown(meant)}, with its address as --base-url (baseUrl).`;
  }
  for (const [pattern, family] of familyProviders)
    if (pattern.test(name)) return didYouMean(`${family}:${name}`);
  return didYouMean(`ollama:${name}`, `llama.cpp:${name}`);
}

/** @param hasModel whether a model is named after it; else the word may be a model's name itself */
function providerMeant(word: string, hasModel: boolean): (typeof modelProviders)[number] | undefined {
  const exact = modelProviders.find((provider) => provider === word);
  if (exact !== undefined) return exact;
  const letters = word.replaceAll(/[-_. ]/g, '');
  const written =
    otherNames.get(word) ?? namingProviders.find((provider) => provider.replaceAll(/[-.]/g, '') === letters);
  if (written !== undefined) return written;
  const nearest = nearestName(word, hasModel ? namingProviders : modelProviders);
  return modelProviders.find((provider) => provider === nearest);
}

function didYouMean(...names: readonly string[]): string {
  return `Did you mean ${names.map(shown).join(' or ')}?`;
}

function shown(name: string): string {
  return printableLine(name);
}
