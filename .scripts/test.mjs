/**
 * `npm test`: every level of tests, in the order in which they tell most. `npm test -- unit host` runs some.
 *
 * A level that this machine can't provide for is skipped and says so; with CI=true that is a failure, but for the level
 * with a real model server, whose models the project doesn't carry. The last line
 * is `N passed, N failed, N skipped` over all levels, where a level without tests of its own counts as one.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureDependencies, root } from './install.mjs';

ensureDependencies();
// An exit, unlike a signal, ends what was started for the tests.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const { generateTypes } = await import('./generateTypes.mjs');

/**
 * `failures`: which tests failed and why, to be said once more at the very end, where it is found.
 *
 * `failedFiles`: the test files in which they stand.
 *
 * `note`: what was left out, and why.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, failures?: readonly string[], failedFiles?: readonly string[], note?: string }} Counts
 * `optional`: what it needs is no part of what a test machine has, so that it may be skipped anywhere.
 *
 * @typedef {{ name: string, needs?: readonly string[], optional?: boolean, run: () => Counts | Promise<Counts> }} Level
 */

const strict = /^(1|true)$/i.test(process.env.CI ?? '');
const one = { passed: 1, failed: 0, skipped: 0 };
const broken = { passed: 0, failed: 1, skipped: 0 };

/**
 * Runs an installed program or script, its output going to the terminal.
 *
 * @param {string} script relative to the checkout
 * @param {readonly string[]} scriptArguments
 */
function runNode(script, ...scriptArguments) {
  return (
    spawnSync(process.execPath, [join(root, script), ...scriptArguments], { cwd: root, stdio: 'inherit' })
      .status === 0
  );
}

/** @param {boolean} succeeded */
const countOne = (succeeded) => (succeeded ? one : broken);

/**
 * Runs Vitest on one project of vitest.config.mjs and reads its counts.
 *
 * @param {string} project
 * @param {readonly string[]} files these files alone; all of the project where none is given
 * @returns {Counts}
 */
