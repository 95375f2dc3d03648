/**
 * Builds everything into dist/: the extension, the language server, the command line, the pages of webviews, the libraries
 * and the tokenizer table they share, copies of the formats' JSON Schemas, and, except with --production, what the tests inside VS Code need.
 *
 *   node esbuild.mjs [--watch] [--production]
 */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { generateTypes, schemaFiles } from './.scripts/generateTypes.mjs';
import { ensureDependencies, root } from './.scripts/install.mjs';

ensureDependencies();
const esbuild = await import('esbuild');

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** Packages that extension and server both need: files of their own, so that the package has them once. */
const sharedPackages = ['yaml', 're2js', 'markdown-it', '@marcbachmann/cel-js'];

/** ajv and its formats have to be one copy: the ways by which they are imported, and what they are in the shared file. */
const ajvParts = {
  ajv: 'ajv',
  'ajv/dist/2020': 'ajv2020',
  'ajv/dist/2020.js': 'ajv2020',
  'ajv-formats': 'formats',
};

/** Packages that are loaded when they are first used, by an `import()`: files of their own too. */
const latePackages = ['openai', '@google/genai', 'undici'];

/** Of those, the command line's own, which stays out of the package: its way through proxies, of which VS Code has another. */
const commandLinePackages = new Set(['undici']);

/** @param {string} name such as `@marcbachmann/cel-js` */
const sharedFile = (name) => (commandLinePackages.has(name) ? name : `libraries/${name.split('/').at(-1)}`);

/**
 * The packages above, and the tokenizer, which is loaded when tokens are first counted: by `require`, since an `import()`
 * parses such a file twice more to learn what it exports.
 *
 * @type {import('esbuild').Plugin}
 */
const sharedFiles = {
  name: 'shared-files',
  setup(build) {
    build.onResolve({ filter: /\/o200kTable(\.js|\.ts)?$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './tokenizer.js', namespace: 'required' },
    );
    build.onResolve({ filter: /^ajv(-formats|\/dist\/2020(\.js)?)?$/ }, ({ path }) => ({
      path,
      namespace: 'ajv-parts',
    }));
    build.onLoad({ filter: /.*/, namespace: 'ajv-parts' }, ({ path }) => ({
      contents: `module.exports = require('./libraries/ajv.js').${ajvParts[/** @type {keyof typeof ajvParts} */ (path)]};`,
    }));
    build.onResolve({ filter: /.*/, namespace: 'ajv-parts' }, ({ path }) => ({ path, external: true }));
    const lateNames = latePackages.map((name) => name.replaceAll(/[/.-]/g, '\\$&')).join('|');
    build.onResolve({ filter: new RegExp(`^(${lateNames})$`) }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${sharedFile(path)}.js`, namespace: 'required' },
    );
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
    build.onResolve({ filter: /.*/, namespace: 'required' }, ({ path }) => ({ path, external: true }));
    const names = sharedPackages.map((name) => name.replaceAll(/[/.-]/g, '\\$&')).join('|');
    build.onResolve({ filter: new RegExp(`^(${names})$`) }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${sharedFile(path)}.js`, external: true },
    );
  },
};

/**
 * Parts of packages that nothing here uses, or that Node has: sockets of Gemini's live sessions, and a `fetch`, in whose
 * place the global one is taken, which goes through an editor's proxies.
 *
 * @type {import('esbuild').Plugin}
 */
const leftOut = {
  name: 'left-out',
  setup(build) {
    build.onResolve({ filter: /^(ws|node-fetch)$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents:
        path === 'ws'
          ? 'export class WebSocket { constructor() { throw new Error("Live sessions are left out of this build."); } } export default WebSocket;'
          : 'export default (...given) => globalThis.fetch(...given); export const { Headers, Request, Response, FormData } = globalThis;',
    }));
  },
};

/**
 * The tokenizer's table of 200,000 byte sequences as compressed data instead of code: a third smaller in the package.
 *
 * @type {import('esbuild').Plugin}
 */
const compressedRanks = {
  name: 'compressed-ranks',
  setup(build) {
    build.onResolve({ filter: /\/bpeRanks\/o200k_base\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      namespace: 'ranks',
    }));
    build.onLoad({ filter: /.*/, namespace: 'ranks' }, async ({ path }) => {
      const { default: ranks } = await import(path);
      const params = { [constants.BROTLI_PARAM_QUALITY]: production ? 11 : 4 };
      mkdirSync(join(root, 'dist'), { recursive: true });
      writeFileSync(join(root, 'dist', ranksFile), brotliCompressSync(JSON.stringify(ranks), { params }));
      return {
        contents: `
          const { readFileSync } = require('node:fs');
          const { join } = require('node:path');
          const { brotliDecompressSync } = require('node:zlib');
          module.exports = JSON.parse(brotliDecompressSync(readFileSync(join(__dirname, '${ranksFile}'))));`,
      };
    });
  },
};

