/** A run of a sample with everything in memory but the skill's files: the records, and models that can be told what to say. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWarehouse } from '../../client/src/environments/warehouse/warehouse';
import { sha256 } from '../../client/src/hosts/node/sha256';
import { createModel } from '../../client/src/models/registry';
import type { Environment } from '../../client/src/runtime/environment';
import { createExecution, type Execution, type RunHost } from '../../client/src/runtime/execution';
import type { Model } from '../../client/src/runtime/model';
import { defaultRunOptions, type RunOptions } from '../../client/src/runtime/options';
import type { Redaction } from '../../client/src/runtime/redaction';
import type { RunState } from '../../client/src/runtime/runState';
import type { Tokenizer } from '../../client/src/runtime/tokens';
import { loadSkill, type Skill, type SkillFiles } from '../../schemas/skill/skill';
import { formatRecord, type TraceRecord } from '../../schemas/trace/trace';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Counts words: enough for tests that don't look at tokens, and loaded at once. */
export const wordTokenizer: Tokenizer = {
  name: 'words',
  count: (text) => text.split(/\s+/).filter((word) => word !== '').length,
};

export function sampleFiles(name: string): SkillFiles {
  const folder = join(repository, 'samples', name);
  return {
    folderName: basename(folder),
    async read(path) {
      try {
        return await readFile(join(folder, path), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
  };
}

/** A skill from texts by path. */
export function skillOf(files: Readonly<Record<string, string>>): Promise<Skill> {
  return loadSkill({ folderName: 'skill', read: async (path) => files[path] });
}

/** Says one reply after the other; the last one again and again. */
export function replyingModel(replies: readonly string[]): Model & { readonly prompts: readonly string[] } {
  const prompts: string[] = [];
  return {
    name: 'replying',
    prompts,
    async *generate(request) {
      const text = replies[Math.min(prompts.length, replies.length - 1)] ?? '';
      prompts.push(request.prompt);
      yield { type: 'text', text };
    },
  };
}

/** A reply in the format of A.4. */
export function replyOf(statePatch: unknown, action: unknown): string {
  return `Because.\n\n\`\`\`json\n${JSON.stringify({ state_patch: statePatch, action })}\n\`\`\``;
}

export interface MemoryRunOptions {
  readonly skill?: Skill;
  readonly environment?: Environment;
  readonly model?: Model;
  readonly faults?: number;
  readonly faultSeed?: number;
  readonly options?: Partial<RunOptions>;
  readonly recorded?: readonly TraceRecord[];
  readonly now?: () => number;
  readonly alarm?: RunHost['alarm'];
  readonly tokenizer?: Tokenizer;
  readonly redaction?: Redaction;
  readonly onNotice?: RunHost['onNotice'];
}

export interface MemoryRun {
  readonly execution: Execution;
  readonly skill: Skill;
  readonly environment: Environment;
  readonly records: readonly TraceRecord[];
  readonly phases: readonly RunState[];
  /** Runs to the end; gives the last state. */
  finish(): Promise<RunState>;
}

/** The scripted model for an environment, with faults where they are asked for; it asks nobody. */
export function scriptedModel(
  { name }: Pick<Environment, 'name'>,
  { faults, faultSeed }: Pick<MemoryRunOptions, 'faults' | 'faultSeed'> = {},
): Model {
  const asker = { ask: async () => undefined };
  return createModel('scripted', { asker, environment: name, settings: { faults, faultSeed }, sha256 });
}

/** A run of the warehouse sample with the scripted model, unless told otherwise. */
export async function memoryRun(settings: MemoryRunOptions = {}): Promise<MemoryRun> {
  const skill = settings.skill ?? (await loadSkill(sampleFiles('warehouse')));
  const environment = settings.environment ?? createWarehouse();
  const model = settings.model ?? scriptedModel(environment, settings);
  const records: TraceRecord[] = [];
  const phases: RunState[] = [];
  const execution = createExecution({
    skill,
    environment,
    model,
    tokenizer: settings.tokenizer ?? wordTokenizer,
    options: { ...defaultRunOptions, ...settings.options },
    settings: { environment: {}, model: {} },
    host: {
      sha256,
      now: settings.now ?? (() => 0),
      ...(settings.alarm && { alarm: settings.alarm }),
      record: (record) => records.push(record),
      ...(settings.redaction && { redaction: settings.redaction }),
      ...(settings.onNotice && { onNotice: settings.onNotice }),
      onPhase: (run) => phases.push(run),
    },
    ...(settings.recorded && { recorded: settings.recorded }),
  });
  return {
    execution,
    skill,
    environment,
    records,
    phases,
    async finish() {
      const { signal } = new AbortController();
      let run = execution.run ?? (await execution.start(signal));
      while (!run.end) run = (await execution.advance(signal)).after;
      return run;
    },
  };
}

/** The records as the bytes of a trace file. */
export function traceText(records: readonly TraceRecord[]): string {
  return records.map(formatRecord).join('');
}
