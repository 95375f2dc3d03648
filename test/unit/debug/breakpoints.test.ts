/** What breakpoints bind to, and which of them a step hits. */
import { describe, expect, it } from 'vitest';
import {
  BreakpointStore,
  type BreakpointTarget,
  describeBreakpoint,
} from '../../../client/src/debug/breakpoints';
import { pathKey, SkillPaths } from '../../../client/src/debug/skillPaths';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { memoryRun, replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const files = {
  'SKILL.md': `---
name: skill
description: Test.
metadata:
  include: more.md
---

# Actions

- \`Go <place>\`: goes.
- \`Stay\`: stays.
`,
  'more.md': '# Actions\n\n- `Jump(height)`: jumps.\n',
  'state.schema.yaml': `$schema: https://json-schema.org/draft/2020-12/schema
type: object
properties:
  place: { type: string, maxLength: 20 }
  visits:
    type: array
    maxItems: 9
    items:
      type: object
      properties:
        where: { $ref: "#/$defs/name" }
        height: { type: integer }
$defs:
  name: { type: string, maxLength: 20 }
`,
  'state.initial.yaml': 'place: home\n',
};

async function target(): Promise<BreakpointTarget> {
  const skill = await skillOf(files);
  const currentText = async (path: string) => files[path as keyof typeof files];
  return { skill, paths: new SkillPaths('/s', Object.keys(files)), currentText };
}

function lineOf(file: keyof typeof files, text: string): number {
  return files[file].split('\n').findIndex((line) => line.includes(text));
}

/** The run just before its first merge and just before its first act. */
async function standing(patch: JsonValue, action: string) {
  const { execution } = await memoryRun({
    skill: await skillOf(files),
    model: replyingModel([replyOf(patch, action)]),
  });
  const { signal } = new AbortController();
  let run = await execution.start(signal);
  while (run.phase !== 'merge') run = (await execution.advance(signal)).after;
  const merge = run;
  return { merge, act: (await execution.advance(signal)).after };
}

describe('binding', () => {
  it('says why a line is none', async () => {
    const store = new BreakpointStore(pathKey);
    const skill = await target();
    const message = async (file: string, line: number) => {
      const [breakpoint] = await store.set(`/s/${file}`, [{ line }], () => skill);
      return breakpoint && describeBreakpoint(breakpoint).message;
    };
    expect(await message('SKILL.md', 0)).toBe(
      'No action is declared on this line. Actions of this file are on lines 10 and 11.',
    );
    expect(await message('more.md', 0)).toBe(
      'No action is declared on this line. Actions of this file are on line 3.',
    );
    expect(await message('state.schema.yaml', 1)).toMatch(
      /^No property of the state is declared on this line\. Properties are on lines 4, 5, /,
    );
    expect(await message('state.initial.yaml', 0)).toMatch(/^The initial state is read once/);
    expect(await message('other.md', 0)).toMatch(/^This file takes no part in the skill skill\./);
    expect(await message('SKILL.md', lineOf('SKILL.md', 'Stay'))).toBeUndefined();
    expect(await message('more.md', lineOf('more.md', 'Jump'))).toBeUndefined();
  });

  it('keeps the id of a line, and binds once a skill is there', async () => {
    const store = new BreakpointStore(pathKey);
    const line = lineOf('SKILL.md', 'Stay');
    const early = await store.set('/s/SKILL.md', [{ line }, { line: 0 }], () => undefined);
    expect(early.map(describeBreakpoint)).toMatchObject([
      { id: 1, verified: false },
      { id: 2, verified: false },
    ]);
    const bound = await store.rebind(await target());
    expect(bound.map(describeBreakpoint)).toMatchObject([
      { id: 1, verified: true },
      { id: 2, verified: false },
    ]);
    const loaded = await target();
    const [kept, added] = await store.set('/s/SKILL.md', [{ line }, { line: 3 }], () => loaded);
    expect([kept?.id, added?.id]).toEqual([1, 3]);
  });
});

describe('hits', () => {
  it('are on the action that was chosen, in whatever file it stands', async () => {
    const store = new BreakpointStore(pathKey);
    const skill = await target();
    const [stay] = await store.set('/s/SKILL.md', [{ line: lineOf('SKILL.md', 'Stay') }], () => skill);
    const [jump] = await store.set('/s/more.md', [{ line: lineOf('more.md', 'Jump') }], () => skill);
    const hits = async (action: string) =>
      store.actionHits((await standing({}, action)).act).map(({ id }) => id);
    expect(await hits('Stay')).toEqual([stay?.id]);
    expect(await hits('Jump(3)')).toEqual([jump?.id]);
    expect(await hits('Go home')).toEqual([]);
  });

  it('are on each property that a patch writes, deletes included, also inside arrays', async () => {
    const store = new BreakpointStore(pathKey);
    const skill = await target();
    const { stateSchema } = skill.skill;
    const lines = ['  place:', '  visits:', 'where:', 'height:'].map((text) => ({
      line: lineOf('state.schema.yaml', text),
    }));
    const ids = (await store.set('/s/state.schema.yaml', lines, () => skill)).map(({ id }) => id);
    const hits = async (patch: JsonValue) => {
      const { merge } = await standing(patch, 'Stay');
      return store.propertyHits(merge, stateSchema).map(({ id }) => ids.indexOf(id));
    };
    expect(await hits({})).toEqual([]);
    expect(await hits({ place: 'shop' })).toEqual([0]);
    expect(await hits({ place: null })).toEqual([0]);
    expect(await hits({ visits: [] })).toEqual([1]);
    expect(await hits({ visits: [{ height: 3 }] })).toEqual([1, 3]);
    expect(await hits({ place: 'shop', visits: [{}, { where: 'shop' }] })).toEqual([0, 1, 2]);
  });
});
