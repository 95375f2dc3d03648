/** The desktop VS Code: downloaded by @vscode/test-electron for the tests, or the user's own to look at samples. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { downloadAndUnzipVSCode, resolveCliArgsFromVSCodeExecutablePath } from '@vscode/test-electron';
import { chatProviderId, packChatProvider } from './chatProviderPackage';
import type { HostTestOptions } from './hostTests';
import { quietSettings } from './servedVscode';
import { makeTestCertificates } from './testCertificates';
import { ReportCollector, type TestCounts } from './testReport';
import { makeTestFolders } from './testWorkspace';
import { cacheFolder, findInPath, vscodeVersion } from './vscodeCache';

/** Milliseconds until a download site that doesn't answer counts as out of reach. */
const reachDeadline = 5000;
/** Milliseconds for which an unreachable download site isn't asked again. */
const unreachableFor = 60 * 60_000;
const downloadSite = 'https://update.code.visualstudio.com';

/** A desktop VS Code that was found or downloaded, or why there is none. */
export type Desktop = { readonly executable: string } | { readonly reason: string };

/** Downloads the desktop VS Code, once; a failure is remembered for a while, so that it costs time once. */
export async function findDesktop(): Promise<Desktop> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY && !findInPath('xvfb-run')) {
    return { reason: 'no display, and no xvfb-run' };
  }
  const remembered = join(cacheFolder(), 'desktop-unreachable.json');
  if (existsSync(remembered)) {
    const { reason, time } = JSON.parse(readFileSync(remembered, 'utf8')) as { reason: string; time: number };
    if (Date.now() - time < unreachableFor) return { reason };
  }
  const cachePath = join(cacheFolder(), 'desktop');
  try {
    if (!existsSync(cachePath)) {
      const address = `${downloadSite}/api/releases/stable`;
      const response = await fetch(address, { signal: AbortSignal.timeout(reachDeadline) });
      if (!response.ok) throw new Error(`status ${response.status}`);
    }
    return {
      executable: await downloadAndUnzipVSCode({ version: vscodeVersion, cachePath, timeout: reachDeadline }),
    };
  } catch (error) {
    const reason = `it can't be downloaded: ${error instanceof Error ? error.message : String(error)}`;
    mkdirSync(cacheFolder(), { recursive: true });
    writeFileSync(remembered, JSON.stringify({ reason, time: Date.now() }));
    return { reason };
  }
}

/** Runs the tests in a desktop VS Code with the package installed into folders of its own. */
export async function runInDesktop({
  executable,
  checkout,
  vsix,
  deadline,
}: HostTestOptions & { readonly executable: string; readonly deadline: number }): Promise<
  TestCounts | { readonly reason: string }
> {
  console.log(`  in the desktop VS Code ${vscodeVersion}`);
  const folders = makeTestFolders(checkout);
  const certificates = makeTestCertificates();
  const home = mkdtempSync(join(tmpdir(), 'skill-state-desktop-'));
  const userFolder = join(home, 'user', 'User');
  mkdirSync(userFolder, { recursive: true });
  writeFileSync(join(userFolder, 'settings.json'), JSON.stringify(quietSettings));
  const where = ['--extensions-dir', join(home, 'extensions'), '--user-data-dir', join(home, 'user')];
  const collector = new ReportCollector();
  try {
    const packages = [vsix, await packChatProvider(checkout)].flatMap((path) => [
      '--install-extension',
      path,
    ]);
    const refusal = installInDesktop(executable, [...where, ...packages]);
    if (refusal !== undefined) return { reason: `it did not install the package: ${refusal}` };
    const { status, output } = await runDesktopProcess(
      executable,
      [
        folders.workspace,
        ...where,
        '--disable-workspace-trust',
        '--skip-welcome',
        '--skip-release-notes',
        '--no-sandbox',
        '--disable-gpu',
        `--enable-proposed-api=${chatProviderId}`,
        `--extensionDevelopmentPath=${folders.testExtension}`,
        `--extensionTestsPath=${join(folders.testExtension, 'tests', 'index.js')}`,
      ],
      { ...process.env, ...certificates.environment },
      collector,
      deadline,
    );
    const { counts } = collector;
    if (status === 0 || counts.failed > 0) return counts;
    // Libraries that a bare machine lacks, for one.
    if (counts.passed === 0) return { reason: `it did not start: ${output.trim().split('\n').at(-1) ?? ''}` };
    return { ...counts, failed: 1 };
  } finally {
    folders.remove();
    certificates.remove();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Installs a package; says what went wrong, or nothing. */
function installInDesktop(executable: string, programArguments: readonly string[]): string | undefined {
  const [program = executable, ...first] = resolveCliArgsFromVSCodeExecutablePath(executable, {
    reuseMachineInstall: true,
  });
  const installed = spawnSync(program, [...first, '--no-sandbox', ...programArguments], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (installed.status === 0) return undefined;
  return installed.error?.message ?? installed.stderr.trim().split('\n').at(-1);
}

function runDesktopProcess(
  executable: string,
  programArguments: readonly string[],
  env: NodeJS.ProcessEnv,
  collector: ReportCollector,
  deadline: number,
): Promise<{ readonly status: number; readonly output: string }> {
  const headless = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  const [program, first] = headless ? ['xvfb-run', ['-a', executable]] : [executable, []];
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...programArguments], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const timer = setTimeout(() => {
      console.log(`  ✗ the tests did not end within ${deadline / 1000} s`);
      child.kill();
    }, deadline);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (!collector.accept(line)) output = `${output}${line}\n`.slice(-4000);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ status: code ?? 1, output });
    });
  });
}

/**
 * Opens the user's own VS Code on a folder with the extension loaded from the checkout.
 *
 * @returns whether there is one
 */
export function openDesktop(folder: string, checkout: string): boolean {
  const code = findInPath('code');
  if (!code) return false;
  const child = spawn(code, [`--extensionDevelopmentPath=${checkout}`, folder], {
    stdio: 'ignore',
    detached: true,
    shell: process.platform === 'win32',
  });
  child.unref();
  return true;
}
