/**
 * Installs the dependencies when they are missing or no longer those of package-lock.json. Every other script
 * calls this before it imports anything that is installed, so that `npm start` and its like need no separate
 * `npm install`. Plain Node, no imports beyond its own modules.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The checkout's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {{ version?: string, optional?: boolean, devOptional?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile
 */

/**
 * Says why what is installed isn't what is locked, or undefined when it is. npm leaves its own record of what it
 * installed in node_modules/.package-lock.json as its last act: comparing the two also notices an interrupted
 * install, another branch's lock file, and development dependencies left out under NODE_ENV=production.
 *
 * @param {Lockfile} locked package-lock.json
 * @param {Lockfile | undefined} installed node_modules/.package-lock.json
 * @returns {string | undefined}
 */
export function installReason(locked, installed) {
  if (!installed) return 'dependencies are not installed';
  const present = installed.packages ?? {};
  for (const [path, entry] of Object.entries(locked.packages ?? {})) {
    if (path === '') continue;
    const found = present[path];
    // Optional packages are those of other platforms.
    if (!found && (entry.optional || entry.devOptional)) continue;
    if (found?.version !== entry.version) {
      return `${path.replace(/^.*node_modules\//, '')} ${entry.version ?? ''} is locked, ${found?.version ?? 'nothing'} is installed`;
    }
  }
  return undefined;
}

/** @param {string} path @returns {Lockfile | undefined} */
function readLockfile(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/**
 * Runs npm in the checkout with the npm that called us, if one did; output goes to the terminal.
 *
 * @param {readonly string[]} npmArguments
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {number} the exit code
 */
export function runNpm(npmArguments, options = {}) {
  const { npm_execpath: npm } = process.env;
  const settings = /** @type {const} */ ({
    cwd: options.cwd ?? root,
    env: options.env ?? process.env,
    stdio: 'inherit',
  });
  const result =
    npm && /\.c?js$/.test(npm)
      ? spawnSync(process.execPath, [npm, ...npmArguments], settings)
      : spawnSync('npm', [...npmArguments], { ...settings, shell: process.platform === 'win32' });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** Installs what is locked, or ends the process with npm's exit code when that fails. */
export function ensureDependencies() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) {
    console.error(`Node 20 or newer is needed; this is ${process.version}.`);
    process.exit(1);
  }
  const locked = readLockfile(join(root, 'package-lock.json'));
  if (!locked) throw new Error('package-lock.json is missing');
  const reason = installReason(locked, readLockfile(join(root, 'node_modules', '.package-lock.json')));
  if (!reason) return;
  console.log(`Installing: ${reason}.`);
  const status = runNpm(['ci', '--include=dev', '--no-audit', '--no-fund']);
  if (status !== 0) {
    console.error('npm ci failed; its message is above.');
    process.exit(status);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) ensureDependencies();
