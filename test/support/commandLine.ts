/** Runs the built command line, `dist/cli.js`, as a user would. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { repository } from './memoryRun';

export interface CommandResult {
  /** Undefined where a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export type CommandProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Variables beside this process's own; undefined ones are taken away. */
export type CommandVariables = Readonly<Record<string, string | undefined>>;

/** Starts the command line in a folder. */
export function startCommand(
  args: readonly string[],
  folder: string,
  variables: CommandVariables = {},
): CommandProcess {
  return spawn(process.execPath, [join(repository, 'dist', 'cli.js'), ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...variables },
  });
}

/** Waits for a started command to end. */
export function endOf(child: CommandProcess): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text.stdout += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text.stderr += part;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...text, code: code ?? undefined }));
  });
}

/** Runs the command line to its end; `input` is its standard input. */
export function runCommand(
  args: readonly string[],
  folder: string,
  input = '',
  variables: CommandVariables = {},
): Promise<CommandResult> {
  const child = startCommand(args, folder, variables);
  const end = endOf(child);
  // A command that ends without reading closes its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return end;
}

/** An empty folder, and its removal. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'skill-state-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
