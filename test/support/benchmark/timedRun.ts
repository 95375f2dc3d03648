/** A run as the command line has it, its trace in a real file, with the time that each step took. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { createTraceFile } from '../../../client/src/hosts/node/traceFile';
import type { Environment } from '../../../client/src/runtime/environment';
import { createExecution } from '../../../client/src/runtime/execution';
import type { Model } from '../../../client/src/runtime/model';
import { defaultRunOptions, type RunOptions } from '../../../client/src/runtime/options';
import type { RunState } from '../../../client/src/runtime/runState';
import type { Tokenizer } from '../../../client/src/runtime/tokens';
import type { Skill } from '../../../schemas/skill/skill';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { wordTokenizer } from '../memoryRun';
import { processorClock } from './figures';

export interface TimedRunOptions {
  readonly skill: Skill;
  readonly environment: Environment;
  readonly model: Model;
  /** The one that counts words, unless told otherwise. */
  readonly tokenizer?: Tokenizer;
  readonly options?: Partial<RunOptions>;
  onRecord?(record: TraceRecord): void;
  /** After each step, outside of what is timed. */
  onStep?(run: RunState): void;
  /** Reads the trace before it is deleted. */
  readTrace?(path: string): Promise<void>;
}

export interface TimedRun {
  readonly run: RunState;
  /** Milliseconds of each step, all its phases together. */
  readonly steps: readonly number[];
  /** Milliseconds of processor time per step; what `onStep` does is in it. */
  readonly processor: number;
  readonly traceBytes: number;
}

/** Runs to the end. */
export async function timedRun(options: TimedRunOptions): Promise<TimedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-state-bench-'));
  try {
    const path = join(folder, 'run.skilltrace.jsonl');
    const trace = createTraceFile(path);
    const execution = createExecution({
      skill: options.skill,
      environment: options.environment,
      model: options.model,
      tokenizer: options.tokenizer ?? wordTokenizer,
      options: { ...defaultRunOptions, ...options.options },
      settings: { environment: {}, model: {} },
      host: {
        sha256,
        now: () => Date.now(),
        record(record) {
          trace.record(record);
          options.onRecord?.(record);
        },
      },
    });
    const { signal } = new AbortController();
    const steps: number[] = [];
    let run = await execution.start(signal);
    const processorTime = processorClock();
    while (!run.end) {
      const start = performance.now();
      do run = (await execution.advance(signal)).after;
      while (!run.end && run.phase !== 'observe');
      steps.push(performance.now() - start);
      options.onStep?.(run);
    }
    const processor = processorTime() / steps.length;
    trace.close();
    await options.readTrace?.(path);
    return { run, steps, processor, traceBytes: statSync(path).size };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
