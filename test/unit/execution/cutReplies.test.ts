/** Replies that were cut at a limit of tokens: their class, what is said of them and to the model, and how many there are. */
import { describe, expect, it } from 'vitest';
import type { Model, ReportedUsage } from '../../../client/src/runtime/model';
import type { RunOptions } from '../../../client/src/runtime/options';
import { createTraceReader } from '../../../client/src/runtime/traceReader';
import { memoryRun, replyOf, traceText } from '../../support/memoryRun';

interface Answer {
  readonly text: string;
  readonly finish: string;
  readonly usage?: ReportedUsage;
}

/** A model that answers in turn; its last answer again and again. */
function answering(answers: readonly Answer[]): Model & { readonly prompts: readonly string[] } {
  const prompts: string[] = [];
  return {
    name: 'answering',
    prompts,
    async *generate({ prompt }) {
      const { text, finish, usage } = answers[Math.min(prompts.length, answers.length - 1)] ?? {
        text: '',
        finish: 'stop',
      };
      prompts.push(prompt);
      yield { type: 'text', text };
      if (usage !== undefined) yield { type: 'usage', usage };
      yield { type: 'finish', reason: finish };
    },
  };
}

const whole: Answer = { text: replyOf({}, 'Wait'), finish: 'length' };

async function runOf(answers: readonly Answer[], options: Partial<RunOptions> = {}) {
  const model = answering(answers);
  const run = await memoryRun({ model, options: { budget: { steps: 1 }, ...options } });
  const { totals } = await run.finish();
  const rejections = run.records.filter((record) => record.kind === 'rejection');
  return { totals, rejections, records: run.records, prompts: model.prompts };
}

describe('a reply that was cut', () => {
  it.each<[string, Answer, number | undefined, string, string]>([
    [
      'in its block, at max_tokens',
      { text: 'So:\n```json\n{"state_', finish: 'length', usage: { prompt: 9, completion: 64 } },
      64,
      'syntax',
      'The reply was cut off after 64 tokens, as many as --max-tokens (maxTokens) allows, so its JSON block is not whole: raise it, or have the model write less.',
    ],
    [
      'before its block, by the word of Gemini',
      { text: 'So and so and so', finish: 'MAX_TOKENS', usage: { prompt: 9, completion: 1_500 } },
      1_500,
      'no-block',
      'The reply was cut off after 1,500 tokens, as many as --max-tokens (maxTokens) allows, so it has no JSON block: raise it, or have the model write less.',
    ],
    [
      'while it was thought',
      { text: '', finish: 'length', usage: { prompt: 9, completion: 10 } },
      undefined,
      'no-block',
      "The reply was cut off after 10 tokens, where the server's context or limit ended, so it is empty: give the model a longer context, name a limit by --max-tokens (maxTokens), or have it write less.",
    ],
    [
      'by the context, before max_tokens',
      { text: 'So', finish: 'length', usage: { prompt: 9, completion: 1 } },
      500,
      'no-block',
      "The reply was cut off after 1 token, where the server's context or limit ended, before the 500 that --max-tokens (maxTokens) allows, so it has no JSON block: give the model a longer context, or have it write less.",
    ],
    [
      'where nobody reports tokens',
      { text: 'So and so', finish: 'length' },
      3,
      'no-block',
      'The reply was cut off after about 3 tokens, as many as --max-tokens (maxTokens) allows, so it has no JSON block: raise it, or have the model write less.',
    ],
  ])('%s', async (_, answer, maxTokens, rejectionClass, message) => {
    const { rejections } = await runOf([answer, whole], { maxTokens });
    expect(rejections).toMatchObject([{ class: rejectionClass, message }]);
    expect(rejections[0]).not.toHaveProperty('correction');
  });

  const cut: Answer = { text: '```json\n{', finish: 'length', usage: { prompt: 9, completion: 64 } };

  it('is told to the model as one that has to be shorter', async () => {
    const { prompts } = await runOf([cut, whole], { maxTokens: 64 });
    expect(prompts[1]).toMatch(
      /\n\nYour previous reply was rejected \(syntax\): It was cut off after 64 tokens, so its JSON block is not whole: it has to be shorter\. The state is unchanged\./,
    );
    const exhausted = await runOf([cut], {
      maxTokens: 64,
      maxRetries: 0,
      onExhausted: 'reobserve',
      budget: { steps: 2 },
    });
    expect(exhausted.prompts[1]).toContain('Latest Observation: Rejected: It was cut off after 64 tokens');
    expect(exhausted.prompts[1]).not.toContain('max-tokens');
  });

  it('is counted, in the run and in its trace', async () => {
    const broken: Answer = { text: 'no block', finish: 'stop' };
    const { totals, records } = await runOf([cut, broken, cut, whole], { maxTokens: 64, maxRetries: 3 });
    expect(totals).toMatchObject({ rejected: { syntax: 2, 'no-block': 1 }, cutReplies: 2 });
    const bytes = new TextEncoder().encode(traceText(records));
    const reader = createTraceReader({
      bytes: {
        size: async () => bytes.length,
        read: async (offset, length) => bytes.slice(offset, offset + length),
      },
    });
    await reader.read();
    expect(reader.totals(0, 1).cutReplies).toBe(2);
    expect(reader.summary(0, 0)).toMatchObject({ rejections: 3, cutReplies: 2 });
  });

  it('is taken where it is whole all the same, and rejected for other faults as any other', async () => {
    expect((await runOf([whole])).rejections).toEqual([]);
    const { rejections, totals } = await runOf([
      { text: '```json\n{"state_patch": {}}\n```\nAnd then', finish: 'length' },
      whole,
    ]);
    expect(rejections).toMatchObject([
      { class: 'missing-key', message: expect.not.stringContaining('cut off') },
    ]);
    expect(totals.cutReplies).toBe(0);
  });
});
