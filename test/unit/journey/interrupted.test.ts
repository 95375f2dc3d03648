/** A step in which the model failed over and over before it answered: what the requests took counts once each, everywhere. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { type Model, ModelFailure } from '../../../client/src/runtime/model';
import type { Budget } from '../../../client/src/runtime/options';
import { recordedRun } from '../../../client/src/runtime/recordedSteps';
import { planResume } from '../../../client/src/runtime/resume';
import type { RunState, Totals } from '../../../client/src/runtime/runState';
import { formatRecord, readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { type MemoryJourney, memoryJourney } from '../../support/memoryJourney';
import { memoryRun, replyingModel, scriptedModel, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

const price = { prompt: 2, completion: 10 };

/** Fails in step 1 so many times for good: before its first answer, which is rejected, and again before its second. */
function failing({ first, second }: { readonly first: number; readonly second: number }) {
  const environment = createWarehouse();
  const scripted = scriptedModel(environment);
  const failures = { 1: first, 2: second };
  const model: Model = {
    name: 'openai:failing',
    price,
    async *generate(request, signal) {
      const attempt = request.attempt === 1 ? 1 : 2;
      if (request.step === 1 && failures[attempt] > 0) {
        const prompt = 1_000 * (10 * attempt + failures[attempt]--);
        yield { type: 'usage', usage: { prompt, completion: 10 } };
        throw new ModelFailure('Down.', { class: 'server-error', retryable: true });
      }
      if (request.step === 1 && attempt === 1) yield* replyingModel(['No block.']).generate(request, signal);
      else yield* scripted.generate(request, signal);
      yield { type: 'usage', usage: { prompt: 100, completion: 10 } };
    },
  };
  return { environment, model };
}

/** What was spent, in whole microdollars. */
function spent(totals: Totals | undefined) {
  if (totals === undefined) return undefined;
  const { promptTokens, completionTokens, failedTokens, knownCost, cost } = totals;
  const isWhole = cost !== undefined;
  return { promptTokens, completionTokens, failedTokens, isWhole, micro: Math.round(knownCost * 1e6) };
}

async function read(records: readonly TraceRecord[]) {
  const reader = await readerOf(traceText(records));
  const { header, branches } = reader;
  if (header === undefined) throw new Error('The trace has no header');
  return { reader, header, steps: branches[0]?.steps ?? 0 };
}

async function reopened(
  records: readonly TraceRecord[],
  settings: Parameters<typeof memoryJourney>[0] = { environment: 'none' },
): Promise<MemoryJourney> {
  const { reader, header } = await read(records);
  return memoryJourney({ options: { horizon: 4 }, ...settings, recorded: recordedRun(reader, header) });
}

/** What a trace says was spent by its end, and what a session on it says there. */
async function toldOf(records: readonly TraceRecord[]) {
  const { reader, steps } = await read(records);
  const session = await reopened(records);
  await session.run();
  expect(session.journey.deviation).toBeUndefined();
  return [spent(reader.totals(0, steps)), spent(session.journey.run?.totals)];
}

type Seen = Readonly<Record<string, ReturnType<typeof spent>>>;

/** What was spent at each place from the start on. */
async function walked({ journey, run }: MemoryJourney): Promise<Seen> {
  const seen: Record<string, ReturnType<typeof spent>> = {};
  await journey.goTo({ branch: 0, step: 0, index: 0 });
  for (;;) {
    const { step, index } = journey.position;
    seen[`${step}.${index}`] = spent(journey.run?.totals);
    if (journey.position.atEndOfRecord || journey.position.live) return seen;
    await run(1);
  }
}

