/** A skill with neither schema nor actions, whose replies and observations a person types into the debug console. */
import { describe, expect, it } from 'vitest';
import {
  isQuestion,
  isReplyCheck,
  type QuestionBody,
  type QuestionClosedBody,
} from '../../../schemas/messages/questionMessages';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyOf, skillOf } from '../../support/memoryRun';

const manual = { skill: 'skill', environment: 'manual', model: 'manual' };

async function connect() {
  const skill = await skillOf({
    'SKILL.md': '---\nname: skill\ndescription: Greets.\n---\n\nSay hello.\n',
  });
  return connectInMemory(memoryHost({ skill }));
}

/** Waits until the console has asked something new: the last line of each question says how to answer. */
async function asked(client: DebugClient): Promise<void> {
  for (;;) {
    const { output } = await client.event<{ output: string }>('output');
    if (output.startsWith('Type the ')) return;
  }
}

const type = (client: DebugClient, expression: string) =>
  client.request('evaluate', { expression, context: 'repl' });

/** A session that has stopped with the first observation. */
async function observed(observation: string): Promise<DebugClient> {
  const { client } = await connect();
  await client.launch(manual);
  await asked(client);
  await type(client, observation);
  await client.event('stopped');
  return client;
}

describe('the manual model and environment', () => {
  it('ask on the debug console, and take the next input as the answer', async () => {
    const client = await observed('Ada came in.\nShe smiles.');
    expect(await client.evaluate('observation')).toBe('"Ada came in.\\nShe smiles."');
    await client.request('next', { threadId: 1 });
    await asked(client);
    await type(client, replyOf({ greeted: { Ada: true } }, 'Hello, Ada!'));
    await client.event('stopped');
    await client.stack();
    expect(await client.evaluate('action', 'hover')).toBe('"Hello, Ada!"');
    expect(await client.evaluate('state.greeted.Ada', 'repl')).toBe('true');
    await client.request('continue', { threadId: 1 });
    await asked(client);
    await type(client, ':end');
    await client.event('terminated');
    expectGolden('debug/manual.txt', client.transcript());
  });

  it('answer a request that was left waiting by a pause, and the views are refreshed', async () => {
    const client = await observed('Ada came in.');
    await client.request('continue', { threadId: 1 });
    await asked(client);
    await client.go('pause');
    // What watches and hovers evaluate is never taken for the answer.
    expect(await client.evaluate('phase')).toBe('"generate"');
    // Nor is an input that asks for something, while the run is stopped.
    expect(await client.evaluate('observation', 'repl')).toBe('"Ada came in."');
    expect(await client.evaluate('state.size() + step * 2', 'repl')).toBe('0');
    expect(await client.evaluate('blame(state.greeted)', 'repl')).toBe(
      'Nothing has written state.greeted yet.',
    );
    await type(client, replyOf({}, 'Hello!'));
    await client.event('invalidated');
    expect((await client.stack())[0]?.name).toBe('parse');
    await client.go('stepIn');
    await client.go('stepIn');
    expect((await client.stack())[0]?.source?.name).toMatch(/^reply/);
  });

  it('are asked again after going back while a question waits, and what is edited is what was done', async () => {
    const client = await observed('Ada came in.');
    await client.request('next', { threadId: 1 });
    await asked(client);
    await client.go('pause');
    await client.go('stepBack');
    expect(await client.evaluate('phase', 'repl')).toBe('"observe"');
    await client.request('next', { threadId: 1 });
    await asked(client);
    await type(client, replyOf({ greeted: true }, 'Hello!'));
    await client.event('stopped');
    // The action is under way: a person thinks about what it leads to.
    await client.request('next', { threadId: 1 });
    await asked(client);
    await client.go('pause');
    await client.request('setExpression', { expression: 'action', value: 'Good evening!' });
    await client.request('next', { threadId: 1 });
    await asked(client);
    await client.go('pause');
    await client.go('stepBack');
    expect(await client.evaluate('phase', 'repl')).toBe('"observe"');
    await client.go('next');
    expect(await client.evaluate('action')).toBe('"Good evening!"');
    await client.request('next', { threadId: 1 });
    await asked(client);
    await type(client, 'She nods.');
    await asked(client);
    await type(client, replyOf({}, 'Goodbye!'));
    await client.event('stopped');
    await client.go('stepBack');
    expect(await client.evaluate('action')).toBe('"Good evening!"');
    const [top] = await client.stack();
    await client.request('restartFrame', { frameId: top?.id });
    await client.event('stopped');
    expect(await client.evaluate('phase')).toBe('"observe"');
    expect(await client.evaluate('observation')).toBe('"Ada came in."');
  });

  it('are asked no more once the session is left', async () => {
    const { client, closed } = await connect();
    await client.launch(manual);
    await asked(client);
    await client.request('disconnect');
    await closed;
  });

  it('shows the default schema, where a patch writes and the skill has none', async () => {
    const client = await observed('Ada came in.');
    await client.request('next', { threadId: 1 });
    await asked(client);
    await type(client, replyOf({ greeted: 'Ada' }, 7));
    await asked(client);
    await type(client, replyOf({ greeted: 'Ada' }, 'Hello!'));
    await client.event('stopped');
    expect((await client.stack())[0]).toMatchObject({
      name: 'act',
      source: { name: 'SKILL.md' },
      line: 6,
      column: 1,
    });
  });
});

