/** Who wrote a value, as the session tells it: the same as whoever reads the trace, also where the skill was edited. */
import { describe, expect, it } from 'vitest';
import { writesTo } from '../../../client/src/debug/whoWrote';
import { type BlameEntry, blame } from '../../../client/src/runtime/blame';
import { recordedRun } from '../../../client/src/runtime/recordedSteps';
import type { Skill } from '../../../schemas/skill/skill';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { memoryJourney } from '../../support/memoryJourney';
import { replyingModel, replyOf, skillOf, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

const { signal } = new AbortController();
const path = ['log', '0'];

/** A skill with a list, and how patches to it are merged. */
const skillWith = (policy: string): Promise<Skill> =>
  skillOf({
    'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\nDo it.\n',
    'state.schema.yaml': `type: object\nproperties:\n  log: {type: array, maxItems: 9, x-merge: ${policy}}\n`,
    'state.initial.json': '{"log":[]}',
  });

/** Two steps with one skill, and two more on a branch with another. */
async function edited(before: string, after: string) {
  const model = replyingModel([1, 2, 3, 4, 5].map((item) => replyOf({ log: [item] }, `go ${item}`)));
  const made = await memoryJourney({
    skill: await skillWith(before),
    model,
    environment: {
      name: 'steady',
      deterministic: true,
      reset: async () => ({ observation: 'first', done: false }),
      execute: async (action) => ({ observation: `did ${action}`, accepted: true, done: false }),
      skip: async () => ({ observation: 'next', accepted: false, done: false }),
    },
    options: { horizon: 9 },
  });
  await made.runTo({ step: 2, index: 0 });
  expect(await made.journey.fork({ skill: await skillWith(after) })).toMatchObject({ ok: true });
  await made.runTo({ step: 4, index: 0 });
  return made;
}

const lines = (entries: readonly BlameEntry[]) =>
  entries.map(({ step, by, change, value }) => `${step} ${by} ${change} ${JSON.stringify(value)}`);

async function readFrom(records: readonly TraceRecord[], branch: number): Promise<readonly string[]> {
  const entries: BlameEntry[] = [];
  for await (const entry of blame(await readerOf(traceText(records)), { branch, step: 4, path }))
    entries.push(entry);
  return lines(entries);
}

describe('who wrote a value of a branch with another skill', () => {
  it.each([
    ['append', 'replace'],
    ['replace', 'append'],
    ['union', 'replace'],
    ['append', 'append'],
  ])('is told of each step by its own merge policies: %s, then %s', async (before, after) => {
    const { journey, records } = await edited(before, after);
    const { branch } = journey.position;
    const told = lines((await writesTo(journey, path)).entries);
    expect(told).toEqual(await readFrom(records, branch));
    // The same session, opened once more from its trace.
    const reader = await readerOf(traceText(records));
    if (reader.header === undefined) throw new Error('The trace has no header');
    const recorded = recordedRun(reader, reader.header, { branch });
    const again = await memoryJourney({
      skill: await skillWith(before),
      environment: 'none',
      options: { horizon: 9 },
      recorded,
    });
    await again.journey.start(signal);
    await again.journey.goTo({ branch, step: 4, index: 0 });
    expect(lines((await writesTo(again.journey, path)).entries)).toEqual(told);
  });

  it('names who wrote an item that stayed since it was appended', async () => {
    const { journey } = await edited('replace', 'append');
    expect(journey.run?.state).toEqual({ log: [2, 3, 4] });
    expect(lines((await writesTo(journey, path)).entries)).toEqual(['1 model changed 2', '0 model set 1']);
  });
});
