/**
 * Traces of any length, made a record at a time: a warehouse of steady size with a model that errs now and then, as the
 * runtime would have recorded it. Equal options give equal bytes.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { sha256 } from '../../client/src/hosts/node/sha256';
import { applyPatch } from '../../client/src/runtime/merge';
import { defaultRunOptions } from '../../client/src/runtime/options';
import { composePrompt, correctionFor } from '../../client/src/runtime/prompt';
import type { Rejection } from '../../client/src/runtime/rejection';
import { runRecord } from '../../client/src/runtime/runRecord';
import type { JsonObject } from '../../schemas/json/jsonValue';
import type { Skill } from '../../schemas/skill/skill';
import { chainRecord, formatRecord, type RecordBody, type TraceRecord } from '../../schemas/trace/trace';
import { steadyEnvironment, steadyModel, steadyPatch, steadySkill } from './benchmark/steadyWarehouse';
import { replyOf, wordTokenizer } from './memoryRun';

/** A branch that leaves the original run. */
export interface LongTraceFork {
  /** The step it leaves, at its start or after its patch was merged. */
  readonly step: number;
  readonly at: 'start' | 'act';
  /** How many steps it takes from there on, the one it leaves included. */
  readonly steps: number;
}

export interface LongTraceOptions {
  readonly steps: number;
  /** The share of replies with a fault, 0.12 by default. */
  readonly faults?: number;
  readonly seed?: number;
  readonly keyframeEvery?: number;
  /** Written after the original run, in this order, as branches 1, 2, … */
  readonly forks?: readonly LongTraceFork[];
  /** US dollars of each attempt; without it no price is known. */
  readonly cost?: number;
}

const startTime = 1_700_000_000_000;

/** Where a line of history stands. */
interface Line {
  readonly branch: number;
  step: number;
  state: JsonObject;
  parent: number;
  /** The result of the last action; undefined where the observation has to be recorded with the step. */
  outcome: string | undefined;
}

/** The records, in file order. */
export async function* longTrace(options: LongTraceOptions): AsyncGenerator<TraceRecord> {
  const skill = await steadySkill();
  const maker = new RecordMaker(skill, options);
  yield maker.header();
  const line: Line = { branch: 0, step: 0, state: skill.initialState, parent: 0, outcome: undefined };
  const left: { readonly fork: LongTraceFork; readonly line: Line }[] = [];
  const leave = (at: LongTraceFork['at']) => {
    for (const fork of options.forks ?? [])
      if (fork.step === line.step && fork.at === at) left.push({ fork, line: { ...line } });
  };
  while (line.step < options.steps) {
    leave('start');
    const before = line.step;
    for (const record of maker.step(line, () => leave('act'))) yield record;
    if (line.step === before) break;
  }
  yield maker.end(line, options.steps);
  for (const [index, fork] of (options.forks ?? []).entries()) {
    const from = left.find((place) => place.fork === fork);
    if (!from) throw new RangeError(`The run has no step ${fork.step} to fork at`);
    const branch: Line = { ...from.line, branch: index + 1 };
    yield* maker.fork(branch, fork);
    yield maker.end(branch, branch.step);
  }
}

/** The bytes of a trace. */
export async function longTraceBytes(options: LongTraceOptions): Promise<Uint8Array> {
  const lines: string[] = [];
  for await (const record of longTrace(options)) lines.push(formatRecord(record));
  return new TextEncoder().encode(lines.join(''));
}

/** Writes a trace to a new file, a megabyte at a time. */
export async function writeLongTrace(path: string, options: LongTraceOptions): Promise<void> {
  const file = openSync(path, 'wx');
  try {
    let lines = '';
    for await (const record of longTrace(options)) {
      lines += formatRecord(record);
      if (lines.length < 1 << 20) continue;
      writeSync(file, lines);
      lines = '';
    }
    writeSync(file, lines);
  } finally {
    closeSync(file);
  }
}

class RecordMaker {
  readonly #skill: Skill;
  readonly #options: LongTraceOptions;
  readonly #keyframeEvery: number;
  #id = 0;
  #time = startTime;

  constructor(skill: Skill, options: LongTraceOptions) {
    this.#skill = skill;
    this.#options = options;
    this.#keyframeEvery = options.keyframeEvery ?? defaultRunOptions.keyframeEvery;
  }

  header(): TraceRecord {
    const { seed = 0, steps } = this.#options;
    return this.#chain(
      runRecord({
        skill: this.#skill,
        environment: steadyEnvironment(steps),
        model: steadyModel(),
        tokenizer: wordTokenizer,
        options: { ...defaultRunOptions, seed, horizon: steps, keyframeEvery: this.#keyframeEvery },
        settings: { environment: {}, model: {} },
        host: { sha256, now: () => startTime, record: () => undefined },
      }),
    );
  }

