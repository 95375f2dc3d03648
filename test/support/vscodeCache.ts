/**
 * The cache outside the checkout that keeps a VS Code to test in: the one that the npm package code-server
 * carries, fetched once a version and shared by every checkout of the machine.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The npm release of code-server whose VS Code the tests run in. */
export const codeServerVersion = '4.139.1';
/** The VS Code in it, and the one that the desktop launcher downloads. */
export const vscodeVersion = '1.139.1';
/** What that code-server insists on. */
const nodeMajor = 24;

/** Where a fetched VS Code server lies. */
export interface ServedVscodeInstallation {
  /** The Node binary that runs it. */
  readonly node: string;
  /** VS Code's own server, without code-server's wrapper. */
  readonly serverMain: string;
}

/** A machine that can't run these tests, and why, in words for its owner. */
export class Unavailable extends Error {}

/** The folder for everything that is fetched once; `SKILL_STATE_CACHE` overrides it. */
export function cacheFolder(): string {
  return process.env.SKILL_STATE_CACHE ?? join(homedir(), '.cache', 'skill-state');
}

/**
 * Finds the VS Code server in the cache, fetching it first when it isn't there: some two minutes and 740 MB.
 *
 * @throws Unavailable when this machine can't fetch or build it
 */
export async function installServedVscode(log: (line: string) => void): Promise<ServedVscodeInstallation> {
  if (process.platform === 'win32') {
    throw new Unavailable('the VS Code from npm does not run on Windows; use the desktop one');
  }
  const cache = cacheFolder();
  const target = join(cache, `vscode-host-${codeServerVersion}`);
  if (isComplete(target)) return installationIn(target);
  const missing = missingBuildTools();
  if (missing) throw new Unavailable(missing);

  mkdirSync(cache, { recursive: true });
  const release = await lock(`${target}.lock`, log);
  try {
    if (isComplete(target)) return installationIn(target);
    log(`Fetching the VS Code of code-server ${codeServerVersion} into ${target}; this is done once.`);
    // What a killed fetch left. We hold the lock, so nobody uses it.
    for (const name of readdirSync(cache)) {
      if (name.startsWith('vscode-host-incomplete-'))
        rmSync(join(cache, name), { recursive: true, force: true });
    }
    const incomplete = mkdtempSync(join(cache, 'vscode-host-incomplete-'));
    try {
      await fetchInto(incomplete, log);
      rmSync(target, { recursive: true, force: true });
      renameSync(incomplete, target);
    } catch (error) {
      rmSync(incomplete, { recursive: true, force: true });
      throw error;
    }
    return installationIn(target);
  } finally {
    release();
  }
}

function installationIn(folder: string): ServedVscodeInstallation {
  const modules = join(folder, 'node_modules');
  return {
    node: join(modules, 'node', 'bin', 'node'),
    serverMain: join(modules, 'code-server', 'lib', 'vscode', 'out', 'server-main.js'),
  };
}

/** The folder is renamed into place when it is complete, so what is there is whole unless someone pruned it. */
function isComplete(folder: string): boolean {
  const { node, serverMain } = installationIn(folder);
  return existsSync(node) && existsSync(serverMain);
}

/** Says what is missing for building code-server's native modules, and how to get it. */
function missingBuildTools(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const tools = ['python3', 'make', 'g++'].filter((tool) => !findInPath(tool));
  if (tools.length > 0) return `${tools.join(', ')} not found (Debian: apt-get install python3 make g++)`;
  const headers = [
    '/usr/include/gssapi/gssapi.h',
    '/usr/include/gssapi.h',
    '/usr/local/include/gssapi/gssapi.h',
  ];
  if (!headers.some((header) => existsSync(header))) {
    return "Kerberos' headers not found (Debian: apt-get install libkrb5-dev)";
  }
  return undefined;
}

/** The path of a program in PATH. */
export function findInPath(program: string): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const ending of endings) {
      const path = join(folder, program + ending);
      if (folder !== '' && existsSync(path)) return path;
    }
  }
  return undefined;
}

async function fetchInto(folder: string, log: (line: string) => void): Promise<void> {
  // npm refuses install scripts that a project didn't allow. Both packages are nothing without theirs: one places
  // the Node binary, the other installs VS Code's own modules, by an npm of its own that only the environment
  // reaches.
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { node: true, 'code-server': true, argon2: true } }),
  );
  const environment: NodeJS.ProcessEnv = {
    ...environmentForNpm(process.env),
    npm_config_dangerously_allow_all_scripts: 'true',
  };
  await npmInstall(folder, `node@${nodeMajor}`, environment, log);
  const { node, serverMain } = installationIn(folder);
  // npm itself must run under that Node: code-server's install script asks which one it is.
  environment.PATH = `${dirname(node)}${delimiter}${environment.PATH ?? ''}`;
  await npmInstall(folder, `code-server@${codeServerVersion}`, environment, log);

  const modules = join(dirname(dirname(serverMain)), 'node_modules');
  const probe = ['node-pty', '@vscode/spdlog', '@parcel/watcher', 'kerberos']
    .map((name) => `require(${JSON.stringify(join(modules, name))})`)
    .join(';');
  await run(node, ['-e', probe], folder, environment).catch((cause: unknown) => {
    throw new Unavailable("code-server's native modules were not built", { cause });
  });
}

/** Settings of npm that say how to reach a registry and to build what comes from it; the user's own, so they stay. */
const keptSettings =
  /^npm_config_(cache|registry|.*proxy|ca|cafile|cert|key|strict_ssl|fetch_.*|maxsockets|nodedir|disturl|python|userconfig|globalconfig|.*:.*)$/i;

/**
 * The environment for an npm of its own. The npm that started us (`npm test`) passes on its settings and who it is,
 * and install scripts believe that: code-server's takes the Node version from `npm_config_user_agent`.
 */
export function environmentForNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => {
      if (/^(NODE_ENV|NODE_OPTIONS|INIT_CWD)$/i.test(name)) return false;
      return !/^npm_/i.test(name) || keptSettings.test(name);
    }),
  );
}

async function npmInstall(
  folder: string,
  what: string,
  environment: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<void> {
  const settings = ['--no-audit', '--no-fund', '--save', '--loglevel=error'];
  await run('npm', ['install', '--prefix', folder, ...settings, what], folder, environment).catch(
    (cause: unknown) => {
      log(cause instanceof Error ? cause.message : String(cause));
      throw new Unavailable(`npm could not install ${what}; its output is above`, { cause });
    },
  );
}

/** Runs a program to its end; a failure carries the end of its output. */
function run(
  program: string,
  programArguments: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(output.trim() || `exit code ${code}`));
    });
  });
}

/** Takes a lock file, waiting for its owner while that one lives; returns what gives it back. */
async function lock(path: string, log: (line: string) => void): Promise<() => void> {
  let said = false;
  for (;;) {
    try {
      const file = openSync(path, 'wx');
      writeFileSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!ownerLives(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!said) log(`Waiting for another process that fetches VS Code (${path}).`);
    said = true;
    await delay(500);
  }
}

function ownerLives(lockFile: string): boolean {
  let owner: number;
  try {
    owner = Number(readFileSync(lockFile, 'utf8'));
  } catch {
    // Given back between our two looks.
    return false;
  }
  // Just created, and its owner's number not written yet.
  if (!owner) return true;
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
