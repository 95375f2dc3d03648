/** `npm run package`: builds for production, packs the .vsix and checks what is in it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDependencies, root } from './install.mjs';
import { listZipEntries, packageProblems } from './vsixContents.mjs';

/** @returns {string} where the package of this version lies */
export function packagePath() {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return join(root, `${name}-${version}.vsix`);
}

/**
 * The README as the package has it: without pictures, and without links to files that aren't in the package.
 *
 * @param {string} text
 */
export function packagedReadme(text) {
  return text
    .replace(/^!\[[^\]]*\]\((?!https?:)[^)]*\)\n\n/gm, '')
    .replace(/(?<!!)\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1');
}

/**
 * Packs the extension; vsce runs the production build through `vscode:prepublish`.
 *
 * @returns {Promise<string>} the package's path
 */
export async function packageExtension() {
  const { createVSIX } = await import('@vscode/vsce');
  const path = packagePath();
  // There is no address to rewrite relative links to.
  const noRepository = { allowMissingRepository: true, rewriteRelativeLinks: false };
  // Not in dist/, which the production build empties.
  const readmePath = join('.build', 'package', 'README.md');
  mkdirSync(join(root, dirname(readmePath)), { recursive: true });
  writeFileSync(join(root, readmePath), packagedReadme(readFileSync(join(root, 'README.md'), 'utf8')));
  await createVSIX({ cwd: root, packagePath: path, dependencies: false, readmePath, ...noRepository });
  const archive = readFileSync(path);
  const entries = listZipEntries(archive);
  const problems = packageProblems(entries, archive.length);
  if (problems.length > 0) throw new Error(`The package is not as it should be:\n${problems.join('\n')}`);
  return path;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureDependencies();
  try {
    const path = await packageExtension();
    const archive = readFileSync(path);
    for (const { name, size } of listZipEntries(archive)) console.log(`${String(size).padStart(9)}  ${name}`);
    console.log(`${path}: ${archive.length} bytes`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