function vitest(project, files = []) {
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-vitest-'));
  try {
    const report = join(folder, 'report.json');
    const succeeded = runNode(
      'node_modules/vitest/vitest.mjs',
      ...['run', '--project', project, '--passWithNoTests', ...files],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    );
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    // A file that can't be loaded fails without a failed test.
    const failed = succeeded ? numFailedTests : Math.max(1, numFailedTests);
    const skipped = numPendingTests + numTodoTests;
    const failedFiles = filesThatFailed(testResults);
    return { passed: numPassedTests, failed, skipped, failures: failuresIn(testResults), failedFiles };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {readonly { name: string, status: string }[]} files
 */
function filesThatFailed(files) {
  return files.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * What failed, by Vitest's report.
 *
 * @param {readonly { name: string, status: string, message?: string, assertionResults: readonly { fullName: string, status: string, failureMessages?: readonly string[] }[] }[]} files
 */
function failuresIn(files) {
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const path = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [`${path}\n${indented(message)}`];
    return failed.map((test) => `${path} > ${test.fullName}\n${indented(test.failureMessages?.join('\n'))}`);
  });
}

/** The first lines of a message: enough to know it by. */
function indented(message = '') {
  return message
    .split('\n')
    .slice(0, 8)
    .map((line) => `    ${line}`)
    .join('\n');
}

/**
 * Runs the tests that drive a page of VS Code. Clicks that fall into one of its refreshes are lost now and then: one file
 * that failed is run once more, in a VS Code of its own, and has to pass then; that is said.
 *
 * @returns {Counts}
 */
function userInterface() {
  const first = vitest('ui');
  const [file, ...others] = first.failedFiles ?? [];
  if (file === undefined || others.length > 0) return first;
  console.log(`\n${relative(root, file)} once more, in a VS Code of its own:`);
  const second = vitest('ui', [relative(root, file)]);
  if (second.failed > 0) return first;
  console.log(`It passes now. What failed before:\n${first.failures?.join('\n')}`);
  return { passed: first.passed + first.failed, failed: 0, skipped: first.skipped };
}

/** @returns {Promise<typeof import('../test/support/vscodeLaunch.js')>} */
const launchers = () => import(join(root, 'dist', 'test', 'vscodeLaunch.mjs'));

/** The package that this run made, for the levels that install it. */
let vsix = '';

/** @type {readonly Level[]} */
const levels = [
  {
    name: 'types',
    run: async () => {
      await generateTypes();
      return countOne(runNode('node_modules/typescript/bin/tsc', '-b'));
    },
  },
  { name: 'lint', run: () => countOne(runNode('node_modules/@biomejs/biome/bin/biome', 'check')) },
  {
    name: 'boundaries',
    run: () =>
      countOne(
        runNode(
          'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
          ...['--config', '.dependency-cruiser.cjs', 'client', 'server', 'schemas', 'test'],
        ),
      ),
  },
  { name: 'unit', run: () => vitest('unit') },
  { name: 'build', run: () => countOne(runNode('esbuild.mjs')) },
  { name: 'protocol', needs: ['build'], run: () => vitest('protocol') },
  {
    name: 'live',
    needs: ['build'],
    optional: true,
    run: async () => {
      const { installLlamaServer, sharedModels, Unavailable } = await launchers();
      process.env.SKILL_STATE_LLAMA_SERVER = await installLlamaServer(console.log);
      const counts = vitest('live');
      try {
        sharedModels(root, 'warehouse-tiny');
        return counts;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        return { ...counts, note: `SKIPPED in part: ${error.message}` };
      }
    },
  },
  {
    name: 'package',
    needs: ['build'],
    run: async () => {
      const { packageExtension } = await import('./package.mjs');
      vsix = await packageExtension();
      return one;
    },
  },
  {
    name: 'host',
    needs: ['build', 'package'],
    run: async () => {
      const launcher = process.env.SKILL_STATE_VSCODE;
      return (await launchers()).runHostTests({ checkout: root, vsix, ...(launcher ? { launcher } : {}) });
    },
  },
  {
    name: 'ui',
    needs: ['build', 'package'],
    run: async () => {
      const { findBrowser, installServedVscode, Unavailable } = await launchers();
      if (!findBrowser())
        throw new Unavailable('no Chromium or Chrome found (Debian: apt-get install chromium)');
      await installServedVscode(console.log);
      process.env.SKILL_STATE_VSIX = vsix;
      return userInterface();
    },
  },
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !levels.some((level) => level.name === name));
if (unknown.length > 0) {
  console.error(
    `No such level: ${unknown.join(', ')}. There are ${levels.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const needed = new Set(
  chosen.flatMap((name) => [name, ...(levels.find((level) => level.name === name)?.needs ?? [])]),
);

const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {Set<string>} */
const failedLevels = new Set();
/** @type {string[]} */
const summary = [];
/** @type {string[]} */
const failures = [];
for (const { name, needs = [], optional = false, run } of levels) {
  if (chosen.length > 0 && !needed.has(name)) continue;
  console.log(`\n— ${name}`);
  const start = performance.now();
  const missing = needs.find((other) => failedLevels.has(other));
  const { counts, note } = missing
    ? { counts: { ...broken }, note: `not run, since ${missing} failed` }
    : await attempt(run, strict && !optional);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (counts.failed > 0) failedLevels.add(name);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  failures.push(...(counts.failures ?? []).map((failure) => `✗ ${failure}`));
  const line = `${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${seconds} s`;
  summary.push(note ? `${line} (${note})` : line);
  if (note) console.log(note);
}

/**
 * Runs a level; what it throws becomes a count and a note.
 *
 * @param {Level['run']} run
 * @param {boolean} strict whether a level that this machine can't provide for has failed
 * @returns {Promise<{ counts: Counts, note?: string }>}
 */
async function attempt(run, strict) {
  try {
    const { note, ...counts } = await run();
    return { counts, ...(note ? { note } : {}) };
  } catch (error) {
    const { Unavailable } = await launchers().catch(() => ({ Unavailable: undefined }));
    if (Unavailable && error instanceof Unavailable) {
      const note = `${strict ? 'FAILED' : 'SKIPPED'}: ${error.message}`;
      return { counts: strict ? broken : { passed: 0, failed: 0, skipped: 1 }, note };
    }
    const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { counts: broken, note };
  }
}

if (failures.length > 0) console.log(`\n${failures.join('\n')}`);
console.log(`\n${summary.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 ? 1 : 0;
