/** Who wrote a value of Σ: the writes at, below and above a path along a line of history, newest first. */
import { formatPointer, type JsonPath, parsePointer, valueAt } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import { stateAfterEdit } from './edits';
import { jsonEqual } from './jsonEquality';
import { applyPatch, type MergePolicies, type MergeResult, type Write } from './merge';

/** What blame needs of a run. A TraceReader is one; so is a live run. */
export interface BlameHistory {
  /** Σ_t along the branch's line. */
  stateAt(branch: number, step: number): Promise<JsonObject>;
  /** The records of a step along the branch's line, in order. */
  recordsOf(branch: number, step: number): Promise<readonly ChainedRecord[]>;
  /** The array policies under which the patches of a step were merged. */
  policiesAt(branch: number, step: number): Promise<MergePolicies>;
  /** False where the step has surely not written at, below or above the path, so that it needn't be looked at. */
  mayWrite?(branch: number, step: number, path: JsonPath): boolean;
}

/** Which value is asked about. */
export interface BlameQuestion {
  readonly branch: number;
  /** t: the value is that of Σ_t, so writes of the steps before t count. */
  readonly step: number;
  /** With it, the writes of step t itself up to and with this record count too. */
  readonly upTo?: number;
  readonly path: JsonPath;
}

/** Who wrote: the model's patch, a fact of the environment, a person by hand, or Σ_0. */
export type BlameAuthor = 'model' | 'environment' | 'user' | 'initial';

/**
 * What a write did to the value at the path. `members`: it wrote below the path, into the object there. `same`: it
 * wrote the value that was there. `evicted`: older items of an array gave way and what stood there moved or went.
 */
export type BlameChange =
  | 'initial'
  | 'set'
  | 'changed'
  | 'deleted'
  | 'members'
  | 'array-replaced'
  | 'array-appended'
  | 'array-united'
  | 'evicted'
  | 'same';

/** One write to a value. */
export interface BlameEntry {
  /** 0 for Σ_0. */
  readonly step: number;
  /** The attempt whose patch it was; undefined where it was no model's. */
  readonly attempt: number | undefined;
  readonly by: BlameAuthor;
  readonly change: BlameChange;
  /** The value at the path afterwards; undefined where it was gone. */
  readonly value: JsonValue | undefined;
  /** The value before. */
  readonly before: JsonValue | undefined;
  /** JSON Pointers of what was written at, below or above the path, at most 20. */
  readonly pointers: readonly string[];
  /** The patch that was merged; undefined for Σ_0 and for what a person wrote by hand. */
  readonly patch: JsonObject | undefined;
  /** The action of that step; undefined where it came to none. */
  readonly action: string | undefined;
  /** O_t of that step. */
  readonly observation: string | undefined;
  /** False where the model wrote it and no accepted action has confirmed that. */
  readonly confirmed: boolean;
  /** Where it is not confirmed: the step since which the value stands proposed. */
  readonly proposedSince: number | undefined;
}

/** How many pointers of one write are told. */
const toldPointers = 20;

/**
 * The writes to a value, newest first, Σ_0 last where the value was there; each is found when it is asked for.
 *
 * @throws TraceGap once nothing older can be told of a trace that has lost its beginning
 */
export async function* blame(
  history: BlameHistory,
  question: BlameQuestion,
): AsyncGenerator<BlameEntry, void, undefined> {
  const { branch, path, upTo } = question;
  // Whoever writes the same value again and isn't accepted leaves it as confirmed as it was, which older writes tell.
  let undecided: BlameEntry[] = [];
  for (let step = upTo === undefined ? question.step - 1 : question.step; step >= 0; step--) {
    if (history.mayWrite?.(branch, step, path) === false) continue;
    const limit = step === question.step ? upTo : undefined;
    for (const entry of await writesOfStep(history, { branch, step, path, limit })) {
      undecided.push(entry);
      if (entry.change === 'same' && !entry.confirmed) continue;
      yield* decided(undecided, entry.confirmed);
      undecided = [];
    }
  }
  yield* decided(undecided, true);
  const value = valueAt(await history.stateAt(branch, 0), path);
  if (value === undefined) return;
  yield {
    step: 0,
    attempt: undefined,
    by: 'initial',
    change: 'initial',
    value,
    before: undefined,
    pointers: [formatPointer(path)],
    patch: undefined,
    action: undefined,
    observation: undefined,
    confirmed: true,
    proposedSince: undefined,
  };
}

function* decided(entries: readonly BlameEntry[], confirmed: boolean): Generator<BlameEntry> {
  for (const entry of entries)
    yield confirmed && !entry.confirmed ? { ...entry, confirmed: true, proposedSince: undefined } : entry;
}

