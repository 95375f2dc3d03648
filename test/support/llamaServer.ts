/**
 * A real llama.cpp server for tests: the one in PATH, or Debian's, unpacked with its own C library into the cache outside
 * the checkout; nothing of the system changes.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cacheFolder, findInPath, Unavailable } from './vscodeCache';

const run = promisify(execFile);

/** What Debian's server needs, down to the C library: it comes from a newer release than the machine's. */
const packages = [
  ...['libc6', 'libgcc-s1', 'libgomp1', 'libstdc++6', 'libssl3t64', 'zlib1g', 'libzstd1'],
  ...['libggml0', 'libllama0', 'llama.cpp-tools'],
];

/**
 * Gives the command of a llama-server: `SKILL_STATE_LLAMA_SERVER`, else the one in PATH, else Debian's, fetched once
 * (some 51 MB).
 *
 * @throws Unavailable where there is none and it can't be fetched
 */
export async function installLlamaServer(log: (line: string) => void): Promise<string> {
  const given = process.env.SKILL_STATE_LLAMA_SERVER;
  if (given !== undefined && given !== '') return given;
  const inPath = findInPath('llama-server');
  if (inPath !== undefined) return inPath;
  const target = join(cacheFolder(), 'llama-server');
  const command = join(target, 'llama-server');
  if (existsSync(command)) return command;
  if (
    process.platform !== 'linux' ||
    process.arch !== 'x64' ||
    !findInPath('apt-get') ||
    !findInPath('dpkg')
  ) {
    throw new Unavailable(
      'no llama-server in PATH or SKILL_STATE_LLAMA_SERVER, and only on Debian or Ubuntu (x86_64) it is fetched',
    );
  }
  log(`Fetching llama.cpp's server from Debian's packages into ${target}; this is done once.`);
  mkdirSync(cacheFolder(), { recursive: true });
  const incomplete = mkdtempSync(join(cacheFolder(), 'llama-server-incomplete-'));
  try {
    await fetchInto(incomplete);
    writeStarter(incomplete, target);
    rmSync(target, { recursive: true, force: true });
    renameSync(incomplete, target);
    await run(command, ['--version']);
    return command;
  } catch (cause) {
    rmSync(target, { recursive: true, force: true });
    throw new Unavailable(`llama.cpp's server can't be had from Debian's packages: ${reason(cause)}`, {
      cause,
    });
  } finally {
    rmSync(incomplete, { recursive: true, force: true });
  }
}

async function fetchInto(folder: string): Promise<void> {
  for (const name of ['lists/partial', 'cache/archives/partial', 'packages', 'root'])
    mkdirSync(join(folder, name), { recursive: true });
  const targets = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const { stdout } = await run('apt-get', targets);
  const mirror = stdout.split('\n').find((line) => line !== '' && !line.includes('security'));
  if (mirror === undefined) throw new Error('apt has no source of packages');
  const sources = join(folder, 'sources.list');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(sources, `deb [signed-by=${keyring}] ${mirror} sid main\n`);
  const options = Object.entries({
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'APT::Sandbox::User': 'root',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', [...options, 'update', '-qq']);
  const cwd = join(folder, 'packages');
  await run('apt-get', [...options, 'download', '-qq', ...packages.map((name) => `${name}/sid`)], { cwd });
  for (const name of readdirSync(cwd)) await run('dpkg', ['-x', join(cwd, name), join(folder, 'root')]);
  for (const name of ['lists', 'cache', 'packages', 'sources.list'])
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Starts the server with the C library that came with it. ggml looks for its backends beside the loader. */
function writeStarter(folder: string, target: string): void {
  const libraries = join('root', 'usr', 'lib', 'x86_64-linux-gnu');
  for (const backend of backendsIn(join(folder, libraries, 'ggml')))
    symlinkSync(backend, join(folder, libraries, basename(backend)));
  const at = join(target, libraries);
  const starter = join(folder, 'llama-server');
  const loader = `exec '${at}/ld-linux-x86-64.so.2' --library-path '${at}:${at}/llama'`;
  writeFileSync(
    starter,
    `#!/bin/sh\n${loader} --argv0 llama-server '${target}/root/usr/bin/llama-server' "$@"\n`,
  );
  chmodSync(starter, 0o755);
}

/** Their paths, relative to the folder above. */
function backendsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /libggml-cpu-[^/]*\.so$/.test(path))
    .map((path) => join('ggml', path));
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/**
 * A folder of models that tests may use but the project doesn't carry: in `SKILL_STATE_MODELS`, or `../shared` beside the
 * checkout.
 *
 * @throws Unavailable where it isn't there
 */
export function sharedModels(checkout: string, name: string): string {
  const root = resolve(process.env.SKILL_STATE_MODELS ?? join(checkout, '..', 'shared'));
  const folder = join(root, name);
  if (!existsSync(folder)) throw new Unavailable(`no ${name} in SKILL_STATE_MODELS or ../shared`);
  return folder;
}

export interface LlamaServer {
  /** Of its OpenAI protocol: `http://127.0.0.1:…/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

/** Starts a server and waits until it answers. `command` is what {@link installLlamaServer} gave. */
export async function startLlamaServer({
  command,
  model,
  name,
  contextSize = 4096,
  key,
  port,
}: {
  readonly command: string;
  /** A GGUF file. */
  readonly model: string;
  readonly name: string;
  readonly contextSize?: number;
  readonly key?: string;
  /** By default a free one. */
  readonly port?: number;
}): Promise<LlamaServer> {
  const chosen = port ?? (await freePort());
  // Two threads are slower than one on small machines.
  const given = [
    '-m',
    model,
    '-a',
    name,
    '--host',
    '127.0.0.1',
    '--port',
    `${chosen}`,
    '-c',
    `${contextSize}`,
  ];
  const more = ['-t', '1', '-np', '1', '--jinja', '--no-ui', '--offline', ...(key ? ['--api-key', key] : [])];
  const child = spawn(command, [...given, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  await untilHealthy(child, chosen, () => said);
  return { baseUrl: `http://127.0.0.1:${chosen}/v1`, port: chosen, kill: () => ended(child) };
}

async function untilHealthy(child: ChildProcess, port: number, said: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`llama-server ended with ${child.exitCode}:\n${said()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(100);
  }
  await ended(child);
  throw new Error(`llama-server did not become ready:\n${said()}`);
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
