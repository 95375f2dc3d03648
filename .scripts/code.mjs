/** `npm run code`: opens VS Code on the samples with the extension loaded; the desktop one if there is one. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, root } from './install.mjs';

ensureDependencies();
const build = spawnSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

/** @type {typeof import('../test/support/vscodeLaunch.js')} */
const { openDesktop, openServed, Unavailable } = await import(join(root, 'dist', 'test', 'vscodeLaunch.mjs'));
if (process.env.SKILL_STATE_VSCODE !== 'served' && openDesktop(join(root, 'samples'), root)) {
  console.log('Opened VS Code on samples/. Open a SKILL.md there and press F5.');
} else {
  const { packageExtension } = await import('./package.mjs');
  try {
    await openServed({ checkout: root, vsix: await packageExtension() });
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.error(`VS Code can't be opened: ${error.message}`);
    process.exitCode = 1;
  }
}
