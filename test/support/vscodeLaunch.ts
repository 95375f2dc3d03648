/** What the scripts use of VS Code: bundled into dist/test/vscodeLaunch.mjs by esbuild.mjs. */
export { findBrowser, launchBrowser } from './browser';
export { openDesktop } from './desktopVscode';
export { runHostTests } from './hostTests';
export { startServedVscode } from './servedVscode';
export { openServed } from './servedWindow';
export { cacheFolder, installServedVscode, Unavailable } from './vscodeCache';
