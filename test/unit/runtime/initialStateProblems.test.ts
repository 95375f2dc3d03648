/** A Σ_0 that doesn't fit its schema is a problem in a file of the skill: where it is mended, and how. */
import { describe, expect, it } from 'vitest';
import { initialStateProblemsOf } from '../../../client/src/runtime/initialStateProblems';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import { createStateValidator } from '../../../client/src/runtime/validation';
import { blocksRun } from '../../../schemas/skill/skill';
import { skillOf } from '../../support/memoryRun';
import { marked } from '../schemas/located';

const skillText = '---\nname: skill\ndescription: A skill for tests.\n---\nDo it.\n';

async function problemsOf(files: Readonly<Record<string, string>>) {
  const all: Readonly<Record<string, string>> = { 'SKILL.md': skillText, ...files };
  const skill = await skillOf(all);
  expect(skill.problems.filter(blocksRun)).toEqual([]);
  const validator = createStateValidator(skill.stateSchema, defaultRunOptions.limits);
  const problems = initialStateProblemsOf(skill, validator.checkInitial(skill.initialState));
  expect(problems.every(blocksRun)).toBe(true);
  return problems.map(({ path, problem }) => ({
    place: `${path}:${problem.range.start.line + 1}:${problem.range.start.character + 1} ${marked(all[path] ?? '', problem.range)}`,
    message: problem.message,
  }));
}

const schema = `type: object
required: [name]
properties:
  name: {type: string}
  list:
    type: object
    additionalProperties: false
    properties:
      deep: {type: array, maxItems: 1}
`;

describe('a Σ_0 from its file', () => {
  it.each([
    [
      'a wrong type',
      'name: a\nlist: []\n',
      'state.initial.yaml:2:7 []',
      '/list must be object, not array.',
      6,
    ],
    ['a missing key', 'list: {}\n', 'state.initial.yaml:1:1 ', 'The state must have the key "name".', 2],
    [
      'a forbidden key',
      'name: a\nlist: {odd: 1}\n',
      'state.initial.yaml:2:8 odd',
      '/list may not have the key "odd".',
      7,
    ],
    [
      'further in',
      'name: a\nlist:\n  deep: [1, 2]\n',
      'state.initial.yaml:3:9 [1, 2]',
      '/list/deep must have at most 1 item, not 2.',
      9,
    ],
  ])('%s', async (_what, initial, place, message, ruleLine) => {
    expect(await problemsOf({ 'state.schema.yaml': schema, 'state.initial.yaml': initial })).toEqual([
      {
        place,
        message: `The initial state does not fit the state schema: ${message} Correct it here, or the rule in state.schema.yaml:${ruleLine}.`,
      },
    ]);
  });

  it('all that is wrong', async () => {
    const files = { 'state.schema.yaml': schema, 'state.initial.json': '{"name": 1, "list": 2}' };
    expect((await problemsOf(files)).map(({ place }) => place)).toEqual([
      'state.initial.json:1:10 1',
      'state.initial.json:1:21 2',
    ]);
  });

  it('in a skill without a schema', async () => {
    const long = JSON.stringify({ text: 'x'.repeat(1_000_000 - 100) });
    const [problem] = await problemsOf({ 'state.initial.json': long });
    expect(problem?.place).toMatch(/^state\.initial\.json:1:/);
    expect(problem?.message).toMatch(/ Correct it here\.$/);
  });
});

describe('a Σ_0 from the defaults of the schema', () => {
  it.each([
    [
      'a default that does not fit',
      'properties: {list: {type: object, default: []}}',
      'state.schema.yaml:2:44 []',
      '/list must be object, not array. Correct this default, or write state.initial.yaml.',
    ],
    [
      'a part of a default of what contains it',
      'properties: {list: {default: {a: [1, x]}, properties: {a: {items: {type: integer}}}}}',
      'state.schema.yaml:2:38 x',
      '/list/a/1 must be integer, not string. Correct this default, or write state.initial.yaml.',
    ],
    [
      'the default of the root',
      'default: {a: 1}\nproperties: {a: {type: string, default: x}}',
      'state.schema.yaml:2:14 1',
      '/a must be string, not number. Correct this default, or write state.initial.yaml.',
    ],
    [
      'a property without one',
      'required: [name]\nproperties: {name: {type: string}}',
      'state.schema.yaml:3:14 name',
      'The state must have the key "name". Give it a default, or write state.initial.yaml.',
    ],
    [
      'a property that is not declared',
      'required: [name]',
      'state.schema.yaml:2:1 required',
      'The state must have the key "name". Give it a default, or write state.initial.yaml.',
    ],
    [
      'a property whose default is of one branch alone',
      'required: [name]\nproperties: {name: {anyOf: [{default: 1}]}}',
      'state.schema.yaml:3:14 name',
      'The state must have the key "name". Give it a default, or write state.initial.yaml.',
    ],
  ])('%s', async (_what, text, place, message) => {
    expect(await problemsOf({ 'state.schema.yaml': `type: object\n${text}\n` })).toEqual([
      { place, message: `The schema's defaults make no initial state that fits it: ${message}` },
    ]);
  });
});

describe('an invariant', () => {
  const withInvariant = (expression: string) =>
    `type: object\nproperties: {list: {type: array, default: [1]}}\nx-invariants:\n  - expression: ${expression}\n    message: The list is short.\n`;

  it('that Σ_0 breaks', async () => {
    expect(await problemsOf({ 'state.schema.yaml': withInvariant('size(state.list) == 0') })).toEqual([
      {
        place: 'state.schema.yaml:4:17 size(state.list) == 0',
        message:
          'This invariant rejects the initial state that the defaults make: The list is short. Correct the expression, or that state.',
      },
    ]);
  });

  it('that asks for a key which Σ_0 has not', async () => {
    const files = {
      'state.schema.yaml': withInvariant('size(state.lst) == 0'),
      'state.initial.yaml': 'list: []\n',
    };
    expect(await problemsOf(files)).toEqual([
      {
        place: 'state.schema.yaml:4:17 size(state.lst) == 0',
        message:
          'This invariant rejects the initial state in state.initial.yaml: The invariant could not be evaluated: No such key: lst. (It is to ensure: The list is short.) Correct the expression, or that state.',
      },
    ]);
  });
});
