/** Folders that the tests inside VS Code work on: copies, so that no test writes into the checkout. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the samples in a temporary folder, and what removes it. */
export interface TestWorkspace {
  readonly workspace: string;
  remove(): void;
}

/** The folders of a run inside the extension host. */
export interface TestFolders extends TestWorkspace {
  /** An extension that holds nothing but the tests, so that the one under test is the installed package. */
  readonly testExtension: string;
}

/** Copies the samples of a checkout, without the traces that lie about. */
export function makeWorkspace(checkout: string): TestWorkspace {
  const home = mkdtempSync(join(tmpdir(), 'skill-state-samples-'));
  const workspace = join(home, 'samples');
  cpSync(join(checkout, 'samples'), workspace, {
    recursive: true,
    filter: (path) => !path.endsWith('.skilltrace.jsonl'),
  });
  return { workspace, remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Makes the folders of one run of the tests from a checkout. */
export function makeTestFolders(checkout: string): TestFolders {
  const { workspace, remove } = makeWorkspace(checkout);
  const testExtension = join(dirname(workspace), 'test-extension');
  mkdirSync(testExtension);
  cpSync(join(checkout, 'dist', 'test', 'host'), join(testExtension, 'tests'), { recursive: true });
  const manifest = {
    name: 'skill-state-host-tests',
    publisher: 'skill-state',
    version: '0.0.0',
    engines: { vscode: '*' },
  };
  writeFileSync(join(testExtension, 'package.json'), JSON.stringify(manifest));
  return { workspace, testExtension, remove };
}
