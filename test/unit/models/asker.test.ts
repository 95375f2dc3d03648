/** Answers from files, and who is asked. */
import { describe, expect, it } from 'vitest';
import {
  createAskerByKind,
  createQueueAsker,
  parseAnswers,
  type Question,
} from '../../../client/src/runtime/asker';

const signal = new AbortController().signal;
const reply: Question = { kind: 'reply', title: 'Reply?', step: 0, attempt: 1, prompt: '' };
const observation: Question = { kind: 'observation', title: 'Seen?', step: 0, action: undefined };

describe('a file of answers', () => {
  it('holds one JSON string a line, whatever its line ends', () => {
    const text = '\uFEFF"one"\r\n\r\n  "two\\nlines"  \n\n""\n';
    expect(parseAnswers(text, 'replies.jsonl')).toEqual({ ok: true, answers: ['one', 'two\nlines', ''] });
    expect(parseAnswers('', 'replies.jsonl')).toEqual({ ok: true, answers: [] });
  });

  it.each(['{"a":1}', 'plain', '"open', '["x"]', 'null', '"a" "b"'])(
    'says which line is wrong: %s',
    (line) => {
      const parsed = parseAnswers(`"fine"\n\n${line}\n`, 'folder/replies.jsonl');
      expect(parsed.ok).toBe(false);
      expect(parsed).toMatchObject({
        message: expect.stringMatching(/^folder\/replies\.jsonl:3: expected one JSON string/),
      });
    },
  );
});

describe('an asker', () => {
  it('gives answers in order, then none', async () => {
    const asker = createQueueAsker(['a', 'b']);
    expect([await asker.ask(reply, signal), await asker.ask(observation, signal)]).toEqual(['a', 'b']);
    expect(await asker.ask(reply, signal)).toBeUndefined();
  });

  it('goes on after the answers that were used before', async () => {
    expect(await createQueueAsker(['a', 'b', 'c'], { startAt: 2 }).ask(reply, signal)).toBe('c');
    expect(await createQueueAsker(['a'], { startAt: 5 }).ask(reply, signal)).toBeUndefined();
  });

  it('keeps its answer where the signal is aborted', async () => {
    const asker = createQueueAsker(['a']);
    await expect(asker.ask(reply, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(await asker.ask(reply, signal)).toBe('a');
  });

  it('is chosen by the kind of question', async () => {
    const asker = createAskerByKind({ reply: createQueueAsker(['R']), observation: createQueueAsker(['O']) });
    expect([await asker.ask(observation, signal), await asker.ask(reply, signal)]).toEqual(['O', 'R']);
  });
});
