/**
 * `npm run bench`: how long a step takes and what it costs in memory, what the debug adapter adds, and how long the language server takes, beside the goals and peers; see CONTRIBUTING.md.
 *
 *   npm run bench -- [measure…] [--json]
 *
 * Each measure runs in a fresh process. Figures are of this machine in this hour: look at the ratios.
 */
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, root } from './install.mjs';

ensureDependencies();
const { generateTypes } = await import('./generateTypes.mjs');
const esbuild = await import('esbuild');

/** @typedef {import('../test/support/benchmark/figures.js').Measure} Measure */
/** @typedef {import('../test/support/benchmark/figures.js').Figure} Figure */

const names = ['steps', 'memory', 'warehouse', 'trace', 'adapter', 'catastrophic', 'language', 'peer'];

const wanted = process.argv.slice(2);
const json = wanted.includes('--json');
const chosen = wanted.filter((argument) => argument !== '--json');
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No such measure: ${unknown.join(', ')}. There are ${names.join(', ')}.`);
  process.exit(2);
}

/** The child's own output is no figure; it goes where progress goes. */
const outputs = /** @type {const} */ (['ignore', 2, 2, 'ipc']);
/** The peer reports home when its owner has set it up to; not from here. */
const environment = {
  LANGCHAIN_TRACING_V2: 'false',
  LANGSMITH_TRACING: 'false',
  LANGSMITH_TRACING_V2: 'false',
};

await generateTypes();
const bundle = await build();
/** @type {Record<string, Measure>} */
const measures = {};
for (const name of names) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const measured = await measure(name);
  measures[name] = measured;
  if (!json) console.log(table(measured));
}
if (json) {
  const machine = { node: process.version, processor: cpus()[0]?.model ?? '', processors: cpus().length };
  console.log(JSON.stringify({ machine, measures }, null, 2));
}

/** Bundles the benchmark as the product is bundled; returns its path. */
async function build() {
  const outdir = join(root, 'dist', 'test');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: { stepBenchmark: 'test/support/stepBenchmark.ts' },
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    // What was written for CommonJS asks for Node's modules by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    legalComments: 'none',
    logLevel: 'warning',
  });
  return join(outdir, 'stepBenchmark.mjs');
}

/**
 * Takes one measure.
 *
 * @param {string} name
 * @returns {Promise<Measure>}
 */
function measure(name) {
  return new Promise((resolve, reject) => {
    const child = fork(bundle, [name], {
      cwd: root,
      execArgv: ['--expose-gc'],
      env: { ...process.env, ...environment },
      stdio: [...outputs],
    });
    child.on('message', (message) => resolve(/** @type {Measure} */ (message)));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`The measure ${name} ended with exit code ${code}.`)));
  });
}

/** @param {Measure} measure */
function table({ title, figures, skipped }) {
  if (skipped) return `\n${title}\n  not measured: ${skipped}`;
  const rows = figures.map((figure) => [
    figure.name,
    `${rounded(figure.value)} ${figure.unit}`,
    figure.ratio ? `${rounded(figure.ratio.value)} × ${figure.ratio.to}` : '',
    goalText(figure),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([name = '', value = '', ratio = '', goal = '']) =>
    `  ${name.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${ratio.padEnd(widths[2] ?? 0)}  ${goal}`.trimEnd(),
  );
  return `\n${title}\n${lines.join('\n')}`;
}

/** @param {Figure} figure */
function goalText({ goal }) {
  if (!goal) return '';
  return goal.met ? `ok: ${goal.text}` : `MISSED: ${goal.text}`;
}

/** @param {number} value */
function rounded(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