  /** One step of a line; `beforeAct` is called between its patch and its action. */
  *step(line: Line, beforeAct: () => void): Generator<TraceRecord> {
    const observation = line.outcome ?? `Event ${line.step}.`;
    yield this.#chain(
      {
        kind: 'step',
        step: line.step,
        ...(line.outcome === undefined && { observation }),
        ...(line.step > 0 && line.step % this.#keyframeEvery === 0 && { state: line.state }),
      },
      line,
    );
    const patch = steadyPatch(line.step);
    const action = actionOf(line.step, line.branch);
    let correction: string | undefined;
    let attempt = 1;
    for (; ; attempt++) {
      const rejection = this.#rejectionOf(line, attempt);
      yield this.#attempt(line, {
        attempt,
        observation,
        correction,
        reply: replyTo(patch, action, rejection),
      });
      if (!rejection) break;
      const exhausted = attempt === 3;
      yield this.#chain(
        {
          kind: 'rejection',
          step: line.step,
          attempt,
          class: rejection.class,
          message: rejection.message,
          ...(rejection.pointer !== undefined && { pointer: rejection.pointer }),
          ...(rejection.schemaLocation !== undefined && { schemaLocation: rejection.schemaLocation }),
          ...(exhausted && { exhausted: 'reobserve' as const }),
        },
        line,
      );
      correction = correctionFor(rejection);
      if (!exhausted) continue;
      line.step += 1;
      line.outcome = undefined;
      return;
    }
    yield this.#chain({ kind: 'commit', step: line.step, attempt, by: 'model', patch }, line);
    line.state = applyPatch(line.state, patch).state;
    if (this.#draw(line, 11) < 0.03) {
      const message = 'item_9 stands neither in the instructions nor in the state.';
      yield this.#chain({ kind: 'warning', step: line.step, class: 'unknown-argument', message }, line);
    }
    beforeAct();
    yield* this.#act(line, action);
  }

  /** The records of a branch: the fork, the rest of the step it leaves, further steps. */
  *fork(line: Line, fork: LongTraceFork): Generator<TraceRecord> {
    yield this.#chain({ kind: 'fork', step: line.step }, line);
    const last = line.step + fork.steps;
    if (fork.at === 'act') yield* this.#act(line, `Inspect shelf_${100 + (fork.step % 400)}`);
    while (line.step < last) yield* this.step(line, () => undefined);
  }

  end(line: Line, steps: number): TraceRecord {
    const reason = 'The environment is done.';
    return this.#chain({ kind: 'end', outcome: 'completed', reason, steps, state: line.state }, line);
  }

  *#act(line: Line, action: string): Generator<TraceRecord> {
    yield this.#chain({ kind: 'intent', step: line.step, action }, line);
    const accepted = this.#draw(line, 12) >= (this.#options.faults ?? 0.12) / 2;
    const result = accepted ? `Success: ${action}.` : `Error: ${action} is not possible now.`;
    line.outcome = `${result}\nMaintenance required on shelf_${100 + ((line.step + 1) % 400)}.`;
    const observation = line.outcome;
    yield this.#chain(
      {
        kind: 'outcome',
        step: line.step,
        accepted,
        done: line.step + 1 === this.#options.steps,
        observation,
      },
      line,
    );
    line.step += 1;
  }

  #attempt(
    line: Line,
    said: {
      readonly attempt: number;
      readonly observation: string;
      readonly correction: string | undefined;
      readonly reply: string;
    },
  ): TraceRecord {
    const { attempt, observation, correction, reply } = said;
    const { instructions } = this.#skill;
    const prompt = composePrompt({
      instructions,
      state: line.state,
      observation,
      ...(correction !== undefined && { correction }),
    });
    const split = {
      instructions: Math.ceil(instructions.length / 4),
      state: Math.ceil(prompt.stateText.length / 4),
      observation: Math.ceil(observation.length / 4),
      scaffold: 120 + Math.ceil((correction?.length ?? 0) / 4),
    };
    return this.#chain(
      {
        kind: 'attempt',
        step: line.step,
        attempt,
        prompt: {
          sha256: sha256(prompt.text),
          characters: prompt.text.length,
          ...(correction !== undefined && { correction }),
        },
        reply,
        finish: 'stop',
        tokens: {
          prompt: split.instructions + split.state + split.observation + split.scaffold,
          completion: Math.ceil(reply.length / 4),
          source: 'estimated',
          split,
        },
        ...(this.#options.cost !== undefined && { cost: this.#options.cost }),
      },
      line,
    );
  }

  #rejectionOf(line: Line, attempt: number): Rejection | undefined {
    if (this.#draw(line, attempt) >= (this.#options.faults ?? 0.12)) return undefined;
    const kind = Math.floor(this.#draw(line, 20 + attempt) * 3);
    if (kind === 0) return { class: 'no-block', message: 'The reply has no fenced JSON block.' };
    if (kind === 1) return { class: 'syntax', message: 'The JSON block ends too early.' };
    return {
      class: 'schema',
      message: '/inventory must be object.',
      pointer: '/inventory',
      schemaLocation: '/properties/inventory/type',
    };
  }

  /** A number from 0 to 1 that follows from seed, branch, step and purpose alone. */
  #draw(line: Line, purpose: number): number {
    let hash = (this.#options.seed ?? 0) ^ Math.imul(line.branch + 1, 0x9e3779b1);
    for (const part of [line.step, purpose]) {
      hash = Math.imul(hash ^ part, 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
      hash ^= hash >>> 16;
    }
    return (hash >>> 0) / 2 ** 32;
  }

  #chain(body: RecordBody, line?: Line): TraceRecord {
    const id = this.#id++;
    this.#time += 7;
    const record = chainRecord(body, {
      id,
      parent: line?.parent,
      branch: line?.branch ?? 0,
      time: this.#time,
    });
    if (line && record.kind !== 'end') line.parent = id;
    return record;
  }
}

function actionOf(step: number, branch: number): string {
  const [emptied, filled] = Object.keys(steadyPatch(step).inventory ?? {});
  return branch === 0
    ? `Move item_${1_000_020 + step} ${emptied} ${filled}`
    : `Store item_${1_000_020 + step} ${filled}`;
}

function replyTo(patch: JsonObject, action: string, rejection: Rejection | undefined): string {
  if (rejection?.class === 'no-block') return `I would rather not say. ${action}`;
  if (rejection?.class === 'schema') return replyOf({ inventory: [] }, action);
  const reply = replyOf(patch, action);
  return rejection?.class === 'syntax' ? reply.replace('"}', '"') : reply;
}
