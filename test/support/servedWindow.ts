/** A served VS Code for a person: prints its address and lives until Ctrl-C. */
import { startServedVscode } from './servedVscode';
import { makeWorkspace, type TestWorkspace } from './testWorkspace';
import { installServedVscode } from './vscodeCache';

/** Serves a copy of the samples with the packaged extension until the process is interrupted. */
export async function openServed({
  checkout,
  vsix,
}: {
  readonly checkout: string;
  readonly vsix: string;
}): Promise<void> {
  const installation = await installServedVscode((line) => console.log(line));
  const copy = makeWorkspace(checkout);
  const server = await startServedVscode({ installation, vsix });
  console.log(`VS Code with a copy of the samples: ${server.pageAddress(copy.workspace)}`);
  console.log('Ctrl-C ends it; a copy in which anything was changed or recorded is kept.');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  await server.stop();
  console.log(leaveCopy(copy));
}

/**
 * Removes a copy that a person worked in, unless anything in it is the person's: edits, traces.
 *
 * @returns what became of it, for the person
 */
export function leaveCopy({ workspace, isChanged, remove }: TestWorkspace): string {
  if (isChanged())
    return `Your copy of the samples, with what you changed and recorded, is kept in ${workspace}.`;
  remove();
  return 'Nothing in the copy of the samples was changed, so it is removed.';
}
