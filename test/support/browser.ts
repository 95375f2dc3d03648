/** Finds and starts the Chromium-family browser that shows the served VS Code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { findInPath, Unavailable } from './vscodeCache';

/** Milliseconds that a browser may take until it runs. */
const startDeadline = 120_000;

/** The path of a browser on this machine; `SKILL_STATE_BROWSER` overrides the search. */
export function findBrowser(): string | undefined {
  const chosen = process.env.SKILL_STATE_BROWSER;
  if (chosen) return chosen;
  for (const name of [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'microsoft-edge',
  ]) {
    const path = findInPath(name);
    if (path) return path;
  }
  const programFolders = [
    process.env.PROGRAMFILES,
    process.env['PROGRAMFILES(X86)'],
    process.env.LOCALAPPDATA,
  ];
  const candidates = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ...programFolders.flatMap((folder) =>
      folder
        ? [
            join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
            join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
          ]
        : [],
    ),
    chromium.executablePath(),
  ];
  return candidates.find((path) => existsSync(path));
}

/**
 * Starts a headless browser.
 *
 * @throws Unavailable when there is none
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath)
    throw new Unavailable('no Chromium or Chrome found (Debian: apt-get install chromium)');
  return chromium.launch({
    executablePath,
    timeout: startDeadline,
    args: [
      // Chromium refuses its sandbox to root, which containers run as. The page is our own server's.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  });
}
