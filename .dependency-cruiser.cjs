/**
 * The import boundaries of CONTRIBUTING.md: schemas <- runtime <- {models, environments, debug, server} <-
 * command line and the folders that may import vscode. Cycles are Biome's (`noImportCycles`), which can tell imports of types.
 */
const vscodeFolders = '^client/src/(extension\\.ts$|views/|commands/|hosts/vscode/)';
/** Where the language server gets what its service only knows as interfaces. */
const serverWiring = '^server/src/compose\\.ts$';
const nodeBuiltins = ['core'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'schemas-is-a-leaf',
      severity: 'error',
      from: { path: '^schemas/' },
      to: { path: '^(client|server|test|samples)/' },
    },
    {
      name: 'runtime-knows-only-schemas',
      severity: 'error',
      from: { path: '^client/src/runtime/' },
      to: { path: '^(client|server|test|samples)/', pathNot: '^client/src/runtime/' },
    },
    {
      name: 'schemas-and-runtime-run-anywhere',
      comment: "Node's modules come in through host interfaces.",
      severity: 'error',
      from: { path: '^(schemas|client/src/runtime)/' },
      to: { dependencyTypes: nodeBuiltins },
    },
    ...['models', 'environments', 'debug'].map((folder) => ({
      name: `${folder}-knows-only-runtime-and-schemas`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^client/src/${folder}/` },
      to: { path: '^(client|server|test|samples)/', pathNot: `^client/src/(runtime|${folder})/` },
    })),
    {
      name: 'server-knows-only-runtime-and-schemas',
      severity: 'error',
      from: { path: '^server/', pathNot: serverWiring },
      to: { path: '^(client|test|samples)/', pathNot: '^client/src/runtime/' },
    },
    {
      name: 'server-is-wired-with-models-and-environments',
      comment: 'The tokenizer and the names of environments, nothing of the debugger or of VS Code.',
      severity: 'error',
      from: { path: serverWiring },
      to: { path: '^(client|test|samples)/', pathNot: '^client/src/(runtime|models|environments)/' },
    },
    {
      name: 'language-service-is-pure',
      comment: "Node's modules and the server around it come in through its interfaces.",
      severity: 'error',
      from: { path: '^server/src/languageService/' },
      to: { path: '^server/src/', pathNot: '^server/src/languageService/' },
    },
    {
      name: 'language-service-runs-anywhere',
      severity: 'error',
      from: { path: '^server/src/languageService/' },
      to: { dependencyTypes: nodeBuiltins },
    },
    {
      name: 'webview-knows-only-schemas',
      comment: 'The pages run in a browser and get what they show by messages.',
      severity: 'error',
      from: { path: '^client/webview/' },
      to: { path: '^(client/src|server|test|samples)/' },
    },
    {
      name: 'webview-runs-in-a-browser',
      severity: 'error',
      from: { path: '^client/webview/' },
      to: { dependencyTypes: nodeBuiltins },
    },
    {
      name: 'pages-come-by-the-build-alone',
      severity: 'error',
      from: { path: '^(client/src|server|schemas)/' },
      to: { path: '^client/webview/' },
    },
    {
      name: 'vscode-only-where-it-belongs',
      severity: 'error',
      from: { path: '^(client|server|schemas)/', pathNot: vscodeFolders },
      to: {
        path: '^(vscode$|node_modules/@types/vscode/|vscode-languageclient|node_modules/vscode-languageclient/)',
      },
    },
    {
      name: 'command-line-without-vscode',
      comment: 'Nor what the command line shares with the extension.',
      severity: 'error',
      from: { path: '^client/src/(cli\\.ts$|commandLine/|hosts/node/|hosts/[^/]+\\.ts$)' },
      to: { path: vscodeFolders },
    },
    {
      name: 'product-without-tests',
      severity: 'error',
      from: { path: '^(client|server|schemas)/' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json', '.d.ts'],
      mainFields: ['module', 'main'],
    },
  },
};
