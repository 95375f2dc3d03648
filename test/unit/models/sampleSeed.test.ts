import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleSeed } from '../../../client/src/models/sampleSeed';

describe('the seed of a request', () => {
  it('is the same for the same seed, step and attempt, and within 31 bits', () => {
    const counted = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(counted, fc.nat(), fc.integer({ min: 1, max: 100 }), (seed, step, attempt) => {
        const first = sampleSeed({ seed, step, attempt });
        expect(first).toBe(sampleSeed({ seed, step, attempt }));
        expect(Number.isInteger(first) && first >= 0 && first < 2 ** 31).toBe(true);
      }),
    );
  });

  it('is another for each of 20,000 neighbours', () => {
    const seeds = new Set<number>();
    for (const seed of [0, 1, 42, 2 ** 32, 2 ** 40]) {
      for (let step = 0; step < 1_000; step++) {
        for (let attempt = 1; attempt <= 4; attempt++) seeds.add(sampleSeed({ seed, step, attempt }));
      }
    }
    // Of so many random ones out of 2^31, a tenth of one pair is alike.
    expect(seeds.size).toBeGreaterThan(19_990);
  });
});
