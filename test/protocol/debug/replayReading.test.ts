/** Debugging a recorded run while its trace is still being read: what is there at once, what waits, and how that ends. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDebugHost } from '../../../client/src/hosts/node/debugHost';
import { openTraceBytes } from '../../../client/src/hosts/node/traceBytes';
import { readTrace } from '../../../schemas/trace/trace';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { ManualClock } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { beginningOfStep, type HeldBytes, heldBytes } from '../../support/heldBytes';
import { memoryJourney } from '../../support/memoryJourney';
import { traceText } from '../../support/memoryRun';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skill-state-reading-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tracePath = () => join(folder, 'run.skilltrace.jsonl');

/** Records a faulty run, perhaps with a branch that leaves it, as the file that is replayed. */
async function recorded(forkAt?: number): Promise<string> {
  const live = await memoryJourney({ faults: 0.4, faultSeed: 5, options: { horizon: 12, seed: 42 } });
  await live.run();
  if (forkAt !== undefined) {
    await live.journey.goTo({ branch: 0, step: forkAt, index: 0 });
    await live.journey.fork();
    await live.run();
  }
  const text = traceText(live.records);
  await writeFile(tracePath(), text);
  return text;
}

interface Opened {
  readonly client: DebugClient;
  readonly clock: ManualClock;
  readonly closed: Promise<void>;
  readonly bytes: HeldBytes;
}

/** A connected client; a trace that it launches is read as far as the beginning of a step. */
function connected(text: string, step: number): Opened {
  const bytes = heldBytes(openTraceBytes(tracePath()), beginningOfStep(text, step), 1);
  const clock = new ManualClock();
  const host = { ...createDebugHost({ folder, reading: { bytes: () => bytes, beforehand: 0 } }), clock };
  return { ...connectInMemory(host, { masks: [[folder, '<folder>']] }), clock, bytes };
}

/** The same, stopped at its entry, with the steps before `step` read. */
async function session(text: string, step: number, attributes: object = {}): Promise<Opened> {
  const opened = connected(text, step);
  await opened.client.launch({ replay: 'run.skilltrace.jsonl', ...attributes });
  await opened.client.event('stopped');
  await opened.bytes.held;
  return opened;
}

async function ended({ client, bytes }: Opened): Promise<void> {
  bytes.release();
  await client.request('disconnect');
  await client.event('terminated');
}

const events = ({ client }: Opened, name: string) =>
  client.exchanges.filter(({ message }) => 'event' in message && message.event === name);

const goTo = ({ client }: Opened, step: number, branch = 0) =>
  client.ask('skill-state/goTo', { branch, step });

