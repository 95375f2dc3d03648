/** Whether the texts in a trace are those whose hashes it names. */
import type { Sha256 } from '../text/digest';
import type { ForkRecord, RunRecord } from './trace.generated';

/** What doesn't fit, a sentence each: files of the skill, the instructions, the prompt template. */
export function sha256Problems(record: RunRecord | ForkRecord, sha256: Sha256): readonly string[] {
  const texts = (record.skill?.files ?? []).map(({ path, ...rest }) => ({ name: path, ...rest }));
  if (record.instructions) texts.push({ name: 'the instructions', role: 'skill', ...record.instructions });
  if (record.kind === 'run') texts.push({ ...record.template, name: 'the prompt template', role: 'skill' });
  return texts
    .filter((text) => sha256(text.text) !== text.sha256)
    .map(
      ({ name }) =>
        `The recorded text of ${name} doesn't have the hash that is recorded with it: the trace was edited.`,
    );
}
