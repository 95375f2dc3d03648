import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'threads',
    // Vitest would leave one processor to itself, half of what a small machine has.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: ['test/support/propertySeed.ts'],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000 } },
      // These run dist/: build first, or use `npm test -- protocol`.
      {
        extends: true,
        test: { name: 'protocol', include: ['test/protocol/**/*.test.ts'], testTimeout: 120_000 },
      },
      // A real model server: `npm test -- live` fetches one where there is none.
      {
        extends: true,
        test: {
          name: 'live',
          pool: 'forks',
          include: ['test/live/**/*.test.ts'],
          globalSetup: ['test/live/prepare.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // A model's thread and the run that it answers take turns: two files keep two processors busy.
          maxWorkers: 2,
          // Vitest asks for a place of its own where the number of workers is.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'ui',
          // A thread can't clean up when it is ended.
          pool: 'forks',
          include: ['test/ui/**/*.test.ts'],
          // Each wait has a deadline of its own; these are for tests of many waits on a machine that is slow and busy.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // Vitest would give up after a second.
          expect: { poll: { timeout: 120_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
});
