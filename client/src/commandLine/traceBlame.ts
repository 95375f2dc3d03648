/** `skill-state trace blame`: who wrote a value of Σ, newest first. */
import { formatPointer, type JsonPath, parsePointer } from '../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { printable, printableLine } from '../../../schemas/text/printable';
import { dataPath } from '../debug/dataBreakpoints';
import { type BlameEntry, blame } from '../runtime/blame';
import { changeWords } from '../runtime/blameWords';
import { TraceGap } from '../runtime/traceGap';
import { branchNamed, readTraceFor } from './openTrace';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

export interface TraceBlameFlags {
  readonly step?: number;
  readonly branch?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

/**
 * Prints the writes to a value of Σ_t, or of the last Σ.
 *
 * @param pointer JSON Pointer into Σ, whose first slash may be left out, or a path as in the debug console
 * @returns 0; 1 where nothing could be read, or nothing older can be told of a broken trace.
 */
export async function traceBlame(
  trace: string,
  pointer: string,
  flags: TraceBlameFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const path = pathOf(pointer);
  const reader = await readTraceFor(trace, terminal);
  if (!reader) return 1;
  const branch = branchNamed(trace, reader, flags.branch ?? 0);
  const step = flags.step ?? branch.steps;
  if (step > branch.steps) {
    throw new UsageFailure(
      `${trace} has no state ${step}: ${branch.id === 0 ? 'it' : `branch ${branch.id}`} has states 0 to ${branch.steps}.`,
    );
  }
  const entries: BlameEntry[] = [];
  const limit = flags.limit ?? Number.POSITIVE_INFINITY;
  const print = (text: string) => terminal.stdout.write(printable(`${text}\n`));
  let gap: string | undefined;
  try {
    let told = 0;
    for await (const entry of blame(reader, { branch: branch.id, step, path })) {
      terminal.signal.throwIfAborted();
      told += 1;
      if (flags.json) entries.push(entry);
      else for (const line of entryLines(entry)) print(line);
      if (told >= limit) break;
    }
    if (told === 0 && !flags.json)
      print(`${formatPointer(path) || 'The state'} was written by no step before ${step}.${hint(pointer)}`);
  } catch (error) {
    if (!(error instanceof TraceGap)) throw error;
    gap = error.message;
  }
  if (flags.json)
    print(
      JSON.stringify({
        pointer: formatPointer(path),
        step,
        branch: branch.id,
        entries: entries.map(entryJson),
      }),
    );
  if (gap === undefined) return 0;
  terminal.stderr.write(printable(`${trace}: ${gap}\n`));
  return 1;
}

function pathOf(pointer: string): JsonPath {
  if (/^\s*state\s*[.[]/.test(pointer)) {
    const parsed = dataPath(pointer);
    if ('problem' in parsed) throw new UsageFailure(parsed.problem);
    return parsed.path;
  }
  const path = parsePointer(pointer === '' || pointer.startsWith('/') ? pointer : `/${pointer}`);
  if (path) return path;
  throw new UsageFailure(
    `${pointer} is no JSON Pointer: write it like /inventory/shelf_3, or state.inventory.shelf_3.`,
  );
}

/** What a person may have meant who wrote a path of names where a JSON Pointer stands. */
function hint(pointer: string): string {
  if (pointer.startsWith('/') || /^\s*state\s*[.[]/.test(pointer) || !/[.[]/.test(pointer)) return '';
  const meant = `state.${pointer}`;
  return 'problem' in dataPath(meant) ? '' : ` A path of names begins with state: ${meant}.`;
}

function entryJson(entry: BlameEntry) {
  const { step, attempt, value, before, patch, action, observation, proposedSince, ...rest } = entry;
  return {
    step: entry.by === 'initial' ? null : step,
    attempt: attempt ?? null,
    ...rest,
    value: value ?? null,
    before: before ?? null,
    patch: patch ?? null,
    action: action ?? null,
    observation: observation ?? null,
    proposedSince: proposedSince ?? null,
  };
}

const authors = {
  model: 'the model',
  environment: 'the environment',
  user: 'a person',
  initial: 'Σ_0',
} as const;

function entryLines(entry: BlameEntry): readonly string[] {
  const { step, by, attempt, change, value, action, observation, confirmed, proposedSince, pointers } = entry;
  if (by === 'initial') return [`t=0  ${changeWords.initial}: ${short(value)}`];
  const tries = attempt !== undefined && attempt > 1 ? `, attempt ${attempt}` : '';
  const standing = confirmed ? '' : `  [proposed since t=${proposedSince ?? step}]`;
  return [
    `t=${step}  ${authors[by]} ${changeWords[change]}${tries}: ${change === 'members' ? shortText(pointers.join(', ')) : short(value)}${standing}`,
    ...(action === undefined ? [] : [`     action       ${printableLine(action)}`]),
    ...(observation === undefined ? [] : [`     observation  ${shortText(observation)}`]),
  ];
}

function short(value: JsonValue | undefined): string {
  return value === undefined ? '(gone)' : shortText(JSON.stringify(value));
}

function shortText(text: string): string {
  return printableLine(text.length > 200 ? `${text.slice(0, 197)}…` : text);
}
