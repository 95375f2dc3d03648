/** The built-in models by the names that a user gives. */
import type { Sha256 } from '../../../schemas/text/digest';
import type { Asker } from '../runtime/asker';
import type { Model } from '../runtime/model';
import { UnknownNameFailure } from '../runtime/unknownName';
import { createManualModel } from './manual';
import { scriptedPolicies } from './scripted/policies';
import { createScriptedModel } from './scripted/scriptedModel';

/** What some models need; the others leave it alone. */
export interface ModelResources {
  /** Who types the replies of `manual`. */
  readonly asker: Asker;
  /** The name of the environment for which `scripted` acts. */
  readonly environment: string;
  /** The share of `scripted`'s replies that have a fault, from 0 to 1. */
  readonly faults?: number | undefined;
  readonly faultSeed?: number | undefined;
  readonly sha256: Sha256;
}

const factories: ReadonlyMap<string, (resources: ModelResources) => Model> = new Map([
  ['scripted', scripted],
  ['manual', createManualModel],
]);

export const modelNames: readonly string[] = [...factories.keys()];

/** @throws UnknownNameFailure for a model that isn't there, or an environment for which `scripted` has no policy. */
export function createModel(name: string, resources: ModelResources): Model {
  const create = factories.get(name);
  if (create === undefined) throw new UnknownNameFailure('model', name, modelNames);
  return create(resources);
}

function scripted({ environment, faults, faultSeed, sha256 }: ModelResources): Model {
  const policy = scriptedPolicies.get(environment);
  if (policy === undefined) {
    throw new UnknownNameFailure('scripted policy for the environment', environment, [
      ...scriptedPolicies.keys(),
    ]);
  }
  return createScriptedModel({ policy, faults, faultSeed, sha256 });
}
