/** Who wrote a value of Σ: the writes at, below and above a path along a line of history, newest first. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import type { MergePolicies } from './merge';

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

/** The writes to a value, newest first, Σ_0 last; each is found when it is asked for. */
export async function* blame(
  _history: BlameHistory,
  _question: BlameQuestion,
): AsyncGenerator<BlameEntry, void, undefined> {}
