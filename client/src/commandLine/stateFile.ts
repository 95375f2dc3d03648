/** A state from a file that the user named. */
import { basename } from 'node:path';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { loadInitialState } from '../../../schemas/state/initialState';
import { FileFailure, readTextFile } from '../hosts/node/skillFolder';

/**
 * Reads a state in YAML or JSON.
 *
 * @throws FileFailure where the file can't be read or holds no state, with the line at fault.
 */
export async function readStateFile(path: string): Promise<JsonObject> {
  const { state, problems } = loadInitialState({ path: basename(path), text: await readTextFile(path) });
  const error = problems.find(({ severity }) => severity === 'error');
  if (error !== undefined && error.code !== 'initial.not-an-object')
    throw new FileFailure(`${path}:${error.range.start.line + 1}: ${error.message}`);
  if (state === undefined || error !== undefined)
    throw new FileFailure(`${path} holds no state: a state is an object.`);
  return state;
}
