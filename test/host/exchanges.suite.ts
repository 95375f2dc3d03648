/** The exact requests to a model and what it answered, as VS Code shows them while a session goes on and after its end. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import {
  command,
  type ServerSession,
  shownExchange,
  startServerSession,
  storingReply,
} from './serverSession';

/** What a request's document shows, once that fits. */
async function shown(place: object, fits: RegExp): Promise<string> {
  await command('openExchange', place);
  return shownExchange(fits);
}

describe('the requests of a session', () => {
  let session: ServerSession;

  beforeEach(async () => {
    session = await startServerSession(
      (_request, nth) =>
        nth === 0
          ? { kind: 'error', status: 429, error: { message: 'Slow down.' }, headers: { 'retry-after': '0' } }
          : { kind: 'reply', text: storingReply('It goes onto the first shelf.') },
      { horizon: 1 },
    );
    const { driver } = session;
    await driver.press('stepOver');
    await driver.said(/t=0 rate limited, now request 2 of 5: [^\n]*Slow down/);
    await driver.stopped();
  });

  afterEach(() => session.dispose());

  it('are there to the letter, with what came back, each by its number', async () => {
    const { driver, server } = session;
    const [first, second] = server.requests;
    assert.ok(first && second);
    const failed = await shown(
      { branch: 0, step: 0, attempt: 1, request: 1 },
      /^# Request 1 of attempt 1, step 0/,
    );
    assert.match(failed, /Failed with status 429 \(rate-limit\): .*Slow down.* Made again at once\./);
    const answered = await shown(
      { branch: 0, step: 0, attempt: 1, request: 2 },
      /^# Request 2 of attempt 1, step 0/,
    );
    assert.match(answered, /^Answered with status 200\. Of this step, 1 other request is kept\.$/m);
    assert.ok(answered.includes(`POST ${server.baseUrl}/chat/completions`));
    assert.ok(answered.includes(`\n${second.text}\n`), 'the body as it was sent');
    assert.ok(answered.includes('\ndata: [DONE]\n'), 'the stream as it came');
    assert.equal(vscode.window.activeTextEditor?.document.languageId, 'markdown');
    assert.match(
      await driver.evaluate('request(1, 2)'),
      /^POST .*\(step 0, attempt 1, request 2\): answered/,
    );
  });

  it('are there after the end of the session, until another one begins', async () => {
    const { driver } = session;
    await driver.press('continue');
    await driver.ended();
    await driver.dispose();
    const text = await shown({ branch: 0, step: 0, attempt: 1, request: 2 }, /^# Request 2 of attempt 1/);
    assert.match(text, /^Answered with status 200/m);
  });
});
