/** The scripted policies, by the environment for which each can act. */
import type { Policy } from './policy';
import { warehousePolicy } from './warehousePolicy';

export const scriptedPolicies: ReadonlyMap<string, Policy> = new Map([['warehouse', warehousePolicy]]);
