/** Models by the names that users give: each provider's module makes its own, and what they have in common is added here. */
import { assertNever } from '../../../schemas/text/assertNever';
import type { Model } from '../runtime/model';
import { UnknownNameFailure } from '../runtime/unknownName';
import { createEditorModel } from './editorModel';
import { createGeminiModel } from './gemini/geminiModel';
import { createManualModel } from './manual';
import { type ModelName, type NamingProvider, parseModelName } from './modelName';
import type { ModelResources } from './modelResources';
import { createOpenAiModel } from './openai/openaiModel';
import { priceOf } from './prices';
import { createReplayModel } from './replay';
import { withRequestRetries } from './requestRetries';
import { scriptedPolicies } from './scripted/policies';
import { createScriptedModel } from './scripted/scriptedModel';
import { unknownModel } from './unknownModel';
import { wrappedModel } from './wrappedModel';

/** A name that says more than its provider. */
export type NamedModel = Extract<ModelName, { readonly model: string }>;

/** Makes a provider's model: cheap, without a request. `fullName` is what the user typed, and the model's `name`. */
export type ModelFactory = (name: NamedModel, fullName: string, resources: ModelResources) => Model;

const factories: Readonly<Record<NamingProvider, ModelFactory>> = {
  openai: createOpenAiModel,
  ollama: createOpenAiModel,
  'llama.cpp': createOpenAiModel,
  vllm: createOpenAiModel,
  'lm-studio': createOpenAiModel,
  gemini: createGeminiModel,
  vscode: createEditorModel,
  replay: createReplayModel,
};

/**
 * Makes a model. Nothing is asked of a server or a person yet.
 *
 * @throws UnknownNameFailure for a model that isn't there, or an environment for which `scripted` has no policy;
 *   ModelFailure for one that this host can't have.
 */
export function createModel(name: string, resources: ModelResources): Model {
  const parsed = parseModelName(name);
  if (parsed === undefined) throw unknownModel(name);
  switch (parsed.provider) {
    case 'scripted':
      return scripted(resources);
    case 'manual':
      return createManualModel(resources);
    case 'openai':
    case 'ollama':
    case 'llama.cpp':
    case 'vllm':
    case 'lm-studio':
    case 'gemini':
    case 'vscode':
      return withRequestRetries(priced(named(parsed, name, resources), name, resources), resources);
    case 'replay':
      return named(parsed, name, resources);
    default:
      return assertNever(parsed);
  }
}

function named(parsed: NamedModel, name: string, resources: ModelResources): Model {
  return factories[parsed.provider](parsed, name, resources);
}

/** The user's prices win over the documented ones. */
function priced(model: Model, name: string, { prices, settings, waiting }: ModelResources): Model {
  const price = priceOf(name, { settings, prices, now: waiting?.now() ?? Date.now() });
  return price === undefined ? model : wrappedModel(model, { price });
}

function scripted({ environment, settings, sha256 }: ModelResources): Model {
  const policy = scriptedPolicies.get(environment);
  if (policy === undefined) {
    throw new UnknownNameFailure('scripted policy for the environment', environment, [
      ...scriptedPolicies.keys(),
    ]);
  }
  const { faults, faultSeed } = settings ?? {};
  return createScriptedModel({ policy, faults, faultSeed, sha256 });
}
