/** `skill-state infer`: a state schema from sample states or from traces. */
import { writeFile } from 'node:fs/promises';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { inferStateSchema } from '../../../schemas/state/inferSchema';
import { printable } from '../../../schemas/text/printable';
import { traceSuffix } from '../hosts/launchConfiguration';
import { codeOf, FileFailure, reasonOf } from '../hosts/node/skillFolder';
import { openTraceBytes } from '../hosts/node/traceBytes';
import { statesOfTrace } from '../runtime/traceStates';
import { readStateFile } from './stateFile';
import type { ExitCode, Terminal } from './terminal';

export interface InferFlags {
  readonly output?: string;
}

/**
 * Prints the schema as YAML, or writes it to a file that isn't there yet.
 *
 * @param paths states in YAML or JSON, and traces; one trace alone is read as a series
 * @throws FileFailure where a file holds no state
 */
export async function infer(
  paths: readonly string[],
  flags: InferFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const samples: JsonObject[] = [];
  for (const path of paths) for (const state of await statesIn(path)) samples.push(state);
  const series = paths.length === 1 && paths[0]?.endsWith(traceSuffix) === true;
  const inferred = inferStateSchema(samples, { series });
  if (!inferred.ok) throw new FileFailure(inferred.message);
  if (flags.output === undefined) {
    terminal.stdout.write(printable(inferred.yaml));
    return 0;
  }
  await writeFile(flags.output, inferred.yaml, { flag: 'wx' }).catch((cause: unknown) => {
    const advice = codeOf(cause) === 'EEXIST' ? ' Nothing is overwritten: name another file.' : '';
    const reason = codeOf(cause) === 'ENOENT' ? 'there is no such folder' : reasonOf(cause);
    throw new FileFailure(`${flags.output} can't be written: ${reason}.${advice}`, { cause });
  });
  return 0;
}

async function statesIn(path: string): Promise<readonly JsonObject[]> {
  if (path.endsWith(traceSuffix)) {
    const trace = await statesOfTrace(openTraceBytes(path));
    if (trace === undefined)
      throw new FileFailure(`${path} is no trace: its first line is not a run record.`);
    return trace.states;
  }
  return [await readStateFile(path)];
}
