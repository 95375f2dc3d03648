/** Runs dist/test/host inside a real VS Code: the desktop one where it can be had, else the one from npm. */
import { join } from 'node:path';
import { launchBrowser } from './browser';
import { packChatProvider } from './chatProviderPackage';
import { findDesktop, runInDesktop } from './desktopVscode';
import { startServedVscode } from './servedVscode';
import { makeTestCertificates } from './testCertificates';
import { ReportCollector, type TestCounts } from './testReport';
import { makeTestFolders } from './testWorkspace';
import { installServedVscode, Unavailable } from './vscodeCache';

/** Milliseconds for a whole run of the tests, which takes two minutes on an idle machine of two cores. */
const deadline = 25 * 60_000;
/** Milliseconds until VS Code's page has loaded. */
const pageDeadline = 120_000;

/** What the workbench says in any window: its progress, and hosts that it doesn't reach. */
const harmless = /^%c +INFO|Failed to load resource|getaddrinfo|ServiceWorker|fetching the script|sandboxing/;

/** What to run. */
export interface HostTestOptions {
  readonly checkout: string;
  readonly vsix: string;
  /** `desktop` or `served`; without it, the desktop is tried first. */
  readonly launcher?: string;
}

/**
 * Runs the tests, printing each result as it comes.
 *
 * @throws Unavailable when this machine has no VS Code and can't get one
 */
export async function runHostTests(options: HostTestOptions): Promise<TestCounts> {
  const { launcher } = options;
  const desktop = launcher === 'served' ? { reason: 'the served one was asked for' } : await findDesktop();
  const outcome =
    'executable' in desktop ? await runInDesktop({ ...options, ...desktop, deadline }) : desktop;
  if ('passed' in outcome) return outcome;
  const { reason } = outcome;
  if (launcher === 'desktop') throw new Unavailable(reason);
  console.log(`  in the VS Code from npm (desktop: ${reason})`);
  return runInServed(options);
}

async function runInServed({ checkout, vsix }: HostTestOptions): Promise<TestCounts> {
  // First: without a browser there is no use in fetching a VS Code.
  const browser = await launchBrowser();
  const installation = await installServedVscode((line) => console.log(`  ${line}`)).catch(
    async (error: unknown) => {
      await browser.close();
      throw error;
    },
  );
  const folders = makeTestFolders(checkout);
  const certificates = makeTestCertificates();
  try {
    const others = [await packChatProvider(checkout)];
    const { environment } = certificates;
    const server = await startServedVscode({ installation, vsix, others, environment });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const collector = new ReportCollector();
      let consoleText = '';
      page.on('console', (message) => {
        if (!collector.accept(message.text()) && !harmless.test(message.text()))
          consoleText += `${message.text()}\n`;
      });
      const remote = `vscode-remote://127.0.0.1:${server.port}`;
      await page.goto(
        server.pageAddress(folders.workspace, {
          extensionDevelopmentPath: remote + folders.testExtension,
          extensionTestsPath: `${remote}${join(folders.testExtension, 'tests', 'index.js')}`,
        }),
        { timeout: pageDeadline },
      );
      return await finish(
        collector,
        () => `the page's console:\n${consoleText}\nthe server:\n${server.output()}`,
      );
    } finally {
      await server.stop();
    }
  } finally {
    folders.remove();
    certificates.remove();
    await browser.close();
  }
}

/** Waits for the end of a run; at the deadline the run counts as one more failure, with what was heard. */
async function finish(collector: ReportCollector, heard: () => string): Promise<TestCounts> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), deadline);
  });
  const outcome = await Promise.race([collector.ended, late]);
  clearTimeout(timer);
  const { counts } = collector;
  if (outcome !== 'late') {
    if (counts.failed > 0) console.log(heard());
    return counts;
  }
  const failure = `the tests did not end within ${deadline / 1000} s`;
  console.log(`  ✗ ${failure}; ${heard()}`);
  return { ...counts, failed: counts.failed + 1, failures: [...(counts.failures ?? []), failure] };
}