const ranksFile = 'o200k_base.json.br';

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // vscode-json-languageservice's UMD build hides its imports from bundlers.
  mainFields: ['module', 'main'],
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: watch ? 'info' : 'warning',
};

const extension = {
  ...common,
  entryPoints: { extension: 'client/src/extension.ts' },
  outdir: 'dist',
  external: ['vscode'],
  plugins: [sharedFiles],
};

/**
 * Without `vscode` as an external, so that an import of it in what must run without VS Code breaks the build.
 *
 * @type {import('esbuild').BuildOptions}
 */
const standalone = {
  ...common,
  entryPoints: {
    server: 'server/src/main.ts',
    cli: 'client/src/cli.ts',
    tokenizer: 'client/src/models/o200kTable.ts',
    ...Object.fromEntries([...sharedPackages, ...latePackages].map((name) => [sharedFile(name), name])),
  },
  outdir: 'dist',
  plugins: [sharedFiles, leftOut, compressedRanks],
};

/** Of one copy, whatever they are imported by. */
const ajvLibrary = {
  ...common,
  stdin: {
    contents:
      "export * as ajv from 'ajv'; export * as ajv2020 from 'ajv/dist/2020.js'; export * as formats from 'ajv-formats';",
    resolveDir: root,
  },
  outfile: 'dist/libraries/ajv.js',
};

/** The pages of webviews: one script and one style sheet each, for the Chromium that VS Code has. */
const pages = {
  ...common,
  entryPoints: {
    'webview/runPanel': 'client/webview/runPanel/main.ts',
    'webview/runPanelStyle': 'client/webview/runPanel/runPanel.css',
  },
  outdir: 'dist',
  platform: /** @type {const} */ ('browser'),
  format: /** @type {const} */ ('iife'),
  target: 'chrome120',
};

const hostTests = {
  ...common,
  entryPoints: { index: 'test/host/index.ts' },
  outdir: 'dist/test/host',
  external: ['vscode'],
  // Mocha's parallel mode looks for its worker's file; the tests here run one after the other.
  logOverride: { 'require-resolve-not-external': /** @type {const} */ ('silent') },
};

/** An extension with language models, which the tests install beside ours. */
const chatProvider = {
  ...common,
  entryPoints: { extension: 'test/host/chatProvider/extension.ts' },
  outdir: 'dist/test/chatProvider',
  external: ['vscode'],
  sourcemap: false,
};

/** What starts VS Code, for the scripts; these run in the checkout, so their packages stay where they are. */
const launchers = {
  ...common,
  entryPoints: { vscodeLaunch: 'test/support/vscodeLaunch.ts' },
  outdir: 'dist/test',
  format: /** @type {const} */ ('esm'),
  outExtension: { '.js': '.mjs' },
  packages: /** @type {const} */ ('external'),
};

const bundles = [
  extension,
  standalone,
  ajvLibrary,
  pages,
  ...(production ? [] : [hostTests, chatProvider, launchers]),
];

for (const file of await generateTypes()) console.log(`wrote ${relative(root, file)}`);
const dist = join(root, 'dist');
mkdirSync(dist, { recursive: true });
if (production) {
  // Source maps and what was renamed would go into the package. The tests' own bundles are needed to test it.
  for (const name of readdirSync(dist)) {
    if (name !== 'test') rmSync(join(dist, name), { recursive: true, force: true });
  }
}
mkdirSync(join(dist, 'schemas'), { recursive: true });
for (const file of schemaFiles()) copyFileSync(file, join(dist, 'schemas', basename(file)));
if (!production) {
  mkdirSync(join(dist, 'test', 'chatProvider'), { recursive: true });
  copyFileSync(
    join(root, 'test/host/chatProvider/package.json'),
    join(dist, 'test', 'chatProvider', 'package.json'),
  );
}

try {
  if (watch) {
    for (const options of bundles) await (await esbuild.context(options)).watch();
  } else {
    await Promise.all(bundles.map((options) => esbuild.build(options)));
    // npm does this for `bin` when it installs; a checkout's own command wants it too.
    chmodSync(join(dist, 'cli.js'), 0o755);
    console.log(`built ${relative(root, dist)}/ in ${Math.round(performance.now())} ms`);
  }
} catch (error) {
  // esbuild has printed its own errors.
  if (!(error instanceof Error && 'errors' in error)) throw error;
  process.exitCode = 1;
}