describe('a trace of which only the beginning was read', () => {
  it('is stopped in, and gone through as far as it is there; then going on waits', async () => {
    const opened = await session(await recorded(), 4);
    const { client, bytes } = opened;
    await client.stack();
    await client.go('next');
    await client.go('next');
    await client.go('next');
    await client.evaluate('step');
    await client.go('stepBack');
    await client.go('reverseContinue');
    await client.evaluate('blame(state.inventory)', 'repl');
    // From the last steps that are sure to stay as they are.
    await client.go('next');
    await client.go('next');
    await client.go('next');
    await client.request('continue', { threadId: 1 });
    await client.go('pause');
    await client.stack();
    await client.request('continue', { threadId: 1 });
    bytes.release();
    expect(await client.event('stopped')).toMatchObject({ reason: 'end' });
    await client.go('stepBack');
    await ended(opened);
    expectGolden('debug/replayReading.txt', client.transcript());
  });

  it('is waited for by who goes to a step', async () => {
    const opened = await session(await recorded(), 4);
    const { client, bytes } = opened;
    expect((await goTo(opened, 2)).success).toBe(true);
    await client.event('stopped');
    const asked = goTo(opened, 9);
    // Where the run stands can be looked at meanwhile.
    expect(await client.evaluate('step')).toBe('2');
    await client.scopes();
    bytes.release();
    expect((await asked).success).toBe(true);
    await client.event('stopped');
    expect(await client.evaluate('step')).toBe('9');
    const missing = { success: false, message: 'There is no step 99 on branch 0.' };
    expect(await goTo(opened, 99)).toMatchObject(missing);
    await ended(opened);
  });

  it('is waited for by who asks where a line leads', async () => {
    const opened = await session(await recorded(), 4);
    const { client, bytes } = opened;
    const [, instructions] = await client.stack();
    const source = { sourceReference: instructions?.source?.sourceReference };
    const asked = client.request<{ targets: { label: string }[] }>('gotoTargets', { source, line: 50 });
    expect(await client.evaluate('step')).toBe('0');
    bytes.release();
    expect((await asked).targets[0]?.label).toBe('step 11: Store item_6 shelf_2');
    await ended(opened);
  });

  it('is not waited for any longer by who wants to go elsewhere, or to a step that there is not', async () => {
    const opened = await session(await recorded(), 4);
    const { client, bytes } = opened;
    const asked = goTo(opened, 9);
    expect((await goTo(opened, 2)).success).toBe(true);
    await client.event('stopped');
    const missing = goTo(opened, 99);
    bytes.release();
    expect((await asked).success).toBe(true);
    expect(await missing).toMatchObject({ success: false, message: 'There is no step 99 on branch 0.' });
    expect(await client.evaluate('step')).toBe('2');
    expect(events(opened, 'stopped')).toHaveLength(2);
    await ended(opened);
  });

  it('leads nowhere any more who asked for a step and went on meanwhile', async () => {
    const opened = await session(await recorded(), 4);
    const { client, bytes } = opened;
    const asked = goTo(opened, 9);
    await client.go('next');
    bytes.release();
    const { success, message } = await asked;
    expect({ success, message }).toEqual({
      success: false,
      message: 'The skill went on meanwhile: ask again where it stands now.',
    });
    expect(await client.evaluate('step')).toBe('0');
    await ended(opened);
  });

  it('is forked and edited at the end of the file, once all of it was read', async () => {
    const text = await recorded();
    const opened = await session(text, 4);
    const { client, bytes } = opened;
    await client.go('next');
    const [top] = await client.stack();
    const restarted = client.request('restartFrame', { frameId: top?.id });
    expect(await client.evaluate('step')).toBe('0');
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
    bytes.release();
    await restarted;
    expect(await client.event('stopped')).toMatchObject({ reason: 'restart' });
    await client.go('continue');
    await ended(opened);
    const whole = await readFile(tracePath(), 'utf8');
    expect(whole.startsWith(text)).toBe(true);
    const { records, problems } = readTrace(new TextEncoder().encode(whole));
    expect(problems).toEqual([]);
    expect(records.at(-1)).toMatchObject({ kind: 'end', branch: 1 });

    const again = await session(whole, 4);
    const edited = again.client.ask('evaluate', {
      expression: 'state.inventory.shelf_9 = "item_9"',
      context: 'repl',
    });
    expect(await again.client.evaluate('step')).toBe('0');
    expect(await readFile(tracePath(), 'utf8')).toBe(whole);
    again.bytes.release();
    expect((await edited).success).toBe(true);
    await ended(again);
    expect((await readFile(tracePath(), 'utf8')).startsWith(whole)).toBe(true);
  });

  it('runs through to its end where nothing is debugged', async () => {
    const text = await recorded();
    const opened = connected(text, 4);
    await opened.client.launch({ replay: tracePath(), noDebug: true });
    await opened.bytes.held;
    opened.bytes.release();
    await opened.client.event('terminated');
    expect(events(opened, 'stopped')).toEqual([]);
    expect(opened.client.transcript()).toContain('t=11 ');
  });

  it('is left without waiting for it, and who waits is answered', async () => {
    const opened = await session(await recorded(), 4);
    const { client, closed } = opened;
    const asked = goTo(opened, 9);
    await client.request('disconnect');
    expect(await asked).toMatchObject({ success: false, message: 'The run is over.' });
    await client.event('terminated');
    await closed;
  });

  it('is left while the run waits to go on', async () => {
    const opened = await session(await recorded(), 4, { stopOnEntry: true });
    const { client, closed } = opened;
    await client.request('continue', { threadId: 1 });
    await client.request('disconnect');
    await client.event('terminated');
    await closed;
  });

  it('can be restarted, which reads it anew', async () => {
    const opened = await session(await recorded(), 4);
    const { client, bytes } = opened;
    bytes.release();
    await client.request('restart', {});
    await client.event('stopped');
    expect(await client.go('continue')).toMatchObject({ reason: 'end' });
    await ended(opened);
  });

  it('tells once what is wrong in the rest, when that was read', async () => {
    const lines = (await recorded()).split('\n');
    const broken = lines.map((line, index) => (index === lines.length - 6 ? `${line.slice(0, 20)}#` : line));
    const text = broken.join('\n');
    await writeFile(tracePath(), text);
    const opened = await session(text, 4);
    const { client, bytes } = opened;
    const told = () => client.transcript().split('warning: the trace, line ').length - 1;
    await client.go('next');
    expect(told()).toBe(0);
    const [top] = await client.stack();
    const restarted = client.ask('restartFrame', { frameId: top?.id });
    bytes.release();
    expect((await restarted).message).toContain(
      `The trace is broken at line ${lines.length - 5}, so nothing`,
    );
    await client.go('continue');
    await ended(opened);
    expect(told()).toBe(1);
  });

  it('is refused at the launch where it begins with something else', async () => {
    const text = await recorded();
    const headless = text.slice(text.indexOf('\n') + 1);
    await writeFile(tracePath(), headless);
    const { client } = connected(headless, 4);
    await client.request('initialize', { adapterID: 'skill-state', pathFormat: 'path' });
    const { success, message } = await client.ask('launch', { replay: 'run.skilltrace.jsonl' });
    expect(success).toBe(false);
    expect(message).toContain('The trace does not begin with a run record');
  });

  it('is not waited for where the session ends during the launch', async () => {
    const text = await recorded();
    const { client, closed, bytes } = connected(text, 0);
    await client.request('initialize', { adapterID: 'skill-state', pathFormat: 'path' });
    const launched = client.ask('launch', { replay: 'run.skilltrace.jsonl' });
    await bytes.held;
    await client.request('disconnect');
    expect((await launched).success).toBe(false);
    await closed;
  });
});

