/** Who wrote what stands at a path of Σ, asked of the run that is debugged: for the console, and for the editor. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { BlameBody } from '../../../schemas/messages/debugMessages';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import { type BlameEntry, type BlameHistory, blame } from '../runtime/blame';
import { changeWords } from '../runtime/blameWords';
import type { Journey } from '../runtime/journey';
import { valueText } from './valueText';
import type { NamedNode } from './variables';

/** So many writes are told of at once. */
const maxEntries = 100;

/** How much of a value or an observation is told. */
const toldLength = 500;

/** Some writes, newest first. */
export interface ToldWrites {
  readonly entries: readonly BlameEntry[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

/** The writes to a path up to where the run stands, newest first. */
export async function writesTo(journey: Journey, path: JsonPath): Promise<ToldWrites> {
  const { branch, step } = journey.position;
  const upTo = await lastRecord(journey);
  const entries: BlameEntry[] = [];
  const question = { branch, step, path, ...(upTo !== undefined && { upTo }) };
  for await (const entry of blame(historyOf(journey), question)) {
    if (entries.length === maxEntries) return { entries, more: true };
    entries.push(entry);
  }
  return { entries, more: false };
}

/** As the console shows them: a sentence, and an entry to be opened for each write. */
export function describeWrites(
  name: string,
  { entries, more }: ToldWrites,
): { readonly text: string; readonly nodes: readonly NamedNode[] } {
  const [newest] = entries;
  if (newest === undefined) return { text: `Nothing has written ${name} yet.`, nodes: [] };
  const count = more
    ? `the newest ${entries.length} writes`
    : `${entries.length} write${entries.length === 1 ? '' : 's'}`;
  const text = `${lineOf(newest)} (${count})`;
  return { text, nodes: entries.map(nodeOf) };
}

/** As the request `skill-state/blame` is answered. */
export function blameBody({ entries, more }: ToldWrites): BlameBody {
  return {
    entries: entries.map(
      ({ step, attempt, by, change, value, patch, action, observation, confirmed, proposedSince }) => ({
        step,
        attempt,
        by,
        change,
        value: value === undefined ? undefined : valueText(value, toldLength),
        patch,
        action,
        observation: observation?.slice(0, toldLength),
        confirmed,
        proposedSince,
      }),
    ),
    texts: entries.map(lineOf),
    more,
  };
}

const authors = { model: 'the model', environment: 'the environment', user: 'you' } as const;

/** `step 12: the model changed it to "item_3", proposed since step 12`. */
function lineOf({ step, attempt, by, change, value, confirmed, proposedSince }: BlameEntry): string {
  const shown = value === undefined || change === 'members' ? '' : `: ${valueText(value, 100)}`;
  if (by === 'initial') return `It ${changeWords.initial}${shown}`;
  const tries = attempt !== undefined && attempt > 1 ? ` at attempt ${attempt}` : '';
  const standing = confirmed ? '' : `, proposed since step ${proposedSince ?? step}`;
  return `step ${step}: ${authors[by]} ${changeWords[change]}${tries}${shown}${standing}`;
}

function nodeOf(entry: BlameEntry): NamedNode {
  const { step, by, change, value, before, pointers, patch, action, observation, confirmed, proposedSince } =
    entry;
  const told: JsonObject = {
    change: changeWords[change],
    ...(value !== undefined && { value }),
    ...(before !== undefined && { before }),
    ...(by !== 'initial' && { wrote: pointers }),
    ...(patch !== undefined && { patch }),
    ...(action !== undefined && { action }),
    ...(observation !== undefined && { observation }),
    confirmed,
    ...(proposedSince !== undefined && { proposedSince }),
  };
  const name = by === 'initial' ? 'initial state' : `step ${step}, ${authors[by]}`;
  return {
    name,
    value: told,
    expression: undefined,
    root: undefined,
    path: [],
    editable: false,
    annotate: undefined,
  };
}

function historyOf(journey: Journey): BlameHistory {
  return {
    stateAt: async (branch, step) => (await journey.startOf(branch, step)).state,
    recordsOf: (branch, step) => journey.recordsOf(branch, step),
    policiesAt: (branch, step) => journey.policiesAt(branch, step),
  };
}

/** The last record of the step up to where the run stands; undefined where the step has none before that. */
async function lastRecord(journey: Journey): Promise<number | undefined> {
  const { branch, step, index, live } = journey.position;
  const records = await journey.recordsOf(branch, step);
  if (live) return records.at(-1)?.id;
  const reports = await journey.reportsOf(branch, step);
  const carriedOut = reports.slice(0, index);
  const last = carriedOut.flatMap((report) => report.records).at(-1)?.id ?? -1;
  const next = reports.slice(index).flatMap((report) => report.records)[0]?.id ?? Number.POSITIVE_INFINITY;
  // Changes by hand belong to no phase: those count that were made before one that was reached since the last record.
  const silent = carriedOut.slice(carriedOut.findLastIndex((report) => report.records.length > 0) + 1);
  const reached = new Set([...silent.map(({ phase }) => phase), journey.run?.phase]);
  const isBefore = (record: ChainedRecord) =>
    record.id <= last || (record.id < next && record.kind === 'edit' && reached.has(record.phase));
  return records.findLast(isBefore)?.id;
}
