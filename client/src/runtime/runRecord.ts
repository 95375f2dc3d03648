/** The first record of a trace: everything that a reader needs to show the run and a runtime to repeat it. */
import type { Skill } from '../../../schemas/skill/skill';
import type { Sha256 } from '../../../schemas/text/digest';
import type { RecordBody, RecordedFile } from '../../../schemas/trace/trace';
import { traceVersion } from '../../../schemas/trace/trace';
import type { ExecutionOptions } from './execution';
import { promptTemplate } from './prompt';

type RunBody = Extract<RecordBody, { readonly kind: 'run' }>;

/** The record's body; its place in the chain and its time come with the writing. */
export function runRecord({
  skill,
  environment,
  model,
  tokenizer,
  options,
  settings,
  host,
}: Omit<ExecutionOptions, 'recorded'>): RunBody {
  const { horizon, retryTemperature, maxTokens, ...others } = options;
  return {
    kind: 'run',
    format: 'skill-state-trace',
    version: traceVersion,
    runtime: 'skill-state',
    skill: {
      name: skill.name,
      files: recordedFiles(skill, host.sha256),
    },
    instructions: { sha256: host.sha256(skill.instructions), text: skill.instructions },
    template: {
      name: promptTemplate.name,
      sha256: host.sha256(promptTemplate.text),
      text: promptTemplate.text,
    },
    state: skill.initialState,
    environment: { name: environment.name, settings: { ...settings.environment } },
    model: { name: model.name, settings: { ...settings.model } },
    options: {
      ...others,
      ...(horizon !== undefined && { horizon }),
      ...(retryTemperature !== undefined && { retryTemperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    },
    tokenizer: tokenizer.name,
  };
}

/** A skill's files as a record holds them. */
export function recordedFiles({ files }: Skill, sha256: Sha256): RecordedFile[] {
  return files.map(({ path, role, text }) => ({ path, role, sha256: sha256(text), text }));
}
