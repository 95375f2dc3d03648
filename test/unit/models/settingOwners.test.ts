/** Which models have which settings, and that what a launch configuration knows of them is all there is. */
import { describe, expect, it } from 'vitest';
import { modelProviders } from '../../../client/src/models/modelName';
import { readSettings, recordedSettings } from '../../../client/src/models/modelSettings';
import {
  hasSetting,
  idleSetting,
  isSettingName,
  makesRequests,
} from '../../../client/src/models/settingOwners';
import launchSchema from '../../../schemas/launch/launchConfiguration.schema.json';

describe('settings of models', () => {
  it('belong to providers', () => {
    expect(hasSetting('openai:m', 'baseUrl')).toBe(true);
    expect(hasSetting('lm-studio:m', 'decoding')).toBe(true);
    expect(hasSetting('gemini:m', 'thinkingBudget')).toBe(true);
    expect(hasSetting('vscode:a/b', 'maxTokens')).toBe(true);
    expect(hasSetting('vscode:a/b', 'baseUrl')).toBe(false);
    expect(hasSetting('replay:a', 'timeout')).toBe(false);
    expect(hasSetting('nonsense', 'timeout')).toBe(false);
    expect(['openai:m', 'vscode:m', 'gemini:m'].map(makesRequests)).toEqual([true, true, true]);
    expect(['scripted', 'manual', 'replay:a', ''].map(makesRequests)).toEqual([false, false, false, false]);
  });

  it('say which of them a model does not have, and nothing of what is not given', () => {
    expect(idleSetting('openai:m', { baseUrl: 'http://a', timeout: 3, maxTokens: 4 })).toBeUndefined();
    expect(idleSetting('scripted', { timeout: undefined, faults: 0 })).toBeUndefined();
    for (const name of ['openai:', 'openai: ', 'OPENAI:m', 'gpt'])
      expect(idleSetting(name, { baseUrl: 'http://a' })).toBeUndefined();
    expect(idleSetting('ollama:m', { vertexProject: 'p' })).toBe(
      'vertexProject is for models of gemini; the model is ollama:m.',
    );
    expect(idleSetting('scripted', { decoding: 'auto' })).toBe(
      'decoding is for models of openai, ollama, llama.cpp, vllm, lm-studio and gemini; the model is scripted.',
    );
    expect(isSettingName('__proto__')).toBe(false);
  });

  it('are all launch attributes, and come back as they were recorded', () => {
    const numbers = {
      ...{ thinkingBudget: 0, timeout: 1.5, requestRetries: 0, faults: 0.5, faultSeed: 3 },
    };
    const texts = {
      ...{ baseUrl: 'http://a/v1', decoding: 'auto', encoding: 'grammar', placement: 'p' },
      ...{ reasoningEffort: 'low', vertexProject: 'p', vertexLocation: 'l' },
    } as const;
    expect(recordedSettings(readSettings({ ...numbers, ...texts }))).toEqual({ ...numbers, ...texts });
    for (const name of Object.keys({ ...numbers, ...texts })) {
      if (name === 'encoding' || name === 'placement') continue;
      expect(isSettingName(name)).toBe(true);
      expect(Object.keys(launchSchema.properties)).toContain(name);
    }
  });

  it('leave out what a recording can only have by mistake', () => {
    for (const timeout of [0, -1, '5', true]) expect(readSettings({ timeout }).timeout).toBeUndefined();
  });

  it('keep what says to whom requests go, also where it can be no address', () => {
    for (const name of ['baseUrl', 'vertexProject', 'vertexLocation'] as const)
      for (const value of [true, 5, '']) expect(readSettings({ [name]: value })[name]).toBe(String(value));
  });

  it('have an example of a model for every provider where launch.json completes names', () => {
    const examples = launchSchema.properties.model.examples.map((name) => name.split(':')[0]);
    expect([...examples].sort()).toEqual([...modelProviders].sort());
    for (const provider of modelProviders)
      expect(launchSchema.properties.model.markdownDescription).toContain(`\`${provider}`);
  });
});
