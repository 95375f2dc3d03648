/**
 * What the `live` tests need, found once for all files. What this machine can't have is a reason, which is printed; the
 * tests that need it are skipped.
 */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { learnedName } from '../support/liveRuns';
import { installLlamaServer, sharedModels } from '../support/llamaServer';
import { repository } from '../support/memoryRun';
import { Unavailable } from '../support/vscodeCache';

export type Found = { readonly path: string } | { readonly unavailable: string };

declare module 'vitest' {
  interface ProvidedContext {
    readonly llamaServer: Found;
    /** The file of the learned model. */
    readonly learnedModel: Found;
  }
}

export default async function prepare(project: TestProject): Promise<void> {
  const llamaServer = await found(() => installLlamaServer(console.log));
  const learnedModel = await found(() => join(sharedModels(repository, learnedName), `${learnedName}.gguf`));
  for (const one of [llamaServer, learnedModel])
    if ('unavailable' in one) console.log(`live: SKIPPED: ${one.unavailable}`);
  project.provide('llamaServer', llamaServer);
  project.provide('learnedModel', learnedModel);
}

async function found(path: () => string | Promise<string>): Promise<Found> {
  try {
    return { path: await path() };
  } catch (error) {
    if (error instanceof Unavailable) return { unavailable: error.message };
    throw error;
  }
}

/** The path, in a test that is skipped where there is none. */
export function pathOf(one: Found): string {
  if ('path' in one) return one.path;
  throw new Error(one.unavailable);
}
