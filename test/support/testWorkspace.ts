/** Folders that the tests inside VS Code work on: copies, so that no test writes into the checkout. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder and what removes it. */
export interface TestFolders {
  /** A copy of the samples. */
  readonly workspace: string;
  /** An extension that holds nothing but the tests, so that the one under test is the installed package. */
  readonly testExtension: string;
  remove(): void;
}

/** Makes the folders of one run from a checkout. */
export function makeTestFolders(checkout: string): TestFolders {
  const home = mkdtempSync(join(tmpdir(), 'skill-state-test-'));
  const workspace = join(home, 'samples');
  cpSync(join(checkout, 'samples'), workspace, {
    recursive: true,
    filter: (path) => !path.endsWith('.skilltrace.jsonl'),
  });

  const testExtension = join(home, 'test-extension');
  mkdirSync(testExtension);
  cpSync(join(checkout, 'dist', 'test', 'host'), join(testExtension, 'tests'), { recursive: true });
  const manifest = {
    name: 'skill-state-host-tests',
    publisher: 'skill-state',
    version: '0.0.0',
    engines: { vscode: '*' },
  };
  writeFileSync(join(testExtension, 'package.json'), JSON.stringify(manifest));
  return {
    workspace,
    testExtension,
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}
