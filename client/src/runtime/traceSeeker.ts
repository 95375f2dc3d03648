/** Goes to any step of a trace that has been read: its records by byte ranges, Σ from the nearest keyframe. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { type ChainedRecord, readRecord } from '../../../schemas/trace/trace';
import type { BranchLine } from './branchLine';
import { stateAfterEdit } from './edits';
import type { Stretch } from './fileStretches';
import { applyPatch, type MergePolicies } from './merge';
import { RecentlyUsed } from './recentlyUsed';
import { recordedSkill } from './recordedSkill';
import { recordedStep } from './recordedStep';
import { Column, Flag } from './stepRows';
import { TraceGap } from './traceGap';
import type { TraceIndex } from './traceIndex';
import type { RecordedStep, TraceBytes } from './traceReader';

/** Bytes of the records that are kept. */
const keptRecordBytes = 1 << 24;
/** How many states are kept, of the steps that were looked at last. */
const keptStates = 512;
/** Where keyframes are rare, a state is kept every so many steps, */
const milestoneEvery = 256;
/** up to this many. */
const keptMilestones = 2_048;
/** The most that is read at once. */
const largestRead = 1 << 20;

const lineFeed = 10;
const changed = 'The trace has been changed since it was read: open it again.';

const plainPolicies: MergePolicies = {
  hasMergePolicies: false,
  mergePolicyAt: () => ({ merge: 'replace', evict: undefined, maxItems: undefined }),
};

export class TraceSeeker {
  readonly #bytes: TraceBytes;
  readonly #index: TraceIndex;
  /** By row: its own records, and the bytes that they take in the file. */
  readonly #records = new RecentlyUsed<
    number,
    { readonly length: number; readonly records: readonly ChainedRecord[] }
  >(keptRecordBytes);
  /** Σ after the step of a row. */
  readonly #states = new RecentlyUsed<number, JsonObject>(keptStates);
  readonly #milestones = new RecentlyUsed<number, JsonObject>(keptMilestones);
  #isSparse = false;

  constructor(bytes: TraceBytes, index: TraceIndex) {
    this.#bytes = bytes;
    this.#index = index;
  }

  /** All records of a row's step along its line, those before a fork in its middle first; none after `upTo`. */
  async records(row: number, upTo = Number.POSITIVE_INFINITY): Promise<readonly ChainedRecord[]> {
    const parts: (readonly ChainedRecord[])[] = [];
    let limit = upTo;
    for (let at: number | undefined = row; at !== undefined; ) {
      const last = limit;
      const own = await this.#ownRecords(at);
      parts.push(own.filter(({ id }) => id <= last));
      const inherited = this.#index.inherited.get(at);
      at = inherited?.row;
      limit = Math.min(limit, inherited?.upTo ?? limit);
    }
    return parts.reverse().flat();
  }

  async step(line: BranchLine, step: number): Promise<RecordedStep> {
    const records = await this.#recordsAt(line, step);
    const began = records.find((record) => record.kind === 'step');
    if (began?.kind === 'step' && began.observation !== undefined)
      return recordedStep(step, records, undefined);
    const before = step === 0 ? [] : await this.#recordsAt(line, step - 1);
    const outcome = before.find((record) => record.kind === 'outcome');
    return recordedStep(step, records, outcome?.kind === 'outcome' ? outcome.observation : undefined);
  }

  /** Σ_t. @throws TraceGap where nothing tells it */
  async stateAt(line: BranchLine, step: number): Promise<JsonObject> {
    const missed: number[] = [];
    let state: JsonObject | undefined;
    for (let at = step; state === undefined; at--) {
      const row = at < line.steps ? line.rowOf(at) : undefined;
      if (row !== undefined && this.#index.rows.is(row, Flag.keyframe)) {
        state = await this.#keyframe(row);
        if (state) break;
      }
      if (at === 0) {
        state = this.#index.header?.state;
        if (state) break;
        throw new TraceGap(
          `Σ_${step} is not known: the trace has lost the states and patches that lead to it.`,
        );
      }
      const before = line.rowOf(at - 1);
      if (before === undefined) continue;
      state = this.#states.get(before) ?? this.#milestones.get(before);
      if (state === undefined) missed.push(before);
    }
    if (missed.length > milestoneEvery) this.#isSparse = true;
    return this.#merge(state, missed.reverse());
  }

  /** False where lines that can't be read may have changed Σ_t since the last state that was recorded whole. */
  isCertain(line: BranchLine, step: number): boolean {
    const { rows } = this.#index;
    for (let at = step; at >= 0; at--) {
      const row = at < line.steps ? line.rowOf(at) : undefined;
      if (row !== undefined && rows.is(row, Flag.keyframe)) return true;
      if (at === 0) break;
      const before = line.rowOf(at - 1);
      if (before === undefined || rows.is(before, Flag.incomplete)) return false;
    }
    return this.#index.header !== undefined;
  }

  /** The policies of the skill that a line's own steps ran with. */
  policies(line: BranchLine | undefined): Promise<MergePolicies> {
    const { header } = this.#index;
    let owner = line;
    while (owner && !owner.fork?.skill) owner = owner.parent?.line;
    const files = owner?.fork?.skill?.files ?? header?.skill.files;
    if (!files) return Promise.resolve(plainPolicies);
    return recordedSkill(header?.skill.name ?? '', files).then(({ stateSchema }) => stateSchema);
  }