describe('a client that shows questions otherwise', () => {
  it('is told of each, checks replies by the rules of the run, and answers; who is first has answered', async () => {
    const { client } = await connect();
    await client.launch({ ...manual, maxRetries: 1 });
    const first = await client.event<QuestionBody>('skill-state/question');
    expect(isQuestion(first)).toBe(true);
    await client.ask('skill-state/checkReply', { text: 'x' });
    await client.request('skill-state/answer', { id: first.id, text: 'Ada came in.' });
    await client.event('stopped');
    await client.ask('skill-state/answer', { id: first.id, text: 'Once more.' });
    await client.request('next', { threadId: 1 });
    const reply = await client.event<QuestionBody>('skill-state/question');
    const check = await client.request('skill-state/checkReply', { text: replyOf({ greeted: [] }, 7) });
    expect(isReplyCheck(check)).toBe(true);
    await client.ask('skill-state/checkReply', { text: replyOf({ greeted: [] }, 'Hello!') });
    await client.ask('skill-state/answer', { id: reply.id, text: replyOf({}, 7) });
    const corrected = await client.event<QuestionBody>('skill-state/question');
    expect(corrected).toMatchObject({ kind: 'reply', step: 0, attempt: 2 });
    expect(corrected.prompt).toMatch(/Your previous reply was rejected \(action\)[^\n]*$/);
    // The console stays open for it.
    await type(client, replyOf({ greeted: true }, 'Hello!'));
    await client.event('stopped');
    await client.ask('skill-state/answer', { id: corrected.id, text: 'too late' });
    await client.ask('skill-state/answer', { id: 99, text: 'nobody asked' });
    await client.ask('skill-state/answer', { id: 'one', text: 1 });
    await client.ask('skill-state/checkReply', {});
    expectGolden('debug/questions.txt', client.transcript());
  });

  it('is told that a question is withdrawn when the run goes elsewhere, or ends', async () => {
    const client = await observed('Ada came in.');
    const closed = () => client.event<QuestionClosedBody>('skill-state/questionClosed');
    expect((await closed()).how).toBe('answered');
    expect((await client.event<QuestionBody>('skill-state/question')).kind).toBe('observation');
    await client.request('next', { threadId: 1 });
    const { id } = await client.event<QuestionBody>('skill-state/question');
    await client.go('pause');
    expect((await client.ask('skill-state/checkReply', { text: '' })).success).toBe(true);
    await client.go('stepBack');
    expect(await closed()).toEqual({ id, how: 'withdrawn' });
    expect((await client.ask('skill-state/checkReply', { text: '' })).message).toBe(
      'The run waits for no reply now.',
    );
    await client.request('next', { threadId: 1 });
    const again = await client.event<QuestionBody>('skill-state/question');
    expect(again.id).toBeGreaterThan(id);
    await client.request('disconnect');
    expect(await closed()).toEqual({ id: again.id, how: 'withdrawn' });
  });
});
