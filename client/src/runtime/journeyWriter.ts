/** What a journey adds to its trace: records in their place in the chain, branches, and the going on of interrupted ones. */
import type { Skill } from '../../../schemas/skill/skill';
import { type ChainedRecord, chainRecord, type RecordBody } from '../../../schemas/trace/trace';
import { type Acting, changedActing } from './acting';
import type { Standing } from './environmentRewind';
import { interruptionOf } from './interruptions';
import type { JourneyHost, RecordedRun } from './journey';
import type { StepOnLine } from './journeySteps';
import type { MemorySteps } from './memorySteps';
import { recordedFiles } from './runRecord';
import type { RunState } from './runState';

/** The step at which the cursor is. */
export interface Current extends StepOnLine {
  /** The id and branch of the last record before the step. */
  readonly follows: { readonly id: number; readonly branch: number };
  /** Where the environment stood at the step's start, and still does before its act. */
  readonly standing: Standing;
}

/** A step that has just begun. */
export function liveStep(
  branch: number,
  start: RunState,
  follows: Current['follows'],
  standing: Standing,
): Current {
  return {
    branch,
    step: start.step,
    start,
    reports: [],
    consumed: [0],
    records: [],
    tip: start,
    complete: false,
    missing: [],
    follows: { id: follows.id, branch: follows.branch },
    standing,
  };
}

export interface JourneyWriterOptions {
  readonly host: JourneyHost;
  readonly steps: MemorySteps;
  readonly recorded: RecordedRun | undefined;
  /** Who acts from now on; asked once recording has begun. */
  readonly acting: () => Acting | undefined;
}

export class JourneyWriter {
  readonly #host: JourneyHost;
  readonly #steps: MemorySteps;
  readonly #recorded: RecordedRun | undefined;
  readonly #acting: JourneyWriterOptions['acting'];
  /** The id of the first record of this session. */
  #firstOwn = 0;
  /** Undefined as long as a record is only looked at. */
  #nextId: number | undefined;

  constructor({ host, steps, recorded, acting }: JourneyWriterOptions) {
    this.#host = host;
    this.#steps = steps;
    this.#recorded = recorded;
    this.#acting = acting;
  }

  /** The first record of a new run. */
  header(body: RecordBody): ChainedRecord {
    const header = chainRecord(body, { id: 0, parent: undefined, branch: 0, time: this.#host.now() });
    this.#host.record(header);
    this.#nextId = 1;
    return header;
  }

  /** Makes ready to add to a recorded run. @throws RunFailure where nothing can be added */
  async begin(): Promise<void> {
    if (this.#nextId !== undefined) return;
    await this.#host.beginRecording?.();
    this.#nextId = ((await this.#recorded?.lastId()) ?? -1) + 1;
    this.#firstOwn = this.#nextId;
  }

  /** Begins a branch after so many phases of a step, where `run` stands. Gives the step on it. */
  fork(here: Current, index: number, run: RunState, skill: Skill | undefined): Current {
    const source = this.#steps;
    const id = (source.branches.at(-1)?.id ?? 0) + 1;
    const records = here.records.slice(0, here.consumed[index] ?? 0);
    const after = records.at(-1) ?? here.follows;
    const parent = { branch: after.branch, step: here.step };
    const files = skill && recordedFiles(skill, this.#host.sha256);
    source.open({ id, parent, start: here.start, records, ...(files && { skill: files }) });
    const current: Current = {
      ...here,
      branch: id,
      reports: here.reports.slice(0, index),
      consumed: here.consumed.slice(0, index),
      records: [...records],
      tip: run.end === undefined ? run : { ...run, end: undefined },
      missing: [],
      complete: false,
    };
    const { instructions } = skill ?? {};
    this.append(current, [
      {
        kind: 'fork',
        step: here.step,
        ...(files && { skill: { files: [...files] } }),
        ...(instructions !== undefined && {
          instructions: { sha256: this.#host.sha256(instructions), text: instructions },
        }),
        ...this.#others(after, false),
      },
    ]);
    current.consumed.push(current.records.length);
    return current;
  }

  /** Makes ready for new records at the tip: a recorded branch, or one that was interrupted, goes on. */
  async goOn(here: Current): Promise<void> {
    const source = this.#steps;
    const index = here.reports.length;
    const wasEnded = here.tip.end !== undefined;
    if (source.isOpen(here.branch) && !wasEnded) return;
    await this.begin();
    const last = here.records.at(-1);
    if (last?.kind === 'end') here.records.pop();
    if (!source.isOpen(here.branch)) {
      const { branch: id, step, start, records } = here;
      const latest = last?.kind === 'end' ? interruptionOf(last) : undefined;
      const interruptions = [...source.interruptions(id, step), ...(latest ? [latest] : [])];
      source.open({ id, parent: source.branch(id)?.parent, start, records, interruptions });
    } else source.reopen(here.branch);
    here.tip = { ...here.tip, end: undefined };
    here.consumed[index] = here.records.length;
    const after = here.records.at(-1) ?? here.follows;
    this.#host.record({
      kind: 'resumed',
      after: after.id,
      ...this.#others(after, true),
      time: this.#host.now(),
    });
    const { missing } = here;
    here.missing = [];
    this.append(here, missing);
    here.consumed[index] = here.records.length;
  }

  /** Who acts from after a record on, where others did. */
  #others({ id, branch }: Current['follows'], goesOn: boolean): ReturnType<typeof changedActing> {
    const acting = this.#acting();
    if (this.#recorded === undefined || acting === undefined || id >= this.#firstOwn) return {};
    return changedActing(this.#recorded.actingAt(branch, id, goesOn), acting);
  }

  /** Adds records to the step at a tip. */
  append(here: Current, bodies: readonly RecordBody[]): readonly ChainedRecord[] {
    const host = this.#host;
    return bodies.map((body) => {
      if (this.#nextId === undefined) throw new Error('Nothing can be recorded yet');
      const parent = (here.records.at(-1) ?? here.follows).id;
      const record = chainRecord(body, { id: this.#nextId, parent, branch: here.branch, time: host.now() });
      host.record(record);
      this.#nextId++;
      here.records.push(record);
      this.#steps.add(here.branch, record);
      return record;
    });
  }
}
