/** What the settings say of models, and what is wrong in them. */
import { describe, expect, it } from 'vitest';
import { type ModelSettingName, readModelConfiguration } from '../../../client/src/hosts/modelConfiguration';

function read(settings: Readonly<Partial<Record<ModelSettingName, unknown>>>) {
  return readModelConfiguration((name) => settings[name]);
}

describe('settings of models', () => {
  it('say nothing where nothing is set', () => {
    const nothing = {
      servers: [],
      prices: new Map(),
      redact: [],
      defaults: {
        maxTokens: undefined,
        temperature: undefined,
        retryTemperature: undefined,
        topP: undefined,
        decoding: undefined,
        timeout: undefined,
        requestRetries: undefined,
      },
      problems: [],
      refusal: undefined,
    };
    expect(read({})).toEqual(nothing);
    expect(read({ servers: [], prices: {}, redact: [], 'model.maxTokens': null })).toEqual(nothing);
    expect(read({ 'model.temperature': null, 'model.topP': null, 'model.decoding': 'auto' })).toEqual(
      nothing,
    );
    expect(read({ servers: null, prices: null, 'model.timeout': null })).toEqual(nothing);
  });

  it('have servers, prices, patterns and what requests get', () => {
    const { servers, prices, redact, defaults, problems } = read({
      servers: [{ name: 'Lab', baseUrl: 'http://lab:9000/' }],
      prices: { 'openai:qwen': { prompt: 1, completion: 2 } },
      redact: ['\\d{16}'],
      'model.maxTokens': 700,
      'model.temperature': 0,
      'model.retryTemperature': 0.7,
      'model.topP': 0.9,
      'model.decoding': 'free',
      'model.timeout': 30,
      'model.requestRetries': 0,
    });
    expect(servers).toEqual([{ name: 'Lab', baseUrl: 'http://lab:9000/v1' }]);
    expect([...prices]).toEqual([['openai:qwen', { prompt: 1, completion: 2 }]]);
    expect(redact).toEqual(['\\d{16}']);
    expect(defaults).toEqual({
      ...{ maxTokens: 700, temperature: 0, retryTemperature: 0.7, topP: 0.9, decoding: 'free' },
      ...{ timeout: 30, requestRetries: 0 },
    });
    expect(problems).toEqual([]);
  });

  it('are told of where they are wrong, and the rest counts', () => {
    const { servers, prices, problems } = read({
      servers: [
        { name: 'Lab' },
        'x',
        { name: 'Key', baseUrl: 'http://me:secret@lab/v1' },
        { name: 'Good', baseUrl: 'http://lab/v1' },
      ],
      prices: { 'openai:qwen': { prompt: -1, completion: 2 } },
    });
    expect(servers).toEqual([{ name: 'Good', baseUrl: 'http://lab/v1' }]);
    expect(prices.size).toBe(0);
    expect(problems.slice(0, 3)).toEqual([
      'skill-state.servers[0] needs a "name" and a "baseUrl".',
      'skill-state.servers[1] needs a "name" and a "baseUrl".',
      'skill-state.servers[2]: The base URL must not have a user name or a password, such as http://127.0.0.1:8080/v1.',
    ]);
    expect(problems[3]).toMatch(/^skill-state\.prices: .*\.$/);
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  it.each<[ModelSettingName, unknown, string]>([
    [
      'model.timeout',
      '3',
      'skill-state.model.timeout has to be a number above 0 and at most 86400, not "3".',
    ],
    ['model.timeout', 0, 'skill-state.model.timeout has to be a number above 0 and at most 86400, not 0.'],
    [
      'model.timeout',
      86_401,
      'skill-state.model.timeout has to be a number above 0 and at most 86400, not 86401.',
    ],
    ['model.maxTokens', 1.5, 'skill-state.model.maxTokens has to be a whole number from 1, not 1.5.'],
    ['model.temperature', true, 'skill-state.model.temperature has to be a number from 0 to 2, not true.'],
    [
      'model.retryTemperature',
      3,
      'skill-state.model.retryTemperature has to be a number from 0 to 2, not 3.',
    ],
    ['model.topP', [1], 'skill-state.model.topP has to be a number from 0 to 1, not [1].'],
    [
      'model.requestRetries',
      21,
      'skill-state.model.requestRetries has to be a whole number from 0 to 20, not 21.',
    ],
    [
      'model.decoding',
      'json',
      'skill-state.model.decoding has to be auto, free, json-schema, operations or grammar, not "json".',
    ],
    ['servers', 7, 'skill-state.servers has to be a list of servers, each with a "name" and a "baseUrl".'],
    ['prices', 7, 'skill-state.prices: Prices are an object that has a price by the name of each model.'],
  ])('say what is wrong with %s of %j, which counts for nothing', (name, value, problem) => {
    expect(read({ [name]: value })).toEqual({ ...read({}), problems: [problem] });
  });

  it.each<[unknown, string]>([
    [
      '\\d{16}',
      'skill-state.redact has to be a list of regular expressions, such as ["\\\\b\\\\d{16}\\\\b"].',
    ],
    [null, 'skill-state.redact has to be a list'],
    [{ 0: 'x' }, 'skill-state.redact has to be a list'],
    [['x', 7], 'skill-state.redact[1] has to be a regular expression, as a text that is not empty.'],
    [[['x']], 'skill-state.redact[0] has to be a regular expression'],
    [[''], 'skill-state.redact[0] has to be a regular expression'],
  ])('keep runs from beginning where redact is %j', (value, refusal) => {
    expect(read({ redact: value })).toEqual({ ...read({}), refusal: expect.stringContaining(refusal) });
  });
});