  async #recordsAt(line: BranchLine, step: number): Promise<readonly ChainedRecord[]> {
    const row = line.rowOf(step);
    return row === undefined ? [] : this.records(row);
  }

  async #ownRecords(row: number): Promise<readonly ChainedRecord[]> {
    const stretches = this.#stretches(row);
    const length = stretches.reduce((sum, stretch) => sum + stretch.length, 0);
    const known = this.#records.get(row);
    if (known?.length === length) return known.records;
    const records: ChainedRecord[] = [];
    for await (const bytes of this.#read(stretches)) {
      for (const line of linesOf(bytes)) {
        const record = this.#recordIn(line);
        if (record) records.push(record);
      }
    }
    this.#records.set(row, { length, records }, length);
    return records;
  }

  async #keyframe(row: number): Promise<JsonObject | undefined> {
    const records = await this.records(row);
    const began = records.find((record) => record.kind === 'step');
    const state = began?.kind === 'step' ? began.state : undefined;
    // Σ was edited before the step's record, which then holds it as edited: Σ_t is what it was before.
    return records.some((record) => record.kind === 'edit' && record.id < (began?.id ?? 0))
      ? undefined
      : state;
  }

  /** Σ after the steps of some rows, in their order; the states between are kept. */
  async #merge(start: JsonObject, rows: readonly number[]): Promise<JsonObject> {
    let state = start;
    let waiting: number[] = [];
    for (const row of rows) {
      if (!this.#index.inherited.has(row)) {
        waiting.push(row);
        continue;
      }
      state = await this.#mergePlain(state, waiting);
      waiting = [];
      state = this.#keep(row, await this.#after(state, row, await this.records(row)));
    }
    return this.#mergePlain(state, waiting);
  }

  /** The same for rows that inherit nothing: their lines are read together, and only those that write are parsed. */
  async #mergePlain(start: JsonObject, rows: readonly number[]): Promise<JsonObject> {
    let state = start;
    const places = rows.flatMap((row) => this.#stretches(row).map((stretch) => ({ row, stretch })));
    let index = 0;
    for await (const bytes of this.#read(places.map(({ stretch }) => stretch))) {
      const row = places[index]?.row ?? 0;
      const writes: ChainedRecord[] = [];
      for (const line of linesOf(bytes)) {
        const record = mayWrite(line) ? this.#recordIn(line) : undefined;
        if (record) writes.push(record);
      }
      state = await this.#after(state, row, writes);
      index += 1;
      if (places[index]?.row !== row) this.#keep(row, state);
    }
    return state;
  }

  async #after(state: JsonObject, row: number, records: readonly ChainedRecord[]): Promise<JsonObject> {
    let next = state;
    for (const record of records) {
      if (record.kind === 'commit') {
        const line = this.#index.branches.get(this.#index.rows.table.get(row, Column.branch));
        next = applyPatch(next, record.patch, await this.policies(line)).state;
      } else if (record.kind === 'edit') next = stateAfterEdit(next, record);
    }
    return next;
  }

  /** A step that may still go on is not kept. */
  #keep(row: number, state: JsonObject): JsonObject {
    const line = this.#index.branches.get(this.#index.rows.table.get(row, Column.branch));
    if (line?.open?.row === row) return state;
    this.#states.set(row, state, 1);
    if (this.#isSparse && row % milestoneEvery === 0) this.#milestones.set(row, state, 1);
    return state;
  }

  #stretches(row: number): readonly Stretch[] {
    return this.#index.stretches.of(row, this.#index.rows.table.get(row, Column.segment) - 1);
  }

  #recordIn(line: Uint8Array): ChainedRecord | undefined {
    let text: string;
    try {
      text = decoder.decode(line);
    } catch {
      throw new TraceGap(changed);
    }
    if (text.trim() === '') return undefined;
    const read = readRecord(text, this.#index.isNewer);
    if (!read.ok || read.record.kind === 'resumed') throw new TraceGap(changed);
    return read.record;
  }

  /** The bytes of each stretch; those that follow each other are read together. */
  async *#read(stretches: readonly Stretch[]): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < stretches.length; ) {
      const start = stretches[index]?.start ?? 0;
      let end = start;
      const first = index;
      for (let next = stretches[index]; next?.start === end; next = stretches[index]) {
        if (index > first && end + next.length - start > largestRead) break;
        end += next.length;
        index += 1;
      }
      const bytes = await this.#readWhole(start, end - start);
      for (const { start: at, length } of stretches.slice(first, index))
        yield bytes.subarray(at - start, at - start + length);
    }
  }

  async #readWhole(offset: number, length: number): Promise<Uint8Array> {
    const bytes = await this.#bytes.read(offset, length);
    if (bytes.length === length) return bytes;
    const whole = new Uint8Array(length);
    whole.set(bytes);
    for (let read = bytes.length; read < length; ) {
      const more = await this.#bytes.read(offset + read, length - read);
      if (more.length === 0) throw new TraceGap(changed);
      whole.set(more, read);
      read += more.length;
    }
    return whole;
  }
}

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start);
    if (end < 0) throw new TraceGap(changed);
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** What the runtime puts before the kind of a record. */
const opening = [...'{"kind":"'].map((character) => character.charCodeAt(0));

/** False for a line that is surely neither a commit nor an edit, by its first bytes. */
function mayWrite(line: Uint8Array): boolean {
  if (opening.some((code, index) => line[index] !== code)) return true;
  const first = line[opening.length];
  const second = line[opening.length + 1];
  const is = (word: string) => first === word.charCodeAt(0) && second === word.charCodeAt(1);
  return is('co') || is('ed') || first === undefined;
}
