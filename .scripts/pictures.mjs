/** `npm run pictures`: makes every picture in the repository anew, the icon from its SVG, the others from the product. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, root } from './install.mjs';

ensureDependencies();
const build = spawnSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

/** @type {typeof import('../test/support/vscodeLaunch.js')} */
const { launchBrowser } = await import(join(root, 'dist', 'test', 'vscodeLaunch.mjs'));

/** Pixels of the icon's edge: twice what the marketplace asks for at least. */
const iconSize = 256;

const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: iconSize, height: iconSize } });
const svg = readFileSync(join(root, 'client', 'media', 'icon.svg'), 'utf8');
await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
await page.screenshot({ path: join(root, 'client', 'media', 'icon.png'), omitBackground: true });
await browser.close();

// The rest are some of what the tests of the user interface see; those that the README shows are in git.
const shown = ['rejected', 'debugging', 'run', 'model-run', 'writing'];
const seen = mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));
const tests = spawnSync(process.execPath, ['.scripts/test.mjs', 'ui'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SKILL_STATE_PICTURES: seen },
});
process.exitCode = tests.status ?? 1;
if (process.exitCode === 0) {
  const pictures = join(root, '.github', 'pictures');
  mkdirSync(pictures, { recursive: true });
  for (const name of shown) copyFileSync(join(seen, `${name}.png`), join(pictures, `${name}.png`));
  console.log(`All that was seen is in ${seen}.`);
}
