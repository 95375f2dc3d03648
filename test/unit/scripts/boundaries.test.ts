/** What is configured to hold the import boundaries names what there is, and no more than the boundaries allow. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
}

const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  readonly forbidden: readonly Rule[];
};

/** `^client/src/(cli\\.ts$|hosts/node/)` as `client/src/cli.ts` and `client/src/hosts/node`. */
function pathsIn(pattern: string): readonly string[] {
  const [, before = '', choices = ''] = /^\^([^(]*)(?:\((.*)\))?/.exec(pattern) ?? [];
  return choices.split('|').map((choice) => `${before}${choice}`.replaceAll('\\.', '.').replace(/[$]$/, ''));
}

describe('import boundaries', () => {
  it('name folders and files that there are', () => {
    const { overrides } = read('biome.json') as { overrides: readonly { includes: readonly string[] }[] };
    const included = overrides.flatMap(({ includes }) => includes.map((path) => path.replace(/\/\*.*$/, '')));
    const ruled = forbidden.flatMap(({ from }) => (from.path === undefined ? [] : pathsIn(from.path)));
    const named = [...included, ...ruled.map((path) => path.replace(/\/\[\^\/\].*$/, ''))];
    expect(named).toContain('client/src/cli.ts');
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each([
    'schemas',
    'client/src/runtime',
    'client/src/models',
    'client/src/environments',
    'client/src/debug',
  ])('let the project %s see only what it may import', (folder) => {
    const { references = [] } = read(`${folder}/tsconfig.json`) as { references?: { path: string }[] };
    const seen = references.map(({ path }) =>
      relative(root, resolve(root, folder, path)).replaceAll('\\', '/'),
    );
    const allowed =
      folder === 'schemas'
        ? []
        : folder.endsWith('runtime')
          ? ['schemas']
          : ['schemas', 'client/src/runtime'];
    expect(seen.filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('keep all that runs without VS Code from what needs it', () => {
    const rule = forbidden.find(({ name }) => name === 'command-line-without-vscode');
    const from = new RegExp(rule?.from.path ?? '');
    const without = ['cli.ts', 'commandLine/program.ts', 'hosts/node/openRun.ts', 'hosts/modelCatalog.ts'];
    const within = ['extension.ts', 'views/rewindOffer.ts', 'hosts/vscode/repeatFilter.ts'];
    expect(without.filter((path) => !from.test(`client/src/${path}`))).toEqual([]);
    expect(within.filter((path) => from.test(`client/src/${path}`))).toEqual([]);
  });
});
