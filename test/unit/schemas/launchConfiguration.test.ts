import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLaunchConfiguration } from '../../../schemas/launch/launchConfiguration';
import schema from '../../../schemas/launch/launchConfiguration.schema.json';

describe('a launch configuration', () => {
  test('gets the schema’s defaults', () => {
    expect(parseLaunchConfiguration({ skill: 'warehouse' })).toEqual({
      configuration: {
        skill: 'warehouse',
        horizon: 25,
        seed: 42,
        faults: 0,
        faultSeed: 1,
        commit: 'on-propose',
        maxRetries: 2,
        onExhausted: 'reobserve',
        stopOnEntry: true,
        forkWithoutRewind: false,
        stopOnEnd: false,
        budget: {},
      },
    });
  });
  test('needs no skill where a trace is replayed', () => {
    const { configuration } = parseLaunchConfiguration({ replay: 'run.skilltrace.jsonl' });
    expect(configuration).toMatchObject({ replay: 'run.skilltrace.jsonl' });
    expect(configuration).not.toHaveProperty('skill');
  });
  test('keeps what it says, and leaves out what is not ours', () => {
    const value = {
      skill: 'a',
      name: 'n',
      type: 'skill-state',
      request: 'launch',
      budget: { steps: 3, cost: 0.5 },
      trace: undefined,
    };
    const { configuration } = parseLaunchConfiguration(value);
    expect(configuration).toMatchObject({ skill: 'a', budget: { steps: 3, cost: 0.5 } });
    expect(Object.keys(configuration ?? {})).not.toContain('name');
    expect(Object.keys(configuration ?? {})).not.toContain('trace');
  });
  test.each<[object, string, string]>([
    [{}, '/skill', 'skill is missing: name the skill'],
    [{ skill: '' }, '/skill', 'skill has to be a text that is not empty, not ""'],
    [{ skill: 1 }, '/skill', 'not 1'],
    [{ horizon: 0 }, '/horizon', 'horizon has to be a whole number from 1, not 0'],
    [{ horizon: 1.5 }, '/horizon', 'whole number'],
    [{ horizon: '5' }, '/horizon', 'whole number'],
    [{ seed: -1 }, '/seed', 'from 0'],
    [{ seed: Number.POSITIVE_INFINITY }, '/seed', 'from 0'],
    [{ faults: 1.1 }, '/faults', 'a number from 0 to 1'],
    [{ commit: 'later' }, '/commit', 'on-propose or on-accept'],
    [{ onExhausted: 'wait' }, '/onExhausted', 'reobserve, continue or stop'],
    [{ maxRetries: 11 }, '/maxRetries', 'from 0 to 10'],
    [{ stopOnEntry: 'yes' }, '/stopOnEntry', 'true or false'],
    [{ budget: 5 }, '/budget', 'an object'],
    [{ budget: { steps: 0 } }, '/budget/steps', 'budget.steps has to be a whole number from 1'],
    [{ budget: { seconds: 0 } }, '/budget/seconds', 'a number above 0'],
    [{ budget: { minutes: 1 } }, '/budget/minutes', 'budget has steps, tokens, cost, seconds, stateBytes'],
    [{ trace: 'x'.repeat(0) }, '/trace', 'not empty'],
    [{ replay: '' }, '/replay', 'not empty'],
    [{ forkWithoutRewind: 1 }, '/forkWithoutRewind', 'true or false'],
    [{ decoding: 'strict' }, '/decoding', 'auto, free, json-schema, operations or grammar'],
    [{ maxTokens: 0 }, '/maxTokens', 'a whole number from 1'],
    [{ temperature: 3 }, '/temperature', 'a number from 0 to 2'],
    [{ topP: 1.5 }, '/topP', 'a number from 0 to 1'],
    [{ thinkingBudget: -2 }, '/thinkingBudget', 'a whole number from -1'],
    [{ timeout: 0 }, '/timeout', 'a number above 0'],
    [{ requestRetries: 21 }, '/requestRetries', 'from 0 to 20'],
  ])('%j', (value, path, message) => {
    const complete = Object.keys(value).length === 0 || 'skill' in value ? value : { skill: 'a', ...value };
    const { problems } = parseLaunchConfiguration(complete);
    expect(problems).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
  test('says everything that is wrong at once', () => {
    const { problems } = parseLaunchConfiguration({ skill: 1, horizon: 0, budget: { steps: 0, x: 1 } });
    expect(problems?.map(({ path }) => path)).toEqual(['/skill', '/horizon', '/budget/x', '/budget/steps']);
  });
  test.each([undefined, null, [], 'a', 1])('%j is none', (value) => {
    expect(parseLaunchConfiguration(value).problems?.map(({ path }) => path)).toEqual(['']);
  });
  test('the reader and the schema agree', () => {
    const validate = new Ajv({ strict: false }).compile({ ...schema, additionalProperties: true });
    const value = fc.constantFrom<unknown>(
      'a',
      '',
      0,
      1,
      -1,
      0.5,
      10,
      11,
      true,
      {},
      { steps: 1 },
      { steps: 0 },
      { x: 1 },
      [],
      null,
      'on-accept',
      'stop',
      'skill-state',
    );
    const attribute = fc.constantFrom(...Object.keys(schema.properties));
    fc.assert(
      fc.property(fc.dictionary(attribute, value, { maxKeys: 3 }), (configuration) => {
        const { problems } = parseLaunchConfiguration(configuration);
        expect([configuration, problems === undefined]).toEqual([configuration, validate(configuration)]);
      }),
      { numRuns: 1_000 },
    );
  });
  test('every attribute is documented', () => {
    const attributes = [
      ...Object.values(schema.properties),
      ...Object.values(schema.properties.budget.properties),
    ];
    for (const attribute of attributes) {
      expect(attribute.title).toMatch(/^[A-Z]/);
      expect(attribute.description).toMatch(/\.$/);
      expect(attribute.markdownDescription).toMatch(/^[A-Z]/);
    }
  });
});
