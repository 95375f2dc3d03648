/** `skill-state infer`: a state schema from sample states or from traces. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { inferStateSchema } from '../../../schemas/state/inferSchema';
import { loadInitialState } from '../../../schemas/state/initialState';
import { printable } from '../../../schemas/text/printable';
import { codeOf, FileFailure, readTextFile, reasonOf } from '../hosts/node/skillFolder';
import { traceSuffix } from '../hosts/node/traceFile';
import { statesOfTrace } from '../runtime/traceStates';
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
  for (const path of paths) samples.push(...(await statesIn(path)));
  const series = paths.length === 1 && paths[0]?.endsWith(traceSuffix) === true;
  const inferred = inferStateSchema(samples, { series });
  if (!inferred.ok) throw new FileFailure(inferred.message);
  if (flags.output === undefined) {
    terminal.stdout.write(printable(inferred.yaml));
    return 0;
  }
  await writeFile(flags.output, inferred.yaml, { flag: 'wx' }).catch((cause: unknown) => {
    const advice = codeOf(cause) === 'EEXIST' ? ' Nothing is overwritten: name another file.' : '';
    throw new FileFailure(`${flags.output} can't be written: ${reasonOf(cause)}.${advice}`, { cause });
  });
  return 0;
}

async function statesIn(path: string): Promise<readonly JsonObject[]> {
  if (path.endsWith(traceSuffix)) {
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw new FileFailure(`${path} can't be read: ${reasonOf(cause)}.`, { cause });
    });
    const trace = await statesOfTrace(bytes);
    if (trace === undefined)
      throw new FileFailure(`${path} is no trace: its first line is not a run record.`);
    return trace.states;
  }
  const { state, problems } = loadInitialState({ path: basename(path), text: await readTextFile(path) });
  const error = problems.find(({ severity }) => severity === 'error');
  if (error) throw new FileFailure(`${path}:${error.range.start.line + 1}: ${error.message}`);
  if (!state) throw new FileFailure(`${path} holds no state: a state is an object.`);
  return [state];
}
