/** `npm start`: builds, then runs the warehouse sample in the terminal with the built-in model. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, root } from './install.mjs';

ensureDependencies();
const build = spawnSync(process.execPath, ['esbuild.mjs'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (build.status !== 0) process.exit(build.status ?? 1);

const sample = ['run', 'samples/warehouse', '--model', 'scripted', '--horizon', '25', '--seed', '42'];
// A few of these replies are faulty, so that rejections, retries and a loss that the schema allows are seen.
const faults = ['--faults', '0.12', '--fault-seed', '76'];
const commandLine = [join('dist', 'cli.js'), ...sample, ...faults, ...process.argv.slice(2)];
const run = spawnSync(process.execPath, commandLine, {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = run.status ?? 1;
