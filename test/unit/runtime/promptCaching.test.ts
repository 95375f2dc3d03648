/** Providers cache prompts by their beginning: the constant P has to come first, and what changes last. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Model } from '../../../client/src/runtime/model';
import { composePrompt, promptTemplate } from '../../../client/src/runtime/prompt';
import { memoryRun, scriptedModel } from '../../support/memoryRun';

describe('the order of a prompt', () => {
  it('is the constant P first, then Σ, then O, then the correction', () => {
    const { parts } = composePrompt({
      instructions: 'P',
      state: { a: 1 },
      observation: 'O',
      correction: 'C',
    });
    const order = [parts.instructions, parts.state, parts.observation, parts.correction];
    const starts = order.map((part) => part?.start ?? Number.NaN);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(parts.instructions.start).toBe(promptTemplate.text.indexOf('{skill.instructions}'));
  });

  it('lets all prompts of a run, retries included, begin with P and what stands before Σ', async () => {
    const prompts: string[] = [];
    const environment = createWarehouse();
    const scripted = scriptedModel(environment, { faults: 0.4 });
    const model: Model = {
      ...scripted,
      generate(request, signal) {
        prompts.push(request.prompt);
        return scripted.generate(request, signal);
      },
    };
    const run = await memoryRun({ environment, model, options: { horizon: 30 } });
    const { totals } = await run.finish();
    expect(totals.retries).toBeGreaterThan(0);
    expect(prompts).toHaveLength(totals.attempts);
    const { instructions } = run.skill;
    const constant = promptTemplate.text
      .slice(0, promptTemplate.text.indexOf('{state}'))
      .replace('{skill.instructions}', () => instructions);
    expect(prompts.every((prompt) => prompt.startsWith(constant))).toBe(true);
    // Where Σ and O stay, as in a retry, so does all but the end.
    const common = prompts.slice(1).map((prompt, index) => commonPrefix(prompts[index] ?? '', prompt));
    expect(Math.min(...common)).toBeGreaterThanOrEqual(constant.length);
  });
});

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
