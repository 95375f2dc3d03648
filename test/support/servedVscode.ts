/** Starts the VS Code server of the cache on a free port of the loopback interface, with folders of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServedVscodeInstallation } from './vscodeCache';

/** What to start. */
export interface ServedVscodeOptions {
  readonly installation: ServedVscodeInstallation;
  /** The packaged extension to install. */
  readonly vsix: string;
  /** Further packages to install beside it. */
  readonly others?: readonly string[];
  /** Variables of the environment beside our own. */
  readonly environment?: Readonly<Record<string, string>>;
  /** User settings beside the quiet defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether workspaces are trusted without asking; restricted mode is tested with false. */
  readonly trusted?: boolean;
  readonly port?: number;
}

/** A running server. */
export interface ServedVscode {
  readonly port: number;
  readonly address: string;
  /** Where it keeps settings, logs and what extensions store. */
  readonly dataFolder: string;
  /** What the server wrote so far, for a failure report. */
  output(): string;
  /** The page of a folder; `payload` is understood by VS Code's smoke-test driver. */
  pageAddress(folder: string, payload?: Readonly<Record<string, string>>): string;
  /** Ends the server with its children and removes its folders. */
  stop(): Promise<void>;
}

/** Settings that keep a window still and free of what distracts from the tests and pictures. */
export const quietSettings: Readonly<Record<string, unknown>> = {
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'window.commandCenter': false,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code's own variables.
  'window.title': '${activeEditorShort}${separator}${rootName}',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'security.workspace.trust.untrustedFiles': 'open',
};

/** Milliseconds that a server may take until it listens. */
const startDeadline = 180_000;

/** Starts a server with the extension installed; its window opens at {@link ServedVscode.pageAddress}. */
export async function startServedVscode(options: ServedVscodeOptions): Promise<ServedVscode> {
  const { installation } = options;
  const home = mkdtempSync(join(tmpdir(), 'skill-state-vscode-'));
  const userFolder = join(home, 'server', 'data', 'User');
  const extensionsFolder = join(home, 'extensions');
  mkdirSync(userFolder, { recursive: true });
  mkdirSync(extensionsFolder);
  writeFileSync(join(userFolder, 'settings.json'), JSON.stringify({ ...quietSettings, ...options.settings }));

  const common = [
    installation.serverMain,
    '--accept-server-license-terms',
    ...['--server-data-dir', join(home, 'server'), '--extensions-dir', extensionsFolder],
  ];
  const environment = { ...withoutVscodeVariables(process.env), ...options.environment };
  const packages = [options.vsix, ...(options.others ?? [])].flatMap((path) => ['--install-extension', path]);
  const install = spawnSync(installation.node, [...common, ...packages, '--force'], {
    env: environment,
    encoding: 'utf8',
  });
  if (install.status !== 0) {
    rmSync(home, { recursive: true, force: true });
    throw new Error(`installing ${options.vsix} failed:\n${install.stdout}${install.stderr}`);
  }

  const server = spawn(
    installation.node,
    [
      ...common,
      ...['--host', '127.0.0.1', '--port', String(options.port ?? 0)],
      '--without-connection-token',
      // Built products ignore a page's payload without this.
      '--enable-smoke-test-driver',
      '--disable-telemetry',
      ...((options.trusted ?? true) ? ['--disable-workspace-trust'] : []),
    ],
    // A group of its own, so that its extension hosts end with it.
    { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  // Whatever way we end, the server doesn't outlive us; a group of its own gets no Ctrl-C.
  const endWithUs = () => signalGroup(server, 'SIGKILL');
  process.once('exit', endWithUs);
  let output = '';
  const port = await listeningPort(server, (line) => {
    output = `${output}${line}\n`.slice(-20_000);
  }).catch(async (error: unknown) => {
    await endGroup(server);
    rmSync(home, { recursive: true, force: true });
    throw error;
  });

  const authority = `127.0.0.1:${port}`;
  return {
    port,
    address: `http://${authority}/`,
    dataFolder: join(home, 'server'),
    output: () => output,
    pageAddress(folder, payload = {}) {
      const entries = Object.entries({ skipWelcome: 'true', ...payload });
      const query = new URLSearchParams({ folder, payload: JSON.stringify(entries) });
      return `http://${authority}/?${query.toString().replaceAll('+', '%20')}`;
    },
    async stop() {
      process.off('exit', endWithUs);
      await endGroup(server);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A VS Code terminal's own variables would make the server believe that it runs inside that window. */
function withoutVscodeVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name)),
  );
}

/** Waits until the server says on which port it listens. */
function listeningPort(server: ChildProcess, onLine: (line: string) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const fail = (reason: string) => reject(new Error(`the VS Code server ${reason}:\n${seen}`));
    const timer = setTimeout(() => fail(`did not listen within ${startDeadline / 1000} s`), startDeadline);
    server.on('error', (error) => fail(error.message));
    server.on('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code}`);
    });
    for (const stream of [server.stdout, server.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        seen += `${line}\n`;
        onLine(line);
        const port = /listening on (\d+)/.exec(line)?.[1];
        if (port === undefined) return;
        clearTimeout(timer);
        resolve(Number(port));
      });
    }
  });
}

/** Ends the process group that we started: politely, then surely. */
async function endGroup(server: ChildProcess): Promise<void> {
  if (server.pid === undefined) return;
  const ended = new Promise<void>((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) resolve();
    else server.once('exit', () => resolve());
  });
  signalGroup(server, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(server, 'SIGKILL'), 3000);
  await ended;
  clearTimeout(timer);
  // Extension hosts may outlive the server for a moment, holding its folders.
  signalGroup(server, 'SIGKILL');
}

/** Sends a signal to the group of processes that a detached child leads; it may be gone already. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
