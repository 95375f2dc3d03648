/** The preview of a prompt is the prompt that a run sends, and its split is the run's. */
import { describe, expect, it } from 'vitest';
import { previewPrompt, splitText } from '../../../client/src/runtime/promptPreview';
import { memoryRun, replyingModel, replyOf, wordTokenizer } from '../../support/memoryRun';

describe('previewPrompt', () => {
  it('is to the letter what a run sends for the same state and observation', async () => {
    const model = replyingModel([replyOf({}, 'Wait')]);
    const run = await memoryRun({ model, options: { horizon: 1 } });
    await run.finish();
    const [step] = run.records.filter((record) => record.kind === 'step');
    const preview = previewPrompt(
      {
        instructions: run.skill.instructions,
        state: run.skill.initialState,
        observation: step?.observation ?? '',
      },
      wordTokenizer,
    );
    expect(model.prompts[0]).toBe(preview.prompt.text);
  });

  it('splits the tokens into the four parts', () => {
    const preview = previewPrompt(
      { instructions: 'Do it well.', state: {}, observation: 'Go on' },
      wordTokenizer,
    );
    const { instructions, state, observation, scaffold, total } = preview.tokens;
    expect({ instructions, state, observation }).toEqual({ instructions: 3, state: 1, observation: 2 });
    expect(total).toBe(instructions + state + observation + scaffold);
    expect(splitText(preview)).toContain(`${total} tokens: instructions 3, state 1, observation 2`);
  });
});
