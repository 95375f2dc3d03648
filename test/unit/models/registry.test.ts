/** Models by name, and the manual model. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createModel, modelNames } from '../../../client/src/models/registry';
import { createQueueAsker, type Question } from '../../../client/src/runtime/asker';
import { ModelFailure } from '../../../client/src/runtime/model';
import { UnknownNameFailure } from '../../../client/src/runtime/unknownName';
import { modelRequest } from '../../support/modelRequest';

const signal = new AbortController().signal;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const resources = { asker: createQueueAsker([]), environment: 'warehouse', sha256 };
const request = modelRequest({ prompt: 'the prompt', step: 4, attempt: 2 });

describe('the registry of models', () => {
  it('makes each model that it names', () => {
    for (const name of modelNames) expect(createModel(name, resources).name).toBe(name);
  });

  it('names what there is', () => {
    expect(() => createModel('gpt', resources)).toThrow(UnknownNameFailure);
    expect(() => createModel('gpt', resources)).toThrow(
      'There is no model "gpt"; there is scripted, manual.',
    );
  });

  it('names the environments that the scripted model has a policy for', () => {
    expect(() => createModel('scripted', { ...resources, environment: 'manual' })).toThrow(
      'There is no scripted policy for the environment "manual"; there is warehouse.',
    );
  });
});

describe('the manual model', () => {
  it('answers with what it is given', async () => {
    const questions: Question[] = [];
    const queue = createQueueAsker(['my reply']);
    const asker: typeof queue = {
      ask(question, aborted) {
        questions.push(question);
        return queue.ask(question, aborted);
      },
    };
    const events = [];
    for await (const event of createModel('manual', { ...resources, asker }).generate(request, signal))
      events.push(event);
    expect(events).toEqual([
      { type: 'text', text: 'my reply' },
      { type: 'finish', reason: 'stop' },
    ]);
    expect(questions).toEqual([
      { kind: 'reply', title: 'Reply to step 4, attempt 2?', step: 4, attempt: 2, prompt: 'the prompt' },
    ]);
  });

  it('fails for good when there are no more replies', async () => {
    const reading = createModel('manual', resources).generate(request, signal)[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toBeInstanceOf(ModelFailure);
    await expect(reading).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('no reply left for step 4, attempt 2'),
    });
  });

  it('ends for an aborted signal', async () => {
    const aborted = AbortSignal.abort(new Error('stop'));
    const reading = createModel('manual', resources)
      .generate(request, aborted)
      [Symbol.asyncIterator]()
      .next();
    await expect(reading).rejects.toThrow('stop');
  });
});
