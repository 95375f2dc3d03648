/** The environment that is a person or a file of observations. */
import { describe, expect, it } from 'vitest';
import { createManualEnvironment } from '../../../client/src/environments/manual';
import { type Asker, createQueueAsker, type Question } from '../../../client/src/runtime/asker';

const signal = new AbortController().signal;
const options = { seed: 0, horizon: undefined, repeatUnserved: false };

/** Answers from a queue and keeps the questions. */
function recording(answers: readonly string[]): { asker: Asker; questions: Question[] } {
  const questions: Question[] = [];
  const queue = createQueueAsker(answers);
  const asker: Asker = {
    ask(question, aborted) {
      questions.push(question);
      return queue.ask(question, aborted);
    },
  };
  return { asker, questions };
}

describe('the manual environment', () => {
  it('takes N steps with N observations', async () => {
    const { asker, questions } = recording(['The door is shut.', 'Error: it is locked.', 'It opens.']);
    const manual = createManualEnvironment({ asker });
    expect(await manual.reset(options, signal)).toEqual({ observation: 'The door is shut.', done: false });
    expect(await manual.execute('push', signal)).toEqual({
      observation: 'Error: it is locked.',
      accepted: false,
      done: false,
    });
    expect(await manual.execute('unlock', signal)).toEqual({
      observation: 'It opens.',
      accepted: true,
      done: false,
    });
    expect(await manual.execute('enter', signal)).toEqual({ observation: '', accepted: true, done: true });
    expect(questions.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
    expect(questions.map((question) => (question.kind === 'observation' ? question.action : ''))).toEqual([
      undefined,
      'push',
      'unlock',
      'enter',
    ]);
  });

  it('is over after the horizon', async () => {
    const manual = createManualEnvironment({ asker: createQueueAsker(['a', 'b', 'c', 'd']) });
    await manual.reset({ ...options, horizon: 2 }, signal);
    expect((await manual.execute('x', signal)).done).toBe(false);
    expect(await manual.execute('y', signal)).toEqual({ observation: 'c', accepted: true, done: true });
  });

  it('puts the rejection before the next observation of a step without action', async () => {
    const manual = createManualEnvironment({ asker: createQueueAsker(['a', 'b']) });
    await manual.reset(options, signal);
    expect(await manual.skip('no block', signal)).toEqual({
      observation: 'Rejected: no block\nb',
      accepted: false,
      done: false,
    });
    expect(await manual.skip('no block', signal)).toEqual({
      observation: 'Rejected: no block',
      accepted: false,
      done: true,
    });
  });

  it('goes on where a resumed run left it', async () => {
    const asker = createQueueAsker(['a', 'b', 'c'], { startAt: 2 });
    const manual = createManualEnvironment({ asker, startAt: 2, horizon: 2 });
    expect(await manual.execute('x', signal)).toEqual({ observation: 'c', accepted: true, done: true });
  });

  it('fails without a first observation', async () => {
    const manual = createManualEnvironment({ asker: createQueueAsker([]) });
    await expect(manual.reset(options, signal)).rejects.toThrow('No first observation was given');
  });

  it('ends for an aborted signal', async () => {
    const manual = createManualEnvironment({ asker: createQueueAsker(['a', 'b']) });
    await manual.reset(options, signal);
    await expect(manual.execute('x', AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect((await manual.execute('x', signal)).observation).toBe('b');
  });
});
