/** What a run would make of a text as its next reply, held against what it does make of it. */
import { describe, expect, it } from 'vitest';
import { createRedaction } from '../../../client/src/runtime/redaction';
import { memoryJourney } from '../../support/memoryJourney';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const files = {
  'SKILL.md':
    '---\nname: skill\ndescription: Greets.\nmetadata:\n  environment: manual\n---\n\n# Actions\n\n- `Greet <name>`: greets.\n- `Wait`: waits.\n',
  'state.schema.yaml': `type: object
properties:
  greeted: { type: array, items: { type: string }, default: [Ada, Grace] }
  mood: { type: string, enum: [good, bad] }
  weather: { type: string, x-writer: environment }
  count: { type: integer, minimum: 0, maximum: 9 }
`,
};

/** A run that stands at `generate`. */
async function awaitingReply(reply = '') {
  const skill = await skillOf(files);
  const run = await memoryJourney({ skill, model: replyingModel([reply]), options: { horizon: 2 } });
  await run.run(2);
  return run.journey;
}

/** Each problem as `class "the text that it is about": message`. */
async function problems(text: string): Promise<readonly string[]> {
  const check = (await awaitingReply()).checkReply(text);
  return [...(check?.rejections ?? []), ...(check?.warnings ?? [])].map(
    ({ class: name, start, end, message }) => `${name} ${JSON.stringify(text.slice(start, end))}: ${message}`,
  );
}

