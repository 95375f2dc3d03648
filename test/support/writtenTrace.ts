/** Traces written by hand: a step is its patch and what became of it. */
import { sha256 } from '../../client/src/hosts/node/sha256';
import { defaultRunOptions } from '../../client/src/runtime/options';
import { runRecord } from '../../client/src/runtime/runRecord';
import type { JsonObject, JsonValue } from '../../schemas/json/jsonValue';
import type { Skill } from '../../schemas/skill/skill';
import { chainRecord, type RecordBody, type TraceRecord } from '../../schemas/trace/trace';
import { steadyEnvironment, steadyModel } from './benchmark/steadyWarehouse';
import { wordTokenizer } from './memoryRun';

export interface WrittenStep {
  readonly patch?: JsonObject;
  /** Whether the action was accepted; undefined where no action was executed. */
  readonly accepted?: boolean;
  readonly facts?: JsonObject;
  /** Changes of Σ by hand before the patch: pointer and value, undefined where it is deleted. */
  readonly edits?: readonly (readonly [pointer: string, value: JsonValue | undefined])[];
  /** Σ_t, where the step has a keyframe. */
  readonly keyframe?: JsonObject;
}

/** The records of a run without branches. */
export function writtenTrace(skill: Skill, steps: readonly WrittenStep[]): readonly TraceRecord[] {
  const records: TraceRecord[] = [];
  const add = (body: RecordBody) => {
    const id = records.length;
    records.push(chainRecord(body, { id, parent: id === 0 ? undefined : id - 1, branch: 0, time: id }));
  };
  add(
    runRecord({
      skill,
      environment: steadyEnvironment(steps.length),
      model: steadyModel(),
      tokenizer: wordTokenizer,
      options: defaultRunOptions,
      settings: { environment: {}, model: {} },
      host: { sha256, now: () => 0, record: () => undefined },
    }),
  );
  for (const [step, { patch, accepted, facts, edits = [], keyframe }] of steps.entries()) {
    add({
      kind: 'step',
      step,
      observation: `O ${step}`,
      ...(keyframe && { state: keyframe }),
    });
    for (const [pointer, value] of edits) {
      add({
        kind: 'edit',
        step,
        phase: 'prompt',
        target: 'state',
        pointer,
        ...(value !== undefined && { value }),
      });
    }
    if (patch) add({ kind: 'commit', step, attempt: 1, by: 'model', patch });
    if (accepted === undefined) continue;
    add({ kind: 'intent', step, action: `Act ${step}` });
    add({ kind: 'outcome', step, accepted, done: false, observation: `O ${step + 1}` });
    if (facts) add({ kind: 'commit', step, by: 'environment', patch: facts });
  }
  return records;
}
