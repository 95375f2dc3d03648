/** The seed of one request, for providers that sample. */
import type { ModelRequest } from '../runtime/model';

/**
 * From 0 to 2^31 - 1, which every provider takes: the same for the same seed, step and attempt, and unlike that of the
 * attempt before, whose mistake it is not to repeat.
 */
export function sampleSeed({ seed, step, attempt }: Pick<ModelRequest, 'seed' | 'step' | 'attempt'>): number {
  let hash = 0;
  for (const part of [Math.floor(seed / 2 ** 32), seed, step, attempt]) {
    // Each part is mixed in as in MurmurHash3's last step.
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 1;
}