/** The writes of one step to the path, the last one first. */
async function writesOfStep(
  history: BlameHistory,
  place: {
    readonly branch: number;
    readonly step: number;
    readonly path: JsonPath;
    readonly limit: number | undefined;
  },
): Promise<readonly BlameEntry[]> {
  const { branch, step, path, limit = Number.POSITIVE_INFINITY } = place;
  const records = (await history.recordsOf(branch, step)).filter(({ id }) => id <= limit);
  if (!records.some((record) => touches(record, path))) return [];
  const policies = await history.policiesAt(branch, step);
  const writes: Pick<BlameEntry, 'by' | 'attempt' | 'change' | 'value' | 'before' | 'pointers' | 'patch'>[] =
    [];
  let state = await history.stateAt(branch, step);
  for (const record of records) {
    if (record.kind === 'commit') {
      const { patch, by, attempt } = record;
      const merged = applyPatch(state, patch, policies);
      const before = valueAt(state, path);
      const value = valueAt(merged.state, path);
      const change = changeOf({ before, value, path, merged, policies });
      state = merged.state;
      if (change === undefined) continue;
      const pointers = relatedWrites(merged, path).slice(0, toldPointers);
      writes.push({
        by,
        attempt,
        change,
        value,
        before,
        pointers: pointers.map((write) => formatPointer(write.path)),
        patch,
      });
    } else if (record.kind === 'edit' && record.target === 'state') {
      const edited = stateAfterEdit(state, record);
      const before = valueAt(state, path);
      const value = valueAt(edited, path);
      state = edited;
      const pointer = record.pointer ?? '';
      const editPath = parsePointer(pointer) ?? [];
      if (!isRelated(editPath, path) && jsonEqualOrGone(before, value)) continue;
      const change = changeByHand(before, value, editPath.length > path.length);
      if (change === undefined) continue;
      writes.push({
        by: 'user',
        attempt: undefined,
        change,
        value,
        before,
        pointers: [pointer],
        patch: undefined,
      });
    }
  }
  if (writes.length === 0) return [];
  const intent = records.find((record) => record.kind === 'intent');
  const outcome = records.find((record) => record.kind === 'outcome');
  const accepted = outcome?.kind === 'outcome' && outcome.accepted && !outcome.skipped;
  const action = intent?.kind === 'intent' ? intent.action : undefined;
  const observation = await observationOf(history, { branch, step, records });
  return writes.reverse().map((write) => {
    const confirmed = write.by !== 'model' || accepted;
    return { step, ...write, action, observation, confirmed, proposedSince: confirmed ? undefined : step };
  });
}

/** False for a record that surely leaves the path alone, which is told without making Σ. */
function touches(record: ChainedRecord, path: JsonPath): boolean {
  if (record.kind === 'edit') return record.target === 'state';
  if (record.kind !== 'commit') return false;
  let value: JsonValue = record.patch;
  for (const token of path) {
    if (!isJsonObject(value)) return true;
    const next = ownProperty(value, token);
    if (next === undefined) return false;
    value = next;
  }
  return true;
}

/** O_t as the step's prompts showed it. */
async function observationOf(
  history: BlameHistory,
  {
    branch,
    step,
    records,
  }: { readonly branch: number; readonly step: number; readonly records: readonly ChainedRecord[] },
): Promise<string | undefined> {
  const edited = records.findLast((record) => record.kind === 'edit' && record.target === 'observation');
  if (edited?.kind === 'edit' && typeof edited.value === 'string') return edited.value;
  const began = records.find((record) => record.kind === 'step');
  if (began?.kind === 'step' && began.observation !== undefined) return began.observation;
  if (step === 0) return undefined;
  const outcome = (await history.recordsOf(branch, step - 1)).find((record) => record.kind === 'outcome');
  return outcome?.kind === 'outcome' ? outcome.observation : undefined;
}

/** What a merge did to the value at a path; undefined where it left it alone. */
function changeOf({
  before,
  value,
  path,
  merged,
  policies,
}: {
  readonly before: JsonValue | undefined;
  readonly value: JsonValue | undefined;
  readonly path: JsonPath;
  readonly merged: MergeResult;
  readonly policies: MergePolicies;
}): BlameChange | undefined {
  const [write] = relatedWrites(merged, path);
  if (!write) return undefined;
  const isSame = jsonEqualOrGone(before, value);
  if (write.path.length > path.length) {
    if (before === undefined) return value === undefined ? undefined : 'set';
    return isSame ? 'same' : 'members';
  }
  if (before === undefined && value === undefined) return undefined;
  const policy = policies.hasMergePolicies ? policies.mergePolicyAt(write.path).merge : 'replace';
  if (write.kind === 'delete' || policy === 'replace') {
    if (isSame) return 'same';
    if (value === undefined) return 'deleted';
    if (before === undefined) return 'set';
    const isArray = write.path.length === path.length && Array.isArray(before) && Array.isArray(value);
    return isArray ? 'array-replaced' : 'changed';
  }
  const hasEvicted = merged.evictions.some((eviction) => isPrefix(eviction.path, path));
  if (write.path.length < path.length) {
    // An item of an array that others were added to.
    if (isSame) return undefined;
    if (hasEvicted) return 'evicted';
    return before === undefined ? 'array-appended' : 'changed';
  }
  if (isSame) return 'same';
  if (before === undefined) return 'set';
  if (!Array.isArray(value)) return 'changed';
  return policy === 'append' ? 'array-appended' : 'array-united';
}

function changeByHand(
  before: JsonValue | undefined,
  value: JsonValue | undefined,
  isBelow: boolean,
): BlameChange | undefined {
  if (jsonEqualOrGone(before, value)) return before === undefined ? undefined : 'same';
  if (value === undefined) return 'deleted';
  if (before === undefined) return 'set';
  return isBelow ? 'members' : 'changed';
}

function relatedWrites({ writes }: MergeResult, path: JsonPath): readonly Write[] {
  return writes.filter((write) => isRelated(write.path, path));
}

function isRelated(one: JsonPath, other: JsonPath): boolean {
  return isPrefix(one, other) || isPrefix(other, one);
}

function isPrefix(prefix: JsonPath, path: JsonPath): boolean {
  return prefix.length <= path.length && prefix.every((token, index) => path[index] === token);
}

function jsonEqualOrGone(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === undefined || other === undefined ? one === other : jsonEqual(one, other);
}
