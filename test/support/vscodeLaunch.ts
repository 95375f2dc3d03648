/** What the scripts use of VS Code and of a model server: bundled into dist/test/vscodeLaunch.mjs by esbuild.mjs. */
export { findBrowser, launchBrowser } from './browser';
export { openDesktop } from './desktopVscode';
export { runHostTests } from './hostTests';
export { installLlamaServer, sharedModels } from './llamaServer';
export { startServedVscode } from './servedVscode';
export { openServed } from './servedWindow';
export { cacheFolder, installServedVscode, Unavailable } from './vscodeCache';
