/** A journey of a sample with everything in memory but the skill's files. */
import { createWarehouse } from '../../client/src/environments/warehouse/warehouse';
import { sha256 } from '../../client/src/hosts/node/sha256';
import type { Environment } from '../../client/src/runtime/environment';
import type { Journey, JourneyHost, JourneyPlace, RecordedRun } from '../../client/src/runtime/journey';
import type { Model } from '../../client/src/runtime/model';
import { defaultRunOptions, type RunOptions } from '../../client/src/runtime/options';
import type { Redaction } from '../../client/src/runtime/redaction';
import { createJourney } from '../../client/src/runtime/runJourney';
import type { RunState } from '../../client/src/runtime/runState';
import type { Tokenizer } from '../../client/src/runtime/tokens';
import { loadSkill, type Skill } from '../../schemas/skill/skill';
import type { TraceRecord } from '../../schemas/trace/trace';
import { sampleFiles, scriptedModel, wordTokenizer } from './memoryRun';

export interface MemoryJourneyOptions {
  readonly skill?: Skill;
  /** `none`: nobody is there to go on. */
  readonly environment?: Environment | 'none';
  readonly model?: Model;
  readonly faults?: number;
  readonly faultSeed?: number;
  readonly options?: Partial<RunOptions>;
  readonly forkWithoutRewind?: boolean;
  readonly recorded?: RecordedRun;
  readonly now?: () => number;
  readonly alarm?: JourneyHost['alarm'];
  readonly tokenizer?: Tokenizer;
  readonly redaction?: Redaction;
  /** Told of the reply that is under way. */
  readonly callbacks?: Pick<JourneyHost, 'onText' | 'onNotice'>;
  /** Called with each record before it is added; what it throws keeps it out. */
  readonly beforeRecord?: ((record: TraceRecord) => void) | undefined;
  /** Called now and then where many steps are made again. */
  readonly pause?: () => Promise<void>;
}

export interface MemoryJourney {
  readonly journey: Journey;
  readonly skill: Skill;
  /** What was added to the trace. */
  readonly records: TraceRecord[];
  /** Goes on until the run has ended, or so many phases. */
  run(phases?: number): Promise<RunState>;
  /** Goes on until the cursor is there. */
  runTo(place: Pick<JourneyPlace, 'step' | 'index'>): Promise<void>;
}

export async function memoryJourney(settings: MemoryJourneyOptions = {}): Promise<MemoryJourney> {
  const skill = settings.skill ?? (await loadSkill(sampleFiles('warehouse')));
  const environment = settings.environment ?? createWarehouse();
  const records: TraceRecord[] = [];
  const participants =
    environment === 'none'
      ? { missing: 'Nobody is there to go on.' }
      : {
          environment,
          model: settings.model ?? scriptedModel(environment, settings),
        };
  const journey = createJourney({
    skill,
    participants,
    tokenizer: settings.tokenizer ?? wordTokenizer,
    options: { ...defaultRunOptions, ...settings.options },
    settings: { environment: {}, model: {} },
    host: {
      sha256,
      now: settings.now ?? (() => 0),
      ...(settings.alarm && { alarm: settings.alarm }),
      record: (record) => {
        settings.beforeRecord?.(record);
        records.push(record);
      },
      ...(settings.redaction && { redaction: settings.redaction }),
      ...(settings.pause && { pause: settings.pause }),
      onText: () => settings.callbacks?.onText?.(),
      onNotice: (notice, run) => settings.callbacks?.onNotice?.(notice, run),
    },
    ...(settings.forkWithoutRewind !== undefined && { forkWithoutRewind: settings.forkWithoutRewind }),
    ...(settings.recorded && { recorded: settings.recorded }),
  });
  const { signal } = new AbortController();
  async function run(phases = Number.POSITIVE_INFINITY): Promise<RunState> {
    let at = journey.run ?? (await journey.start(signal));
    for (let count = 0; count < phases && !journey.position.atEndOfRecord; count++)
      at = (await journey.advance(signal)).after;
    return at;
  }
  return {
    journey,
    skill,
    records,
    run,
    async runTo({ step, index }) {
      if (journey.run === undefined) await journey.start(signal);
      while (journey.position.step !== step || journey.position.index !== index) await run(1);
    },
  };
}

/** Everything that a person can see of a run, prompts included. */
export function seen(run: RunState | undefined): unknown {
  return run && { ...run, proposals: [...run.proposals] };
}
