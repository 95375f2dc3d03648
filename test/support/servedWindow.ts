/** A served VS Code for a person: prints its address and lives until Ctrl-C. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServedVscode } from './servedVscode';
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
  const home = mkdtempSync(join(tmpdir(), 'skill-state-samples-'));
  const workspace = join(home, 'samples');
  cpSync(join(checkout, 'samples'), workspace, { recursive: true });
  const server = await startServedVscode({ installation, vsix });
  console.log(`VS Code with a copy of the samples: ${server.pageAddress(workspace)}`);
  console.log('Ctrl-C ends it.');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  await server.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
