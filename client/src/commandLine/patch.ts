/** `skill-state patch`: Σ ⊕ ΔΣ under a schema, or the rejection, by hand. */
import { basename, dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../schemas/json/jsonValue';
import { loadInitialState } from '../../../schemas/state/initialState';
import { readReferencedFiles } from '../../../schemas/state/schemaFiles';
import { loadStateSchema, type StateSchema } from '../../../schemas/state/stateSchema';
import { printable } from '../../../schemas/text/printable';
import type { Problem } from '../../../schemas/text/problem';
import { createSkillFiles, FileFailure, readTextFile } from '../hosts/node/skillFolder';
import { applyPatch } from '../runtime/merge';
import { defaultRunOptions } from '../runtime/options';
import type { Rejection } from '../runtime/rejection';
import { readStrictJson } from '../runtime/strictJson';
import { createStateValidator } from '../runtime/validation';
import type { ExitCode, Terminal } from './terminal';

export interface PatchFlags {
  readonly schema: string;
  readonly state: string;
  readonly patch: string;
  readonly json?: boolean;
}

/**
 * Prints the merged state as JSON (`--json`: `{state}`), or the rejection (`--json`: `{rejection}`).
 *
 * @returns 0 where the patch was merged, 1 where it was rejected or the schema or state can't be used.
 */
export async function patch(flags: PatchFlags, terminal: Terminal): Promise<ExitCode> {
  const { limits } = defaultRunOptions;
  const schema = await readSchema(flags.schema);
  const loaded = loadInitialState({ path: basename(flags.state), text: await readTextFile(flags.state) });
  refuse(flags.state, loaded.problems);
  if (!loaded.state) throw new FileFailure(`${flags.state} holds no state.`);
  const outcome = merge(loaded.state, await readTextFile(flags.patch));
  const text =
    'state' in outcome ? JSON.stringify(outcome.state, undefined, 2) : rejectionText(outcome.rejection);
  terminal.stdout.write(printable(`${flags.json ? JSON.stringify(outcome) : text}\n`));
  return 'state' in outcome ? 0 : 1;

  function merge(state: JsonObject, patchText: string) {
    // A byte order mark is no part of JSON (RFC 8259, section 8.1), but editors write it.
    const read = readStrictJson(patchText.replace(/^\uFEFF/, ''), limits.depth);
    if (!read.ok) {
      const { kind, message, offset } = read.fault;
      return { rejection: shown({ class: kind === 'syntax' ? 'syntax' : 'limit', message, offset }) };
    }
    if (!isJsonObject(read.value)) {
      return { rejection: shown({ class: 'not-an-object', message: 'The patch is not an object.' }) };
    }
    const validator = createStateValidator(schema, limits);
    const merged = () => applyPatch(state, read.value as JsonObject, schema).state;
    const rejection =
      validator.checkPatch(read.value, 'model') ?? validator.checkMerged(merged(), read.value);
    return rejection ? { rejection: shown(rejection) } : { state: merged() };
  }
}

/** Reads a schema and the files beside and below it that it refers to. */
async function readSchema(path: string): Promise<StateSchema> {
  const file = { path: basename(path), text: await readTextFile(path) };
  const { read } = createSkillFiles(dirname(path));
  const schema = loadStateSchema(file, await readReferencedFiles(file, read));
  refuse(path, schema.problems);
  for (const part of schema.parts) refuse(join(dirname(path), part.path), part.problems);
  return schema;
}

/** A rejection with every key that the format promises; null stands for what the class has not. */
function shown(rejection: Rejection) {
  return {
    class: rejection.class,
    pointer: rejection.pointer ?? null,
    schemaLocation: rejection.schemaLocation ?? null,
    message: rejection.message,
  };
}

function rejectionText(rejection: ReturnType<typeof shown>): string {
  const where = rejection.pointer === null ? '' : ` at ${rejection.pointer || '(root)'}`;
  const rule = rejection.schemaLocation === null ? '' : `\nschema: ${rejection.schemaLocation}`;
  return `rejected, ${rejection.class}${where}: ${rejection.message}${rule}`;
}

function refuse(path: string, problems: readonly Problem[]): void {
  const blocking = problems.find(({ severity }) => severity === 'error');
  if (blocking) throw new FileFailure(`${path}:${blocking.range.start.line + 1}: ${blocking.message}`);
}
