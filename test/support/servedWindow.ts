/** A served VS Code for a person: prints its address and lives until Ctrl-C. */
import { startServedVscode } from './servedVscode';
import { makeWorkspace } from './testWorkspace';
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
  const { workspace, remove } = makeWorkspace(checkout);
  const server = await startServedVscode({ installation, vsix });
  console.log(`VS Code with a copy of the samples: ${server.pageAddress(workspace)}`);
  console.log('Ctrl-C ends it.');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  await server.stop();
  remove();
}
