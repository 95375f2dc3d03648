/** Packages that the product is measured beside: installed from npm once, into the cache outside the checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder, Unavailable } from '../vscodeCache';

/** A peer and what it is installed with. */
export interface PeerPackage {
  /** For people. */
  readonly title: string;
  readonly version: string;
  /** The folder in the cache. */
  readonly folder: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * What requires from a peer's folder, installing it first when the cache lacks it.
 *
 * @throws Unavailable when npm can't install it
 */
export function requireFromPeer(peer: PeerPackage, log: (line: string) => void): NodeJS.Require {
  const target = join(cacheFolder(), peer.folder);
  if (!existsSync(target)) install(peer, target, log);
  return createRequire(join(target, 'package.json'));
}

/** Renamed into place when complete, so that what is there is whole. */
function install(
  { title, version, dependencies }: PeerPackage,
  target: string,
  log: (line: string) => void,
): void {
  log(`Installing ${title} ${version} into ${target}; this is done once.`);
  mkdirSync(cacheFolder(), { recursive: true });
  const incomplete = mkdtempSync(`${target}-incomplete-`);
  try {
    writeFileSync(join(incomplete, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const settings = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', incomplete, ...settings], {
      cwd: incomplete,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
    });
    renameSync(incomplete, target);
  } catch (cause) {
    rmSync(incomplete, { recursive: true, force: true });
    // Another process was faster.
    if (existsSync(target)) return;
    throw new Unavailable(`npm could not install ${title} ${version}`, { cause });
  }
}
