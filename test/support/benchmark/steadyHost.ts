/** A debug host whose runs are those of the steady warehouse, with the trace in a real file as elsewhere. */
import { setImmediate } from 'node:timers/promises';
import { type DebugHost, LaunchFailure } from '../../../client/src/debug/debugHost';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { createTraceFile } from '../../../client/src/hosts/node/traceFile';
import { defaultRunOptions, type RunOptions } from '../../../client/src/runtime/options';
import { createJourney } from '../../../client/src/runtime/runJourney';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { wordTokenizer } from '../memoryRun';
import { steadyEnvironment, steadyModel, steadySkill } from './steadyWarehouse';

export interface SteadyHostOptions {
  readonly steps: number;
  /** The trace, a new file. */
  readonly path: string;
  /** The skill's folder, which is looked at for files that have changed. */
  readonly folder: string;
  onRecord?(record: TraceRecord): void;
}

export function steadyHost({ steps, path, folder, onRecord }: SteadyHostOptions): DebugHost {
  return {
    clock: {
      after(milliseconds, callback) {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
      yieldToMessages: () => setImmediate(),
    },
    async open() {
      const skill = await steadySkill();
      const participants = { environment: steadyEnvironment(steps), model: steadyModel() };
      const options: RunOptions = { ...defaultRunOptions, horizon: steps };
      const trace = createTraceFile(path);
      const execution = createJourney({
        skill,
        participants,
        tokenizer: wordTokenizer,
        options,
        settings: { environment: {}, model: {} },
        host: {
          sha256,
          now: () => Date.now(),
          record(record) {
            trace.record(record);
            onRecord?.(record);
          },
        },
      });
      return {
        execution,
        environment: participants.environment.name,
        model: participants.model.name,
        folder,
        tracePath: () => path,
        isReplay: false,
        options,
        notes: [],
        readText: async (file) => skill.files.find((one) => one.path === file)?.text,
        loadEdited: async () => {
          throw new LaunchFailure('Nothing is edited here.');
        },
        // What the disk takes to be sure is longer than all else, and would hide it.
        sync: () => undefined,
        close: async () => trace.close(),
      };
    },
  };
}
