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
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeBigramModel } from './bigramModel';
import { endWithUs } from './endedWithUs';
import { cacheFolder, findInPath, Unavailable } from './vscodeCache';

const run = promisify(execFile);

/** What Debian's server needs, down to the C library: it comes from a newer release than the machine's. */
const packages = [
  ...['libc6', 'libgcc-s1', 'libgomp1', 'libstdc++6', 'libssl3t64', 'zlib1g', 'libzstd1'],
  ...['libggml0', 'libllama0', 'llama.cpp-tools'],
];

/**
 * Gives the command of a llama-server that starts on this machine: `SKILL_STATE_LLAMA_SERVER`, else the one in PATH, else
 * Debian's, fetched once (some 51 MB).
 *
 * @throws Unavailable where there is none and it can't be fetched, or it doesn't start
 */
export async function installLlamaServer(log: (line: string) => void): Promise<string> {
  const given = process.env.SKILL_STATE_LLAMA_SERVER;
  const command = given || findInPath('llama-server') || (await debianServer(log));
  await tryToStart(command);
  return command;
}

/** Starts it with a small model and ends it. */
async function tryToStart(command: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-llama-'));
  try {
    const model = join(folder, 'small.gguf');
    writeBigramModel(model, []);
    const server = await startLlamaServer({ command, model, name: 'small' });
    await server.kill();
  } catch (cause) {
    throw new Unavailable(`${command} does not start: ${detail(cause)}`, { cause });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The one in the cache, fetched first where it isn't there. */
async function debianServer(log: (line: string) => void): Promise<string> {
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
    // Another run may have been faster; the folder appears whole or not at all.
    if (!existsSync(command)) {
      rmSync(target, { recursive: true, force: true });
      renameSync(incomplete, target);
    }
    return command;
  } catch (cause) {
    throw new Unavailable(`llama.cpp's server can't be had from Debian's packages: ${detail(cause)}`, {
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
  // Without this, apt-get only warns where a source can't be reached.
  await run('apt-get', [...options, '-o', 'APT::Update::Error-Mode=any', 'update', '-qq']);
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

/** What an error says, on one line: of a program that failed the end of its output, where the reason stands. */
function detail(error: unknown): string {
  const output = isObject(error) && 'stderr' in error ? String(error.stderr).trim() : '';
  const text = output || (error instanceof Error ? error.message : String(error));
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .slice(-6)
    .join(' ');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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

export interface LlamaServerOptions {
  /** What {@link installLlamaServer} gave. */
  readonly command: string;
  /** A GGUF file. */
  readonly model: string;
  readonly name: string;
  readonly contextSize?: number;
  readonly key?: string;
  /** By default one that the system chooses. */
  readonly port?: number;
}

/** Starts a server, which ends with this process at the latest, and waits until it answers. */
export async function startLlamaServer(options: LlamaServerOptions): Promise<LlamaServer> {
  const { command, model, name, contextSize = 4096, key, port = 0 } = options;
  const flags = [
    ...['-m', model, '-a', name, '--host', '127.0.0.1', '--port', `${port}`, '-c', `${contextSize}`],
    // Two threads are slower than one on small machines.
    ...[
      '-t',
      '1',
      '-np',
      '1',
      '--jinja',
      '--metrics',
      '--no-ui',
      '--offline',
      ...(key ? ['--api-key', key] : []),
    ],
  ];
  const child = spawn(command, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  endWithUs(child);
  const start: Start = { said: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    start.said = (start.said + text).slice(-8_000);
    const listening = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(start.said)?.[1];
    if (listening !== undefined) start.port ??= Number(listening);
  });
  child.once('error', (error) => {
    start.end = error.message;
  });
  child.once('exit', (code, signal) => {
    start.end = `It ended with ${code ?? signal}.`;
  });
  try {
    const chosen = await untilHealthy(start);
    return { baseUrl: `http://127.0.0.1:${chosen}/v1`, port: chosen, kill: () => ended(child) };
  } catch (error) {
    await ended(child);
    throw error;
  }
}

/** What is known of a server that is starting. */
interface Start {
  /** The end of what it wrote. */
  said: string;
  /** How, if it has ended or couldn't be started. */
  end?: string;
  /** Once it listens. */
  port?: number;
}

/** Gives its port. */
async function untilHealthy(start: Start): Promise<number> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (start.end !== undefined) throw new Error(`${start.said}\n${start.end}`.trim());
    if (start.port !== undefined) {
      const answer = await fetch(`http://127.0.0.1:${start.port}/health`).catch(() => undefined);
      if (answer?.ok) return start.port;
    }
    await delay(50);
  }
  throw new Error(`${start.said}\nIt did not become ready within a minute.`);
}

function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
