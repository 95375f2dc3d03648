/** Folders that the tests inside VS Code, and people, work on: copies, so that nobody writes into the checkout. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the samples in a temporary folder, and what removes it. */
export interface TestWorkspace {
  readonly workspace: string;
  /** Whether anything in it is other than it was copied: written, added or gone. */
  isChanged(): boolean;
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
  const copied = digestOf(workspace);
  return {
    workspace,
    isChanged: () => digestOf(workspace) !== copied,
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Stands for the names and contents of all that is in a folder. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(folder, name);
    const found = lstatSync(path);
    const content = found.isFile() ? readFileSync(path) : found.isSymbolicLink() ? readlinkSync(path) : '';
    hash.update(JSON.stringify([name, found.isDirectory(), content.length])).update(content);
  }
  return hash.digest('hex');
}

/** Makes the folders of one run of the tests from a checkout. */
export function makeTestFolders(checkout: string): TestFolders {
  const { workspace, isChanged, remove } = makeWorkspace(checkout);
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
  return { workspace, testExtension, isChanged, remove };
}
