/** Hosts of the debug adapter for tests: everything in memory, models that say what a test tells them, time by hand. */
import {
  type Clock,
  type DebugHost,
  LaunchFailure,
  type OpenedRun,
  type RunCallbacks,
} from '../../client/src/debug/debugHost';
import { createEnvironment } from '../../client/src/environments/registry';
import { refuseBlocked } from '../../client/src/hosts/node/runnableSkill';
import { sha256 } from '../../client/src/hosts/node/sha256';
import { createModel } from '../../client/src/models/registry';
import type { Environment } from '../../client/src/runtime/environment';
import type { Model, ModelEvent, ModelFailure } from '../../client/src/runtime/model';
import { defaultRunOptions } from '../../client/src/runtime/options';
import { loadSkill, type Skill } from '../../schemas/skill/skill';
import type { TraceRecord } from '../../schemas/trace/trace';
import { memoryJourney } from './memoryJourney';
import { sampleFiles } from './memoryRun';

/** A clock that stands still until it is told. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  yieldToMessages(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets time pass, timer by timer. */
  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = due.at;
      due.callback();
    }
    this.#now = until;
  }
}

/** A model that a test holds by the hand: it says what it is told, when it is told. */
export class HeldModel implements Model {
  readonly name = 'held';
  readonly #events: ModelEvent[] = [];
  #wake: (() => void) | undefined;
  #done = false;
  #failure: ModelFailure | undefined;
  /** How many requests it has got. */
  requests = 0;
  /** How many of them were aborted. */
  aborted = 0;
  #onRequest: (() => void) | undefined;

  /** Settles when the next request has arrived. */
  requested(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRequest = resolve;
    });
  }

  say(text: string): void {
    this.tell({ type: 'text', text });
  }

  /** The same for whatever else a provider tells of a request. */
  tell(event: ModelEvent): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** Fails once everything was told. */
  fail(failure: ModelFailure): void {
    this.#failure = failure;
    this.#wake?.();
  }

  finish(): void {
    this.#done = true;
    this.#wake?.();
  }

  async *generate(_request: unknown, signal: AbortSignal): AsyncIterable<ModelEvent> {
    this.requests++;
    this.#done = false;
    this.#failure = undefined;
    this.#onRequest?.();
    const onAbort = () => {
      this.aborted++;
      this.#wake?.();
    };
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        const event = this.#events.shift();
        if (event !== undefined) yield event;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#done) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

export interface MemoryHostOptions {
  readonly skill?: Skill;
  readonly environment?: (callbacks: RunCallbacks) => Environment;
  readonly model?: (callbacks: RunCallbacks) => Model;
  readonly clock?: Clock;
  /** Called with each record before it is added; what it throws keeps it out. */
  readonly beforeRecord?: (record: TraceRecord) => void;
  /** What of an opened run is otherwise. */
  readonly changed?: Partial<OpenedRun>;
  readonly onBug?: DebugHost['onBug'];
  /** How many requests an attempt may make. */
  readonly mostRequests?: number;
}

/** The folder in which a skill in memory seems to be. */
export const memoryFolder = '/skills/skill';

/** A host whose runs are in memory; launch attributes count as they do elsewhere. */
export function memoryHost(options: MemoryHostOptions = {}): DebugHost & {
  readonly clock: Clock;
  /** The records of each run, in the order they were opened. */
  readonly runs: readonly (readonly TraceRecord[])[];
  /** The texts that files have now, where they differ from what was loaded. */
  readonly changedFiles: Map<string, string>;
  /** How many runs have been closed. */
  readonly closed: { count: number };
} {
  const runs: (readonly TraceRecord[])[] = [];
  const changedFiles = new Map<string, string>();
  const closed = { count: 0 };
  return {
    clock: options.clock ?? new ManualClock(),
    onBug: options.onBug,
    runs,
    changedFiles,
    closed,
    async open(configuration, callbacks) {
      const skill = options.skill ?? (await loadSkill(sampleFiles('warehouse')));
      const { seed, horizon, commit, maxRetries, onExhausted, budget, faults, faultSeed } = configuration;
      const environmentName = configuration.environment ?? skill.environment ?? 'manual';
      const environment = options.environment?.(callbacks) ?? createEnvironment(environmentName, callbacks);
      const modelName = configuration.model ?? (environmentName === 'manual' ? 'manual' : 'scripted');
      const model =
        options.model?.(callbacks) ??
        createModel(modelName, {
          ...callbacks,
          environment: environmentName,
          settings: { faults, faultSeed },
          sha256,
        });
      const given = { seed, horizon, commit, maxRetries, onExhausted, budget };
      const { forkWithoutRewind } = configuration;
      const run = await memoryJourney({
        skill,
        environment,
        model,
        options: given,
        forkWithoutRewind,
        callbacks,
        beforeRecord: options.beforeRecord,
      });
      runs.push(run.records);
      const opened: OpenedRun = {
        execution: run.journey,
        environment: environment.name,
        model: model.name,
        folder: memoryFolder,
        tracePath: () => undefined,
        isReplay: false,
        notes: [],
        options: { ...defaultRunOptions, ...given },
        mostRequests: options.mostRequests,
        readText: async (path) =>
          changedFiles.get(path) ?? skill.files.find((file) => file.path === path)?.text,
        loadEdited: async () => {
          const edited = await loadSkill({
            folderName: skill.name,
            read: async (path) =>
              changedFiles.get(path) ?? skill.files.find((file) => file.path === path)?.text,
          });
          try {
            refuseBlocked(edited);
          } catch (error) {
            throw error instanceof Error ? new LaunchFailure(error.message, { cause: error }) : error;
          }
          return edited;
        },
        sync: () => {},
        close: async () => {
          closed.count++;
        },
      };
      return Object.defineProperties(opened, Object.getOwnPropertyDescriptors(options.changed ?? {}));
    },
  };
}
