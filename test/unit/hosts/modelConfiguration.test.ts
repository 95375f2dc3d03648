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
    };
    expect(read({})).toEqual(nothing);
    expect(read({ servers: [], prices: {}, redact: [], 'model.maxTokens': null })).toEqual(nothing);
    expect(read({ 'model.temperature': null, 'model.topP': null, 'model.decoding': 'auto' })).toEqual(
      nothing,
    );
    expect(read({ servers: 7, redact: 'x', 'model.timeout': '3' })).toEqual(nothing);
  });

  it('have servers, prices, patterns and what requests get', () => {
    const { servers, prices, redact, defaults, problems } = read({
      servers: [{ name: 'Lab', baseUrl: 'http://lab:9000/' }],
      prices: { 'openai:qwen': { prompt: 1, completion: 2 } },
      redact: ['\\d{16}', 7],
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
});
