/** The first record of a trace: everything that a reader needs to show the run and a runtime to repeat it. */
import type { RecordBody } from '../../../schemas/trace/trace';
import { traceVersion } from '../../../schemas/trace/trace';
import type { ExecutionOptions } from './execution';
import { promptTemplate } from './prompt';

export function runRecord({
  skill,
  environment,
  model,
  tokenizer,
  options,
  settings,
  host,
}: ExecutionOptions): RecordBody {
  const { horizon, ...others } = options;
  return {
    kind: 'run',
    format: 'skill-state-trace',
    version: traceVersion,
    runtime: 'skill-state',
    skill: {
      name: skill.name,
      files: skill.files.map(({ path, role, text }) => ({ path, role, sha256: host.sha256(text), text })),
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
    options: { ...others, ...(horizon !== undefined && { horizon }) },
    tokenizer: tokenizer.name,
  };
}
