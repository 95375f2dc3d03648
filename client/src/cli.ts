#!/usr/bin/env node
/** The command line `skill-state`: exit codes 0 (done, or a check that held), 1 (could not), 2 (wrong usage); errors are one line. */
import { CommanderError } from 'commander';
import { version } from '../../package.json';
import { printableLine } from '../../schemas/text/printable';
import { createProgram, isInformation } from './commandLine/program';
import { type ExitCode, OutputClosed, type Terminal, UsageFailure } from './commandLine/terminal';
import { SettingFailure } from './hosts/node/participants';
import { FileFailure, reasonOf } from './hosts/node/skillFolder';
import { ModelSettingFailure } from './runtime/model';
import { UnknownNameFailure } from './runtime/unknownName';

/** True once the output was lost, as on a full disk. */
let outputFailed = false;

async function main(): Promise<ExitCode> {
  const cancelled = new AbortController();
  const cancel = () => cancelled.abort(new Error('Cancelled.'));
  process.once('SIGINT', cancel);
  process.once('SIGTERM', cancel);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return cancelled.abort(new OutputClosed('Nobody reads the output any more.'));
    cancel();
    if (outputFailed) return;
    outputFailed = true;
    process.exitCode = 1;
    process.stderr.write(`skill-state: The output can't be written: ${reasonOf(error)}.\n`);
  });
  // Then there is nobody to tell.
  process.stderr.on('error', () => undefined);
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
    if (error instanceof OutputClosed) return 1;
    process.stderr.write(`skill-state: ${printableLine(messageOf(error))}\n`);
    return isWrongUsage(error) ? 2 : 1;
  }
}

/** One line. */
function messageOf(error: unknown): string {
  if (error instanceof CommanderError && error.code === 'commander.help')
    return 'Name a command; --help lists them.';
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
}

const usageFailures = [CommanderError, UsageFailure, SettingFailure, ModelSettingFailure, UnknownNameFailure];

function isWrongUsage(error: unknown): boolean {
  if (error instanceof FileFailure) return error.missing;
  return usageFailures.some((failure) => error instanceof failure);
}

void main().then((code) => {
  process.exitCode = outputFailed ? 1 : code;
});
