#!/usr/bin/env node
/** The command line `skill-state`: exit codes 0 (done, or a check that held), 1 (could not), 2 (wrong usage); errors are one line. */
import { CommanderError } from 'commander';
import { version } from '../../package.json';
import { createProgram, isInformation } from './commandLine/program';
import { type ExitCode, type Terminal, UsageFailure } from './commandLine/terminal';
import { FileFailure } from './hosts/node/skillFolder';
import { UnknownNameFailure } from './runtime/unknownName';

async function main(): Promise<ExitCode> {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort(new Error('Cancelled.'));
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  // Whoever reads the output may stop reading, as `head` does.
  process.stdout.on('error', cancel);
  const terminal: Terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: cancelled.signal,
  };
  let code: ExitCode = 0;
  const program = createProgram(terminal, version, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(process.argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError && isInformation(error)) return 0;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`skill-state: ${message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')}\n`);
    return isWrongUsage(error) ? 2 : 1;
  }
}

function isWrongUsage(error: unknown): boolean {
  if (error instanceof FileFailure) return error.missing;
  return (
    error instanceof CommanderError || error instanceof UsageFailure || error instanceof UnknownNameFailure
  );
}

void main().then((code) => {
  process.exitCode = code;
});
