/** What probes of servers have found out, in a file of the user's cache folder; deleting it is always safe. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import type { ProbeResult, ProbeStore, ProbeTry } from '../../models/decoding/probe';
import { decodings, type Encoding } from '../../models/modelSettings';
import { reasonOf } from './skillFolder';
import { writeWhole } from './wholeFile';

const version = 1;
const fileName = 'probes.json';
/** A larger file is none of ours. */
const mostBytes = 4_000_000;
/** The oldest results make room. */
const mostResults = 200;

/** Milliseconds since 1970 beyond which there is no date (ECMA-262, section 21.4.1.1). */
const latestDate = 8.64e15;

export interface ProbeFileOptions {
  readonly path: string;
  /** Told once why results can't be kept, a sentence for the user. */
  readonly onProblem: (message: string) => void;
}

/**
 * A file that can't be read, or holds something else, counts as empty, and is written anew with the next result.
 *
 * Several processes may share the file: each result is added to what is there at that moment, and the file is replaced as a
 * whole, so that it is never torn. Of two processes that do so at the same moment one may lose its result, which is then
 * found out once more; a lock isn't worth that.
 */
export function createProbeStore({ path, onProblem }: ProbeFileOptions): ProbeStore {
  let isTold = false;
  /** One result is written after the other. */
  let writing: Promise<void> = Promise.resolve();

  async function write(server: string, model: string, result: ProbeResult): Promise<void> {
    try {
      const results = await read(path);
      // The one that was written last stands last.
      results.delete(keyOf(server, model));
      results.set(keyOf(server, model), result);
      const kept = [...results].slice(-mostResults);
      await mkdir(dirname(path), { recursive: true });
      await writeWhole(path, [`${JSON.stringify({ version, results: kept })}\n`], () => false);
    } catch (error) {
      if (isTold) return;
      isTold = true;
      onProblem(`What was found out about ${server} can't be kept in ${path}: ${reasonOf(error)}.`);
    }
  }

  return {
    get: async (server, model) => (await read(path)).get(keyOf(server, model)),
    set(server, model, result) {
      writing = writing.then(() => write(server, model, result));
      return writing;
    },
  };
}

/**
 * The file for this user and system. `SKILL_STATE_CACHE` names its folder, else the system's own convention does:
 * `XDG_CACHE_HOME` or ~/.cache, ~/Library/Caches, `LOCALAPPDATA`.
 */
export function probeFilePath(
  variables: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const { SKILL_STATE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = variables;
  if (SKILL_STATE_CACHE) return join(SKILL_STATE_CACHE, fileName);
  if (platform === 'win32')
    return join(LOCALAPPDATA || join(home, 'AppData', 'Local'), 'skill-state', 'Cache', fileName);
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'skill-state', fileName);
  return join(XDG_CACHE_HOME || join(home, '.cache'), 'skill-state', fileName);
}

function keyOf(server: string, model: string): string {
  return JSON.stringify([server, model]);
}

async function read(path: string): Promise<Map<string, ProbeResult>> {
  const results = new Map<string, ProbeResult>();
  let value: JsonValue;
  try {
    if ((await stat(path)).size > mostBytes) return results;
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // Nothing is lost that couldn't be found out again.
    return results;
  }
  if (!isJsonObject(value) || value.version !== version || !Array.isArray(value.results)) return results;
  for (const entry of value.results as readonly JsonValue[]) {
    const [key, given] = Array.isArray(entry) ? entry : [];
    const result = given === undefined ? undefined : resultOf(given);
    if (typeof key === 'string' && result !== undefined) results.set(key, result);
  }
  return results;
}

function resultOf(value: JsonValue): ProbeResult | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.tries)) return undefined;
  const { placement, explanation, at } = value;
  const encoding = encodingOf(value.encoding);
  if (encoding === undefined || typeof explanation !== 'string') return undefined;
  if (typeof at !== 'number' || Math.abs(at) > latestDate) return undefined;
  if (placement !== undefined && typeof placement !== 'string') return undefined;
  const tries = (value.tries as readonly JsonValue[]).map(tryOf);
  if (!tries.every((one) => one !== undefined)) return undefined;
  return { encoding, placement, explanation, tries, at };
}

const outcomes = ['enforced', 'ignored', 'refused', 'unanswered'] as const satisfies ProbeTry['outcome'][];

function tryOf(value: JsonValue): ProbeTry | undefined {
  if (!isJsonObject(value)) return undefined;
  const { placement, detail } = value;
  const encoding = encodingOf(value.encoding);
  const outcome = outcomes.find((one) => one === value.outcome);
  if (encoding === undefined || outcome === undefined) return undefined;
  if (typeof placement !== 'string' || typeof detail !== 'string') return undefined;
  return { encoding, placement, outcome, detail };
}

function encodingOf(value: JsonValue | undefined): Encoding | undefined {
  return decodings.find((one): one is Encoding => one !== 'auto' && one === value);
}