describe.each([
  { first: 1, second: 0 },
  { first: 2, second: 0 },
  { first: 0, second: 2 },
  { first: 3, second: 2 },
])('a step that was interrupted %o times', (times) => {
  it('has taken the same in the live run, in its trace, and in a session on that', async () => {
    const live = await memoryJourney({ ...failing(times), options: { horizon: 4 } });
    const stops: RunState[] = [];
    for (let left = times.first + times.second; left > 0; left--) {
      await expect(live.run()).rejects.toThrow('Down.');
      const { run } = live.journey;
      if (run === undefined) throw new Error('No run');
      stops.push(run);
      const here = spent(run.totals);
      expect(await toldOf(live.records)).toEqual([here, here]);
    }
    expect(stops.map(({ step }) => step)).toEqual(stops.map(() => 1));
    const { failedTokens } = stops.at(-1)?.totals ?? {};
    await live.run();
    const whole = spent(live.journey.run?.totals);
    expect(whole?.failedTokens).toEqual(failedTokens);
    expect(await toldOf(live.records)).toEqual([whole, whole]);
    const visits = await walked(live);
    expect(Object.keys(visits).length).toBeGreaterThan(20);
    const session = await reopened(live.records);
    await session.run(0);
    expect(await walked(session)).toEqual(visits);
  });

  it('has taken the same where another session goes on after each time', async () => {
    const records: TraceRecord[] = [];
    const participants = failing(times);
    for (let left = times.first + times.second; left >= 0; left--) {
      const session =
        records.length === 0
          ? await memoryJourney({ ...participants, options: { horizon: 4 } })
          : await reopened(records, participants);
      const going = session.run();
      await (left > 0 ? expect(going).rejects.toThrow('Down.') : going);
      records.push(...session.records);
      const here = spent(session.journey.run?.totals);
      expect(await toldOf(records)).toEqual([here, here]);
    }
  });

  it('comes to the same records and sums where it is killed and resumed, whatever cap falls after it', async () => {
    const { journey } = await unbroken(times, {});
    const secondAttempt = (await journey.reportsOf(0, 1)).find(
      ({ before: { phase, attempt } }) => phase === 'prompt' && attempt === 2,
    );
    const places = [secondAttempt?.before, await journey.startOf(0, 2), await journey.startOf(0, 3)];
    const caps = places.map((run) => (run?.totals.promptTokens ?? 0) + (run?.totals.completionTokens ?? 0));
    const ends: string[] = [];
    for (const budget of [{}, ...caps.map((tokens) => ({ tokens }))]) {
      const live = await unbroken(times, budget);
      const { end, totals } = live.journey.run ?? {};
      const { attempt, step } = live.journey.run ?? {};
      ends.push(`${end?.outcome} ${step}.${attempt}`);
      const isInterruption = (record: TraceRecord) => record.kind === 'end' && record.resumable === true;
      // A trace that ends at a cap is refused; one that has come to its end is repeated.
      const last = live.records.length - (end?.outcome === 'capped' ? 1 : 0);
      for (let length = live.records.findLastIndex(isInterruption) + 1 || 1; length <= last; length++) {
        const prefix = live.records.slice(0, length);
        const { recorded } = planResume(readTrace(new TextEncoder().encode(traceText(prefix))));
        const resumed = await memoryRun({
          ...failing({ first: 0, second: 0 }),
          options: { horizon: 4, budget },
          recorded,
        });
        const finished = await resumed.finish();
        expect(story([...prefix, ...resumed.records])).toEqual(story(live.records));
        expect(spent(finished.totals)).toEqual(spent(totals));
      }
    }
    expect(ends).toEqual(['completed 4.1', 'capped 1.2', 'capped 2.1', 'capped 3.1']);
  });
});

/** The run gone on with after every failure, in one session. */
async function unbroken(times: Parameters<typeof failing>[0], budget: Budget): Promise<MemoryJourney> {
  const live = await memoryJourney({ ...failing(times), options: { horizon: 4, budget } });
  for (;;) {
    try {
      await live.run();
      return live;
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
    }
  }
}

/** The records without those that tell where it went on. */
function story(records: readonly TraceRecord[]): readonly string[] {
  return records.filter(({ kind }) => kind !== 'resumed').map(formatRecord);
}