describe('checkReply', () => {
  it('takes what the run takes, and says what it does', async () => {
    const reply = replyOf({ mood: 'good', count: 3, greeted: null }, 'Greet Ada');
    const journey = await awaitingReply(reply);
    const before = journey.run;
    expect(journey.checkReply(reply)).toEqual({
      accepted: true,
      rejections: [],
      warnings: [],
      action: 'Greet Ada',
      changes: 3,
    });
    expect(journey.run).toBe(before);
    expect(journey.checkReply(replyOf({}, 'Wait'))).toMatchObject({ accepted: true, changes: 0 });
  });

  it('points to every violation of the state schema at its place in the reply', async () => {
    expect(
      await problems(replyOf({ mood: 'sad', count: 12, greeted: ['Ada', 7] }, 'Wait')),
    ).toMatchInlineSnapshot(`
      [
        "schema "7": /greeted/1 must be string, not number.",
        "schema "\\"mood\\":\\"sad\\"": /mood must be "good" or "bad", not "sad".",
        "schema "\\"count\\":12": /count must be at most 9, not 12.",
      ]
    `);
  });

  it('names the class and the place of what is wrong with the form', async () => {
    const block = (json: string) => `Because.\n\n\`\`\`json\n${json}\n\`\`\`\n`;
    const texts = [
      'Because.\nI think so.\n\n',
      '```json\n{"state_patch": {}',
      block('{"state_patch": {}, "action": }'),
      block('{"state_patch": {}, "action": "Wait",}'),
      block('{"state_patch": {}'),
      block('{"state_patch": {}, "action": "Wait", "note": 1}'),
      block('{"state_patch": {}}'),
      block('{"state_patch": 5, "action": "Wait"}'),
      block('{"state_patch": {}, "action": "  "}'),
      block('[]'),
      block('{"state_patch": {"weather": "rain"}, "action": "Wait"}'),
      block('{"state_patch": {}, "action": "Greet"}'),
      block('{"state_patch": {}, "action": "Dance"}'),
    ];
    const found: string[] = [];
    for (const text of texts) found.push(...(await problems(text)));
    expect(found).toMatchInlineSnapshot(`
      [
        "no-block "I think so.": The reply has no JSON block fenced with \`\`\`json and \`\`\`.",
        "syntax "\`\`\`json": The JSON block is not closed: \`\`\` has to stand at the start of a line after it.",
        "syntax "}": The JSON is not valid: expected a value, found "}".",
        "syntax "}": The JSON is not valid: a comma may not stand before "}".",
        "syntax "}": The JSON is not valid: expected "," or "}", found the end of the block.",
        "extra-key "\\"note\\"": The JSON block may not have "note"; its keys have to be exactly "state_patch" and "action".",
        "missing-key "{": The JSON block lacks "action"; its keys have to be "state_patch" and "action".",
        "not-an-object "5": "state_patch" has to be an object of the keys to change; {} changes nothing.",
        "action "\\"  \\"": "action" has to be a command, not blank.",
        "not-an-object "[": The JSON block has to be an object with the keys "state_patch" and "action".",
        "writer "\\"weather\\": \\"rain\\"": /weather may only be written by the environment.",
        "action "\\"action\\": \\"Greet\\"": The action "Greet" has no arguments, but Greet takes 1 argument: \`Greet <name>\`.",
        "action "\\"action\\": \\"Dance\\"": The action "Dance" is not declared; write one of \`Greet <name>\`, \`Wait\`.",
      ]
    `);
  });

  it('warns of what a run warns of', async () => {
    expect(await problems(replyOf({ greeted: ['Ada'] }, 'Greet Bob'))).toMatchInlineSnapshot(`
      [
        "array-shrunk "\\"greeted\\":[\\"Ada\\"]": /greeted went from 2 items to 1.",
        "unknown-argument "\\"action\\":\\"Greet Bob\\"": The argument "Bob" (name) of "Greet" appears in none of instructions, state and observation.",
      ]
    `);
  });

  it('says the same as the run itself, class and message', async () => {
    for (const reply of [
      'Nothing.',
      replyOf({ mood: 'sad' }, 'Wait'),
      replyOf({}, 'Dance'),
      replyOf({ weather: 'x' }, 'Wait'),
      replyOf({ count: 1e300 }, 'Wait'),
    ]) {
      const journey = await awaitingReply(reply);
      const [first] = journey.checkReply(reply)?.rejections ?? [];
      const { signal } = new AbortController();
      let rejection: { class: string; message: string } | undefined;
      while (rejection === undefined) rejection = (await journey.advance(signal)).rejection;
      expect(first).toMatchObject({ class: rejection.class, message: rejection.message });
    }
  });

  it('judges what a run takes where something is left out, at the places of what was typed', async () => {
    const result = createRedaction(['\\d{16}', 'sk-\\w+', 'good'], () => 0);
    const redaction = result.ok ? result.redaction : undefined;
    const skill = await skillOf(files);
    const text = 'About it.\n```json\n{"state_patch": {"mood": "good", "count": 10}, "action": "Wait"}\n```';
    const run = await memoryJourney({
      ...{ skill, options: { horizon: 2 } },
      model: replyingModel([text]),
      ...(redaction && { redaction }),
    });
    await run.run(2);
    const check = run.journey.checkReply(text);
    expect(check?.accepted).toBe(false);
    const rejections = check?.rejections ?? [];
    expect(rejections.map(({ start, end }) => text.slice(start, end))).toContain('"mood": "good"');
    for (const { end } of rejections) expect(end).toBeLessThanOrEqual(text.length);
    const several = `sk-1 ${text}`;
    for (const { start, end } of run.journey.checkReply(several)?.rejections ?? []) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(several.length);
    }
    const { signal } = new AbortController();
    await run.journey.advance(signal);
    await run.journey.advance(signal);
    const { rejection } = await run.journey.advance(signal);
    expect(rejections[0]).toMatchObject({ class: rejection?.class, message: rejection?.message });
    expect(run.journey.run?.phase).not.toBe('act');
  });

  it('is not there where no reply is awaited', async () => {
    const journey = await awaitingReply(replyOf({}, 'Wait'));
    await journey.advance(new AbortController().signal);
    expect(journey.run?.phase).toBe('parse');
    expect(journey.checkReply('x')).toBeUndefined();
  });

  it('stays quick on what is long and deep', async () => {
    const journey = await awaitingReply();
    const deep = `\`\`\`json\n{"state_patch":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)},"action":"Wait"}\n\`\`\``;
    expect(journey.checkReply(deep)?.rejections[0]?.class).toBe('limit');
    expect(journey.checkReply('x'.repeat(3_000_000))?.rejections[0]?.class).toBe('limit');
    const wrong = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]));
    expect(journey.checkReply(replyOf({ ...wrong, mood: 1, count: 'x' }, 'Wait'))?.accepted).toBe(false);
  });
});
