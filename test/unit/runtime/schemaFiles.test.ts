/** Runs of skills whose state schema is spread over files. */
import { describe, expect, it } from 'vitest';
import { BreakpointStore, describeBreakpoint } from '../../../client/src/debug/breakpoints';
import { pathKey, SkillPaths } from '../../../client/src/debug/skillPaths';
import { propertyPlace, rejectionPlace } from '../../../client/src/debug/stackFrames';
import { createManualEnvironment } from '../../../client/src/environments/manual';
import { initialStateProblemsOf } from '../../../client/src/runtime/initialStateProblems';
import { applyPatch } from '../../../client/src/runtime/merge';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import { planResume } from '../../../client/src/runtime/resume';
import { createStateValidator } from '../../../client/src/runtime/validation';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { loadSkill, type Skill } from '../../../schemas/skill/skill';
import { readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { memoryRun, replyingModel, replyOf, skillOf, traceText } from '../../support/memoryRun';

const files = {
  'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\n# Actions\n\n- `Stay`: stays.\n',
  'state.schema.yaml': `type: object
properties:
  first: { $ref: 'parts/items.yaml#/$defs/item' }
  list:
    type: array
    items: { $ref: parts/items.yaml }
`,
  'parts/items.yaml': `$ref: '#/$defs/item'
$defs:
  item:
    type: object
    properties:
      name: { type: string, maxLength: 5 }
      tags: { $ref: tags.json }
      inner: { $ref: '#' }
      back: { $ref: ../state.schema.yaml }
    additionalProperties: false
`,
  'parts/tags.json':
    '{"type": "array",\r\n "items": {"enum": ["a", "b"]},\r\n "x-merge": "union", "maxItems": 3}\r\n',
};

function rejection(skill: Skill, patch: JsonObject, by: 'model' | 'environment' = 'model') {
  const validator = createStateValidator(skill.stateSchema, defaultRunOptions.limits);
  const merged = applyPatch({}, patch, skill.stateSchema).state;
  return validator.checkPatch(patch, by) ?? validator.checkMerged(merged, patch);
}

describe('a patch under a schema over three files', () => {
  it.each<[string, JsonObject, string]>([
    ['in the first', { first: { name: 'longer' } }, 'parts/items.yaml#/$defs/item/properties/name/maxLength'],
    ['by a key', { list: [{ nam: 'x' }] }, 'parts/items.yaml#/$defs/item/additionalProperties'],
    [
      'through circles',
      { first: { inner: { back: { list: [{ inner: { name: 7 } }] } } } },
      'parts/items.yaml#/$defs/item/properties/name/type',
    ],
    ['in the schema itself', { list: 3 }, '/properties/list/type'],
  ])('is rejected %s', async (_name, patch, location) => {
    const skill = await skillOf(files);
    expect(skill.problems.filter(({ problem }) => problem.severity === 'error')).toEqual([]);
    const found = rejection(skill, patch);
    expect(found?.schemaLocation).toBe(location);
    expect(found?.violations?.[0]?.schemaLocation).toBe(location);
  });

  it('is rejected where a field is the environment’s, and merged by the policy of another file', async () => {
    const tags = files['parts/tags.json'].replace('}\r\n', ', "x-writer": "environment"}\r\n');
    const skill = await skillOf({ ...files, 'parts/tags.json': tags });
    expect(rejection(skill, { first: { tags: ['a'] } })).toMatchObject({
      class: 'writer',
      schemaLocation: 'parts/tags.json#/x-writer',
    });
    expect(rejection(skill, { first: { tags: ['c'] } }, 'environment')?.schemaLocation).toBe(
      'parts/tags.json#/items/enum',
    );
    const { state } = applyPatch(
      { first: { tags: ['a'] } },
      { first: { tags: ['b', 'a'] } },
      skill.stateSchema,
    );
    expect(state).toEqual({ first: { tags: ['a', 'b'] } });
  });

  it('is taken where it fits', async () => {
    const skill = await skillOf(files);
    expect(rejection(skill, { first: { name: 'short', inner: { name: 'a' } }, list: [{}] })).toBeUndefined();
  });
});

describe('the debugger', () => {
  it('finds the line of a rule and of a property in its file', async () => {
    const skill = await skillOf(files);
    const found = rejection(skill, { first: { name: 'longer' } });
    const { execution } = await memoryRun({ skill, model: replyingModel([replyOf({}, 'Stay')]) });
    const run = await execution.start(new AbortController().signal);
    expect(found && rejectionPlace(found, run, skill)).toMatchObject({
      kind: 'file',
      path: 'parts/items.yaml',
      range: { start: { line: 5 } },
    });
    expect(propertyPlace(['list', '0', 'inner', 'name'], skill)).toMatchObject({
      path: 'parts/items.yaml',
      range: { start: { line: 5 } },
    });
    expect(propertyPlace(['list'], skill)).toMatchObject({
      path: 'state.schema.yaml',
      range: { start: { line: 3 } },
    });
  });

  it('hits breakpoints on properties of other files', async () => {
    const skill = await skillOf(files);
    const paths = new SkillPaths('/s', Object.keys(files));
    const currentText = async (path: string) =>
      path in files ? files[path as keyof typeof files] : undefined;
    const store = new BreakpointStore(pathKey);
    const target = { skill, paths, currentText };
    const [name, none] = await store.set('/s/parts/items.yaml', [{ line: 5 }, { line: 0 }], () => target);
    expect(none && describeBreakpoint(none).message).toBe(
      'No property of the state is declared on this line. Properties are on lines 6, 7, 8 and 9.',
    );
    const { execution } = await memoryRun({
      skill,
      model: replyingModel([replyOf({ first: { name: 'a' } }, 'Stay')]),
    });
    const { signal } = new AbortController();
    let run = await execution.start(signal);
    while (run.phase !== 'merge') run = (await execution.advance(signal)).after;
    expect(store.propertyHits(run, skill.stateSchema).map(({ id }) => id)).toEqual([name?.id]);
  });
});

it('a default that does not fit is reported in its file', async () => {
  const skill = await skillOf({
    ...files,
    'state.schema.yaml': 'type: object\nproperties:\n  a: { $ref: a.yaml }\n',
    'a.yaml': 'type: string\ndefault: 7\n',
  });
  const validator = createStateValidator(skill.stateSchema, defaultRunOptions.limits);
  const [problem] = initialStateProblemsOf(skill, validator.checkInitial(skill.initialState));
  expect(problem).toMatchObject({ path: 'a.yaml', problem: { range: { start: { line: 1, character: 9 } } } });
});

it('a run records all files, and is resumed from them alone', async () => {
  const replies = [
    replyOf({ first: { name: 'longer' } }, 'Stay'),
    replyOf({ first: { name: 'a' } }, 'Stay'),
    replyOf({ list: [{ name: 'b' }] }, 'Stay'),
  ];
  const start = async (skill: Skill, recorded?: readonly TraceRecord[], startAt = 0) => {
    const told = recorded?.filter(({ kind }) => kind === 'attempt').length ?? 0;
    const run = await memoryRun({
      skill,
      environment: createManualEnvironment({
        asker: { ask: async () => 'Seen.' },
        startAt,
        horizon: 2,
      }),
      model: replyingModel(replies.slice(Math.min(told, replies.length - 1))),
      options: { horizon: 2 },
      ...(recorded !== undefined && { recorded }),
    });
    const { state } = await run.finish();
    return { records: run.records, state };
  };
  const whole = await start(await skillOf(files));
  expect(whole.state).toEqual({ first: { name: 'a' }, list: [{ name: 'b' }] });
  const [header] = whole.records;
  expect(header?.kind === 'run' ? header.skill.files.map(({ path, role }) => [path, role]) : []).toEqual([
    ['SKILL.md', 'skill'],
    ['state.schema.yaml', 'state-schema'],
    ['parts/items.yaml', 'state-schema-part'],
    ['parts/tags.json', 'state-schema-part'],
  ]);
  expect(whole.records.find((record) => record.kind === 'rejection')).toMatchObject({
    schemaLocation: 'parts/items.yaml#/$defs/item/properties/name/maxLength',
  });

  const killedAt = whole.records.findIndex(({ kind }) => kind === 'outcome') + 1;
  expect(killedAt).toBeGreaterThan(1);
  const content = readTrace(new TextEncoder().encode(traceText(whole.records.slice(0, killedAt))));
  expect(content.problems).toEqual([]);
  const plan = planResume(content);
  const resumed = await start(await loadSkill(plan.files), plan.recorded, plan.consumed.observations);
  expect(resumed.state).toEqual(whole.state);
});
