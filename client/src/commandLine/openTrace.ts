/** A trace as the commands read it: whole, what is wrong with it said on stderr. */
import { printable } from '../../../schemas/text/printable';
import type { TraceProblem } from '../../../schemas/trace/trace';
import { openTraceReader } from '../hosts/node/traceBytes';
import type { TraceReader } from '../runtime/traceReader';
import { type Terminal, UsageFailure } from './terminal';

/** How many problems of a trace are told one by one. */
const maxProblems = 10;

/**
 * Reads a trace.
 *
 * @returns undefined where nothing of a trace is in it, which has been said.
 * @throws FileFailure where the file can't be read.
 */
export async function readTraceFor(path: string, terminal: Terminal): Promise<TraceReader | undefined> {
  const reader = openTraceReader(path);
  await reader.read(terminal.signal);
  for (const line of problemLines(path, reader)) terminal.stderr.write(printable(`${line}\n`));
  return reader.branches.length === 0 ? undefined : reader;
}

/**
 * A branch that the user named, and its steps.
 *
 * @throws UsageFailure where it isn't there.
 */
export function branchNamed(path: string, reader: TraceReader, id: number) {
  const branch = reader.branches.find((one) => one.id === id);
  if (branch) return branch;
  const last = reader.branches.at(-1)?.id ?? 0;
  const range = last === 0 ? 'it has branch 0 alone' : `it has branches 0 to ${last}`;
  throw new UsageFailure(`${path} has no branch ${id}: ${range}.`);
}

/** What is wrong with a trace; of a file that is none at all, that alone. */
function problemLines(path: string, { branches, problems, problemsLeftOut }: TraceReader): readonly string[] {
  const lineOf = (problem: TraceProblem) => `${path}:${problem.line}: ${problem.message}`;
  if (branches.length === 0) {
    const telling = problems.find(
      ({ code }) =>
        code === 'trace.foreign-format' || code === 'trace.newer-version' || code === 'trace.not-utf8',
    );
    if (telling?.line === 1) return [lineOf(telling)];
    const isEmpty = problems.some(({ message }) => message === 'The file is empty.');
    return [`${path} is no trace: ${isEmpty ? 'it is empty' : 'its first line is not a run record'}.`];
  }
  const more = problems.length + problemsLeftOut - maxProblems;
  return [
    ...problems.slice(0, maxProblems).map(lineOf),
    ...(more > 0
      ? [`${path}: ${more} more ${more === 1 ? 'line' : 'lines'} can't be read as they are.`]
      : []),
  ];
}