describe('a trace with branches of which only the beginning was read', () => {
  it('is stopped in on the line that was written last, and gone on in once that is known', async () => {
    const text = await recorded(6);
    const opened = await session(text, 9);
    const { client, bytes } = opened;
    await client.request('next', { threadId: 1 });
    await client.go('pause');
    expect(await client.evaluate('step')).toBe('0');
    expect(events(opened, 'skill-state/branches')).toEqual([]);
    await client.request('continue', { threadId: 1 });
    bytes.release();
    await client.event('stopped');
    expect(await client.event('skill-state/branches')).toEqual({
      branches: [{ id: 0 }, { id: 1, parent: { branch: 0, step: 6 } }],
    });
    const stops = events(opened, 'skill-state/step').map(({ message }) => 'body' in message && message.body);
    expect(stops.at(0)).toMatchObject({ branch: 1, step: 0 });
    expect(stops.at(-1)).toMatchObject({ branch: 1, step: 12 });
    await ended(opened);
  });
});

describe('the progress of reading', () => {
  it('is reported after two seconds, until the end', async () => {
    const opened = await session(await recorded(), 4);
    const { client, clock, bytes } = opened;
    clock.advance(1_999);
    clock.advance(1);
    expect(await client.event('progressStart')).toEqual({
      progressId: 'reading-1',
      title: 'Reading the trace',
      message: expect.stringMatching(/^\d\.\d of \d\.\d MB$/),
      percentage: expect.any(Number),
      cancellable: true,
    });
    clock.advance(500);
    const { percentage } = await client.event<{ percentage: number }>('progressUpdate');
    expect(percentage).toBeGreaterThan(0);
    expect(percentage).toBeLessThan(100);
    bytes.release();
    expect(await client.event('progressEnd')).toEqual({ progressId: 'reading-1' });
    await ended(opened);
  });

  it('can be cancelled: the record then ends where it was read to, and nothing is added to it', async () => {
    const text = await recorded();
    const opened = await session(text, 4);
    const { client, clock, bytes } = opened;
    const asked = goTo(opened, 9);
    clock.advance(2_000);
    await client.event('progressStart');
    await client.request('cancel', { progressId: 'reading-1' });
    bytes.release(beginningOfStep(text, 5));
    await client.event('progressEnd');
    expect(await asked).toMatchObject({ success: false, message: 'There is no step 9 on branch 0.' });
    const [top] = await client.stack();
    const refused = await client.ask('restartFrame', { frameId: top?.id });
    expect(refused.message).toMatch(/^Reading the trace was stopped after \d\.\d of \d\.\d MB, so only /);
    expect(await client.go('continue')).toMatchObject({ reason: 'end' });
    expect(Number(await client.evaluate('step'))).toBe(5);
    await ended(opened);
    expect(client.transcript()).toContain('console| Reading the trace was stopped after ');
    expect(await readFile(tracePath(), 'utf8')).toBe(text);
  });

  it('is not reported to clients that do not show it', async () => {
    const text = await recorded();
    const opened = connected(text, 4);
    await opened.client.launch(
      { replay: 'run.skilltrace.jsonl' },
      { client: { supportsProgressReporting: false } },
    );
    await opened.client.event('stopped');
    opened.clock.advance(10_000);
    await opened.client.request('threads');
    expect(events(opened, 'progressStart')).toEqual([]);
    await ended(opened);
  });
});
