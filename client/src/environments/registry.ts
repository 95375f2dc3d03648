/** The built-in environments by the names that a user gives. */
import type { Environment } from '../runtime/environment';
import { UnknownNameFailure } from '../runtime/unknownName';
import { createManualEnvironment, type ManualEnvironmentOptions } from './manual';
import { createWarehouse } from './warehouse/warehouse';

/** What some environments need; the others leave it alone. */
export type EnvironmentResources = ManualEnvironmentOptions;

const factories: ReadonlyMap<string, (resources: EnvironmentResources) => Environment> = new Map([
  ['warehouse', createWarehouse],
  ['manual', createManualEnvironment],
]);

export const environmentNames: readonly string[] = [...factories.keys()];

/** A fresh environment, to be `reset` first. @throws UnknownNameFailure */
export function createEnvironment(name: string, resources: EnvironmentResources): Environment {
  const create = factories.get(name);
  if (create === undefined) throw new UnknownNameFailure('environment', name, environmentNames);
  return create(resources);
}
